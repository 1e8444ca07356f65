// Shortening text to a bound in UTF-8 bytes without splitting a character. The core cannot ask for a Buffer, so
// it counts; at most as far as the bound reaches.

/** The beginning, at most so many bytes. */
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

/** The end, at most so many bytes. */
export function tailOf(text: string, bytes: number): string {
	if (text.length * 3 <= bytes) return text;
	let used = 0;
	let start = text.length;
	while (start > 0) {
		const wide = start > 1 && (text.codePointAt(start - 2) ?? 0) > 0xffff;
		const next = start - (wide ? 2 : 1);
		used += sizeOf(text.codePointAt(next) ?? 0);
		if (used > bytes) break;
		start = next;
	}
	return text.slice(start);
}

/** Beginning and end, where the whole is longer than so many bytes; between them a line that says what is missing. */
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
