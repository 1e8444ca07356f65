// What a schema of single values cannot check: agents that are named must exist and have what their type needs.
import { closest } from "../core/closest.ts";
import { mergedAgent } from "./merge.ts";
import { AGENT_TYPES, type WrittenConfig } from "./schema.ts";

export type Path = readonly PropertyKey[];

/** A file as data, which says where something in it is wrong. */
export interface Source<P> {
	readonly value: unknown;
	problem(path: Path, where: "key" | "value", message: string): P;
}

/** `others`: agents of the user's own file, which the repository's may name and say more about. */
export function namesProblems<P>(source: Source<P>, others: NonNullable<WrittenConfig["agents"]>): P[] {
	const top = fields(source.value);
	const own = Object.entries(fields(top["agents"])).map(([name, value]) => ({ name, agent: fields(value) }));
	const agents = own.map(({ name, agent }) => ({ name, agent: fields(mergedAgent(others[name], agent)) }));
	const known = [...new Set([...AGENT_TYPES, ...Object.keys(others), ...agents.map(({ name }) => name)])];
	const problems: P[] = [];
	const checkName = (path: Path, name: unknown) => {
		if (typeof name !== "string" || name.trim() === "" || known.includes(name)) return;
		const meant = closest(name, known);
		const hint = meant === null ? `there is ${known.join(", ")}` : `did you mean \`${meant}\`?`;
		problems.push(source.problem(path, "value", `\`${nameOf(path)}\`: there is no agent \`${name}\`; ${hint}`));
	};
	checkName(["agent"], top["agent"]);
	for (const [i, name] of (Array.isArray(top["fallback"]) ? top["fallback"] : []).entries()) checkName(["fallback", i], name);
	for (const key of ["roles", "steps"])
		for (const [name, value] of Object.entries(fields(top[key]))) checkName([key, name, "agent"], fields(value)["agent"]);
	for (const { name, agent } of agents) {
		const missing = (key: string) => (agent[key] ?? null) === null;
		const need = (message: string, ...keys: string[]) =>
			problems.push(source.problem(["agents", name, ...keys], "key", `\`agents.${name}\` ${message}`));
		const type = agent["type"] ?? (AGENT_TYPES.find((known) => known === name) || null);
		if (type === null) need(`needs a \`type\`: one of ${AGENT_TYPES.join(", ")}`);
		if ((type === "command" || type === "acp") && missing("command")) need("needs a `command`");
		if ((type === "command" || type === "scripted") && agent["mcp"] === true)
			need(`has \`mcp\`, and pawl cannot tell an agent of the type ${type} about it; it may start \`pawl mcp\` by itself`, "mcp");
		if (type === "acp" && (fields(agent["limits"])["turns"] ?? null) !== null)
			need(
				"has `limits.turns`, and turns cannot be counted in an agent of the type acp; use `limits.cost` or `timeouts`",
				"limits",
				"turns",
			);
		if (type === "scripted" && missing("script")) need("needs a `script`: the path of a YAML file");
		if (type !== "scripted" && type !== null && !missing("script"))
			need("has a `script`, which only agents of the type scripted read", "script");
	}
	return problems;
}

/** limits.cost, copy[0] */
export function nameOf(path: Path): string {
	return path.reduce<string>(
		(text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}${text ? "." : ""}${String(part)}`),
		"",
	);
}

function fields(value: unknown): Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
