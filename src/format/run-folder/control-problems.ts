// The mistakes in a control.json: syntax, unknown keys, values of the wrong type. pawl tells its author, because what cannot be
// understood asks for nothing.
import { closest } from "../../core/closest.ts";
import { readForeignJson } from "../../core/text/foreign-json.ts";
import type { FileText } from "../../files/read.ts";
import { findJsonError } from "../../text/json-error.ts";
import { countIn, objectIn } from "./folder.ts";

type Kind = "flag" | "count" | "flag or count" | "text";

const KEYS: Readonly<Record<string, Kind>> = {
	pause: "flag",
	stop: "flag",
	stop_soft: "flag",
	stop_hard: "flag",
	skip_iteration: "flag or count",
	add_iterations: "count",
	review_now: "flag",
	review_next: "flag",
	reason: "text",
};

const WANTED: Readonly<Record<Kind, string>> = {
	flag: "true or false",
	count: "a whole number",
	"flag or count": "true, false or a whole number",
	text: "a text",
};

/** Each as a sentence that names the file; none if the file is fine, or not there. */
export function controlProblems(found: FileText): string[] {
	if ("missing" in found) return [];
	if ("problem" in found) return [`control.json asks for nothing: ${found.problem}`];
	const asked = objectIn(found.text);
	if (asked === null) return [`control.json asks for nothing: ${syntaxOf(found.text)}`];
	const entries = Object.entries(asked);
	const told = entries.slice(0, MOST_TOLD).flatMap(([key, value]) => {
		const kind = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
		if (kind === undefined) {
			const near = closest(key, Object.keys(KEYS));
			return [`control.json: ${JSON.stringify(key)} is none of its keys and is ignored${near === null ? "" : ` (did you mean ${near}?)`}`];
		}
		return isOf(kind, value) ? [] : [`control.json: ${key} must be ${WANTED[kind]}, and ${shown(value)} is ignored`];
	});
	return entries.length > MOST_TOLD ? [...told, `control.json: it has ${entries.length} keys; the others are not looked at`] : told;
}

/** A person reads them. */
const MOST_TOLD = 40;

/** null asks for nothing, as false does; other tools write 0 and 1. */
function isOf(kind: Kind, value: unknown): boolean {
	if (value === null) return true;
	if (kind === "text") return typeof value === "string";
	if (kind === "count") return countIn(value) !== undefined;
	return typeof value === "boolean" || (kind === "flag" ? value === 0 || value === 1 : countIn(value) !== undefined);
}

function syntaxOf(text: string): string {
	if (text.trim() === "") return "it is empty";
	const error = findJsonError(text);
	const read = error === null ? readForeignJson(text) : null;
	if (read !== null && !read.ok) return read.message;
	if (error === null) return "it holds no JSON object";
	const line = text.slice(0, error.offset).split("\n").length;
	return `line ${line} is no JSON: ${error.message}`;
}

const shown = (value: unknown): string => {
	const text = JSON.stringify(value) ?? String(value);
	return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
