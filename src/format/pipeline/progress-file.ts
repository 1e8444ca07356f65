// The progress log of a run. Agents write it; pawl archives it when the run has ended (`archive/<run>/` beside it), so that the next run
// starts without it, and restores it if the run continues after all. Safe to repeat at any time.
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Event } from "../../core/event.ts";
import type { RunState } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import { textIn } from "../../files/read.ts";
import { writeWhole } from "../../files/write.ts";
import type { Projection } from "../../format.ts";

const READING = { max: 64 * 1024 * 1024 };

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
		this.ended = event.event === "run_status_changed" && isOver(event.status);
		this.dirty = true;
	}

	async write(): Promise<void> {
		this.dirty = false;
		if (this.ended) {
			const text = textIn(this.file, READING);
			if (text === null) return;
			await writeWhole(this.kept, text);
			await rm(this.file, { force: true });
		} else if (textIn(this.file, READING) === null) {
			const text = textIn(this.kept, READING);
			if (text !== null) await writeWhole(this.file, text);
		}
	}
}
