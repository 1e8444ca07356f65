// Parses the small notations inside the YAML: `3/story`, `$10/run`, `tasks > 1`, `fail story`.
import type { Budget, CapScope, Condition, Route } from "../core/definition.ts";
import { parseDuration } from "../core/duration.ts";
import { suggest } from "./problem.ts";

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** A cap this high only counts. */
export const UNLIMITED = 1_000_000;
const CAP = /^(?:(0|[1-9]\d{0,5}|\*)|\{\{\s*([a-z][a-z0-9_]*)\s*\}\}\s+or\s+([1-9]\d{0,5}))\/([a-z]+)$/;
const CAP_SCOPES: readonly CapScope[] = ["entry", "step", "story", "run", "row"];

/** `3/story`; `{{field}} or 3/story`: the field's number if it has one, otherwise three; `*` + `/story`: counts, and never ends. */
export function parseCap(text: string): Parsed<{ max: number; maxField?: string; per: CapScope }> {
	const match = CAP.exec(text.trim());
	if (!match) return { problem: `\`${text}\` is not a cap: write how often and for what, as 3/entry, 3/step, 3/story, 3/run or 3/row` };
	const [, number, field, fallback, scope = ""] = match;
	const per = CAP_SCOPES.find((s) => s === scope);
	return per
		? { value: { max: number === "*" ? UNLIMITED : Number(number ?? fallback), ...(field === undefined ? {} : { maxField: field }), per } }
		: { problem: `a cap cannot count per \`${scope}\`${suggest(scope, CAP_SCOPES)}` };
}

export function readDuration(text: string): Parsed<number> {
	const ms = parseDuration(text);
	if (ms === null) return { problem: `\`${text}\` is not a duration: write it as 500ms, 90s, 15m or 2h` };
	return ms > 0 ? { value: ms } : { problem: "a duration is longer than nothing" };
}

const BUDGET_SCOPES = ["run", "story", "step"] as const;

/** `$10/run` is money in US dollars, `2h/run` time in milliseconds, `3/story` a count. */
export function parseAmount(text: string): Parsed<Pick<Budget, "unit" | "limit" | "scope">> {
	const slash = text.lastIndexOf("/");
	const amount = text.slice(0, Math.max(0, slash)).trim();
	const scope = BUDGET_SCOPES.find((s) => s === text.slice(slash + 1).trim());
	const wrong = { problem: `\`${text}\` is not an amount: write $10/run, 2h/run or 3/story (per run, story or step)` };
	if (slash < 0 || scope === undefined) return wrong;
	if (/^\$\d+(\.\d+)?$/.test(amount)) return { value: { unit: "cost", limit: Number(amount.slice(1)), scope } };
	if (/^[1-9]\d*$/.test(amount)) return { value: { unit: "count", limit: Number(amount), scope } };
	const ms = parseDuration(amount);
	return ms === null ? wrong : { value: { unit: "time", limit: ms, scope } };
}

export function parseShare(text: string): Parsed<number> {
	const percent = /^(\d{1,2})%$/.exec(text.trim());
	return percent && Number(percent[1]) > 0
		? { value: Number(percent[1]) / 100 }
		: { problem: `\`${text}\` is not a share: write it as 75%` };
}

const CONDITION = /^([a-z][a-z0-9_]*)\s+(?:(is set|is not set)|(is not|is|>|<)\s+(.+))$/;

/** `FIELD is VALUE`, `is not`, `>`, `<`, `is set`, `is not set`; several are joined by `and`. */
export function parseWhen(text: string): Parsed<Condition[]> {
	const conditions: Condition[] = [];
	for (const part of text.split(/\s+and\s+/)) {
		const match = CONDITION.exec(part.trim());
		const field = match?.[1];
		if (!match || field === undefined)
			return {
				problem: `\`${part.trim()}\` is not a condition: write \`FIELD is VALUE\`, \`is not\`, \`>\`, \`<\`, \`is set\` or \`is not set\``,
			};
		if (match[2] !== undefined) {
			conditions.push({ field, op: match[2] === "is set" ? "set" : "unset" });
			continue;
		}
		const value = (match[4] ?? "").trim().replace(/^"(.*)"$|^'(.*)'$/, (_, a: string | undefined, b: string | undefined) => a ?? b ?? "");
		const sign = match[3];
		if (sign === ">" || sign === "<") {
			if (value === "" || !Number.isFinite(Number(value))) return { problem: `\`${value}\` is not a number: \`${sign}\` compares numbers` };
			conditions.push({ field, op: sign === ">" ? "above" : "below", value: Number(value) });
		} else conditions.push({ field, op: sign === "is" ? "is" : "is_not", value });
	}
	return { value: conditions };
}

const PLAIN = ["next", "retry", "reopen", "skip", "complete", "stop", "refuse", "abort"] as const;
const TARGETS: Readonly<Record<string, readonly string[]>> = { fail: ["story", "run"], wait: ["person", "answer", "time"] };

/** The target of `fail` alone: the story that the step is in; outside the stories, the run. Compiling replaces it. */
export const OWN = "own";

/** An action in words: `next`, `goto planning`, `fail story`, `wait time`. */
export function parseAction(text: string): Parsed<Route> {
	const [verb = "", target, ...more] = text.trim().split(/\s+/);
	const plain = PLAIN.find((p) => p === verb);
	const all = [...PLAIN, "goto TYPE", "fail", "fail story", "fail run", "wait person", "wait answer", "wait time"];
	if (more.length > 0) return { problem: `\`${text}\` is not an action: there is ${all.join(", ")}` };
	if (plain)
		return target === undefined ? { value: { action: plain } } : { problem: `\`${verb}\` stands alone: \`${target}\` has no meaning here` };
	if (verb === "goto")
		return target === undefined ? { problem: "`goto` needs a step type, or `back`" } : { value: { action: "goto", target } };
	if (verb === "insert") return { problem: "`insert` needs its steps: write {insert: [TYPE, …], max: 3/story, exhausted: …}" };
	if (verb === "fail" && target === undefined) return { value: { action: "fail", target: OWN } };
	const targets = TARGETS[verb];
	if (!targets || (verb !== "fail" && verb !== "wait"))
		return { problem: `\`${verb}\` is not an action${suggest(verb, [...PLAIN, "goto", "insert", "fail", "wait"])}` };
	if (target === undefined || !targets.includes(target)) return { problem: `\`${verb}\` needs ${choice(targets)} behind it` };
	return { value: { action: verb, target } };
}

const choice = (words: readonly string[]): string =>
	`${words
		.slice(0, -1)
		.map((word) => `\`${word}\``)
		.join(", ")} or \`${words.at(-1)}\``;

/** The signals of a route's key: `a|b` are two. */
export const splitSignals = (key: string): string[] => key.split("|").map((s) => s.trim());
