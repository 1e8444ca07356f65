// Scratch files: memory between steps, written by agents and by the engine, read into every prompt.
import { lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import { RUN_SCOPE } from "../core/model.ts";
import { textIn } from "../files/read.ts";
import { clearWay } from "../files/way.ts";
import { append } from "../files/write.ts";

/** Prompts show less than this; reading more would only cost memory. */
const READ_BYTES = 1024 * 1024;

export class Scratch {
	private readonly sharedDir: string;
	/** One append at a time, so that entries stay whole. */
	private queue: Promise<void> = Promise.resolve();

	constructor(sharedDir: string) {
		this.sharedDir = sharedDir;
	}

	file(scope: string): string {
		return join(this.sharedDir, scope === RUN_SCOPE ? "scratch.md" : `scratch_${scope}.md`);
	}

	/** The end of the file, which is the newest part. */
	async read(scope: string): Promise<string> {
		return textIn(this.file(scope), { max: READ_BYTES, tail: true }) ?? "";
	}

	/** Safe to repeat: the same entry, with its time, is not added twice. */
	append(scope: string, at: number, text: string): Promise<void> {
		return this.add(scope, `\n- [pawl ${new Date(at).toISOString()}] ${text}\n`);
	}

	/** Adds an entry as it is. */
	add(scope: string, entry: string): Promise<void> {
		const next = this.queue.then(async () => {
			if ((await this.read(scope)).includes(entry)) return;
			append(this.file(scope), entry);
		});
		this.queue = next.catch(() => {});
		return next;
	}

	async archive(scope: string): Promise<void> {
		const file = this.file(scope);
		if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
		const archived = join(this.sharedDir, "archive", `scratch_${scope}.md`);
		clearWay(this.sharedDir, archived);
		renameSync(file, archived);
	}
}
