// An agent's final message → one signal with fields, by the grammar of its role. Total: whatever the text is, the answer
// is a value, in linear time; and what cannot be read is `unreadable`, never a pass.
import { headOf } from "../cut.ts";
import type { ReportGrammar, SignalRule } from "../definition.ts";
import type { StorySeed } from "../input.ts";
import type { Finding } from "../model.ts";
import { renderTemplate } from "../template.ts";
import { readFindings } from "./findings.ts";
import { isFence, readKeys, textsAfter } from "./keys.ts";
import { bounded, lastWords, readSummary, wholeText } from "./notes.ts";
import { readStories, readWholeList } from "./stories.ts";

/** The field of what is wrong, whatever key it came under. */
export const FEEDBACK_TEXT = "FEEDBACK_TEXT";

export interface Report {
	readonly signal: string;
	readonly notes: string;
	/** By the key as the grammar spells it. */
	readonly fields: Readonly<Record<string, string>>;
	readonly findings: readonly Finding[];
	/** null: none were given, or not all of them could be read. */
	readonly stories: readonly StorySeed[] | null;
	/** What of it is kept, by name; each text once. */
	readonly kept?: readonly { readonly name: string; readonly text: string }[];
	/** What is wrong with it, for a person; a problem alone does not make it unreadable. */
	readonly problem: string | null;
}

/**
 * `fields` are those of the scope, for the promise. `prompt` is what the agent was given: where it is echoed as a whole,
 * the echo is no part of the report.
 */
export function readReport(grammar: ReportGrammar, text: string, fields: Readonly<Record<string, string>> = {}, prompt = ""): Report {
	const said = prompt.trim() === "" ? text : text.replaceAll(prompt.trim(), () => "");
	const lines = said.split(/\r\n|\n|\r/);
	const deciding = new Set(grammar.signals.flatMap((rule) => Object.keys(rule.when)));
	const values = new Map<string, string>();
	const lists = new Set(Object.values(grammar.keep ?? {}));
	const kept: { name: string; text: string }[] = [];
	for (const [key, series] of readKeys(lines, keysOf(grammar, deciding), grammar.open, lists)) {
		kept.push(...keptOf(grammar, key, series));
		// What decides or is parsed is the last one; any other key that is repeated is a list.
		const single = deciding.has(key) || key === grammar.stories;
		values.set(key, single ? (series.at(-1) ?? "") : series.join("\n"));
	}
	const problems: string[] = [];
	const missing = (grammar.required ?? []).filter((key) => !values.get(key));
	if (missing.length > 0) problems.push(`missing: ${missing.join(", ")}`);

	const listed = grammar.stories === undefined ? undefined : values.get(grammar.stories);
	const stories =
		listed === undefined || grammar.stories === undefined
			? null
			: grammar.open
				? readWholeList(textsAfter(lines, grammar.stories), grammar.maxStories)
				: readStories(listed);
	if (stories && !stories.ok) problems.push(`${grammar.stories}: ${stories.problem}`);

	const findings = readFindings(values.get(grammar.findings ?? "") ?? "");
	let signal = grammar.open
		? openSignal(grammar, said, values)
		: signalOf(grammar, lines, fields, prompt, (rule) => holds(rule, values, findings));
	if (signal === null)
		problems.push(
			grammar.expects === undefined ? `no line that decides: ${[...deciding].join(", ")}` : `it does not say ${grammar.expects}`,
		);
	if (missing.length > 0 || (stories && !stories.ok)) signal = null;

	const summary = grammar.notes === "summary" ? readSummary(lines) : wholeText(said);
	if (summary === null) problems.push("no SUMMARY section");
	if (grammar.feedback) values.set(FEEDBACK_TEXT, feedbackOf(grammar, values) ?? lastWords(said));
	return {
		signal: signal ?? "unreadable",
		notes: summary ?? lastWords(said),
		fields: Object.fromEntries([...values].map(([key, value]) => [key, bounded(value)])),
		findings,
		stories: stories?.ok ? stories.value : null,
		...(kept.length > 0 ? { kept } : {}),
		problem: problems.length > 0 ? problems.join("; ") : null,
	};
}

/** Every key that the grammar reads; `deciding` are those that its rules look at. */
export function keysOf(grammar: ReportGrammar, deciding: Iterable<string>): readonly string[] {
	const special = [grammar.findings, grammar.stories, ...Object.values(grammar.keep ?? {})].filter((key) => key !== undefined);
	return [...new Set([...grammar.keys, ...deciding, ...(grammar.required ?? []), ...special])];
}

const MOST_KEPT = 50;
const KEPT_BYTES = 4096;

/** A report that says a thing twice has said it once. */
export function keptOf(grammar: ReportGrammar, key: string, values: readonly string[]): { name: string; text: string }[] {
	const names = Object.entries(grammar.keep ?? {}).flatMap(([name, of]) => (of === key ? [name] : []));
	const texts = [...new Set(values.map((text) => headOf(text.trim(), KEPT_BYTES)))].filter((text) => text !== "");
	return names.flatMap((name) => texts.slice(0, MOST_KEPT).map((text) => ({ name, text })));
}

function signalOf(
	grammar: ReportGrammar,
	lines: readonly string[],
	fields: Readonly<Record<string, string>>,
	prompt: string,
	matches: (rule: SignalRule) => boolean,
): string | null {
	if (grammar.promise !== undefined && isPromised(lines, renderTemplate(grammar.promise, fields).trim(), prompt)) return "promise";
	if (grammar.signals.length === 0) return "done";
	return grammar.signals.find(matches)?.signal ?? null;
}

export function holds(rule: SignalRule, values: ReadonlyMap<string, string>, findings: readonly Finding[]): boolean {
	const wants = Object.entries(rule.when);
	// A rule that wants nothing would make a pass of any text.
	if (wants.length === 0 && rule.finding === undefined && rule.only === undefined) return false;
	const ofClass = (name: string) => (one: Finding) => name === "*" || isOfClass(one.class, name.toLowerCase());
	if (rule.finding !== undefined && !findings.some(ofClass(rule.finding))) return false;
	if (rule.only !== undefined && (findings.length === 0 || !findings.every(ofClass(rule.only)))) return false;
	return wants.every(([key, wanted]) => fits(values.get(key) ?? "", wanted));
}

/** `plan-level` is `plan`, said more exactly. */
const isOfClass = (said: string, name: string): boolean => said === name || said.startsWith(`${name}_`);

function fits(said: string, wanted: string): boolean {
	if (wanted.includes("|")) return wanted.split("|").some((one) => fits(said, one));
	const value = plain(said);
	if (!wanted.endsWith("*")) return value !== "" && value === plain(wanted);
	return value !== "" && value.startsWith(plain(wanted.slice(0, -1)));
}

/** What is wrong, by the best key that has a text. */
export const feedbackOf = (grammar: ReportGrammar, values: ReadonlyMap<string, string>): string | undefined =>
	grammar.feedback?.map((key) => values.get(key) ?? "").find((text) => text !== "");

/** A STATUS that says anything else than done is no pass, whatever else is expected and said. */
export function openSignal(grammar: ReportGrammar, said: string, values: ReadonlyMap<string, string>): string | null {
	const status = withoutRemark(values.get("STATUS") ?? "");
	if (fits(status, "retry")) return "retry";
	if (status !== "" && !fits(status, "done")) return null;
	return isMet(grammar.expects ?? "STATUS: done", said, values) ? "done" : null;
}

/** `KEY: value` is looked for among the keys, so that a quotation of it does not count; any other text anywhere. */
function isMet(expects: string, said: string, values: ReadonlyMap<string, string>): boolean {
	const line = /^\s*([A-Za-z][A-Za-z0-9_]*):[ \t]*(.*?)\s*$/s.exec(expects);
	if (!line) return said.includes(expects.trim());
	const [, key = "", wanted = ""] = line;
	const value = values.get(key.toUpperCase()) ?? values.get(key);
	return value !== undefined && (wanted === "" ? value !== "" : fits(withoutRemark(value), wanted));
}

/** "done - all green" and "done (see below)" say done. */
const withoutRemark = (value: string): string => value.replace(/^(\s*[*_`"']*[\w ]{1,40}?[*_`"']*)\s*(?:\s[-–—]\s|[(,;!✅✔]).*$/su, "$1");

/** The first line of a value as it is compared: NEEDS_WORK, `needs work` and "Needs work." are one. */
function plain(value: string): string {
	const line = value.split("\n", 50).find((part) => part.trim() !== "" && !isFence(part)) ?? "";
	return line
		.slice(0, 500)
		.toLowerCase()
		.replace(/[\s_-]+/g, " ")
		.replace(/^[ "'`*]+/, "")
		.replace(/[ "'`*.]{1,500}$/, "");
}

/** The exact tag as the whole of a line. In a fence it is a quotation, and so it is behind the line that it stands behind in the prompt. */
function isPromised(lines: readonly string[], text: string, prompt: string): boolean {
	if (text === "") return false;
	const asked = leadsTo(prompt.split(/\r\n|\n|\r/), text);
	let fenced = false;
	let before = "";
	for (const line of lines) {
		if (isFence(line)) fenced = !fenced;
		const tag = /^<promise>(.*)<\/promise>$/s.exec(line.trim());
		if (!fenced && tag?.[1]?.trim() === text && !asked.has(before)) return true;
		if (line.trim() !== "") before = line.trim();
	}
	return false;
}

/** The lines of the prompt that the tag stands behind. */
function leadsTo(lines: readonly string[], text: string): ReadonlySet<string> {
	const found = new Set<string>();
	let before = "";
	for (const line of lines) {
		if (/\p{L}.{8,}/u.test(before) && /^<promise>(.*)<\/promise>$/s.exec(line.trim())?.[1]?.trim() === text) found.add(before);
		if (line.trim() !== "") before = line.trim();
	}
	return found;
}
