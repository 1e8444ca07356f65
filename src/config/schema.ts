// The shape of pawl.yml as it is written. Every key may be left out or left empty; each leaf carries its own message,
// which follows the name of the key: "limits.time must be …".
import { z } from "zod";
import { labelProblem } from "../core/assign/labels.ts";
import { parseDuration } from "../core/duration.ts";
import { SANDBOX_TYPES } from "../core/sandbox/sandbox.ts";

export const AGENT_TYPES = ["claude", "codex", "opencode", "gemini", "acp", "command", "scripted"] as const;
export type AgentType = (typeof AGENT_TYPES)[number];

const MAP = "must be a map of keys";
const LIST = "must be a list";
const DURATION = "must be a duration above zero such as 90s, 15m or 1h30m";
const MONEY = "must be an amount of US dollars above zero such as 10 or $2.50";
const PRICE = "must be US dollars for a million tokens, such as 3 or 0.25";
const PATH = "must be a path inside the repository: relative, without `..`, not in .git or .pawl";

const text = z.string("must be a text").refine((value) => value.trim() !== "" && !value.includes("\0"), "must not be empty");
const SIZE = "must be a size of at least 64kB such as 500kB, 256MB or 1GB";
const size = z.union([z.string(), z.number()], SIZE).refine((value) => (parseSize(value) ?? 0) >= 64_000, SIZE);
const flag = z.boolean("must be true or false");
const map = <T extends z.ZodType>(keys: RegExp, what: string, value: T) => z.record(z.string().regex(keys, what), value, MAP);
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;
const VARIABLE = "must be the name of an environment variable";
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const PLAIN = "is not a valid name: use letters, digits, `.`, `_` and `-`";

const duration = z.string(DURATION).refine((value) => (parseDuration(value) ?? 0) > 0, DURATION);
const money = z.union([z.number(), z.string()], MONEY).refine((value) => (parseMoney(value) ?? 0) > 0, MONEY);
const price = z.number(PRICE).min(0, PRICE);
const path = z.string(PATH).refine(isInside, PATH);
const ref = z.string("must be the name of a branch").regex(/^[^\s~^:?*[\\-][^\s~^:?*[\\]*$/, "must be the name of a branch");

const EFFORT = "must be a level of effort such as low or high";
const effort = z.string(EFFORT).regex(/^[A-Za-z][\w.-]*$/, EFFORT);
const wish = z.strictObject(
	{
		agent: text.nullish().describe("the name of an agent"),
		model: text.nullish().describe("a model of the agent, or `fast`, `standard`, `strong`"),
		effort: effort.nullish().describe("how much effort the model makes, such as `low` or `high`"),
	},
	MAP,
);
const tier = z.union(
	[text, z.strictObject({ model: text.nullish(), effort: effort.nullish() }, MAP)],
	"must be a model, or {model, effort}",
);

const ACCOUNT = "must be the name of an account: letters, digits, `.`, `_`, `-`, `@` and `/`";
const agent = z.strictObject(
	{
		type: z
			.enum(AGENT_TYPES, `must be one of ${AGENT_TYPES.join(", ")}`)
			.nullish()
			.describe("which kind of agent; not needed if its name is one of these"),
		command: text.nullish().describe("the program with its first arguments, run without a shell; needed for `command` and `acp`"),
		args: z.array(z.string("must be a text (put it in quotes)"), LIST).nullish().describe("more arguments, after pawl's own"),
		env: map(variable, VARIABLE, z.union([z.string(), z.number(), z.boolean()], "must be a text"))
			.nullish()
			.describe("environment variables to set"),
		model: text.nullish().describe("its model where nothing else chooses one"),
		effort: effort.nullish().describe("its effort where nothing else chooses one, such as `low` or `high`"),
		tiers: z
			.strictObject({ fast: tier.nullish(), standard: tier.nullish(), strong: tier.nullish() }, MAP)
			.nullish()
			.describe("the models that `fast`, `standard` and `strong` stand for"),
		prices: z
			.strictObject(
				{
					input: price.describe("of what the model reads"),
					output: price.describe("of what it writes"),
					cached: price.nullish().describe("of what it reads from its cache"),
				},
				MAP,
			)
			.nullish()
			.describe("US dollars for a million tokens, for an agent that reports tokens and no cost"),
		settings: z
			.enum(["own", "user"], "must be own or user")
			.nullish()
			.describe("`own`: runs without your settings, memory files and MCP servers; `user`: with yours"),
		limits: z
			.strictObject(
				{
					turns: z.int("must be a whole number").min(1, "must be at least 1").nullish().describe("turns of the agent"),
					cost: money.nullish().describe("US dollars"),
				},
				MAP,
			)
			.nullish()
			.describe("of one attempt, where pawl can enforce them"),
		script: path.nullish().describe("of the type `scripted`: a YAML file in the repository"),
		account: z
			.string(ACCOUNT)
			.regex(/^[A-Za-z0-9][\w.@/-]*$/, ACCOUNT)
			.nullish()
			.describe("what its sessions draw on, where several machines work"),
		mcp: flag.nullish().describe("`true`: the agent is given `pawl mcp`, tools for reports, edits and notes"),
	},
	MAP,
);

const label = z
	.string("must be a text")
	.refine(
		(value) => labelProblem(value) === null,
		"must be a label: letters, digits, _ and -, in parts with : between them; pawl: is pawl's own",
	);

export const SANDBOX_NAMES = ["none", ...SANDBOX_TYPES] as const;
const SANDBOX = "must be none, bwrap or container, or {type, network, read, write, image, runtime}";
const NETWORK = "must be on, off or agents";
const PLACES = "must be a list of paths";
const sandbox = z.union(
	[
		z.enum(SANDBOX_NAMES),
		z.strictObject({
			type: z.enum(SANDBOX_NAMES).describe("what makes the sandbox"),
			network: z
				.union([flag, z.enum(["on", "off", "agents"])], NETWORK)
				.nullish()
				.describe("who has a network: all, nobody, or agents and setup alone"),
			read: z.array(text, PLACES).nullish().describe("more files and folders that may be read"),
			write: z.array(text, PLACES).nullish().describe("more files and folders that may be read and changed"),
			image: z
				.string("must be a text")
				.regex(/^[A-Za-z0-9][\w./:@-]*$/, "must be the name of an image")
				.nullish()
				.describe("the image of a container"),
			runtime: z
				.enum(["docker", "podman"], "must be docker or podman")
				.nullish()
				.describe("the program that starts containers; without it, the first of them in PATH"),
		}),
	],
	SANDBOX,
);

export const configSchema = z.strictObject(
	{
		agent: text.nullish().describe("the agent that does the steps; `claude` by default"),
		agents: map(plainName, PLAIN, agent).nullish().describe("agents of your own by name, or changes of one that pawl knows"),
		roles: map(plainName, PLAIN, wish).nullish().describe("who does the steps of a role"),
		steps: map(plainName, PLAIN, wish).nullish().describe("who does the steps of a type; wins over the role"),
		base: ref.nullish().describe("the branch that the stories of a PRD start from and are merged into"),
		parallel: z
			.int("must be a whole number from 1 to 64")
			.min(1, "must be at least 1")
			.max(64, "must be at most 64")
			.nullish()
			.describe("stories at the same time"),
		fallback: z.array(text, LIST).nullish().describe("agents that stand in, in that order, while another is at a usage limit"),
		checks: map(plainName, PLAIN, text).nullish().describe("name → command: pawl runs them itself, and their exit code is the evidence"),
		setup: text.nullish().describe("a shell command that makes a fresh worktree usable"),
		copy: z.array(path, LIST).nullish().describe("files and folders copied from the main checkout into a fresh worktree"),
		link: z.array(path, LIST).nullish().describe("files and folders linked from the main checkout into a fresh worktree"),
		limits: z
			.strictObject(
				{
					cost: money.nullish().describe("US dollars, such as `10` or `$2.50`"),
					time: duration.nullish().describe("how long agents, checks and merges may work, such as `4h`"),
				},
				MAP,
			)
			.nullish()
			.describe("where a run stops"),
		logs: z
			.strictObject({ max: size.nullish().describe("of one attempt, such as `256MB` (the default)") }, MAP)
			.nullish()
			.describe("how much pawl keeps of what agents print"),
		timeouts: map(plainName, PLAIN, duration).nullish().describe("step type → how long an attempt may take, such as `45m`"),
		notify: z
			.strictObject(
				{
					command: text.nullish().describe("runs with `/bin/sh -c`, with the message on stdin"),
					webhook: z
						.string("must be a text")
						.refine(isWebAddress, "must be an http or https address")
						.nullish()
						.describe("gets a POST with the message as JSON"),
					workflow: flag.nullish().describe("`true`: the address that a pipeline itself names gets the same POST"),
				},
				MAP,
			)
			.nullish()
			.describe("how pawl tells you that it needs a person, that a budget runs low or that a run is over"),
		env: z
			.array(z.string(VARIABLE).regex(variable, VARIABLE), LIST)
			.nullish()
			.describe("names of variables that agents and checks get besides the usual ones"),
		push: flag.nullish().describe("whether a run may push and open a pull request"),
		comment: flag.nullish().describe("whether pawl may comment on the issues that a run works on"),
		forge: z
			.enum(["gh", "glab"], "must be gh or glab")
			.nullish()
			.describe("the program that reaches the forge, where the host of the remote does not say it"),
		supervisor: flag.nullish().describe("`false`: leaves out the supervisor's checks, if a workflow has a supervisor"),
		merge: z
			.enum(["queue", "serial"], "must be queue or serial")
			.nullish()
			.describe("`serial`: merges are checked one after the other, instead of in a queue"),
		requires: z.array(label, LIST).nullish().describe("labels that a worker must have, where machines share the runs"),
		sandbox: sandbox.nullish().describe("what agents, checks and setup run in: a name, or a map that says more"),
		baseline: z
			.union([flag, z.literal("off"), z.literal("on")], "must be on or off")
			.nullish()
			.describe("`off`: setup and checks are not tried on base before the first session"),
	},
	MAP,
);

export type WrittenConfig = z.infer<typeof configSchema>;

/** The keys that are allowed under a path, for suggestions. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
	let schema: z.ZodType = configSchema;
	for (const part of path) {
		schema = plain(schema);
		if (schema instanceof z.ZodObject) schema = schema.shape[String(part)] ?? z.never();
		else if (schema instanceof z.ZodRecord) schema = schema.valueType as z.ZodType;
	}
	schema = plain(schema);
	return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function plain(schema: z.ZodType): z.ZodType {
	let inner = schema;
	while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap() as z.ZodType;
	return inner;
}

/** US dollars, or null if it is not an amount. */
export function parseMoney(value: string | number): number | null {
	if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : null;
	const amount = /^\$?\s*(\d+(?:\.\d+)?)$/.exec(value.trim())?.[1];
	return amount === undefined ? null : Number(amount);
}

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, ki: 1024, mi: 1024 ** 2, gi: 1024 ** 3 };

/** Bytes, or null if it is not a size. */
export function parseSize(value: string | number): number | null {
	const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s*(?:([kmg]i?)?b)?$/i.exec(String(value).trim()) ?? [];
	return amount === undefined ? null : Math.floor(Number(amount) * (UNITS[unit.toLowerCase()] ?? 1));
}

function isInside(value: string): boolean {
	const parts = value.split(/[\\/]/).filter((part) => part !== "" && part !== ".");
	if (parts.length === 0 || value.includes("\0") || /^[\\/]|^[A-Za-z]:|^~/.test(value)) return false;
	// A file system may ignore case.
	return !parts.includes("..") && ![".git", ".pawl"].includes((parts[0] ?? "").toLowerCase());
}

function isWebAddress(value: string): boolean {
	return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
