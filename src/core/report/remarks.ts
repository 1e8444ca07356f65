// Adds the engine's remarks about leftovers to the notes of a step, and finds them there for later steps.
const BEGINS = "- pawl: ";

/** The notes of a step, with the engine's remarks. */
export function withRemarks(notes: string | null, remarks: readonly string[]): string | null {
	if (remarks.length === 0) return notes;
	return [...(notes === null ? [] : [notes.trimEnd(), ""]), ...remarks.map((text) => `${BEGINS}${text}`)].join("\n");
}

/** Only the engine's remarks, one per line. */
export const remarksIn = (notes: string | null): readonly string[] =>
	notes?.includes(BEGINS) ? notes.split("\n").filter((line) => line.startsWith(BEGINS)) : [];

/** What the agent itself said. */
export const withoutRemarks = (notes: string): string =>
	notes
		.split("\n")
		.filter((line) => !line.startsWith(BEGINS))
		.join("\n")
		.trim();

/** The same on one line of at most `most` characters, without the line that only says how it ended. */
export function spokenIn(notes: string, most: number): string {
	const text = withoutRemarks(notes)
		.replace(/^[#>*_` \t-]*STATUS[*_` \t]*:.*$/gim, "")
		.replace(/\s+/g, " ")
		.trim();
	return text.length > most ? `${text.slice(0, most)}…` : text;
}
