// Drives a run until it halts. Every command that starts or continues a run uses it; the caller learns what happens and may stop it.
import type { Input } from "../../core/input.ts";
import type { RunState } from "../../core/model.ts";
import { isOver, workspaceOf } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import { Engine } from "../../engine/engine.ts";
import type { EngineParts } from "../../engine/parts.ts";
import type { Lease } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { sayDifferentSettings, useSettings } from "../settings.ts";
import { isShared } from "../shared-files.ts";
import { takeAgain } from "../taken.ts";
import { agentsOf } from "./agents.ts";
import { driveApart } from "./apart.ts";
import { collectSooner } from "./collect-sooner.ts";
import type { DriveView, RunObserver } from "./observer.ts";
import { leaseOf, openRun, type RunToOpen } from "./open-run.ts";
import { commonParts } from "./parts.ts";
import { followShared } from "./shared-run.ts";
import { writtenByRuns } from "./written-files.ts";

export interface Drive extends RunToOpen {
	/** The first input; an `advance` by default. */
	readonly first?: readonly Input[];
}

/** The state in which the run halted; null if an engine in a process of its own goes on with it, or was killed. The observer knows which. */
export function drive(c: RunsContext, d: Drive, observer: RunObserver): Promise<RunState | null> {
	if (isShared(d.store)) return followShared(c, d, observer);
	return observer.apart ? driveApart(c, d, observer) : driveHere(c, d, observer);
}

async function driveHere(c: RunsContext, d: Drive, observer: RunObserver): Promise<RunState> {
	collectSooner();
	const lease = await leaseOf(d);
	let taken: Lease | null = null;
	let hides = false;
	try {
		const opened = await openRun(c, d, lease);
		taken = await takeAgain(c, d.store, opened.run.state, d.first ?? []);
		const differ = await sayDifferentSettings(c, d.repository, opened.run.state);
		// Only one run at a time works there.
		hides = workspaceOf(opened.run.state) === "tree";
		if (hides) await d.repository.hideOwnWrites(await writtenByRuns(c, d.store)(opened.run.state));
		const isBack = (): void => {
			void taken?.release();
			taken = null;
		};
		let engine: Engine | null = null;
		let stopped = false;
		const view = observer.onDriving({
			run: d.run,
			stop: () => {
				stopped = true;
				engine?.stop("interrupt");
			},
			kill: () => engine?.kill(),
			leave: null,
		});
		try {
			engine = new Engine(await partsOf(c, d, opened.run.state, view, isBack), opened);
			if (stopped) engine.stop("interrupt");
			const ended = await engine.run(d.first);
			if (isOver(ended.status)) await d.repository.packRefs?.();
			const now = await useSettings(d.repository, ended);
			if (now !== null && now !== differ)
				view.onWarning(
					`git's settings changed during the run (${now}). pawl has not used the change; find out who made it (git config --list --show-origin)`,
				);
			return ended;
		} finally {
			view.close();
		}
	} finally {
		if (hides) await d.repository.showOwnWrites();
		d.repository.freeTree();
		d.repository.dropSettings();
		await taken?.release();
		await lease.release();
	}
}

/** `isBack`: called when the run is seen to be under way, so that other runs know what it needs. */
async function partsOf(c: RunsContext, d: Drive, state: RunState, view: DriveView, isBack: () => void): Promise<EngineParts> {
	const started = startedWith(state);
	const agentsFor = await agentsOf(c, d, started);
	return {
		...(await commonParts(c, d, state)),
		agentsFor,
		onEvents: (events, now) => {
			if (!isOver(now.status)) isBack();
			view.onEvents(events, now);
		},
		onWarning: (text) => view.onWarning(text),
	};
}
