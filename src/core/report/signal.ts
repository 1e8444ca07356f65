// The signal of a report's values, or why they give none: in words that tell an agent what to write instead.
import type { ReportGrammar, SignalRule } from "../definition.ts";
import { findingText } from "../finding.ts";
import type { Finding } from "../model.ts";
import { saysNone } from "./findings.ts";
import { decidingKeys, doneLine, expectation, neededKeys, offeredOf, wantedOf } from "./grammar.ts";
import { fits, isSame, shown } from "./value.ts";

export type Values = ReadonlyMap<string, string>;

export function holds(rule: SignalRule, values: Values, findings: readonly Finding[]): boolean {
	const wants = Object.entries(rule.when);
	// A rule without conditions would turn any text into a pass.
	if (wants.length === 0 && rule.finding === undefined && rule.only === undefined) return false;
	return hasFindings(rule, findings) && wants.every(([key, wanted]) => fits(values.get(key) ?? "", wanted));
}

function hasFindings(rule: SignalRule, findings: readonly Finding[]): boolean {
	const ofClass = (name: string) => (one: Finding) => name === "*" || isOfClass(one.class, name.toLowerCase());
	if (rule.finding !== undefined && !findings.some(ofClass(rule.finding))) return false;
	return rule.only === undefined || (findings.length > 0 && findings.every(ofClass(rule.only)));
}

/** `test-level` is a more exact form of `test`. */
const isOfClass = (said: string, name: string): boolean => said === name || said.startsWith(`${name}_`);

/** For an open report. The key that the rule of `done` looks at decides: any other value is not a pass, whatever else the message says. */
export function openSignal(grammar: ReportGrammar, said: string, values: Values): string | null {
	const done = doneLine(grammar);
	const value = values.get(done?.key ?? "") ?? "";
	const other = grammar.signals.find((rule) => rule.signal !== "done" && fits(value, rule.when[done?.key ?? ""] ?? ""));
	if (other) return other.signal;
	if (value !== "" && !fits(value, done?.wanted ?? "")) return null;
	const expects = grammar.expects ?? (done === null ? "" : `${done.key}: ${done.wanted}`);
	return isMet({ ...grammar, expects }, said, values) ? "done" : null;
}

/** Looks for `KEY: value` among the keys, so that a quotation does not count; looks for any other text anywhere. */
function isMet(grammar: ReportGrammar, said: string, values: Values): boolean {
	const line = expectation(grammar);
	if (line === null) return said.includes((grammar.expects ?? "").trim());
	const value = values.get(line.key);
	return value !== undefined && (line.wanted === "" ? value !== "" : fits(value, line.wanted));
}

/** The deciding keys with several contradicting values. */
export function contradictions(grammar: ReportGrammar, series: ReadonlyMap<string, readonly string[]>): string[] {
	return [...decidingKeys(grammar)].flatMap((key) => {
		const [first, ...others] = (series.get(key) ?? []).filter((value) => value !== "");
		const other = first === undefined ? undefined : others.find((value) => !isSame(first, value, wantedOf(grammar, key)));
		if (first === undefined || other === undefined) return [];
		return [`${key} has two values, \`${shown(first)}\` and \`${shown(other)}\`: say it once, and put \`>\` before lines that you quote`];
	});
}

/** A report that says there are no findings and then lists some has not decided. */
export function findingsDespite(grammar: ReportGrammar, values: Values, findings: readonly Finding[]): string[] {
	const key = grammar.findings;
	const decides = grammar.signals.some(({ when }) => key !== undefined && (when[key] ?? "*") !== "*");
	if (key === undefined || !decides || findings.length === 0 || !saysNone(values.get(key) ?? "")) return [];
	const named = findings.map(findingText).map(shown).slice(0, 3).join(", ");
	return [`${key} says none, and then names ${named}: say \`${key}: none\`, or give the list without "none"`];
}

export interface Unreadable {
	readonly values: Values;
	readonly findings: readonly Finding[];
	/** List items after the deciding key that are not findings. */
	readonly listed: boolean;
	/** A deciding key is inside a quotation. */
	readonly quoted: boolean;
	/** What the agent says is wrong. */
	readonly reason: string;
}

/** Why the values give no signal. */
export function whyUnreadable(grammar: ReportGrammar, { values, findings, listed, quoted, reason }: Unreadable): string {
	const keys = [...new Set([...neededKeys(grammar), ...decidingKeys(grammar)])];
	const said = keys.filter((key) => values.get(key));
	const given = [...new Set([...keys, ...grammar.signals.flatMap((rule) => Object.keys(rule.when))])].filter((key) => values.get(key));
	const wrong = given.filter(
		(key) => wantedOf(grammar, key).length > 0 && !wantedOf(grammar, key).some((want) => fits(values.get(key) ?? "", want)),
	);
	const because = reason === "" ? "" : `; it says: ${reason}`;
	// All of it at once: a mistake that is told alone costs a session for the next one.
	if (wrong.length > 0) {
		const each = wrong.map((key) => `${key}: \`${shown(values.get(key) ?? "")}\` is none of ${options(grammar, key)}`);
		return [...each, ...lackingBeside(grammar, values, given, wrong)].join("; ") + (grammar.open ? because : "");
	}
	const met = grammar.signals.filter((rule) => Object.entries(rule.when).every(([key, wanted]) => fits(values.get(key) ?? "", wanted)));
	const starved = grammar.open ? undefined : met.find((rule) => !hasFindings(rule, findings));
	if (starved) return noFindings(grammar, starved, values, findings, listed);
	const half = grammar.open
		? undefined
		: grammar.signals.find((rule) => said.some((key) => fits(values.get(key) ?? "", rule.when[key] ?? "*")));
	const lacking = Object.keys(half?.when ?? {}).filter((key) => !values.get(key));
	if (lacking.length > 0) return `${asSaid(said, values)} needs ${lacking.join(", ")} as well`;
	if (quoted) return `its only ${keys.join(", ")} line is in a quotation: say it outside of it`;
	if (grammar.expects !== undefined) return `it does not say ${grammar.expects}${because}`;
	if (said.length > 0 && said.length === keys.length) return `${asSaid(given, values)}: no answer that is asked for has these together`;
	const [first = ""] = keys;
	return keys.length === 0
		? "it says nothing that decides"
		: `it has no ${keys.join(", ")} line: say ${first}: with one of ${options(grammar, first)}`;
}

/** What the answer lacks that the right values begin. */
function lackingBeside(grammar: ReportGrammar, values: Values, given: readonly string[], wrong: readonly string[]): string[] {
	const right = given.filter((key) => !wrong.includes(key));
	if (grammar.open || right.length === 0) return [];
	const meant = grammar.signals.find(({ when }) => right.every((key) => when[key] !== undefined && fits(values.get(key) ?? "", when[key])));
	const lacking = Object.keys(meant?.when ?? {}).filter((key) => !values.get(key));
	return lacking.length === 0 ? [] : [`it needs ${lacking.join(", ")} as well`];
}

function noFindings(grammar: ReportGrammar, rule: SignalRule, values: Values, findings: readonly Finding[], listed: boolean): string {
	const what = asSaid(Object.keys(rule.when), values);
	const wanted = rule.finding ?? rule.only ?? "*";
	if (findings.length > 0) {
		const classes = [...new Set(findings.map((one) => one.class || "none"))].join(", ");
		return `the findings under ${what} are of class ${classes}, and one of class ${wanted} is wanted`;
	}
	if (listed) return `findings under ${what} have no \`[key] class:\``;
	return `${what} needs findings under ${grammar.findings ?? "FINDINGS"}, as \`- [key] class: text\``;
}

const asSaid = (keys: readonly string[], values: Values): string => keys.map((key) => `${key}: ${shown(values.get(key) ?? "")}`).join(", ");

const options = (grammar: ReportGrammar, key: string): string => {
	const words = offeredOf(grammar, key).map((value) => (value === "*" ? "any text" : value.replace(/\*$/, "").trim()));
	return [...new Set(words)].join(", ");
};
