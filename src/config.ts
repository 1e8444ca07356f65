// pawl.yml: what a repository says about how pawl works in it. Read once, before anything is started; all problems are reported
// together, each with its line and column.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AGENT_TYPES, type AgentType, configSchema, keysAt, parseMoney, parseSize, type WrittenConfig } from "./config/schema.ts";
import { closest } from "./core/closest.ts";
import { parseDuration } from "./core/duration.ts";
import { type Path, type Problem, readYaml } from "./yaml.ts";

export type { AgentType, Problem };

export interface AgentConfig {
	readonly type: AgentType;
	/** The executable, with arguments before `args`; split like a shell does. null: the type's own. */
	readonly command: string | null;
	readonly args: readonly string[];
	/** Variables to set; they override those that are passed on. */
	readonly env: Readonly<Record<string, string>>;
	readonly model: string | null;
	/** US dollars for a million tokens, for agents that report tokens and no cost. */
	readonly prices: { readonly input: number; readonly output: number; readonly cached?: number } | null;
	/** claude, codex, opencode, gemini: a configuration of pawl's, or the user's with its MCP servers, hooks and memory. */
	readonly settings: "own" | "user";
	/** Of one attempt. */
	readonly limits: { readonly turns: number | null; readonly costUsd: number | null };
	/** Whether it gets `pawl mcp` for its attempts. */
	readonly mcp: boolean;
	/** `scripted`: the script, relative to the repository's root. */
	readonly script: string | null;
}

export interface Config {
	readonly agent: string | null;
	readonly agents: Readonly<Record<string, AgentConfig>>;
	readonly roles: Readonly<Record<string, { readonly agent: string | null; readonly model: string | null }>>;
	readonly base: string | null;
	readonly parallel: number | null;
	/** Agents to use instead, in this order, while another one is at its usage limit. */
	readonly fallback: readonly string[];
	/** Name → command, run by the engine itself. */
	readonly checks: Readonly<Record<string, string>>;
	readonly setup: string | null;
	readonly copy: readonly string[];
	readonly link: readonly string[];
	readonly limits: { readonly costUsd: number | null; readonly timeMs: number | null };
	/** How much of the log of one attempt is kept. */
	readonly logs: { readonly maxBytes: number };
	/** Step type → milliseconds. */
	readonly timeouts: Readonly<Record<string, number>>;
	/** `workflow`: also the address that a workflow itself names. */
	readonly notify: { readonly command: string | null; readonly webhook: string | null; readonly workflow: boolean };
	/** Names of variables that agents get in addition to the usual ones. */
	readonly env: readonly string[];
	readonly push: boolean;
	/** What it says about flags that formats declare. */
	readonly flags: Readonly<Record<string, boolean>>;
	/** `serial`: no merge is checked ahead of its turn. */
	readonly merge: "queue" | "serial";
	/** Whether to try setup and checks on base before the first session. */
	readonly baseline: boolean;
}

export type ConfigResult = { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly problems: readonly Problem[] };

export const CONFIG_FILE = "pawl.yml";

export function loadConfig(root: string): ConfigResult {
	const file = join(root, CONFIG_FILE);
	try {
		const stat = statSync(file, { throwIfNoEntry: false });
		if (stat === undefined) {
			const other = join(root, "pawl.yaml");
			return statSync(other, { throwIfNoEntry: false })
				? refuse("pawl.yaml", `pawl reads ${CONFIG_FILE}; rename the file`)
				: parseConfig("");
		}
		if (!stat.isFile()) return refuse(CONFIG_FILE, "this is not a file");
		return parseConfig(readFileSync(file, "utf8"));
	} catch (error) {
		return refuse(CONFIG_FILE, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}

const refuse = (file: string, message: string): ConfigResult => ({ ok: false, problems: [{ file, line: 1, column: 1, message }] });

export function parseConfig(text: string, file: string = CONFIG_FILE): ConfigResult {
	const source = placed(text, file);
	if (source.value === undefined) return { ok: false, problems: source.problems };
	const result = configSchema.safeParse(source.value ?? {});
	const issues = result.error?.issues.flatMap((issue) => describe(issue, source)) ?? [];
	const problems = [...source.problems, ...issues, ...namesProblems(source)].toSorted((a, b) => a.line - b.line || a.column - b.column);
	if (result.success && problems.length === 0) return { ok: true, config: complete(result.data) };
	return { ok: false, problems };
}

interface Source {
	readonly value: unknown;
	readonly problems: readonly Problem[];
	problem(path: Path, where: "key" | "value", message: string): Problem;
}

function placed(text: string, file: string): Source {
	const { value, problems, at } = readYaml(text, file);
	return { value, problems, problem: (path, where, message) => ({ file, ...at(path, where), message }) };
}

interface Issue {
	readonly code: string;
	readonly path: Path;
	readonly message: string;
	readonly keys?: readonly string[];
	readonly issues?: readonly { readonly message: string }[];
}

function describe(issue: Issue, source: Source): Problem[] {
	if (issue.code === "unrecognized_keys") {
		const known = keysAt(issue.path);
		return (issue.keys ?? []).map((key) => {
			const meant = closest(key, known);
			const hint = meant === null ? `known here: ${known.join(", ")}` : `did you mean \`${meant}\`?`;
			return source.problem([...issue.path, key], "key", `unknown key \`${nameOf([...issue.path, key])}\`; ${hint}`);
		});
	}
	const name = issue.path.length === 0 ? source.problem([], "value", "").file : `\`${nameOf(issue.path)}\``;
	if (issue.code === "invalid_key") return [source.problem(issue.path, "key", `${name} ${issue.issues?.[0]?.message ?? issue.message}`)];
	return [source.problem(issue.path, "value", `${name} ${issue.message}`)];
}

/** limits.cost, copy[0] */
function nameOf(path: Path): string {
	return path.reduce<string>(
		(text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}${text ? "." : ""}${String(part)}`),
		"",
	);
}

/** What a schema of single values cannot check: named agents must exist and have what their type needs. */
function namesProblems(source: Source): Problem[] {
	const top = fields(source.value);
	const agents = Object.entries(fields(top.agents)).map(([name, value]) => ({ name, agent: fields(value) }));
	const known = [...new Set([...AGENT_TYPES, ...agents.map(({ name }) => name)])];
	const problems: Problem[] = [];
	const checkName = (path: Path, name: unknown) => {
		if (typeof name !== "string" || name.trim() === "" || known.includes(name)) return;
		const meant = closest(name, known);
		const hint = meant === null ? `there is ${known.join(", ")}` : `did you mean \`${meant}\`?`;
		problems.push(source.problem(path, "value", `\`${nameOf(path)}\`: there is no agent \`${name}\`; ${hint}`));
	};
	checkName(["agent"], top.agent);
	for (const [i, name] of (Array.isArray(top.fallback) ? top.fallback : []).entries()) checkName(["fallback", i], name);
	for (const [role, value] of Object.entries(fields(top.roles))) checkName(["roles", role, "agent"], fields(value).agent);
	for (const { name, agent } of agents) {
		const missing = (key: string) => (agent[key] ?? null) === null;
		const need = (message: string, ...keys: string[]) =>
			problems.push(source.problem(["agents", name, ...keys], "key", `\`agents.${name}\` ${message}`));
		const type = agent.type ?? (AGENT_TYPES.find((known) => known === name) || null);
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

function fields(value: unknown): Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

const DEFAULT_LOG_BYTES = 256_000_000;

const moneyOf = (written: string | number | null | undefined): number | null =>
	written === null || written === undefined ? null : parseMoney(written);

function pricesOf(written: NonNullable<WrittenConfig["agents"]>[string]["prices"]): AgentConfig["prices"] {
	if (!written) return null;
	const { input, output, cached } = written;
	return cached === null || cached === undefined ? { input, output } : { input, output, cached };
}

function complete(written: WrittenConfig): Config {
	const agents = Object.entries(written.agents ?? {}).map(([name, agent]): [string, AgentConfig] => [
		name,
		{
			type: agent.type ?? AGENT_TYPES.find((type) => type === name) ?? "command",
			command: agent.command ?? null,
			args: agent.args ?? [],
			env: Object.fromEntries(Object.entries(agent.env ?? {}).map(([key, value]) => [key, String(value)])),
			model: agent.model ?? null,
			prices: pricesOf(agent.prices),
			settings: agent.settings ?? "own",
			limits: { turns: agent.limits?.turns ?? null, costUsd: moneyOf(agent.limits?.cost) },
			mcp: agent.mcp ?? false,
			script: agent.script ?? null,
		},
	]);
	const { cost, time } = written.limits ?? {};
	return {
		agent: written.agent ?? null,
		agents: Object.fromEntries(agents),
		roles: Object.fromEntries(
			Object.entries(written.roles ?? {}).map(([role, { agent, model }]) => [role, { agent: agent ?? null, model: model ?? null }]),
		),
		base: written.base ?? null,
		parallel: written.parallel ?? null,
		fallback: written.fallback ?? [],
		checks: written.checks ?? {},
		setup: written.setup ?? null,
		copy: written.copy ?? [],
		link: written.link ?? [],
		limits: { costUsd: moneyOf(cost), timeMs: time ? parseDuration(time) : null },
		logs: { maxBytes: written.logs?.max ? (parseSize(written.logs.max) ?? DEFAULT_LOG_BYTES) : DEFAULT_LOG_BYTES },
		timeouts: Object.fromEntries(Object.entries(written.timeouts ?? {}).map(([type, text]) => [type, parseDuration(text) ?? 0])),
		notify: {
			command: written.notify?.command ?? null,
			webhook: written.notify?.webhook ?? null,
			workflow: written.notify?.workflow ?? false,
		},
		env: written.env ?? [],
		push: written.push ?? false,
		flags: { supervisor: written.supervisor ?? true },
		merge: written.merge ?? "queue",
		baseline: written.baseline !== false && written.baseline !== "off",
	};
}
