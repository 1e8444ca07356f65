// The findings of earlier rounds of a review, with their keys, so that a reviewer can say of each whether it is resolved. A prompt file
// may place them itself; every other prompt of a role that answers for them gets them here.
import { findingText } from "../core/finding.ts";
import type { RunState, Step } from "../core/model.ts";
import { grammarOf } from "../core/query.ts";
import { templateNames } from "../core/template.ts";
import { quoted } from "../core/text/quoted.ts";

export const earlierFindings = ({ unanswered = [], lastFindings }: Step): string =>
	[
		...unanswered.map((one) => `- ${findingText(one)} (of an earlier round; nobody said yet whether it is resolved)`),
		...lastFindings.map((one) => `- ${findingText(one)}`),
	].join("\n");

export interface EarlierRoundsRequest {
	readonly state: RunState;
	readonly step: Step;
	readonly role: string | undefined;
	/** The prompt file and its frame, before anything is filled in. */
	readonly template: string;
}

/** Empty if there was no earlier round, or if the prompt shows its findings itself. */
export function earlierRounds({ state, step, role, template }: EarlierRoundsRequest): string {
	const advises = state.definition.types[step.type]?.members?.find((member) => member.role === role)?.blocking === false;
	// The findings are those of the members that decide.
	const key = role === undefined || advises ? undefined : grammarOf(state.definition, step, role).earlier;
	const findings = earlierFindings(step);
	if (key === undefined || findings === "" || templateNames(template).includes("earlier_findings")) return "";
	return `\n\n## Findings of earlier rounds\n\n${quoted("earlier_findings", findings)}\n\nLook at each of these first. Answer for each under \`${key}:\`, one line each: \`- [key] resolved\` or \`- [key] open\`. What is still open is also a finding of this round, with its old key; something new gets a new key.`;
}
