// `~/.openclaw/openclaw.json`: where agents that are set up there have their folders. The file is another tool's: if
// it cannot be read, nothing is known, which is not an error.
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** The folder of the first of these agents that is listed; null if none is. */
export function openclawWorkspace(home: string, ids: readonly string[]): string | null {
	let config: unknown;
	try {
		config = JSON.parse(readFileSync(join(home, ".openclaw", "openclaw.json"), "utf8"));
	} catch {
		return null;
	}
	const agents = at(at(config, "agents"), "list");
	if (!Array.isArray(agents)) return null;
	for (const id of ids) {
		const workspace = at(
			agents.find((agent: unknown) => at(agent, "id") === id),
			"workspace",
		);
		if (typeof workspace !== "string" || workspace === "") continue;
		const path = workspace.replace(/^~(?=\/|$)/, home);
		if (isAbsolute(path)) return path;
	}
	return null;
}

/** How an agent of a workflow may be called there. */
export const openclawIds = (workflow: string, agent: string): string[] => [
	`${workflow}_${agent}`,
	`${workflow}/${agent}`,
	`${workflow}-${agent}`,
	agent,
];

function at(value: unknown, key: string): unknown {
	return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}
