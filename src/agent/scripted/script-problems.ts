// Parses the text of a script, and turns a schema's complaints into lines and columns of that text.
import type { z } from "zod";
import { closest } from "../../core/closest.ts";
import { type Problem, readYaml } from "../../yaml.ts";

export type { Problem };

type Issue = z.core.$ZodIssue;

export type ReadScript =
	| {
			readonly ok: true;
			readonly value: unknown;
			/** Turns issues of a schema into problems, in the order of the file. `keys`: the keys allowed under each key, "" for the top. */
			readonly locate: (issues: readonly Issue[], keys: Readonly<Record<string, readonly string[]>>) => readonly Problem[];
	  }
	| { readonly ok: false; readonly problems: readonly Problem[] };

export function readScript(text: string, file: string): ReadScript {
	const { value, problems, at } = readYaml(text, file);
	if (problems.length > 0) return { ok: false, problems };
	const locate = (issues: readonly Issue[], keys: Readonly<Record<string, readonly string[]>>): readonly Problem[] => {
		// A map whose only key is misspelt looks empty to the schema's own rules: report it once.
		const misspelt = new Set(issues.filter(({ code }) => code === "unrecognized_keys").map((issue) => path(issue.path)));
		return issues
			.filter((issue) => issue.code !== "custom" || !misspelt.has(path(issue.path)))
			.flatMap((issue): Problem[] => {
				if (issue.code !== "unrecognized_keys") return [{ file, ...at(issue.path, "value"), message: describe(issue) }];
				const known = keys[parentOf(issue.path)] ?? [];
				return issue.keys.map((key) => ({ file, ...at([...issue.path, key], "key"), message: unknownKey(key, known) }));
			})
			.sort((a, b) => a.line - b.line || a.column - b.column);
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

/** Such as `steps[0].do[2].write`; "the script" for the top. */
function path(parts: readonly PropertyKey[]): string {
	let text = "";
	for (const part of parts) text += typeof part === "number" ? `[${part}]` : `${text ? "." : ""}${String(part)}`;
	return text || "the script";
}

function unknownKey(key: string, known: readonly string[]): string {
	const meant = closest(key, known);
	return meant === null ? `unknown key "${key}"; known here: ${known.join(", ")}` : `unknown key "${key}"; did you mean "${meant}"?`;
}
