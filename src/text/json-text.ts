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

/** JSON.parse for files: a BOM is accepted, and an error is returned as a value. */
export function parseJson(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string } {
	try {
		return { ok: true, value: JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) };
	} catch (error) {
		return { ok: false, message: error instanceof Error ? error.message : String(error) };
	}
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

export function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
	const before = text.slice(0, offset);
	const lines = before.split(/\r\n|\r|\n/);
	const last = lines.at(-1) ?? "";
	return { line: lines.length, column: (lines.length === 1 && last.startsWith("\uFEFF") ? last.length - 1 : last.length) + 1 };
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
