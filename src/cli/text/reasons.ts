// The reasons for a run's state, as wrapped lines: complete, so that readers do not have to look for the rest.
import { type Why, whyText } from "../../runs/look/why.ts";
import { fold } from "./columns.ts";
import { clock, flat } from "./text.ts";

const INDENT = 4;

/** `width` null: the width is unknown, so lines are not wrapped. */
export function reasonLines(reasons: readonly Why[], width: number | null): string[] {
	return reasons.flatMap((why) => {
		const line = `  ${subjectOf(why)} ${why.until === undefined ? "" : `(until ${clock(why.until)}) `}${whyText(why)}`;
		return linesOf(why.output === undefined ? line : `${line}\n${why.output}`, INDENT).flatMap((one, i) =>
			width === null ? [one] : fold(one, width, i === 0 ? INDENT : INDENT + 2),
		);
	});
}

/** The first line of the reason of a whole run; what a program printed follows it. */
export const headlineOf = (reason: string): string => reason.split("\n", 1)[0] ?? reason;

/** Without reasons that the headline says already. */
export const besides = (headline: string | null, reasons: readonly Why[]): readonly Why[] =>
	headline === null
		? reasons
		: reasons.filter(({ reason, output }) => reason === "" || output !== undefined || !headlineOf(headline).includes(reason));

/** One of these reasons, which are printed below, says the same: "step-004 (tests): it broke" is said by "it broke". */
export const isSaidBelow = (text: string, reasons: readonly Why[]): boolean =>
	reasons.some(({ reason }) => reason !== "" && text.includes(reason.split("\n", 1)[0] ?? reason));

/** The lines of a text as they are, without empty ones; those after the first are indented. What a tool printed is unreadable as one line. */
export function linesOf(text: string, indent: number): string[] {
	const [first = "", ...rest] = text.split("\n");
	const start = /^ */.exec(first)?.[0] ?? "";
	const more = rest.map((line) => ({ lead: /^[ \t]*/.exec(line)?.[0].replaceAll("\t", "  ") ?? "", line: flat(line) }));
	return [start + flat(first), ...more.flatMap(({ lead, line }) => (line === "" ? [] : [" ".repeat(indent) + lead + line]))];
}

function subjectOf({ story, step, type }: Why): string {
	const named = step === null ? [] : type === null || type === step ? [step] : [step, type];
	return [...(story === null ? [] : [story]), ...named].join(" ") || "the run";
}
