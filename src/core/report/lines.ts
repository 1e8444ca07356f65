// The lines of a message and the fences among them. A fence inside a fence is the inner one's text: models nest fences of the same
// length, so a fence line with a language opens another level.

const FENCE = /^[ \t]{0,12}(?:`{3,}|~{3,})/;
const MARKER = /^[ \t]{0,12}(`{3,}|~{3,})[ \t]*([^`]*)$/s;

export interface Fence {
	/** Its first and last line, the markers included. One that is never closed ends with the message. */
	readonly from: number;
	readonly to: number;
}

export interface Lines {
	readonly texts: readonly string[];
	/** Outermost fences, in order. */
	readonly fences: readonly Fence[];
	/** By line: 0 outside fences, 1 in a fence, 2 in a fence inside a fence; markers count as inside. */
	readonly depths: readonly number[];
}

export const isFence = (line: string): boolean => FENCE.test(line);

export function readLines(text: string): Lines {
	const texts = text.split(/\r\n|\n|\r/);
	const fences: Fence[] = [];
	const depths: number[] = [];
	// The marks that opened each level.
	const open: string[] = [];
	let from = 0;
	for (const [at, line] of texts.entries()) {
		const marker = line.length < 500 ? MARKER.exec(line) : null;
		const mark = marker?.[1] ?? "";
		const inner = open.at(-1);
		if (marker === null) depths.push(open.length);
		else if (inner !== undefined && marker[2] === "" && mark[0] === inner[0] && mark.length >= inner.length) {
			depths.push(open.length);
			open.pop();
			if (open.length === 0) fences.push({ from, to: at });
		} else if (inner !== undefined && mark[0] !== inner[0]) depths.push(open.length);
		else {
			if (open.length === 0) from = at;
			open.push(mark);
			depths.push(open.length);
		}
	}
	if (open.length > 0) fences.push({ from, to: texts.length });
	return { texts, fences, depths };
}
