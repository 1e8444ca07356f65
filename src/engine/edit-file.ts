// The edit file `workflow_edits/<story>.json`: what an agent writes there during its own attempt is its request; anything else that
// is found there is set aside. File names are made of validated story ids only, and a symbolic link instead of a folder is not followed.
import { lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EditRequest } from "../core/input.ts";
import { readForeignJson } from "../core/text/foreign-json.ts";
import { readBounded } from "../files/read.ts";
import { clearWay, strayFolder } from "../files/way.ts";
import { writeWhole } from "../files/write.ts";

export const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

export class EditFiles {
	private readonly sharedDir: string;
	private readonly folder: string;

	constructor(sharedDir: string) {
		this.sharedDir = sharedDir;
		this.folder = join(sharedDir, "workflow_edits");
	}

	path(story: string): string {
		return join(this.folder, `${story}.json`);
	}

	/** Called before an attempt: whatever is there was not written by it. */
	async clear(story: string, label: string): Promise<boolean> {
		const moved = this.move(story, "quarantine", label);
		// What a session that was killed had begun to write beside it, to rename it.
		for (const name of this.names())
			if (name.startsWith(`${story}.json.`)) rmSync(join(this.folder, name), { recursive: true, force: true });
		return moved;
	}

	async read(story: string): Promise<EditRequest | null> {
		const found = readBounded(this.path(story), { max: MAX_BYTES, below: this.sharedDir, oneName: true });
		if ("missing" in found) return null;
		return "problem" in found ? { problem: `the edit file was not read: ${found.problem}` } : readEdits(found.text);
	}

	/** Safe to repeat: if the file is gone, it was done. */
	async settle(story: string, label: string, how: "applied" | "rejected" | "failed", reasons: readonly string[]): Promise<void> {
		if (how === "applied") {
			if (strayFolder(this.sharedDir, this.path(story)) === null) rmSync(this.path(story), { recursive: true, force: true });
			return;
		}
		// An attempt that was cut off mostly has none: no folder is made for it.
		if (strayFolder(this.sharedDir, this.path(story)) === null && lstatSync(this.path(story), { throwIfNoEntry: false }) === undefined)
			return;
		if (this.move(story, how, label)) await writeWhole(join(this.folder, how, `${label}.reason.txt`), `${reasons.join("\n")}\n`);
	}

	/** Writes a request as an agent would. */
	async put(story: string, text: string): Promise<void> {
		clearWay(this.sharedDir, this.path(story));
		await writeWhole(this.path(story), text);
	}

	private names(): readonly string[] {
		return lstatSync(this.folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(this.folder) : [];
	}

	private move(story: string, to: string, label: string): boolean {
		const file = this.path(story);
		const target = join(this.folder, to, `${label}.json`);
		clearWay(this.sharedDir, file);
		if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return false;
		clearWay(this.sharedDir, target);
		rmSync(target, { recursive: true, force: true });
		renameSync(file, target);
		return true;
	}
}

/** The text of an edit file as a request, or why it is none. */
export function readEdits(text: string): EditRequest {
	const read = readForeignJson(withoutFence(text));
	if (!read.ok) return { problem: `the edit file is not JSON: ${read.message}` };
	return deeperThan(read.value, MAX_DEPTH) ? { problem: "the edit file is nested too deep" } : { operations: read.value };
}

const FENCE = /^(`{3,}(?!`)|~{3,}(?!~))[^`]*$/;

/** As in a message: some write the fence of a code block to the file as well. */
function withoutFence(text: string): string {
	const whole = text.trim();
	const first = whole.indexOf("\n");
	const mark = FENCE.exec(whole.slice(0, Math.max(0, first)))?.[1];
	const rest = whole.slice(first + 1);
	return mark !== undefined && rest.endsWith(mark) ? rest.slice(0, -mark.length) : text;
}

/** All of this goes into the journal. */
function deeperThan(value: unknown, depth: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (depth === 0) return true;
	return Object.values(value).some((v) => deeperThan(v, depth - 1));
}
