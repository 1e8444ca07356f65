// A request in plain words is a run with one story.
import type { StorySeed } from "../../core/input.ts";
import type { Problem } from "../../text/problem.ts";

/** Not a number: it must not be taken for a story of somebody's PRD. */
export const REQUEST_STORY_ID = "one-shot";

const TITLE_LENGTH = 72;

export type RequestResult =
	| { readonly ok: true; readonly story: StorySeed }
	| { readonly ok: false; readonly problems: readonly Problem[] };

export function readRequest(text: string): RequestResult {
	if (text.trim() === "") return { ok: false, problems: [{ line: 1, column: 1, message: "the request is empty: say what is to be done" }] };
	return {
		ok: true,
		story: { id: REQUEST_STORY_ID, title: titleOf(text), description: text, criteria: [], priority: 1, dependsOn: [] },
	};
}

/** The first line that is not blank, as plain text. Cut between visible characters; only the beginning of a long text is read. */
function titleOf(text: string): string {
	const lines = text.split(/[\r\n\u2028\u2029]+/).map((line) => line.replace(/[\p{Cc}\s]+/gu, " ").trim());
	const line = lines.find((candidate) => candidate !== "") ?? "";
	const characters = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(line.slice(0, 20 * TITLE_LENGTH))].map(
		(part) => part.segment,
	);
	return characters.length <= TITLE_LENGTH
		? line
		: `${characters
				.slice(0, TITLE_LENGTH - 1)
				.join("")
				.trimEnd()}…`;
}
