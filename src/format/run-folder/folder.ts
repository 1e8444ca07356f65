// The files of one run folder, `ralph/runs/<id>/`, and of `ralph/` around it. Agents write there too, so no symbolic link is
// followed, every read is bounded and every write is atomic.
import { lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { storyIdProblem } from "../../core/story-id.ts";
import { foreignValue } from "../../core/text/foreign-json.ts";
import { type FileText, readBounded } from "../../files/read.ts";
import { clearWay, strayFolder } from "../../files/way.ts";
import { append, writeWholeSync } from "../../files/write.ts";
import { noteWritten } from "../../files/written.ts";

export const RALPH = "ralph";
export const MAX_BYTES = 8 * 1024 * 1024;

/** Why it cannot be the name of a run folder, or null. */
export const runIdProblem = (id: string): string | null => {
	const problem = storyIdProblem(id);
	return problem === null ? null : `${JSON.stringify(id)} cannot be the id of a run folder: ${problem}`;
};

/** Files of a run folder that may be elsewhere in the checkout, by the key of the run's input that names their path. */
export type Elsewhere = Readonly<Partial<Record<(typeof MOVABLE)[number][1], string>>>;
const MOVABLE = [
	["prompt_name", "PROMPT.md"],
	["prd_name", "prd.json"],
	["progress_name", "progress.md"],
] as const;

/** Paths are relative to the checkout; `own()` is the run folder. */
export class RunFolder {
	readonly tree: string;
	readonly id: string;
	private readonly elsewhere: Elsewhere;

	constructor(tree: string, id: string, elsewhere: Elsewhere = {}) {
		this.tree = tree;
		this.id = id;
		this.elsewhere = elsewhere;
	}

	/** That of a run; null if it has none. `tree`: its checkout, if the caller knows it. */
	static of(input: Readonly<Record<string, string>>, tree?: string): RunFolder | null {
		const { folder_id: id, folder: path } = input;
		if (id === undefined || (tree === undefined && path === undefined)) return null;
		const elsewhere = Object.fromEntries(MOVABLE.flatMap(([key, name]) => (input[key] === undefined ? [] : [[name, input[key]]])));
		return new RunFolder(tree ?? (path ?? "").slice(0, -`/${RALPH}/runs/${id}`.length), id, elsewhere);
	}

	/** Prompt and stories are not in the folder: it holds only what pawl writes. */
	get isBeside(): boolean {
		return !this.own("prd.json").startsWith(`${this.own()}/`);
	}

	/** Whether a change of this path is work, and not the loop's own bookkeeping. */
	isWork(path: string): boolean {
		return !path.startsWith(`${RALPH}/`) && !MOVABLE.some(([, name]) => this.own(name) === path);
	}

	/** The folders and files of the loop's own bookkeeping: whoever writes there commits it, or leaves it. */
	books(): string[] {
		return [RALPH, ...MOVABLE.map(([, name]) => this.own(name)).filter((path) => !path.startsWith(`${RALPH}/`))];
	}

	/** The path of a file of the run folder, relative to the checkout. */
	own(name = ""): string {
		const elsewhere = Object.hasOwn(this.elsewhere, name) ? (this.elsewhere as Record<string, string>)[name] : undefined;
		if (elsewhere !== undefined) return elsewhere;
		return name === "" ? `${RALPH}/runs/${this.id}` : `${RALPH}/runs/${this.id}/${name}`;
	}

	path(relative: string): string {
		return join(this.tree, relative);
	}

	exists(): boolean {
		return this.isPlain(this.own("x")) && lstatSync(this.path(this.own()), { throwIfNoEntry: false }) !== undefined;
	}

	read(relative: string, max = MAX_BYTES): FileText {
		return readBounded(this.path(relative), { max, below: this.tree });
	}

	/** The text, or null if there is no readable one. */
	text(relative: string): string | null {
		const found = this.read(relative);
		return "text" in found ? found.text : null;
	}

	/** Writes atomically, and replaces whatever is there. */
	write(relative: string, text: string, last = false): void {
		clearWay(this.tree, this.path(relative));
		// A file that replaces another is whole after a loss of power (on most file systems); a new one may be empty.
		writeWholeSync(this.path(relative), text, { durable: last || lstatSync(this.path(relative), { throwIfNoEntry: false }) === undefined });
	}

	append(relative: string, text: string): void {
		clearWay(this.tree, this.path(relative));
		append(this.path(relative), text);
	}

	remove(relative: string): void {
		if (!this.isPlain(relative)) return;
		rmSync(this.path(relative), { recursive: true, force: true });
		noteWritten(this.path(relative));
	}

	/** Renames a folder or file, if it is there. */
	move(from: string, to: string): void {
		if (!this.isPlain(from) || lstatSync(this.path(from), { throwIfNoEntry: false }) === undefined) return;
		clearWay(this.tree, this.path(to));
		renameSync(this.path(from), this.path(to));
		noteWritten(this.path(to));
	}

	/** The names in a folder of the run folder; empty if there is no such folder. */
	names(relative: string): string[] {
		if (!this.isPlain(`${relative}/x`)) return [];
		try {
			return readdirSync(this.path(relative)).sort();
		} catch {
			return [];
		}
	}

	/** Whether every folder on its path is a real folder or does not exist yet. */
	private isPlain(relative: string): boolean {
		return strayFolder(this.tree, this.path(relative)) === null;
	}
}

/** A JSON object from a text; null for anything else. */
export function objectIn(text: string | null): Record<string, unknown> | null {
	if (text === null) return null;
	const value = foreignValue(text);
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A whole number from `least` on; undefined for anything else. */
export const countIn = (value: unknown, least = 0): number | undefined =>
	typeof value === "number" && Number.isSafeInteger(value) && value >= least ? value : undefined;
