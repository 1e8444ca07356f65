// An agent's final message → one signal with fields, by the grammar of its role. Any text gives a result, in
// linear time; a text that it cannot read is `unreadable`, never a pass.
import { headOf, tailOf } from "../cut.ts";
import type { ReportGrammar } from "../definition.ts";
import type { StorySeed } from "../input.ts";
import type { Earlier, Finding } from "../model.ts";
import { renderTemplate } from "../template.ts";
import { denialOf, lackingKeys } from "./denial.ts";
import { readEarlier } from "./earlier.ts";
import { readFindings, readKeyedFindings, saysNone } from "./findings.ts";
import { decidingKeys, doneLine, expectation, keysOf, neededKeys } from "./grammar.ts";
import { readKeys, textsAfter } from "./keys.ts";
import { type Lines, readLines } from "./lines.ts";
import { bounded, lastWords, readSummary, wholeText } from "./notes.ts";
import { type Promised, readPromise } from "./promise.ts";
import { linesThatCount } from "./quotation.ts";
import { contradictions, findingsDespite, holds, openSignal, type Values, whyUnreadable } from "./signal.ts";
import { readStories, readWholeList } from "./stories.ts";

/** Bytes. A report stands at the end of a message; nobody writes a longer one, and a megabyte of lines would hold up everybody else. */
const LONGEST = 256 * 1024;

/** The field that says what is wrong, whichever key it came from. */
export const FEEDBACK_TEXT = "FEEDBACK_TEXT";

export interface Report {
	readonly signal: string;
	readonly notes: string;
	/** By the key as the grammar spells it. */
	readonly fields: Readonly<Record<string, string>>;
	readonly findings: readonly Finding[];
	/** What it says about the findings of earlier rounds. */
	readonly earlier?: readonly Earlier[];
	/** null: the report gave none, or some were unreadable. */
	readonly stories: readonly StorySeed[] | null;
	/** The values to keep, by name; each text once. */
	readonly kept?: readonly { readonly name: string; readonly text: string }[];
	/** The keys that it should have and does not, if it counts all the same. */
	readonly lacks?: readonly string[];
	/** Its mistakes, for the next attempt and for people; a mistake alone does not make it unreadable. */
	readonly problem: string | null;
}

/**
 * `fields` are those of the scope, for the promise. `prompt` is the agent's prompt: if the message repeats it as a whole, the echo is not
 * part of the report.
 */
export function readReport(grammar: ReportGrammar, text: string, fields: Readonly<Record<string, string>> = {}, prompt = ""): Report {
	const whole = prompt.trim() === "" ? text : text.replaceAll(prompt.trim(), () => "");
	const said = tailOf(whole, LONGEST);
	const lines = readLines(said);
	const keys = keysOf(grammar);
	const deciding = decidingKeys(grammar);
	const counts = linesThatCount(lines, { keys, needed: neededKeys(grammar), deciding });
	// Open reports are restated, and their kept keys are no lists.
	const lists = grammar.open ? [] : Object.values(grammar.keep ?? {});
	const series = readKeys(lines, {
		keys,
		open: grammar.open ?? false,
		single: grammar.open ? singleKeys(grammar, deciding) : new Set(),
		every: new Set([...lists, ...deciding]),
		// What a judge lists under ISSUES may well begin with such a word.
		inLists: new Set(grammar.denies === undefined ? (grammar.wants?.["done"] ?? []) : []),
		counts,
	});
	const kept = [...series].flatMap(([key, all]) => keptOf(grammar, key, grammar.open ? [all.join("\n")] : all));
	const values = new Map([...series].map(([key, all]) => [key, isSingle(grammar, key) ? (all.at(-1) ?? "") : all.join("\n")] as const));
	const problems: string[] = said.length < whole.length ? ["it is longer than 256 KiB, and only its end was read"] : [];
	const missing = (grammar.required ?? []).filter((key) => !values.get(key));
	if (missing.length > 0) problems.push(`missing: ${missing.join(", ")}`);

	const stories = storiesOf(grammar, lines, values, counts);
	if (stories && !stories.ok) problems.push(`${grammar.stories}: ${stories.problem}`);

	const findings = findingsOf(grammar, lines, values);
	const promised: Promised =
		grammar.promise === undefined
			? { kept: false, problem: null }
			: readPromise(lines, renderTemplate(grammar.promise, fields).trim(), prompt);
	if (!promised.kept && promised.problem !== null) problems.push(promised.problem);
	const twice = [...contradictions(grammar, series), ...findingsDespite(grammar, values, findings)];
	problems.push(...twice);
	let signal = promised.kept ? "promise" : signalOf(grammar, said, values, findings);
	if (signal === null && twice.length === 0) problems.push(why(grammar, lines, said, values, findings));
	if (missing.length > 0 || twice.length > 0 || (stories && !stories.ok)) signal = null;
	const denial = signal === "done" ? denialOf(grammar, values) : null;
	if (denial !== null && "problem" in denial) {
		problems.push(denial.problem);
		signal = null;
	} else if (denial !== null) {
		problems.push(denial.remark);
		signal = denial.signal;
	}
	const lacks = signal === null ? [] : lackingKeys(grammar, signal, values);
	if (lacks.length > 0) problems.push(`it has no ${lacks.join(", ")}`);
	// What an earlier report said under this key is not what this one says.
	for (const key of lacks) values.set(key, "");

	const summary = grammar.notes === "summary" ? readSummary(lines.texts) : wholeText(said);
	if (summary === null) problems.push("no SUMMARY section");
	if (grammar.feedback) values.set(FEEDBACK_TEXT, feedbackOf(grammar, values) ?? (lastWords(withoutDeciding(grammar, said)) || NO_REASON));
	return {
		signal: signal ?? "unreadable",
		notes: summary ?? lastWords(said),
		fields: Object.fromEntries([...values].map(([key, value]) => [key, bounded(value)])),
		findings,
		stories: stories?.ok ? stories.value : null,
		...(kept.length > 0 ? { kept } : {}),
		...earlierIn(grammar, values),
		...(lacks.length > 0 ? { lacks } : {}),
		problem: problems.length > 0 ? problems.join("; ") : null,
	};
}

/** In an open report the text after a deciding word belongs to no key. */
const singleKeys = (grammar: ReportGrammar, deciding: ReadonlySet<string>): ReadonlySet<string> => {
	const line = expectation(grammar);
	return new Set([...deciding, ...(line !== null && line.wanted !== "" ? [line.key] : []), doneLine(grammar)?.key ?? ""]);
};

/** Of a key that decides or is parsed, the last value counts; any other repeated key is a list. */
const isSingle = (grammar: ReportGrammar, key: string): boolean =>
	key === grammar.stories || grammar.signals.some((rule) => Object.hasOwn(rule.when, key)) || expectation(grammar)?.key === key;

function signalOf(grammar: ReportGrammar, said: string, values: Values, findings: readonly Finding[]): string | null {
	if (grammar.open) return openSignal(grammar, said, values);
	if (grammar.signals.length === 0) return "done";
	const judged = withPlainNone(grammar, values, findings);
	return grammar.signals.find((rule) => holds(rule, judged, findings))?.signal ?? null;
}

/** "no findings" and "none. All is well." mean the same as "none". */
function withPlainNone({ findings: key }: ReportGrammar, values: Values, findings: readonly Finding[]): Values {
	if (key === undefined || findings.length > 0 || !saysNone(values.get(key) ?? "")) return values;
	return new Map([...values, [key, values.get(key) === "" ? "" : "none"]]);
}

function why(grammar: ReportGrammar, lines: Lines, said: string, values: Values, findings: readonly Finding[]): string {
	const keys = [...neededKeys(grammar), ...decidingKeys(grammar)];
	const everywhere = readKeys(
		{ ...lines, texts: lines.texts.map((line) => line.replace(/^[ \t]*>[ \t>]*/, "")) },
		{ keys, open: false, single: new Set(keys), every: new Set(), counts: () => true },
	);
	return whyUnreadable(grammar, {
		values,
		findings,
		listed: keys.some((key) => /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]/m.test(values.get(key) ?? "")),
		quoted: keys.some((key) => !values.get(key) && everywhere.get(key)?.some((value) => value !== "")),
		reason: grammar.open ? reasonOf(grammar, said, values) : "",
	});
}

const REASON_CHARS = 600;
const NO_REASON = "No reason was given.";

const withoutDeciding = (grammar: ReportGrammar, said: string): string => {
	const keys = [...new Set([...decidingKeys(grammar), ...Object.keys(grammar.denies ?? {})])];
	return said.replace(new RegExp(`^[ \\t*_\`]*(?:${keys.join("|")})[ \\t*_\`]*:.*$`, "gim"), "").trim();
};

/** The signal of an agent that does not say `done`. */
function reasonOf(grammar: ReportGrammar, said: string, values: Values): string {
	const given = feedbackOf(grammar, values) ?? values.get("REASON") ?? values.get("ERROR");
	const text = (given ?? withoutDeciding(grammar, said)).replace(/\s+/g, " ").trim();
	return text.length > REASON_CHARS ? `…${lastWords(text).slice(-REASON_CHARS)}` : text;
}

function storiesOf(grammar: ReportGrammar, lines: Lines, values: Values, counts: (line: number) => boolean) {
	const listed = grammar.stories === undefined ? undefined : values.get(grammar.stories);
	if (listed === undefined || grammar.stories === undefined) return null;
	return grammar.open
		? readWholeList(textsAfter(lines, grammar.stories, counts), grammar.stories, grammar.maxStories)
		: readStories(listed, grammar.stories);
}

/** The findings under their key; without that key, all lines outside of fences that have the form of findings. */
function findingsOf(grammar: ReportGrammar, { texts, depths }: Lines, values: Values): readonly Finding[] {
	if (grammar.findings === undefined) return [];
	const under = values.get(grammar.findings);
	return under === undefined ? readKeyedFindings(texts.filter((_, at) => depths[at] === 0).join("\n")) : readFindings(under);
}

/** By the key that the grammar names. */
export function earlierIn(grammar: ReportGrammar, values: Values): Pick<Report, "earlier"> {
	const earlier = readEarlier(values.get(grammar.earlier ?? "") ?? "");
	return earlier.length > 0 ? { earlier } : {};
}

/** What is wrong, by the best key that has a text. */
export const feedbackOf = (grammar: ReportGrammar, values: Values): string | undefined =>
	grammar.feedback?.map((key) => values.get(key) ?? "").find((text) => text !== "");

const MOST_KEPT = 50;
const KEPT_BYTES = 4096;

/** Drops repeated texts. */
export function keptOf(grammar: ReportGrammar, key: string, values: readonly string[]): { name: string; text: string }[] {
	const names = Object.entries(grammar.keep ?? {}).flatMap(([name, of]) => (of === key ? [name] : []));
	const texts = [...new Set(values.map((text) => headOf(text.trim(), KEPT_BYTES)))].filter((text) => text !== "");
	return names.flatMap((name) => texts.slice(0, MOST_KEPT).map((text) => ({ name, text })));
}
