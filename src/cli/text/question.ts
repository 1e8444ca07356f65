// A question that a step has for a person, with what it is about.
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { findScope } from "../../core/query.ts";
import { fold } from "./columns.ts";
import { flat } from "./text.ts";

/** The question, and the report of the step before it: a plan, a finding. */
export function questionLines(
	state: RunState,
	scope: string,
	step: Step,
	reason: string,
	width: number,
	bold: (text: string) => string,
): string[] {
	const who = `${scope === RUN_SCOPE ? "" : `${scope} `}${step.type}`;
	if (step.question?.asks === true)
		return ["", `${bold(`${who} asks`)}:`, ...reason.split("\n").flatMap((line) => fold(`  ${flat(line)}`, width, 4)), ""];
	const steps = findScope(state, scope)?.steps ?? [];
	const before = steps
		.slice(
			0,
			steps.findIndex((s) => s.id === step.id),
		)
		.findLast((s) => s.status === "completed" && (s.notes ?? "") !== "");
	const said = (step.notes ?? before?.notes ?? "").trimEnd();
	return [
		"",
		...fold(`${bold(`${who} waits for you`)}: ${flat(reason)}`, width, 2),
		...(said === "" ? [] : ["", ...said.split("\n").flatMap((line) => fold(`  ${flat(line)}`, width, 4)), ""]),
	];
}
