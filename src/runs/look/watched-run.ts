// A run that somebody watches while another process drives it, or none does: its state, kept up to date. It only reads.
import type { Event } from "../../core/event.ts";
import { fold } from "../../core/fold/apply.ts";
import type { RunState } from "../../core/model.ts";
import { startedWith } from "../../core/started-with.ts";
import type { KeptStory } from "../../format.ts";
import type { Watch } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { lookAt, type OpenRun } from "../open.ts";
import { type ListedRun, listRuns } from "./list.ts";
import { storyTimes } from "./story-times.ts";
import { standingReasons, type Why } from "./why.ts";

/** A process that dies leaves no event: how often to look whether one drives the run. */
const DRIVER_MS = 1_000;

export interface RunNow {
	readonly state: RunState;
	readonly events: readonly Event[];
	/** Why it does not simply continue, if that still matters. */
	readonly reasons: readonly Why[];
	/** How long agents worked on each story. */
	readonly storyMs: ReadonlyMap<string, number>;
	/** Some process moves it on. */
	readonly driven: boolean;
	/** The stories of a run that keeps them in a file of its own. */
	readonly kept: readonly KeptStory[];
}

export const runNow = (
	state: RunState,
	events: readonly Event[],
	driven: boolean,
	at: number,
	kept: readonly KeptStory[] = [],
): RunNow => ({
	state,
	events,
	driven,
	kept,
	reasons: standingReasons(events, state),
	storyMs: storyTimes(events, at),
});

export interface WatchedRun {
	readonly open: OpenRun;
	now(): RunNow;
	/** Waits for the next change; returns the events that are new, which may be none if only the driver came or went. */
	changed(): Promise<readonly Event[]>;
	/** Until `now` has everything that was committed before this call. Somebody else is waiting for changes meanwhile. */
	caughtUp(): Promise<void>;
}

/** Opens a run and keeps it open until `work` is done. `signal` ends the wait for the next change. */
export function watchRun<T>(
	c: RunsContext,
	name: string | undefined,
	signal: AbortSignal,
	work: (watched: WatchedRun) => Promise<T>,
): Promise<T> {
	return lookAt(c, name, async (open) => {
		const now = runNow(open.state, open.events, await drivenNow(open, open.state), c.now(), await keptNow(c, open.state));
		const follower = new Follower(c, open, now, signal);
		try {
			return await work(follower);
		} finally {
			follower.close();
		}
	});
}

async function drivenNow({ store }: OpenRun, state: RunState): Promise<boolean> {
	return state.status === "running" && ((await store.holder(state.id)) !== null || startedWith(state).pull);
}

const keptNow = async (c: RunsContext, state: RunState): Promise<readonly KeptStory[]> =>
	state.stories.length === 0 ? c.services.keptStories(state) : [];

class Follower implements WatchedRun {
	readonly open: OpenRun;
	private readonly c: RunsContext;
	private readonly watch: Watch;
	private readonly signal: AbortSignal;
	private current: RunNow;
	private wake: () => void = () => {};
	private dirty = true;
	private behind: (() => void)[] = [];

	constructor(c: RunsContext, open: OpenRun, now: RunNow, signal: AbortSignal) {
		this.c = c;
		this.open = open;
		this.signal = signal;
		this.current = now;
		this.watch = open.store.watch(open.state.id, () => {
			this.dirty = true;
			this.wake();
		});
	}

	now(): RunNow {
		return this.current;
	}

	async changed(): Promise<readonly Event[]> {
		while (!this.signal.aborted) {
			const { state, events, driven } = this.current;
			const waiting = this.behind;
			this.behind = [];
			const fresh = this.dirty ? await this.open.store.events(state.id, events.length) : [];
			this.dirty = false;
			const next = fresh.length === 0 ? state : (fold(fresh, state) ?? state);
			const drives = await drivenNow(this.open, next);
			const isNew = fresh.length > 0 || drives !== driven;
			if (isNew) {
				const all = fresh.length === 0 ? events : [...events, ...fresh];
				this.current = runNow(next, all, drives, this.c.now(), await keptNow(this.c, next));
			}
			for (const go of waiting) go();
			if (isNew) return fresh;
			await this.woken();
		}
		return [];
	}

	caughtUp(): Promise<void> {
		return new Promise((resolve) => {
			this.behind.push(resolve);
			this.signal.addEventListener("abort", () => resolve(), { once: true });
			if (this.signal.aborted) resolve();
			this.dirty = true;
			this.wake();
		});
	}

	close(): void {
		this.watch.close();
	}

	private woken(): Promise<void> {
		return new Promise((resolve) => {
			const done = () => {
				clearTimeout(timer);
				this.signal.removeEventListener("abort", done);
				resolve();
			};
			const timer = setTimeout(done, DRIVER_MS);
			this.wake = done;
			this.signal.addEventListener("abort", done);
			// Something changed between the look and this wait.
			if (this.dirty || this.signal.aborted) done();
		});
	}
}

export interface RunToWatch {
	/** undefined: the latest. */
	readonly run: string | undefined;
	/** Other runs that go on now. */
	readonly others: readonly string[];
}

/** The newest run that some process drives; if there is none, the latest run. */
export async function runToWatch(c: RunsContext): Promise<RunToWatch> {
	return chooseRun(await listRuns(c));
}

export function chooseRun(newestFirst: readonly Pick<ListedRun, "run" | "driven">[]): RunToWatch {
	const [first, ...others] = newestFirst.filter(({ driven }) => driven).map(({ run }) => run);
	return { run: first, others };
}
