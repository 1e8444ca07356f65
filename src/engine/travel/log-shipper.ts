// The logs of attempts on their way into the store that machines share. Each attempt writes a file of its own here; while it runs, what is new there goes
// into the store about once a second, in whole lines, and the rest goes before its end is committed. Then the file is removed.
import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from "node:fs";
import type { Lease, Travelling } from "../../store.ts";
import type { AttemptId } from "../attempt/live-attempt.ts";
import type { Clock } from "../clock.ts";

const EVERY_MS = 1_000;
export const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export interface ShipperParts {
	readonly store: Travelling;
	readonly run: string;
	readonly clock: Clock;
	/** How many bytes of an attempt's log are kept. */
	readonly max: number;
	/** How often what is new is sent. */
	readonly everyMs?: number | undefined;
}

export interface Shipment {
	/** Sends the rest. */
	end(): Promise<void>;
}

export class LogShipper {
	private readonly parts: ShipperParts;
	/** Pieces of one step go one after the other: members of a gate write at the same time. */
	private readonly queues = new Map<string, Promise<unknown>>();

	constructor(parts: ShipperParts) {
		this.parts = parts;
	}

	begin(id: AttemptId, file: string, lease: Lease): Shipment {
		const { clock, max, everyMs = EVERY_MS } = this.parts;
		let [sent, n, lost] = [0, 0, false];
		/** Until the attempt has ended, pawl may cut the middle out of a long log, but never out of its first half. */
		const ship = (isOver: boolean): Promise<void> =>
			this.inTurn(id, async () => {
				const until = isOver ? max + PIECE_BYTES : max / 2;
				for (;;) {
					const bytes = lost ? null : linesFrom(file, sent, Math.min(PIECE_BYTES, until - sent), isOver);
					if (bytes === null) return;
					const { scope, step, attempt } = id;
					lost = !(await this.parts.store.addLog(this.parts.run, { scope, step, attempt, n: n + 1, bytes }, lease));
					n++;
					sent += bytes.length;
				}
			});
		let cancel = (): void => {};
		let [sending, ended]: [Promise<void>, boolean] = [Promise.resolve(), false];
		const wait = (): void => {
			cancel = clock.after(everyMs, () => {
				// What could not be sent goes the next time.
				sending = ship(false).catch(() => {});
				void sending.then(() => {
					if (!ended) wait();
				});
			});
		};
		wait();
		return {
			end: async () => {
				ended = true;
				cancel();
				await sending;
				await ship(true);
				rmSync(file, { force: true });
			},
		};
	}

	private inTurn(id: AttemptId, work: () => Promise<void>): Promise<void> {
		const key = `${id.scope} ${id.step}`;
		const done = (this.queues.get(key) ?? Promise.resolve()).then(work);
		this.queues.set(
			key,
			done.catch(() => {}),
		);
		return done;
	}
}

/** Whole lines from a position on, at most so many bytes; a longer line, or the last one of a file that is complete, in parts. null: nothing is there. */
function linesFrom(file: string, from: number, max: number, isComplete: boolean): Buffer | null {
	let fd: number;
	try {
		// An agent can reach it: neither a link nor a FIFO may lead us elsewhere or hold us up.
		fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return null;
	}
	try {
		const stat = fstatSync(fd);
		const length = Math.min(max, stat.size - from);
		if (!stat.isFile() || length < 1) return null;
		const bytes = Buffer.alloc(Math.floor(length));
		const read = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
		const end = read.lastIndexOf(NEWLINE) + 1;
		if (end > 0) return read.subarray(0, end);
		return read.length > 0 && (isComplete || read.length === PIECE_BYTES) ? read : null;
	} finally {
		closeSync(fd);
	}
}
