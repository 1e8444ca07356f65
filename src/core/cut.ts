// Shortens text to a number of UTF-8 bytes without splitting a character. The core has no Buffer, so it counts bytes itself, never
// further than the limit.

/** The beginning of the text, at most this many bytes. */
export function headOf(text: string, bytes: number): string {
	if (text.length * 3 <= bytes) return text;
	let used = 0;
	let end = 0;
	while (end < text.length) {
		const code = text.codePointAt(end) ?? 0;
		used += sizeOf(code);
		if (used > bytes) break;
		end += code > 0xffff ? 2 : 1;
	}
	return text.slice(0, end);
}

/** The end of the text, at most this many bytes. */
export function tailOf(text: string, bytes: number): string {
	if (text.length * 3 <= bytes) return text;
	let used = 0;
	let start = text.length;
	while (start > 0) {
		const wide = (text.codePointAt(start - 2) ?? 0) > 0xffff;
		const next = start - (wide ? 2 : 1);
		used += sizeOf(text.codePointAt(next) ?? 0);
		if (used > bytes) break;
		start = next;
	}
	return text.slice(start);
}

/** Keeps the beginning and the end of a text that is too long, with a line between them that says how much is missing. */
export function withoutMiddle(text: string, bytes: number, where: string): string {
	if (headOf(text, bytes).length === text.length) return text;
	const head = headOf(text, Math.floor(bytes / 2));
	const tail = tailOf(text, Math.floor(bytes / 2));
	return `${head}\n[... ${text.length - head.length - tail.length} characters left out here${where} ...]\n${tail}`;
}

function sizeOf(code: number): number {
	if (code < 0x80) return 1;
	if (code < 0x800) return 2;
	return code < 0x10000 ? 3 : 4;
}
