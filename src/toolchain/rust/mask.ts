// Rust source with everything blanked that is not code: comments, strings, characters. Length and lines stay the same, so that
// positions in the one are positions in the other.

export interface Masked {
	/** Comments are spaces, literals are `"`; line ends stay. */
	readonly code: string;
	/** The source ended inside a comment or a literal, so nothing in it can be relied on. */
	readonly broken: boolean;
	/** The lines, from 1, that begin inside of a literal. */
	readonly inLiteral: ReadonlySet<number>;
}

const NAME = /[\p{ID_Continue}]/u;
/** Nothing but code begins with these. */
const PLAIN = /[^"'#rbc/\n]+/y;

export function mask(source: string): Masked {
	const out: string[] = [];
	const inLiteral = new Set<number>();
	let at = 0;
	let line = 1;
	let broken = false;

	const blank = (end: number, filler: string) => {
		for (; at < end; at++) {
			const char = source.charAt(at);
			out.push(char === "\n" || char === "\r" ? char : filler);
			if (char !== "\n") continue;
			line++;
			if (filler === '"') inLiteral.add(line);
		}
	};
	const until = (end: number, filler: string) => {
		if (end === -1) broken = true;
		blank(end === -1 ? source.length : end, filler);
	};

	// The first line of a script; `#![…]` is an attribute.
	if (/^\uFEFF?#!(?!\s*\[)/.test(source)) until(lineEnd(source, 0), " ");
	while (at < source.length) {
		const char = source.charAt(at);
		const raw = /["#rbc]/.test(char) ? rawStart(source, at) : null;
		if (source.startsWith("//", at)) until(lineEnd(source, at), " ");
		else if (source.startsWith("/*", at)) until(commentEnd(source, at), " ");
		else if (raw !== null) {
			const end = source.indexOf(raw.close, raw.body);
			until(end === -1 ? -1 : end + raw.close.length, '"');
		} else if (char === '"') until(quoteEnd(source, at, '"'), '"');
		else if (char === "'" && isCharacter(source, at)) until(quoteEnd(source, at, "'"), '"');
		else {
			PLAIN.lastIndex = at;
			const run = PLAIN.exec(source)?.[0] ?? char;
			out.push(run);
			if (char === "\n") line++;
			at += run.length;
		}
	}
	return { code: out.join(""), broken, inLiteral };
}

const lineEnd = (source: string, from: number): number => {
	const end = source.indexOf("\n", from);
	return end === -1 ? source.length : end;
};

/** Comments nest. */
function commentEnd(source: string, from: number): number {
	let depth = 0;
	for (let at = from; at < source.length; at++) {
		if (source.startsWith("/*", at)) {
			depth++;
			at++;
		} else if (source.startsWith("*/", at)) {
			depth--;
			at++;
			if (depth === 0) return at + 1;
		}
	}
	return -1;
}

const RAW = /(?:br|cr|r)(#{0,255})"/y;

/** Whether a raw string begins here, rather than in the middle of a name. */
function rawStart(source: string, at: number): { readonly body: number; readonly close: string } | null {
	if (at > 0 && NAME.test(source.charAt(at - 1))) return null;
	RAW.lastIndex = at;
	const found = RAW.exec(source);
	return found === null ? null : { body: at + found[0].length, close: `"${found[1] ?? ""}` };
}

function quoteEnd(source: string, from: number, quote: string): number {
	for (let at = from + 1; at < source.length; at++) {
		if (source.charAt(at) === "\\") at++;
		else if (source.charAt(at) === quote) return at + 1;
	}
	return -1;
}

/** `'a'` and `'\n'` are characters, `'a` is a lifetime. */
function isCharacter(source: string, at: number): boolean {
	if (source.charAt(at + 1) === "\\") return true;
	const next = source.codePointAt(at + 1);
	return next !== undefined && source.charAt(at + 1 + (next > 0xffff ? 2 : 1)) === "'";
}
