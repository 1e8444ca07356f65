// `workflow_state.json` on disk: the view's text, written atomically under a lock, so that it never mixes with
// another writer, such as a tool of the user's. The lock ends with its owner.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../../core/event.ts";
import { apply } from "../../core/fold/apply.ts";
import type { RunState } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import { textIn } from "../../files/read.ts";
import { removeTemporaries, writeWholeSync } from "../../files/write.ts";
import type { Projection } from "../../format.ts";
import { applyToView, emptyView, renderBytes, renderView, type WorkflowStateView } from "./view.ts";

const STATE_FILE = "workflow_state.json";
const MOST_BYTES = 1024 * 1024 * 1024;
const LOCK_MS = 60_000;
const RETRY_MS = 50;

/** How far the file may be behind the journal: what is committed while a write is delayed. */
const LOOK_BACK = 1000;

/** null: not a file, or larger than any that pawl writes. */
export const readStateFile = (file: string): string | null => textIn(file, { max: MOST_BYTES });

/** What some file systems leave of a new file after a loss of power; no person writes that. */
const isTorn = (text: string): boolean => text === "" || text.includes("\0");

/** Whether pawl would have written this text near the end of the journal. */
export function isOurs(text: string | null, events: readonly Event[], run: Pick<StateFileParts, "prdFile" | "createdAt">): boolean {
	if (text === null) return false;
	if (isTorn(text)) return true;
	const view = emptyView(run);
	let state: RunState | null = null;
	for (const [i, event] of events.entries()) {
		state = apply(state, event);
		if (state === null) return false;
		applyToView(view, event, state);
		if (i >= events.length - LOOK_BACK && renderView(view) === text) return true;
	}
	return false;
}

export interface StateFileParts {
	readonly sharedDir: string;
	readonly prdFile: string | null;
	readonly createdAt: number;
	/** The lock of a file, or null while another has it. */
	readonly lock: (file: string) => { release(): void } | null;
	readonly lockMs?: number;
}

export class StateFile implements Projection {
	dirty = false;
	bytes = 0;
	private isLast = false;
	private readonly parts: StateFileParts;
	private readonly view: WorkflowStateView;

	constructor(parts: StateFileParts) {
		this.parts = parts;
		this.view = emptyView({ createdAt: parts.createdAt, prdFile: parts.prdFile });
		removeTemporaries(join(parts.sharedDir, STATE_FILE));
	}

	apply(event: Event, state: RunState): void {
		applyToView(this.view, event, state);
		this.dirty = true;
		this.isLast = isOver(state.status);
	}

	async write(): Promise<void> {
		const file = join(this.parts.sharedDir, STATE_FILE);
		const lock = await this.locked(`${file}.lock`);
		try {
			this.dirty = false;
			// Between the first and the last, a resume writes it again after a loss of power.
			const text = renderBytes(this.view);
			writeWholeSync(file, text, { durable: this.isLast || !existsSync(file) });
			this.bytes = text.length;
		} finally {
			lock.release();
		}
	}

	private async locked(file: string): Promise<{ release(): void }> {
		const limit = this.parts.lockMs ?? LOCK_MS;
		const deadline = performance.now() + limit;
		for (;;) {
			const lock = this.parts.lock(file);
			if (lock !== null) return lock;
			if (performance.now() > deadline)
				throw new Error(`another process has held the lock ${file} for more than ${limit / 1000} s; end it and resume the run`);
			await sleep(RETRY_MS);
		}
	}
}
