// Why a report sends the work elsewhere, in the report's own words. A signal such as `retry` says that something is wrong; people and the
// next attempt need to know what.
import { type Definition, isFailure, type StepType } from "../definition.ts";
import { findingText } from "../finding.ts";
import type { Finding, Step } from "../model.ts";
import { grammarOf } from "../query.ts";
import { decidingKeys } from "../report/grammar.ts";
import { FEEDBACK_TEXT } from "../report/report.ts";

interface Reported {
	readonly signal: string;
	readonly fields?: Readonly<Record<string, string>>;
	readonly findings?: readonly Finding[];
	readonly notes?: string | null;
}

/** null: the report says nothing beyond its signal. A failure has an error of its own, and `done` needs no reason. */
export function wordsOf(
	definition: Definition,
	step: Step,
	type: StepType,
	{ signal, fields = {}, findings = [], notes }: Reported,
): string | null {
	if (signal === "done" || isFailure(signal)) return null;
	if (findings.length > 0) return findings.map(findingText).join("; ");
	const feedback = fields[FEEDBACK_TEXT]?.trim() ?? "";
	if (feedback !== "") return feedback;
	if (type.role === undefined) return null;
	return valuesOf(definition, step, type.role, fields) ?? summaryOf(definition, step, type.role, notes);
}

/** What later steps are told, if the report has no other words for it. The end of a whole message may be about anything. */
function summaryOf(definition: Definition, step: Step, role: string, notes: string | null | undefined): string | null {
	return grammarOf(definition, step, role).notes === "summary" ? notes?.trim() || null : null;
}

/** The values of the declared keys that do not decide. */
function valuesOf(definition: Definition, step: Step, role: string, fields: Readonly<Record<string, string>>): string | null {
	const grammar = grammarOf(definition, step, role);
	const deciding = decidingKeys(grammar);
	const said = grammar.keys.flatMap((key) => {
		const value = fields[key]?.trim() ?? "";
		return value === "" || deciding.has(key) || key === grammar.stories ? [] : [{ key, value }];
	});
	const [only, ...more] = said;
	if (only === undefined) return null;
	if (more.length === 0) return only.value;
	return said.map(({ key, value }) => `${key.toLowerCase().replaceAll("_", " ")}: ${value}`).join(", ");
}

/** A step that is done is the reason for nothing; that it worked is all there is to say. */
export const hasWorked = (type: string): string => `${type} has worked on it since`;
export const saysOnlyWhoWorked = (reason: string): boolean => /^[\w-]+ has worked on it since$/.test(reason.trim());
