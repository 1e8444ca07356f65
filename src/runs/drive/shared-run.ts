// A run that machines share, as a person's command sees it: it decides what the person asked for, and follows the journal. Workers do the work; a command that
// ends stops nothing.
import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../../core/event.ts";
import type { Input } from "../../core/input.ts";
import { isDue } from "../../core/merge/queue.ts";
import type { RunState } from "../../core/model.ts";
import { laneOf } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import { systemClock } from "../../engine/clock.ts";
import { Projector } from "../../engine/projector.ts";
import { type Opened, Run } from "../../engine/run.ts";
import type { ChangedFile } from "../../reader.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { runStorage } from "../run-storage.ts";
import { unserved } from "../serving.ts";
import { bringFiles, folderHere, isShared, withInputHere } from "../shared-files.ts";
import { BaseFollower } from "./follow-base.ts";
import type { RunObserver } from "./observer.ts";
import type { DriveSetup } from "./parts.ts";

const REFRESH_MS = 5_000;
/** How long the last chores of workers are waited for. */
const SETTLED_MS = 10_000;
const SETTLED_POLL_MS = 200;

/** A file of the run that a person changed. Of a run that machines share the files are only a view, which a command that has ended leaves as it was then. */
export async function changedByHand(
	c: RunsContext,
	store: Store,
	state: RunState,
	root: string,
	events: readonly Event[],
): Promise<ChangedFile | null> {
	return isShared(store) ? null : c.services.changedByHand(startedWith(state).sharedDir, root, events);
}

/** Decides these inputs on what all machines have committed, and has somebody work on what follows from them. */
export async function decideShared(c: RunsContext, store: Store, run: string, inputs: readonly Input[]): Promise<Opened> {
	const opened = await Run.share(runStorage(c, store), run);
	if (opened === null) throw new Refusal("not_found", `there is no run ${run}`);
	for (const input of inputs) await opened.run.feed(input);
	await sendDue(c, store, opened.run.state);
	return opened;
}

/** Workers find what is due by themselves; this only saves them the wait. */
async function sendDue(c: RunsContext, store: Store, state: RunState): Promise<void> {
	const due = (await store.pending(state.id)).filter(({ effect }) => isDue(state, effect));
	const lanes = new Set(due.map(({ effect }) => laneOf(state, effect.scope)));
	if (c.db === undefined || lanes.size === 0) return;
	const dispatch = await c.services.openDispatch(c.db, c.warn);
	try {
		for (const scope of lanes) await dispatch.send({ run: state.id, scope, requires: startedWith(state).requires });
	} finally {
		await dispatch.close();
	}
}

interface Followed extends DriveSetup {
	readonly store: Store;
	readonly run: string;
	readonly first?: readonly Input[];
}

/** Follows the run until it halts, and writes its files here. null: the observer has left it. */
export async function followShared(c: RunsContext, d: Followed, observer: RunObserver): Promise<RunState | null> {
	const { store, repository } = d;
	const { run, events } = await decideShared(c, store, d.run, d.first ?? [{ type: "advance", at: c.now() }]);
	let leave = (): void => {};
	const left = new Promise<null>((resolve) => {
		leave = () => resolve(null);
	});
	const view = observer.onDriving({ run: d.run, stop: () => leave(), kill: () => leave(), leave, elsewhere: true });
	const sharedDir = folderHere(run.state);
	const fail = Promise.withResolvers<never>();
	const here = withInputHere(run.state, repository.root);
	const files = c.services.userFiles(here);
	const base = new BaseFollower(c, repository, (text) => view.onWarning(text));
	const projector = new Projector(
		c.services.projections(sharedDir, repository.root)(here, (text) => view.onWarning(text)),
		systemClock(c.now),
		fail.reject,
	);
	projector.apply(events, run.state);
	run.onCommitted(({ events: news, state }) => {
		projector.apply(news, state);
		view.onEvents(news, state);
		if (news.some(({ event }) => event === "story_completed")) base.look(state, files);
	});
	const refresh = (): void => void run.refresh().catch(fail.reject);
	const watch = store.watch(d.run, refresh);
	let told: string | null = null;
	let over = false;
	/** Said once for each reason, and again if it comes back. Nobody waits for it: the database may be away. */
	const lookForWorkers = async (): Promise<void> => {
		const why = await unserved(store, run.state).catch(() => null);
		if (why !== null && why !== told && !over) view.onWarning(why);
		told = why;
	};
	// Nothing else keeps this process: a watch does not.
	const alive = setInterval(() => {
		refresh();
		void lookForWorkers();
	}, REFRESH_MS);
	try {
		view.onEvents([], run.state);
		await run.refresh();
		void lookForWorkers();
		const ended = await Promise.race([halted(run), left, fail.promise]);
		if (ended === null) return null;
		await settled(c, store, d.run);
		await bringFiles(store, ended);
		await base.end(ended, files);
		return ended;
	} finally {
		over = true;
		clearInterval(alive);
		watch.close();
		await base.settled();
		await projector.close();
		view.close();
	}
}

/** What follows from its end (putting work back, a notification) workers do afterwards; some of it leaves files. */
async function settled(c: RunsContext, store: Store, run: string): Promise<void> {
	for (const end = c.now() + SETTLED_MS; (await store.pending(run)).length > 0 && c.now() < end; ) await sleep(SETTLED_POLL_MS);
}

async function halted(run: Run): Promise<RunState> {
	while (run.state.status === "running") await run.changed();
	return run.state;
}
