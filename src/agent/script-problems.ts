// From YAML text to a plain value, and from what a schema says against the value back to lines and columns of the text.
import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";

export interface Problem {
	readonly file: string;
	readonly line: number;
	readonly column: number;
	readonly message: string;
}

type Issue = z.core.$ZodIssue;

export type ReadYaml =
	| {
			readonly ok: true;
			readonly value: unknown;
			/** Issues of a schema as problems, in the order of the file. `keys`: what may stand under a key, "" for the top. */
			readonly locate: (issues: readonly Issue[], keys: Readonly<Record<string, readonly string[]>>) => readonly Problem[];
	  }
	| { readonly ok: false; readonly problems: readonly Problem[] };

const LARGEST = 1024 * 1024;

export function readYaml(text: string, file: string): ReadYaml {
	if (text.length > LARGEST) return { ok: false, problems: [{ file, line: 1, column: 1, message: "larger than 1 MiB" }] };
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
	const at = (offset: number, message: string): Problem => {
		const { line, col } = lines.linePos(offset);
		// Before the first line is counted the counter says 0:0.
		return { file, line: Math.max(line, 1), column: Math.max(col, 1), message };
	};
	// After one token that does not fit, all that follow do not either.
	const lost = document.errors.findIndex(({ code }) => code === "UNEXPECTED_TOKEN");
	const errors = lost === -1 ? document.errors : document.errors.slice(0, lost + 1);
	if (errors.length > 0) return { ok: false, problems: errors.map((error) => at(error.pos[0], error.message)) };

	let value: unknown;
	try {
		value = document.toJS({ maxAliasCount: 100 });
	} catch (error) {
		return { ok: false, problems: [at(0, error instanceof Error ? error.message : String(error))] };
	}

	/** Where a value stands, or the nearest thing around it that is there. */
	const offsetOf = (path: readonly PropertyKey[]): number => {
		for (let length = path.length; length >= 0; length--) {
			const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
			if (isNode(node) && node.range) return node.range[0];
		}
		return 0;
	};
	const offsetOfKey = (path: readonly PropertyKey[], key: string): number => {
		const map = path.length === 0 ? document.contents : document.getIn(path, true);
		const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && String(item.key.value) === key) : undefined;
		return isScalar(pair?.key) && pair.key.range ? pair.key.range[0] : offsetOf(path);
	};
	const locate = (issues: readonly Issue[], keys: Readonly<Record<string, readonly string[]>>): readonly Problem[] => {
		// A map whose only key is misspelt looks empty to the rules of the schema: one slip, one problem.
		const misspelt = new Set(issues.filter(({ code }) => code === "unrecognized_keys").map((issue) => path(issue.path)));
		return issues
			.filter((issue) => issue.code !== "custom" || !misspelt.has(path(issue.path)))
			.flatMap((issue) => {
				if (issue.code !== "unrecognized_keys") return [{ offset: offsetOf(issue.path), message: describe(issue) }];
				const known = keys[parentOf(issue.path)] ?? [];
				return issue.keys.map((key) => ({ offset: offsetOfKey(issue.path, key), message: unknownKey(key, known) }));
			})
			.sort((a, b) => a.offset - b.offset)
			.map(({ offset, message }) => at(offset, message));
	};
	return { ok: true, value, locate };
}

const parentOf = (path: readonly PropertyKey[]): string => String(path.findLast((part) => typeof part === "string") ?? "");

function describe(issue: Issue): string {
	const name = path(issue.path);
	if (issue.code === "custom") return `${name}: ${issue.message}`;
	if (issue.code === "invalid_union") return `${name} ${issue.message}`;
	if (issue.code === "invalid_type") {
		if (issue.input === undefined && /received undefined/.test(issue.message)) return `${name} is missing`;
		const quotes = issue.expected === "string" && /received (number|boolean|null)/.test(issue.message) ? " (put it in quotes)" : "";
		return `${name} must be ${NAMES[issue.expected] ?? issue.expected}${quotes}`;
	}
	if (issue.code === "invalid_value") return `${name} must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
	if (issue.code === "too_small" && typeof issue.minimum === "number" && NUMBERS.has(issue.origin))
		return `${name} must be at least ${issue.minimum}`;
	if (issue.code === "too_big" && NUMBERS.has(issue.origin)) return `${name} must be at most ${issue.maximum}`;
	return `${name}: ${issue.message}`;
}

const NUMBERS: ReadonlySet<string> = new Set(["number", "int"]);
const NAMES: Readonly<Record<string, string>> = {
	string: "a text",
	object: "a map of keys",
	record: "a map of keys",
	array: "a list",
	int: "a whole number",
	number: "a number",
};

/** steps[0].do[2].write; the script itself for the top. */
function path(parts: readonly PropertyKey[]): string {
	let text = "";
	for (const part of parts) text += typeof part === "number" ? `[${part}]` : `${text ? "." : ""}${String(part)}`;
	return text || "the script";
}

function unknownKey(key: string, known: readonly string[]): string {
	const close = known
		.map((name) => ({ name, distance: distance(key.toLowerCase(), name) }))
		.filter(({ name, distance: far }) => far <= Math.max(1, Math.floor(name.length / 3)))
		.sort((a, b) => a.distance - b.distance)[0];
	return close ? `unknown key "${key}"; did you mean "${close.name}"?` : `unknown key "${key}"; known here: ${known.join(", ")}`;
}

/** How many letters must be changed, put in or taken out to get from one word to the other. */
function distance(from: string, to: string): number {
	let row = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let i = 1; i <= from.length; i++) {
		const next = [i];
		for (let j = 1; j <= to.length; j++) {
			const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
			next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
		}
		row = next;
	}
	return row[to.length] ?? 0;
}
