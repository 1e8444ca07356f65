// Positions in a JSON text: where a value and its parts are, so that problems can name a line and one value can be changed without
// touching anything else. Reads only texts that JSON.parse has accepted, and never recurses.

export interface Part {
	/** The key of a member of an object; null for an element of an array. */
	readonly key: string | null;
	/** Where the part begins: its key, or its value in an array. */
	readonly from: number;
	/** The value, from its first character up to the one after its last. */
	readonly start: number;
	readonly end: number;
}

/** The start of the whole value: after a BOM and white space. */
export function startOf(text: string): number {
	return skipSpace(text, text.startsWith("\uFEFF") ? 1 : 0);
}

/** The members or elements of the object or array that starts here; of anything else, none. */
export function partsOf(text: string, start: number): Part[] {
	const open = text[start];
	if (open !== "{" && open !== "[") return [];
	const parts: Part[] = [];
	let at = skipSpace(text, start + 1);
	while (at < text.length && text[at] !== "}" && text[at] !== "]") {
		const from = at;
		let key: string | null = null;
		if (open === "{") {
			const keyEnd = endOf(text, at);
			key = String(JSON.parse(text.slice(at, keyEnd)));
			at = skipSpace(text, skipSpace(text, keyEnd) + 1);
		}
		const end = endOf(text, at);
		parts.push({ key, from, start: at, end });
		at = skipSpace(text, end);
		if (text[at] === ",") at = skipSpace(text, at + 1);
	}
	return parts;
}

/** The member with this key; the last one if there are several, as in JSON.parse. */
export function memberOf(text: string, start: number, key: string): Part | undefined {
	return partsOf(text, start).findLast((part) => part.key === key);
}

export interface Position {
	readonly line: number;
	readonly column: number;
}

export const positionOf = (text: string, offset: number): Position => positionsIn(text)(offset);

/** Line and column of any offset. The text is read once, because a file may have as many problems as lines. */
export function positionsIn(text: string): (offset: number) => Position {
	const starts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), (end) => end.index + end[0].length)];
	return (offset) => {
		let [low, high] = [0, starts.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if ((starts[middle] ?? 0) <= offset) low = middle;
			else high = middle - 1;
		}
		const column = offset - (starts[low] ?? 0) + 1;
		return { line: low + 1, column: low === 0 && text.startsWith("\uFEFF") ? Math.max(1, column - 1) : column };
	};
}

function skipSpace(text: string, from: number): number {
	let at = from;
	while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
	return at;
}

/** The end of the value that starts here. */
function endOf(text: string, start: number): number {
	let depth = 0;
	let at = start;
	for (; at < text.length; at++) {
		const c = text.charAt(at);
		if (c === '"') {
			for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
		} else if (c === "{" || c === "[") depth++;
		else if (c === "}" || c === "]") depth--;
		else if (depth > 0 || !", \t\r\n:".includes(c)) continue;
		else return at;
		if (depth < 0) return at;
		if (depth === 0) return at + 1;
	}
	return at;
}
