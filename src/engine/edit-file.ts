// The inbox `workflow_edits/<story>.json`: what an agent writes there during its own attempt is its request; anything
// else found there is set aside. Names come from validated story ids only.
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { EditRequest } from "../core/input.ts";
import { exists, writeWhole } from "./files.ts";
import { readUntrusted } from "./read-untrusted.ts";

export const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

export class EditFiles {
	private readonly folder: string;
	private made: Promise<void> | null = null;

	constructor(sharedDir: string) {
		this.folder = join(sharedDir, "workflow_edits");
	}

	path(story: string): string {
		return join(this.folder, `${story}.json`);
	}

	/** Before the attempt: what lies there was not written by it. */
	async clear(story: string, label: string): Promise<boolean> {
		this.made ??= mkdir(this.folder, { recursive: true }).then(() => {});
		await this.made;
		return this.move(story, "quarantine", label);
	}

	async read(story: string): Promise<EditRequest | null> {
		const found = await readUntrusted(this.path(story), MAX_BYTES);
		if ("missing" in found) return null;
		if ("problem" in found) return { problem: `the edit file was not read: ${found.problem}` };
		try {
			const operations: unknown = JSON.parse(found.text);
			if (deeperThan(operations, MAX_DEPTH)) return { problem: "the edit file is nested too deep" };
			return { operations };
		} catch (error) {
			return { problem: `the edit file is not JSON: ${(error as Error).message}` };
		}
	}

	/** Safe to do again: where the file is gone, it was done. */
	async settle(story: string, label: string, how: "applied" | "rejected" | "failed", reasons: readonly string[]): Promise<void> {
		if (how === "applied") return rm(this.path(story), { recursive: true, force: true });
		const moved = await this.move(story, how, label);
		if (moved) await writeWhole(join(this.folder, how, `${label}.reason.txt`), `${reasons.join("\n")}\n`);
	}

	private async move(story: string, to: string, label: string): Promise<boolean> {
		const file = this.path(story);
		if (!(await exists(file))) return false;
		await mkdir(join(this.folder, to), { recursive: true });
		const target = join(this.folder, to, `${label}.json`);
		await rm(target, { recursive: true, force: true });
		await rename(file, target);
		return true;
	}
}

/** JSON.stringify fails on what JSON.parse takes when it is nested some thousand levels deep; the journal must not. */
function deeperThan(value: unknown, depth: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (depth === 0) return true;
	return Object.values(value).some((v) => deeperThan(v, depth - 1));
}
