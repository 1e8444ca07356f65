// The first JSON list or object in a text, by counting brackets outside of strings: agents put fences and sentences around it.

export type JsonIn = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: "none" | "too deep" | "open" };

export function jsonIn(text: string, deepest = Number.POSITIVE_INFINITY): JsonIn {
	const start = text.search(/[[{]/);
	if (start < 0) return { ok: false, why: "none" };
	let depth = 0;
	let quoted = false;
	for (let at = start; at < text.length; at++) {
		const char = text[at];
		if (quoted) {
			if (char === "\\") at++;
			else if (char === '"') quoted = false;
		} else if (char === '"') quoted = true;
		else if (char === "[" || char === "{") {
			if (++depth > deepest) return { ok: false, why: "too deep" };
		} else if ((char === "]" || char === "}") && --depth === 0) return { ok: true, text: text.slice(start, at + 1) };
	}
	return { ok: false, why: "open" };
}
