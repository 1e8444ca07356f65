// Drives a run until it halts. Every command that starts or continues a run uses it; the caller learns what happens and may stop it.
import type { Event } from "../../core/event.ts";
import type { Input } from "../../core/input.ts";
import type { RunState } from "../../core/model.ts";
import { isOver, workspaceOf } from "../../core/query.ts";
import { type AgentSpec, startedWith } from "../../core/started-with.ts";
import { adopt } from "../../engine/adopt.ts";
import { Engine } from "../../engine/engine.ts";
import type { EngineParts } from "../../engine/parts.ts";
import { type Opened, Run } from "../../engine/run.ts";
import type { Lease, Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { hold, holdTree } from "../hold.ts";
import { Refusal } from "../refusal.ts";
import { runStorage } from "../run-storage.ts";
import { sayDifferentSettings, useSettings } from "../settings.ts";
import { takeAgain } from "../taken.ts";
import { commonParts, type DriveSetup } from "./parts.ts";
import { writtenByRuns } from "./written-files.ts";

/** Follows a run, for a person or a program. */
export interface RunObserver {
	/** The run was created; the engine has not started yet. */
	onCreated(events: readonly Event[], state: RunState): void;
	/** The engine is about to start. Returns a follower, which learns what happens until it is closed. */
	onDriving(handle: DriveHandle): DriveView;
}

export interface DriveHandle {
	/** Ends the running sessions and pauses the run. */
	stop(): void;
	/** Kills everything that the run has started, at once. For a process that exits right afterwards. */
	kill(): void;
}

export interface DriveView {
	/** Every commit, with the state after it. */
	onEvents(events: readonly Event[], state: RunState): void;
	onWarning(text: string): void;
	close(): void;
}

/** Follows nothing. */
export const UNOBSERVED: RunObserver = {
	onCreated: () => {},
	onDriving: () => ({ onEvents: () => {}, onWarning: () => {}, close: () => {} }),
};

export interface Drive extends DriveSetup {
	readonly store: Store;
	readonly run: string;
	/** The first input; an `advance` by default. */
	readonly first?: readonly Input[];
}

/** The state in which the run halted. */
export async function drive(c: RunsContext, d: Drive, observer: RunObserver): Promise<RunState> {
	const lease = await hold(d.store, d.run);
	if (lease === null) throw new Refusal("refused", `run ${d.run} is already being run by another pawl; pawl status ${d.run} shows it`);
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
		const view = observer.onDriving({ stop: () => engine?.stop("interrupt"), kill: () => engine?.kill() });
		try {
			engine = new Engine(await partsOf(c, d, opened.run.state, view, isBack), opened);
			const ended = await engine.run(d.first);
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

/** Needs the run's lease. Adopts a file of the run that somebody changed, if its format allows that. */
async function openRun(c: RunsContext, d: Drive, lease: Lease): Promise<Opened> {
	const storage = runStorage(c, d.store);
	const opened = await Run.open(storage, d.run, lease);
	if (opened === null) throw new Refusal("not_found", `there is no run ${d.run}`);
	const { state } = opened.run;
	const { exclude, sharedDir } = startedWith(state);
	checkTree(d, state);
	await d.repository.exclude(exclude);
	const changed = await c.services.changedByHand(sharedDir, d.repository.root, opened.events);
	if (changed === null) return opened;
	if ("problem" in changed) throw new Refusal("refused", changed.problem);
	const taken = await takeAgain(c, d.store, state, [{ type: "adopt", at: c.now(), ...changed.adopted }]);
	await adopt(opened.run, c.now(), changed.adopted);
	await taken?.release();
	c.warn(`continuing from ${changed.file}, which somebody changed`);
	return (await Run.open(storage, d.run, lease)) ?? opened;
}

/** A run in the user's tree may roll the tree back, so it runs only on its own branch, and alone. */
export function checkTree(d: Pick<Drive, "run" | "repository">, state: RunState): void {
	if (state.definition.inputs[state.options.mode]?.workspace !== "tree") return;
	const { base } = state.options;
	if (base !== null && d.repository.branch !== base)
		throw new Refusal(
			"refused",
			`run ${d.run} works on the branch ${base}, and ${d.repository.branch ?? "no branch"} is checked out: switch to ${base} first, or go to the worktree that has it`,
		);
	holdTree(d.repository, d.run);
}

/** `isBack`: called when the run is seen to be under way, so that other runs know what it needs. */
async function partsOf(c: RunsContext, d: Drive, state: RunState, view: DriveView, isBack: () => void): Promise<EngineParts> {
	const started = startedWith(state);
	const make = async (spec: AgentSpec) => {
		const made = await c.services.makeAgent(spec, d.config, d.repository.root);
		if ("problem" in made) throw new Refusal("invalid", made.problem);
		return made;
	};
	const usual = await make(started.agent);
	const standIns = await Promise.all(started.fallback.map(make));
	const roles = new Map(await Promise.all(Object.entries(started.roles).map(async ([role, spec]) => [role, await make(spec)] as const)));
	return {
		...commonParts(c, d, state),
		agentsFor: (role) => [roles.get(role) ?? usual, ...standIns],
		onEvents: (events, now) => {
			if (!isOver(now.status)) isBack();
			view.onEvents(events, now);
		},
		onWarning: (text) => view.onWarning(text),
	};
}
