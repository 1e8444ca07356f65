// The reasons for a run's state, as wrapped lines: complete, so that readers do not have to look for the rest.
import { type Why, whyText } from "../../runs/look/why.ts";
import { fold } from "./columns.ts";
import { clock, flat } from "./text.ts";

const INDENT = 4;

/** `width` null: the width is unknown, so each reason is one line. */
export function reasonLines(reasons: readonly Why[], width: number | null): string[] {
	return reasons.flatMap((why) => {
		const line = `  ${flat(`${subjectOf(why)} ${why.until === undefined ? "" : `(until ${clock(why.until)}) `}${whyText(why)}`)}`;
		return width === null ? [line] : fold(line, width, INDENT);
	});
}

function subjectOf({ story, step, type }: Why): string {
	const named = step === null ? [] : type === null || type === step ? [step] : [step, type];
	return [...(story === null ? [] : [story]), ...named].join(" ") || "the run";
}
