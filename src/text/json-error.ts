// Where and why a text is not JSON. JSON.parse decides whether it is; its own message does not always name a position.

export interface JsonError {
	readonly offset: number;
	readonly message: string;
}

type Want = "value" | "value or ]" | "key" | "key or }" | ":" | ", or ]" | ", or }" | "end";

const SAYS: Record<Want, string> = {
	value: "a value is expected here",
	"value or ]": "a value or `]` is expected here",
	key: "a key in double quotes is expected here (is there a comma too many before it?)",
	"key or }": "a key in double quotes or `}` is expected here",
	":": "`:` is expected here",
	", or ]": "`,` or `]` is expected here",
	", or }": "`,` or `}` is expected here",
	end: "nothing more is expected here",
};

const SPACE = /[ \t\r\n]*/y;
const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The first error, or null if it is JSON. Open brackets are kept in a list, not on the call stack, so that deep nesting is safe. */
export function findJsonError(text: string): JsonError | null {
	const open: ("]" | "}")[] = [];
	let want: Want = "value";
	let at = text.startsWith("\uFEFF") ? 1 : 0;
	const afterValue = (): Want => (open.length === 0 ? "end" : open.at(-1) === "]" ? ", or ]" : ", or }");
	for (;;) {
		at = skip(SPACE, text, at);
		if (at >= text.length) return want === "end" ? null : { offset: at, message: `the text ends too early: ${SAYS[want]}` };
		const c = text.charAt(at);
		if ((c === "]" || c === "}") && want.endsWith(c)) {
			open.pop();
			want = afterValue();
			at++;
		} else if ((c === "," && want.startsWith(",")) || (c === ":" && want === ":")) {
			want = c === ":" ? "value" : open.at(-1) === "]" ? "value" : "key";
			at++;
		} else if (c === '"' && (want.startsWith("value") || want.startsWith("key"))) {
			const end = endOfString(text, at);
			if (typeof end !== "number") return end;
			want = want.startsWith("key") ? ":" : afterValue();
			at = end;
		} else if ((c === "[" || c === "{") && want.startsWith("value")) {
			open.push(c === "[" ? "]" : "}");
			want = c === "[" ? "value or ]" : "key or }";
			at++;
		} else {
			const end = want.startsWith("value") ? skip(WORD, text, at) : at;
			if (end === at) return { offset: at, message: SAYS[want] };
			want = afterValue();
			at = end;
		}
	}
}

function skip(pattern: RegExp, text: string, at: number): number {
	pattern.lastIndex = at;
	return pattern.test(text) ? pattern.lastIndex : at;
}

function endOfString(text: string, start: number): number | JsonError {
	let at = start + 1;
	while (at < text.length) {
		const c = text.charAt(at);
		if (c === '"') return at + 1;
		if (c < " ")
			return {
				offset: at,
				message: c === "\n" || c === "\r" ? "a text must end on its line" : "a text may not hold this control character",
			};
		const end = c === "\\" ? skip(ESCAPE, text, at) : at + 1;
		if (end === at) return { offset: at, message: "this escape is unknown" };
		at = end;
	}
	return { offset: start, message: "this text is not closed" };
}
