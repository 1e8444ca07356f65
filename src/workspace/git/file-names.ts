// The name of a file is bytes: it need not be UTF-8. Inside pawl it is a string all the same: a byte that is not UTF-8 is a character of a range that no
// name uses (one of the last private ones of Unicode, which JSON and a database keep). Different bytes give different strings.
import { isUtf8 } from "node:buffer";

const FIRST = 0x10f700;
/** Half of such a character: a quick look for it is enough for nearly all names. */
const SIGN = "\udbfd";
const MARKED = /([\u{10f780}-\u{10f7ff}])/u;
const SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;

const marked = (latin1: string): string => latin1.replace(/./gs, (byte) => String.fromCodePoint(FIRST + byte.charCodeAt(0)));

/** Names as a program gave them. */
export function textOf(bytes: Buffer): string {
	const text = bytes.toString("utf8");
	if (!text.includes("\ufffd") && !text.includes(SIGN)) return text;
	return bytes.toString("latin1").replace(SEQUENCE, (found) => {
		const sequence = Buffer.from(found, "latin1");
		const character = sequence.toString("utf8");
		// A character of the range would be taken for a byte.
		return isUtf8(sequence) && !MARKED.test(character) ? character : marked(found);
	});
}

export function bytesOf(text: string): Buffer {
	if (isText(text)) return Buffer.from(text);
	const parts = text.split(MARKED);
	return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from([(part.codePointAt(0) ?? 0) - FIRST]))));
}

/** Other names cannot be an argument of a program. */
export const isText = (text: string): boolean => !text.includes(SIGN);

/** For the file system, or for the input of a program: everything else is encoded there. */
export const raw = (text: string): string | Buffer => (isText(text) ? text : bytesOf(text));

/** A path as a pattern of git's. An argument of a program can hold it. */
export const globOf = (path: string): string => path.replace(/[\\*?[\] ]/g, "\\$&").replace(new RegExp(MARKED, "gu"), "?");
