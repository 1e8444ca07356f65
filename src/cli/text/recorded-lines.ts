// What the work went on in spite of, and what a new plan left out, under headings.
import { fold } from "./columns.ts";
import { flat, type Paint } from "./text.ts";

export const recordedLines = (
	groups: ReadonlyMap<string, readonly string[]>,
	{ color, width }: { readonly color: Paint; readonly width: number },
): string[] =>
	[...groups].flatMap(([heading, texts]) => ["", color.bold(heading), ...texts.flatMap((text) => fold(`  ${flat(text)}`, width, 4))]);
