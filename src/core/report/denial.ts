// A report that says `done` and, in another field, that something is wrong. It never passes. A word that decides for itself (DECISION:
// changes_requested) counts as what it says; a text that names something wrong (ISSUES) contradicts the `done`, and the agent is asked which it means.
import type { ReportGrammar } from "../definition.ts";
import { doneLine } from "./grammar.ts";
import type { Values } from "./signal.ts";
import { fits, isNothing, shown } from "./value.ts";

export type Denial = { readonly signal: string; readonly remark: string } | { readonly problem: string };

/** null: nothing in the report speaks against `done`. */
export function denialOf(grammar: ReportGrammar, values: Values): Denial | null {
	const denies = Object.entries(grammar.denies ?? {});
	const words = denies.filter(([key, wanted]) => wanted !== "*" && (values.get(key) ?? "") !== "");
	const against = words.find(([key, wanted]) => fits(values.get(key) ?? "", wanted));
	const other = grammar.signals.find(({ signal }) => signal !== "done");
	const done = doneLine(grammar);
	const decides = done?.key ?? "STATUS";
	const says = `${decides} says ${done?.wanted ?? "done"}`;
	if (against && other) {
		const [key] = against;
		return { signal: other.signal, remark: `${says}, but ${key} says ${shown(values.get(key) ?? "")}: it counts as ${other.signal}` };
	}
	// `DECISION: approved` with a remark under FEEDBACK says twice that all is well.
	if (words.length > 0) return null;
	const [key = ""] = denies.find(([name]) => !isNothing(values.get(name) ?? "")) ?? [];
	if (key === "") return null;
	const instead = other?.when[decides] ?? other?.signal ?? "retry";
	return {
		problem: `the report contradicts itself: ${says}, but ${key} says that something is wrong (\`${folded(values.get(key) ?? "")}\`): which is meant? Say ${decides}: ${instead} if it has to change, or ${decides}: ${done?.wanted ?? "done"} without ${key} if it may stay as it is`,
	};
}

const FOLDED = 600;

/** All of it, on one line: a session that did not write the report has to know what it said. */
const folded = (value: string): string => {
	const line = value.replace(/\s+/g, " ").trim();
	return line.length > FOLDED ? `${line.slice(0, FOLDED)}…` : line;
};

/** The keys that a report with this signal should have and does not. Of the keys that say what is wrong, one is enough. */
export function lackingKeys({ wants, feedback = [] }: ReportGrammar, signal: string, values: Values): readonly string[] {
	const wanted = wants?.[signal] ?? [];
	const isThere = (key: string): boolean => (values.get(key) ?? "") !== "";
	return wanted.filter((key) => !isThere(key) && !(feedback.includes(key) && feedback.some(isThere)));
}
