// The forge's own API, through its command-line program: JSON, read with care, because anybody may have written what is in it.
import { readForeignJson } from "../core/text/foreign-json.ts";
import { ask } from "./command.ts";

export type Json = { readonly value: unknown } | { readonly problem: string };

const MOST_CHARS = 8 * 1024 * 1024;

/** `path` has no leading slash; whatever is not ours in it is encoded. */
export async function api(program: string, path: string, cwd: string, more: readonly string[] = []): Promise<Json> {
	const answer = await ask(program, ["api", path, ...more], cwd, MOST_CHARS);
	if (!answer.ok) return { problem: answer.problem || answer.stdout.slice(0, 500) };
	// glab 1.33 exits with 0 whatever the forge answers.
	if (/\bHTTP [45]\d\d\b/.test(answer.stderr)) return { problem: answer.stderr };
	const read = readForeignJson(answer.stdout);
	return read.ok ? { value: read.value } : { problem: `${program} printed no JSON: ${read.message}` };
}

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const countOf = (value: unknown): number => (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0);
