// pawl workflow install | uninstall: the folders of a workflow's agents with their files, and the timer that wakes the agents. Files that
// an agent or a person changed since are never overwritten or removed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CommandContext } from "../../command.ts";
import type { Definition } from "../../core/definition.ts";
import { quoteWord } from "../../text/quote-word.ts";
import { agentHome } from "./agent-home.ts";
import { pipelineOf as pipelineIn } from "./pipeline.ts";
import { pollingPrompt, readCrontab, timerLines, withBlock, writeCrontab } from "./polling.ts";

const LIST = ".pawl-installed.json";
const POLL = "POLL.md";

export interface InstallFlags {
	readonly timer?: boolean;
	readonly agentCommand?: string;
}

export async function install(c: CommandContext, name: string, flags: InstallFlags): Promise<void> {
	const { root, definition } = await pipelineOf(c, name);
	c.makePawlFolder(root);
	const pawl = c.self.map(quoteWord).join(" ");
	const prompts: Record<string, string> = {};
	for (const [agent, role] of Object.entries(definition.roles)) {
		const folder = agentHome(root, definition.name, agent);
		const files = Object.entries(role.files ?? {}).map(([file, key]) => [file, definition.prompts[key] ?? ""] as const);
		const kept = writeFiles(folder, [...files, [POLL, pollingPrompt(definition.name, agent, pawl)]]);
		prompts[agent] = join(folder, POLL);
		c.out(`${agent}: ${folder}${kept.length > 0 ? ` (kept as they are, changed since: ${kept.join(", ")})` : ""}\n`);
	}
	const command = flags.agentCommand ?? null;
	const lines = timerLines(definition, { root, command, pawl, prompts, platform: process.platform });
	const every = `every ${Math.round((pipelineIn(definition)?.intervalMs ?? 0) / 1000)} s`;
	if (!flags.timer) {
		c.out(
			`\nno timer was set up. To let the agents look for work ${every}, add this to your crontab, or use --timer:\n${lines.join("\n")}\n`,
		);
		return;
	}
	await changeCrontab(c, (now) => withBlock(now, definition.name, root, lines));
	c.out(`\nyour crontab wakes them ${every}\n`);
}

export async function uninstall(c: CommandContext, name: string): Promise<void> {
	const { root, definition } = await pipelineOf(c, name);
	// Another workflow of the same name may have been installed, with other agents.
	const there = namesIn(join(root, ".pawl", "agents", definition.name)).filter((agent) =>
		existsSync(join(agentHome(root, definition.name, agent), LIST)),
	);
	for (const agent of new Set([...Object.keys(definition.roles), ...there])) {
		const folder = agentHome(root, definition.name, agent);
		const kept = removeFiles(folder);
		c.out(`${agent}: ${kept.length > 0 ? `removed, but for what was changed since: ${kept.join(", ")} in ${folder}` : "removed"}\n`);
	}
	const own = join(root, ".pawl", "agents");
	for (const folder of [join(own, definition.name), own]) removeEmpty(folder);
	await changeCrontab(c, (now) => withBlock(now, definition.name, root, [])).catch(() => {});
}

async function pipelineOf(c: CommandContext, name: string): Promise<{ root: string; definition: Definition }> {
	const repository = await c.repository();
	const definition = await c.definition(name, repository.root);
	if (pipelineIn(definition) === null)
		throw c.refusal(`${definition.name} is not a pipeline: pawl starts its agents itself, with pawl run ${definition.name}`);
	return { root: repository.root, definition };
}

async function changeCrontab(c: CommandContext, change: (now: string) => string): Promise<void> {
	try {
		const now = await readCrontab();
		const next = change(now);
		if (next !== now) await writeCrontab(next);
	} catch (error) {
		throw c.refusal(`the crontab could not be changed: ${error instanceof Error ? error.message : String(error)}`, "conflict");
	}
}

type Installed = Record<string, string>;

/** Names of files that were changed since they were installed. */
function writeFiles(folder: string, files: readonly (readonly [name: string, text: string])[]): string[] {
	mkdirSync(folder, { recursive: true });
	const known = installedIn(folder);
	const kept: string[] = [];
	for (const [name, text] of files) {
		const file = join(folder, name);
		if (existsSync(file) && hashOf(readFileSync(file, "utf8")) !== known[name] && readFileSync(file, "utf8") !== text) {
			kept.push(name);
			continue;
		}
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		known[name] = hashOf(text);
	}
	writeFileSync(join(folder, LIST), `${JSON.stringify(known, null, 2)}\n`);
	return kept;
}

function removeFiles(folder: string): string[] {
	const kept: string[] = [];
	for (const [name, hash] of Object.entries(installedIn(folder))) {
		const file = join(folder, name);
		if (!existsSync(file)) continue;
		if (hashOf(readFileSync(file, "utf8")) === hash) rmSync(file);
		else kept.push(name);
	}
	rmSync(join(folder, LIST), { force: true });
	removeEmpty(folder);
	return kept;
}

function namesIn(folder: string): string[] {
	return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function removeEmpty(folder: string): void {
	if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

function installedIn(folder: string): Installed {
	try {
		return JSON.parse(readFileSync(join(folder, LIST), "utf8")) as Installed;
	} catch {
		return {};
	}
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
