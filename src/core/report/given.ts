// A report that was given as data (a tool call) instead of text: the same grammar, the same signals, the same bounds. It lists
// all mistakes at once, because the agent can still give a better report.
import type { ReportGrammar } from "../definition.ts";
import { denialOf, lackingKeys } from "./denial.ts";
import { readFindings } from "./findings.ts";
import { keysOf } from "./grammar.ts";
import { bounded } from "./notes.ts";
import { earlierIn, FEEDBACK_TEXT, feedbackOf, keptOf, type Report } from "./report.ts";
import { holds, openSignal } from "./signal.ts";
import { readStories, readWholeList } from "./stories.ts";

export interface GivenReport {
	/** null: the fields decide. */
	readonly signal: string | null;
	readonly summary: string;
	readonly fields: Readonly<Record<string, string>>;
}

export type GivenResult =
	| { readonly ok: true; readonly report: Report; readonly ignored: readonly string[] }
	| { readonly ok: false; readonly problems: readonly string[] };

/** The signals that a role may give. */
export function signalsOf(grammar: ReportGrammar): readonly string[] {
	const named = grammar.signals.length === 0 ? ["done"] : grammar.signals.map((rule) => rule.signal);
	return [...new Set([...named, ...(grammar.promise === undefined ? [] : ["promise"])])];
}

/** The keys that a role's report may have. */
export const fieldsOf = (grammar: ReportGrammar): readonly string[] => keysOf(grammar);

export function readGiven(grammar: ReportGrammar, given: GivenReport): GivenResult {
	const problems: string[] = [];
	const { values, ignored } = known(grammar, given.fields);
	const signals = signalsOf(grammar);
	if (given.signal !== null && !signals.includes(given.signal))
		return { ok: false, problems: [`there is no signal ${JSON.stringify(given.signal.slice(0, 60))}; there are ${signals.join(", ")}`] };
	// Routes and later steps read the fields, so a signal given by name also sets the fields that stand for it.
	const rules = grammar.signals.filter((rule) => rule.signal === given.signal);
	if (rules.length === 1) for (const [key, wanted] of Object.entries(rules[0]?.when ?? {})) fill(values, key, wanted);

	const missing = (grammar.required ?? []).filter((key) => !values.get(key));
	if (missing.length > 0) problems.push(`missing fields: ${missing.join(", ")}`);
	const { stories: key = "" } = grammar;
	const listed = values.get(key);
	const stories = listed === undefined ? null : grammar.open ? readWholeList([listed], key, grammar.maxStories) : readStories(listed, key);
	if (stories && !stories.ok) problems.push(`${grammar.stories}: ${stories.problem}`);

	const findings = readFindings(values.get(grammar.findings ?? "") ?? "");
	const first = grammar.open
		? openSignal(grammar, given.summary, values)
		: (grammar.signals.find((rule) => holds(rule, values, findings))?.signal ?? null);
	const denial = first === "done" ? denialOf(grammar, values) : null;
	if (denial !== null && "problem" in denial) problems.push(denial.problem);
	const decided = denial !== null && "signal" in denial ? denial.signal : first;
	const lacks = decided === null ? [] : lackingKeys(grammar, decided, values);
	if (lacks.length > 0) problems.push(`missing fields: ${lacks.join(", ")}`);
	if (grammar.feedback) values.set(FEEDBACK_TEXT, feedbackOf(grammar, values) ?? given.summary.trim());
	const signal = given.signal === "promise" && grammar.promise !== undefined ? "promise" : grammar.signals.length === 0 ? "done" : decided;
	if (signal === null)
		problems.push(
			given.signal === null
				? `nothing that decides: give \`signal\`, one of ${signals.join(", ")}`
				: `${given.signal} needs more: ${needs(grammar, given.signal)}`,
		);
	else if (given.signal !== null && given.signal !== signal) problems.push(`the signal is ${given.signal}, but the fields say ${signal}`);
	if (problems.length > 0 || signal === null) return { ok: false, problems };
	return {
		ok: true,
		ignored,
		report: {
			signal,
			notes: bounded(given.summary.trim()),
			fields: Object.fromEntries([...values].map(([key, value]) => [key, bounded(value)])),
			findings,
			stories: stories?.ok ? stories.value : null,
			...keptIn(grammar, values),
			...earlierIn(grammar, values),
			problem: null,
		},
	};
}

/** A tool call passes a list as lines of one text. */
function keptIn(grammar: ReportGrammar, values: ReadonlyMap<string, string>): Pick<Report, "kept"> {
	const kept = [...values].flatMap(([key, value]) => keptOf(grammar, key, value.split("\n")));
	return kept.length > 0 ? { kept } : {};
}

/** By the key as the grammar spells it. Ignores undeclared keys, as in a text. */
function known(
	grammar: ReportGrammar,
	fields: Readonly<Record<string, string>>,
): { readonly values: Map<string, string>; readonly ignored: readonly string[] } {
	const spelled = new Map(fieldsOf(grammar).map((key) => [key.toLowerCase(), key]));
	const values = new Map<string, string>();
	const ignored: string[] = [];
	for (const [name, value] of Object.entries(fields)) {
		const key = spelled.get(name.toLowerCase());
		if (key === undefined && grammar.open && /^[A-Za-z][A-Za-z0-9_]{1,63}$/.test(name)) values.set(name.toUpperCase(), value.trim());
		else if (key === undefined) ignored.push(name);
		else values.set(key, value.trim());
	}
	return { values, ignored };
}

function fill(values: Map<string, string>, key: string, wanted: string): void {
	const [first = ""] = wanted.split("|");
	if (!values.has(key)) values.set(key, first.endsWith("*") ? first.slice(0, -1).trim() : first);
}

function needs(grammar: ReportGrammar, signal: string): string {
	return grammar.signals
		.filter((rule) => rule.signal === signal)
		.map((rule) =>
			[
				...Object.entries(rule.when).map(([key, wanted]) => `${key}: ${wanted}`),
				...(rule.finding === undefined ? [] : [`a finding of the class ${rule.finding} in ${grammar.findings ?? "its findings"}`]),
			].join(" and "),
		)
		.join(", or ");
}
