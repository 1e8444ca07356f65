// The files of one run folder, `ralph/runs/<id>/`, and of `ralph/` around it. Agents write there too, so no symbolic link is
// followed, every read is bounded and every write is atomic.
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { storyIdProblem } from "../../core/story-id.ts";
import { type FileText, readBounded } from "../../files/read.ts";
import { clearWay, strayFolder } from "../../files/way.ts";
import { append, writeWholeSync } from "../../files/write.ts";

export const RALPH = "ralph";
export const MAX_BYTES = 8 * 1024 * 1024;

/** Why it cannot be the name of a run folder, or null. */
export const runIdProblem = (id: string): string | null => {
	const problem = storyIdProblem(id);
	return problem === null ? null : `${JSON.stringify(id)} cannot be the id of a run folder: ${problem}`;
};

/** Paths are relative to the checkout; `own()` is the run folder. */
export class RunFolder {
	readonly tree: string;
	readonly id: string;

	constructor(tree: string, id: string) {
		this.tree = tree;
		this.id = id;
	}

	/** The path of a file of the run folder, relative to the checkout. */
	own(name = ""): string {
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
	write(relative: string, text: string): void {
		clearWay(this.tree, this.path(relative));
		writeWholeSync(this.path(relative), text);
	}

	append(relative: string, text: string): void {
		clearWay(this.tree, this.path(relative));
		append(this.path(relative), text);
	}

	remove(relative: string): void {
		if (this.isPlain(relative)) rmSync(this.path(relative), { recursive: true, force: true });
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
	try {
		const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
		return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
	} catch {
		return null;
	}
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A whole number from `least` on; undefined for anything else. */
export const countIn = (value: unknown, least = 0): number | undefined =>
	typeof value === "number" && Number.isSafeInteger(value) && value >= least ? value : undefined;
