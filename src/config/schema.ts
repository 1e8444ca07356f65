// The shape of pawl.yml as it is written. Every key may be left out or left empty; each leaf carries its own message,
// which follows the name of the key: "limits.time must be …".
import { z } from "zod";
import { labelProblem } from "../core/assign/labels.ts";
import { parseDuration } from "../core/duration.ts";

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
const wish = z.strictObject({ agent: text.nullish(), model: text.nullish(), effort: effort.nullish() }, MAP);
const tier = z.union(
	[text, z.strictObject({ model: text.nullish(), effort: effort.nullish() }, MAP)],
	"must be a model, or {model, effort}",
);

const ACCOUNT = "must be the name of an account: letters, digits, `.`, `_`, `-`, `@` and `/`";
const agent = z.strictObject(
	{
		type: z.enum(AGENT_TYPES, `must be one of ${AGENT_TYPES.join(", ")}`).nullish(),
		command: text.nullish(),
		args: z.array(z.string("must be a text (put it in quotes)"), LIST).nullish(),
		env: map(variable, VARIABLE, z.union([z.string(), z.number(), z.boolean()], "must be a text")).nullish(),
		model: text.nullish(),
		effort: effort.nullish(),
		tiers: z.strictObject({ fast: tier.nullish(), standard: tier.nullish(), strong: tier.nullish() }, MAP).nullish(),
		prices: z.strictObject({ input: price, output: price, cached: price.nullish() }, MAP).nullish(),
		settings: z.enum(["own", "user"], "must be own or user").nullish(),
		limits: z
			.strictObject({ turns: z.int("must be a whole number").min(1, "must be at least 1").nullish(), cost: money.nullish() }, MAP)
			.nullish(),
		script: path.nullish(),
		account: z
			.string(ACCOUNT)
			.regex(/^[A-Za-z0-9][\w.@/-]*$/, ACCOUNT)
			.nullish(),
		mcp: flag.nullish(),
	},
	MAP,
);

const label = z
	.string("must be a text")
	.refine(
		(value) => labelProblem(value) === null,
		"must be a label: letters, digits, _ and -, in parts with : between them; pawl: is pawl's own",
	);

export const configSchema = z.strictObject(
	{
		agent: text.nullish(),
		agents: map(plainName, PLAIN, agent).nullish(),
		roles: map(plainName, PLAIN, wish).nullish(),
		steps: map(plainName, PLAIN, wish).nullish(),
		base: ref.nullish(),
		parallel: z.int("must be a whole number from 1 to 64").min(1, "must be at least 1").max(64, "must be at most 64").nullish(),
		fallback: z.array(text, LIST).nullish(),
		checks: map(plainName, PLAIN, text).nullish(),
		setup: text.nullish(),
		copy: z.array(path, LIST).nullish(),
		link: z.array(path, LIST).nullish(),
		limits: z.strictObject({ cost: money.nullish(), time: duration.nullish() }, MAP).nullish(),
		logs: z.strictObject({ max: size.nullish() }, MAP).nullish(),
		timeouts: map(plainName, PLAIN, duration).nullish(),
		notify: z
			.strictObject(
				{
					command: text.nullish(),
					webhook: z.string("must be a text").refine(isWebAddress, "must be an http or https address").nullish(),
					workflow: flag.nullish(),
				},
				MAP,
			)
			.nullish(),
		env: z.array(z.string(VARIABLE).regex(variable, VARIABLE), LIST).nullish(),
		push: flag.nullish(),
		comment: flag.nullish(),
		forge: z.enum(["gh", "glab"], "must be gh or glab").nullish(),
		supervisor: flag.nullish(),
		merge: z.enum(["queue", "serial"], "must be queue or serial").nullish(),
		requires: z.array(label, LIST).nullish(),
		baseline: z.union([flag, z.literal("off"), z.literal("on")], "must be on or off").nullish(),
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
	return !parts.includes("..") && parts[0] !== ".git" && parts[0] !== ".pawl";
}

function isWebAddress(value: string): boolean {
	return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
