// Reads one map of a pipeline's YAML, key by key. Errors are reported with their position; an unknown key is only a warning, since
// files of other tools may have keys that pawl does not use.
import { list, type Path, suggest } from "../../definition/problem.ts";
import type { Notes } from "../../definition/spelling.ts";

export class MapReader {
	readonly path: Path;
	private readonly value: Readonly<Record<string, unknown>>;
	private readonly notes: Notes;

	constructor(value: Readonly<Record<string, unknown>>, path: Path, notes: Notes) {
		this.value = value;
		this.path = path;
		this.notes = notes;
	}

	/** The map at a key; an empty one if there is none. */
	map(key: string): MapReader {
		const value = this.at(key) ?? {};
		if (isMap(value)) return new MapReader(value, [...this.path, key], this.notes);
		this.problem(key, `\`${key}\` is a map of keys`);
		return new MapReader({}, [...this.path, key], this.notes);
	}

	list(key: string): readonly MapReader[] {
		const value = this.at(key);
		if (!Array.isArray(value) || value.length === 0) {
			this.problem(key, `\`${key}\` is a list of at least one entry`);
			return [];
		}
		return value.flatMap((entry: unknown, at) => {
			if (isMap(entry)) return [new MapReader(entry, [...this.path, key, at], this.notes)];
			this.notes.report([...this.path, key, at], `an entry of \`${key}\` is a map of keys`);
			return [];
		});
	}

	/** Numbers and booleans are texts too: `version: 1`, `id: 7`. */
	text(key: string): string | null {
		const value = this.at(key);
		if (value === undefined || value === null) return null;
		if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
		this.problem(key, `\`${key}\` is a text`);
		return null;
	}

	/** A list of texts; null if there is none. */
	texts(key: string): string[] | null {
		const value = this.at(key);
		if (value === undefined || value === null) return null;
		if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
		this.problem(key, `\`${key}\` is a list of texts`);
		return null;
	}

	needed(key: string, what: string): string {
		const text = this.text(key);
		if (text !== null && text.trim() !== "") return text;
		if (!isMap(this.at(key)) && !Array.isArray(this.at(key))) this.problem(key, `\`${key}\` is missing: ${what}`);
		return "";
	}

	number(key: string, least: number): number | null {
		const value = this.at(key);
		if (value === undefined || value === null) return null;
		if (typeof value === "number" && Number.isInteger(value) && value >= least) return value;
		this.problem(key, `\`${key}\` is a whole number from ${least} on`);
		return null;
	}

	flag(key: string): boolean | null {
		const value = this.at(key);
		if (value === undefined || value === null) return null;
		if (typeof value === "boolean") return value;
		this.problem(key, `\`${key}\` is true or false`);
		return null;
	}

	oneOf<T extends string>(key: string, words: readonly T[]): T | null {
		const text = this.text(key);
		const word = words.find((w) => w === text);
		if (text !== null && word === undefined) this.problem(key, `\`${key}\` is one of ${list(words)}, not \`${text}\``);
		return word ?? null;
	}

	has(key: string): boolean {
		return this.at(key) !== undefined && this.at(key) !== null;
	}

	isText(key: string): boolean {
		return typeof this.at(key) === "string";
	}

	keys(): string[] {
		return Object.keys(this.value);
	}

	problem(key: string, message: string): void {
		this.notes.report([...this.path, key], message, this.has(key) ? "value" : "key");
	}

	warning(key: string, message: string): void {
		this.notes.warn([...this.path, key], message, "key");
	}

	/** Warns about keys that have no effect. */
	only(...known: readonly string[]): void {
		for (const key of this.keys())
			if (!known.includes(key)) this.warning(key, `\`${key}\` is not known here and not used${close(key, known)}`);
	}

	private at(key: string): unknown {
		return Object.hasOwn(this.value, key) ? this.value[key] : undefined;
	}
}

export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const close = (key: string, known: readonly string[]): string => {
	const words = suggest(key, known);
	return words.includes("did you mean") ? words : "";
};
