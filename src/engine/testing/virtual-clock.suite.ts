// Time that passes only when nothing else is left to do. Due work runs in the order of its time, then in the order of the requests,
// so one script gives one order of events. Files are still real, so "nothing left to do" means that no read or write is under way.
import { Socket } from "node:net";

// One thread for files: requests return in order, so the same run always goes the same way. Takes effect at the first use.
process.env["UV_THREADPOOL_SIZE"] = "1";

/** How often it is looked at once whether everything has ended, before that is done a little later each time. */
const BUSY_TURNS = 50;
/** How often the clock may fire before a run counts as one that never ends. */
const MOST_TURNS = 20_000;
/** Kinds of Node's active requests that count as work: the files and processes of the code under test. */
const UNDER_WAY = new Set(["FSReqPromise", "FSReqCallback", "CloseReq", "ProcessWrap"]);

/** A process is over for its caller when its pipes are closed, which may be later than its end. */
const pipesOpen = (): boolean => {
	const handles = (process as unknown as { _getActiveHandles(): readonly unknown[] })._getActiveHandles();
	const own: readonly unknown[] = [process.stdout, process.stderr];
	// Asking for process.stdin would open it: it is known by its number.
	const isInput = (socket: Socket): boolean => (socket as unknown as { fd?: number }).fd === 0;
	return handles.some((handle) => handle instanceof Socket && !own.includes(handle) && !isInput(handle));
};

interface Timer {
	readonly at: number;
	/** Timers of the same moment fire in the order in which they were set. */
	readonly order: number;
	readonly work: () => void;
}

export class VirtualClock {
	private time: number;
	private asked = 0;
	private timers: Timer[] = [];

	constructor(start: number = Date.UTC(2026, 0, 2, 3, 4, 5)) {
		this.time = start;
	}

	/** How far the clock on the wall is from the time that has really passed. */
	private offset = 0;

	/** Bound, so that it can be passed on. */
	readonly now = (): number => this.time + this.offset;

	/** Time that has really passed: nobody can set it. Timers follow it, as they do in Node. */
	readonly ticks = (): number => this.time;

	/** Somebody sets the clock, or the machine was suspended: what was waited for still takes as long. */
	jump(ms: number): void {
		this.offset += ms;
	}

	/** Calls `work` after this much time; returns a function that cancels the call. */
	readonly after = (ms: number, work: () => void): (() => void) => {
		const timer: Timer = { at: this.time + Math.max(0, ms), order: this.asked++, work };
		this.timers.push(timer);
		return () => {
			this.timers = this.timers.filter((other) => other !== timer);
		};
	};

	sleep(ms: number): Promise<void> {
		return new Promise((done) => this.after(ms, done));
	}

	get waiting(): number {
		return this.timers.length;
	}

	/** Lets this much time pass, and runs everything that becomes due. */
	async advance(ms: number): Promise<void> {
		const end = this.time + ms;
		await settled();
		for (let next = this.next(); next !== null && next.at <= end; next = this.next()) await this.fire(next);
		this.time = end;
	}

	/** Until no timer is left. Not for code that polls: it always has a timer. */
	async runUntilIdle(): Promise<void> {
		await settled();
		for (let turn = 0; turn < MOST_TURNS; turn++) {
			const next = this.next();
			if (next === null) return;
			await this.fire(next);
		}
		throw new Error(`there is always one more timer: ${MOST_TURNS} have fired`);
	}

	/** Until this promise settles; fails if nothing is left that could settle it. */
	async runUntil<T>(promise: Promise<T>): Promise<T> {
		let over = false;
		const end = () => {
			over = true;
		};
		promise.then(end, end);
		await settled();
		for (let turn = 0; !over; turn++) {
			const next = this.next();
			if (next === null) throw new Error("nothing is under way and nothing is due, and what was waited for has not come");
			if (turn >= MOST_TURNS) throw new Error(`what was waited for has not come after ${MOST_TURNS} timers`);
			await this.fire(next);
		}
		return promise;
	}

	private async fire(timer: Timer): Promise<void> {
		this.timers = this.timers.filter((other) => other !== timer);
		this.time = Math.max(this.time, timer.at);
		timer.work();
		await settled();
	}

	private next(): Timer | null {
		return this.timers.reduce<Timer | null>((first, t) => (first === null || isBefore(t, first) ? t : first), null);
	}
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Everything that was begun has ended or waits for the clock. */
export async function settled(): Promise<void> {
	// Twice: the result of the last read may start new work in its own turn.
	for (let quiet = 0, turns = 0; quiet < 2; turns++) {
		// What takes longer than files do, a process or a database, needs the processor itself.
		await new Promise<void>((turn) => (turns < BUSY_TURNS ? setImmediate(turn) : setTimeout(turn, 1)));
		quiet = process.getActiveResourcesInfo().some((name) => UNDER_WAY.has(name)) || pipesOpen() ? 0 : quiet + 1;
	}
}
