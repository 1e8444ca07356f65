// JSON that others wrote, as data. JSON.parse accepts a hundred thousand levels; everything that walks such a value afterwards, JSON.stringify first of all,
// runs out of stack. Nobody means that, so a text that is nested so deeply is refused like one that is not JSON.

/** Levels. What agents and people write has a dozen. */
export const DEEPEST = 200;

export type ForeignJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** How a value of JSON begins. */
const BEGINNING = /[\s\uFEFF]*(?:[{["]|-?\d|true|false|null)/y;

/** A BOM is accepted. */
export function readForeignJson(text: string): ForeignJson {
	// An error of JSON.parse takes as long as reading a page, and a log may have a million lines that are none.
	BEGINNING.lastIndex = 0;
	if (!BEGINNING.test(text)) return { ok: false, message: text.trim() === "" ? "it is empty" : "it does not begin like JSON" };
	if (isDeeper(text, DEEPEST)) return { ok: false, message: `it is nested more than ${DEEPEST} levels deep` };
	try {
		return { ok: true, value: JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) };
	} catch (error) {
		return { ok: false, message: error instanceof Error ? error.message : String(error) };
	}
}

/** The value; undefined if there is none. */
export function foreignValue(text: string): unknown {
	const read = readForeignJson(text);
	return read.ok ? read.value : undefined;
}

/** The value as JSON; null if it is nested too deeply to be written. For values that another program's parser made. */
export function asJson(value: unknown): string | null {
	try {
		return JSON.stringify(value) ?? "null";
	} catch {
		return null;
	}
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Counts brackets outside of texts. */
function isDeeper(text: string, most: number): boolean {
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) {
			// From quote to quote: most of a JSON text is inside of texts.
			for (at = text.indexOf('"', at + 1); at > 0 && isEscaped(text, at); at = text.indexOf('"', at + 1));
			if (at < 0) return false;
		} else if (code === OPEN_LIST || code === OPEN_OBJECT) {
			if (++depth > most) return true;
		} else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
	}
	return false;
}

function isEscaped(text: string, quote: number): boolean {
	let at = quote;
	while (text.charCodeAt(at - 1) === BACKSLASH) at--;
	return (quote - at) % 2 === 1;
}
