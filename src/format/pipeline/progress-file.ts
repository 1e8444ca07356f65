// The progress log of a run: agents write it, we put it away when the run has ended (`archive/<run>/` beside it), so that the next
// run starts without it, and bring it back where the run goes on after all. Safe to do again at any time.
import { copyFile, lstat, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Event } from "../../core/event.ts";
import type { RunState } from "../../core/model.ts";
import type { Projection } from "../../format.ts";

export class ProgressFile implements Projection {
	dirty = false;
	private readonly file: string;
	private readonly kept: string;
	private ended = false;

	constructor(file: string, run: string) {
		this.file = file;
		this.kept = join(dirname(file), "archive", run, "progress.txt");
	}

	apply(event: Event, _state: RunState): void {
		if (event.event !== "run_status_changed" && event.event !== "run_resumed") return;
		this.ended = event.event === "run_status_changed" && ["completed", "failed", "cancelled"].includes(event.status);
		this.dirty = true;
	}

	async write(): Promise<void> {
		this.dirty = false;
		if (this.ended) {
			if (!(await isFile(this.file))) return;
			await mkdir(dirname(this.kept), { recursive: true });
			await copyFile(this.file, this.kept);
			await rm(this.file, { force: true });
		} else if (!(await isFile(this.file)) && (await isFile(this.kept))) await copyFile(this.kept, this.file);
	}
}

/** A link of an agent's is not followed out of its folder, nor a pipe waited for. */
async function isFile(file: string): Promise<boolean> {
	return (await lstat(file).catch(() => null))?.isFile() ?? false;
}
