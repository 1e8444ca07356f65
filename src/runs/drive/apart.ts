// Drives a run with an engine in a process of its own: an ordinary `pawl resume RUN`, which continues when this process ends. What a person
// asked for with the start is recorded here, before the engine begins.
import { setTimeout as sleep } from "node:timers/promises";
import type { Input } from "../../core/input.ts";
import type { RunState } from "../../core/model.ts";
import { workspaceOf } from "../../core/query.ts";
import type { Lease } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { hasTheRun, type SpawnedEngine, spawnEngine } from "../engine-process.ts";
import { Tail } from "../look/log/tail.ts";
import { current } from "../open.ts";
import { isShared } from "../shared-files.ts";
import { takeAgain } from "../taken.ts";
import type { DriveView, EngineEnd, RunObserver } from "./observer.ts";
import { leaseOf, openRun, type RunToOpen } from "./open-run.ts";
import { decideShared } from "./shared-run.ts";

const WARNINGS_MS = 250;
const POLL_MS = 25;
const WARNING = "pawl: ";

export interface DriveApart extends RunToOpen {
	readonly first?: readonly Input[];
}

/** Returns when the engine has the run, or has already ended. What machines share, workers do. */
export async function startApart(c: RunsContext, d: DriveApart): Promise<void> {
	if (isShared(d.store)) {
		await decideShared(c, d.store, d.run, d.first ?? [{ type: "advance", at: c.now() }]);
		return;
	}
	const engine = await begin(c, d);
	await hasTheRun(c, d.store, d.run, engine);
}

/** The state in which the run halted; null if the observer left it, or the engine ended before the run had halted. */
export async function driveApart(c: RunsContext, d: DriveApart, observer: RunObserver): Promise<RunState | null> {
	const engine = await begin(c, d);
	let leave = (): void => {};
	const left = new Promise<null>((resolve) => {
		leave = () => resolve(null);
	});
	// The engine takes the first SIGINT as a wish to stop, and a second one as a wish to end at once.
	const interrupt = (): void => void engine.child.kill("SIGINT");
	const view = observer.onDriving({ run: d.run, stop: interrupt, kill: interrupt, leave });
	engine.child.ref();
	try {
		const end = await followed(c, d, engine, view, left);
		if (end === null) return null;
		const state = await current(d.store, d.run);
		const halted = state.status !== "running";
		view.onEngineEnd?.(end, state, halted);
		return halted ? state : null;
	} finally {
		engine.child.unref();
		view.close();
	}
}

/** null: the observer left. */
async function followed(
	c: RunsContext,
	d: DriveApart,
	engine: SpawnedEngine,
	view: DriveView,
	left: Promise<null>,
): Promise<EngineEnd | null> {
	const { file, from } = engine.log;
	const log = new Tail(file, null, from);
	const tell = (): void => {
		log.read((line) => {
			if (line.startsWith(WARNING)) view.onWarning(line.slice(WARNING.length));
		});
	};
	await hasTheRun(c, d.store, d.run, engine);
	view.onEvents([], await goingOn(d, engine));
	const telling = setInterval(tell, WARNINGS_MS);
	try {
		return await Promise.race([engine.ended, left]);
	} finally {
		clearInterval(telling);
		tell();
	}
}

/** The state once the engine has taken up what a crash left, and has resumed the run. */
async function goingOn(d: DriveApart, engine: SpawnedEngine): Promise<RunState> {
	let over = false;
	const ended = engine.ended.then(() => {
		over = true;
	});
	for (;;) {
		const state = await current(d.store, d.run);
		if (state.status === "running" || over) return state;
		await Promise.race([ended, sleep(POLL_MS)]);
	}
}

async function begin(c: RunsContext, d: DriveApart): Promise<SpawnedEngine> {
	const state = await record(c, d);
	// The other process takes over the hold on the tree.
	d.repository.freeTree();
	return spawnEngine(c, d.repository, d.run, workspaceOf(state) === "tree");
}

/** The engine itself resumes and advances the run. */
async function record(c: RunsContext, d: DriveApart): Promise<RunState> {
	const lease = await leaseOf(d);
	let taken: Lease | null = null;
	try {
		const { run } = await openRun(c, d, lease);
		const inputs = (d.first ?? []).filter(({ type }) => type !== "resume" && type !== "advance");
		taken = await takeAgain(c, d.store, run.state, inputs);
		for (const input of inputs) await run.feed(input);
		return run.state;
	} finally {
		await taken?.release();
		await lease.release();
	}
}
