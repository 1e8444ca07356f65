// What the engine adds to the notes of a step about what the step left behind, and how later steps find it there.
const BEGINS = "- pawl: ";

/** The notes of a step, with what the engine remarked on. */
export function withRemarks(notes: string | null, remarks: readonly string[]): string | null {
	if (remarks.length === 0) return notes;
	return [...(notes === null ? [] : [notes.trimEnd(), ""]), ...remarks.map((text) => `${BEGINS}${text}`)].join("\n");
}

/** Only the engine's remarks, a line each. */
export const remarksIn = (notes: string | null): readonly string[] => (notes ?? "").split("\n").filter((line) => line.startsWith(BEGINS));
