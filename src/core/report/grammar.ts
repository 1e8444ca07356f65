// What a grammar requires of a report: which keys it reads, which of them decide, and which values they may have.
import type { ReportGrammar } from "../definition.ts";

/** Every key that the grammar declares. */
export function keysOf(grammar: ReportGrammar): readonly string[] {
	const { findings, earlier, stories, keep = {}, required = [], keys } = grammar;
	const special = [findings, earlier, stories, ...Object.values(keep)].filter((key) => key !== undefined);
	return [
		...new Set([...keys, ...grammar.signals.flatMap((rule) => Object.keys(rule.when)), ...expected(grammar), ...required, ...special]),
	];
}

/** The `KEY: value` that the message must have to be `done`; null if the grammar expects another text, or none. */
export function expectation({ expects }: ReportGrammar): { readonly key: string; readonly wanted: string } | null {
	const line = expects === undefined ? null : /^([A-Za-z][A-Za-z0-9_]*):[ \t]*(.*)$/s.exec(expects.trim());
	return line ? { key: (line[1] ?? "").toUpperCase(), wanted: line[2] ?? "" } : null;
}

/** The first key that the rule of `done` looks at: in an open report it decides, whatever else is expected. */
export function doneLine({ signals }: ReportGrammar): { readonly key: string; readonly wanted: string } | null {
	const [line] = Object.entries(signals.find((rule) => rule.signal === "done")?.when ?? {});
	return line === undefined ? null : { key: line[0], wanted: line[1] };
}

const expected = (grammar: ReportGrammar): string[] => {
	const line = expectation(grammar);
	return line === null ? [] : [line.key];
};

/** The values that the rules want of a key, as they are written. */
export function wantedOf(grammar: ReportGrammar, key: string): readonly string[] {
	const line = expectation(grammar);
	const own = line?.key === key && line.wanted !== "" ? [line.wanted] : [];
	return [
		...new Set([...grammar.signals.flatMap((rule) => (Object.hasOwn(rule.when, key) ? (rule.when[key] ?? "").split("|") : [])), ...own]),
	];
}

/** The same without what only rules want that no task offers: what an agent is told to write. */
export const offeredOf = (grammar: ReportGrammar, key: string): readonly string[] =>
	wantedOf({ ...grammar, signals: grammar.signals.filter(({ unasked }) => unasked !== true) }, key);

/** The keys without which a report is unreadable. */
export function neededKeys(grammar: ReportGrammar): ReadonlySet<string> {
	const line = expectation(grammar);
	if (line !== null) return new Set([line.key]);
	const [first, ...others] = grammar.signals;
	return new Set(Object.keys(first?.when ?? {}).filter((key) => others.every((rule) => Object.hasOwn(rule.when, key))));
}

/** The keys whose one-word value decides. Not a key that may hold any text, nor a key of which some rules check only the beginning. */
export function decidingKeys(grammar: ReportGrammar): ReadonlySet<string> {
	const needed = neededKeys(grammar);
	const line = expectation(grammar);
	const keys = [
		...new Set([...grammar.signals.flatMap((rule) => Object.keys(rule.when)), ...(line !== null && line.wanted !== "" ? [line.key] : [])]),
	];
	return new Set(
		keys.filter((key) => {
			const wanted = wantedOf(grammar, key);
			return !wanted.includes("*") && (needed.has(key) || wanted.every((value) => !value.endsWith("*")));
		}),
	);
}

/** False: every message is `done`. */
export const canBeUnreadable = ({ signals, required = [], expects, stories, open }: ReportGrammar): boolean =>
	signals.length > 0 || required.length > 0 || expects !== undefined || stories !== undefined || open === true;
