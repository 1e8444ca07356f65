// Continues a run that was stopped, paused or killed, with the options it was started with; or adopts a state file from elsewhere.
import { exceeded } from "../../core/decide/budget.ts";
import type { By, Input } from "../../core/input.ts";
import type { RunState, RunStatus } from "../../core/model.ts";
import { failedByAccount, isOver, waitingSteps } from "../../core/query.ts";
import type { Store } from "../../store.ts";
import type { History } from "../../workspace.ts";
import { deliverAll } from "../change/deliver.ts";
import { inputsOfList } from "../change/story-changes.ts";
import type { RunsContext } from "../context.ts";
import { startApart } from "../drive/apart.ts";
import { drive } from "../drive/drive.ts";
import { type EndedRun, endedRun } from "../drive/ended.ts";
import type { RunObserver } from "../drive/observer.ts";
import { changedByHand } from "../drive/shared-run.ts";
import { isLive } from "../hold.ts";
import { raising } from "../look/next.ts";
import { current, findRun, openExisting } from "../open.ts";
import { personFor } from "../person.ts";
import { isPulled, type OpenRuns, withPull } from "../pull/open-pulled.ts";
import { recoveryText } from "../recovery.ts";
import { Refusal } from "../refusal.ts";
import { openRepository } from "../repository.ts";
import { acceptSettings, sayDifferentSettings } from "../settings.ts";
import { isShared } from "../shared-files.ts";
import { foreignRun } from "../start/foreign.ts";
import { givingBackTree, type Prepared } from "../start/prepare.ts";
import { type Started, startRun } from "../start/start.ts";
import type { StartOptions } from "../start/start-options.ts";
import { leaveToPerson } from "./cut-off.ts";

/** Only for a run that is adopted from a state file; any other run keeps the options it was started with. */
export type TakeOverOptions = Pick<StartOptions, "agent" | "agentCommand" | "script" | "model" | "yes">;

export type Resumed =
	/** null: it goes on in a process of its own, or that process was killed. */
	| { readonly how: "driven"; readonly run: string; readonly ended: EndedRun | null }
	/** The run was already completed; nothing happened. One that machines share is `driven`: what workers did is brought here. */
	| { readonly how: "completed"; readonly state: RunState }
	/** Agents can fetch its steps again. */
	| { readonly how: "claimable"; readonly run: string; readonly status: RunStatus };

export interface ResumeOptions extends TakeOverOptions {
	/** git's settings as they are now count for the run, not those of its start. */
	readonly acceptConfig?: boolean;
	/** It goes on in a process of its own. */
	readonly detach?: boolean;
}

export async function resume(
	c: RunsContext,
	name: string | undefined,
	{ acceptConfig = false, detach = false, ...options }: ResumeOptions,
	observer: RunObserver,
): Promise<Resumed> {
	const { repository, config } = await openRepository(c);
	const foreign = name === undefined || name === "latest" ? await foreignRun(c, repository, options) : null;
	if (foreign) return { how: "driven", ...(await takeOver(c, foreign, observer, detach)) };
	refuseOptions(options);
	const store = await openExisting(c, repository.root);
	try {
		const { id } = await findRun(c, repository, store, name, "worktree");
		const state = await current(store, id);
		const accepted = acceptConfig ? await acceptSettings(c, repository, store, state) : state;
		return await resumeIn(c, { store, repository, config }, accepted, observer, detach);
	} finally {
		repository.dropSettings();
		await store.close();
	}
}

function takeOver(c: RunsContext, foreign: Prepared, observer: RunObserver, background: boolean): Promise<Started> {
	return givingBackTree(foreign, async () => {
		const { standing } = foreign;
		if (standing && !standing.unfinished)
			throw new Refusal("refused", `${standing.file} is the state of a run that is completed: there is nothing to go on with`);
		return startRun(c, foreign, observer, { background });
	});
}

async function resumeIn(c: RunsContext, runs: OpenRuns, state: RunState, observer: RunObserver, detach: boolean): Promise<Resumed> {
	const { store, repository } = runs;
	const run = state.id;
	const by = personFor(c, state);
	if (isPulled(state)) return claimable(c, runs, state, by);
	// Carries out recorded effects in any case: after a crash right at the end, or after a decision.
	const left = (await store.pending(run)).length + (await store.inbox(run)).length > 0;
	const changed = await changedByHand(c, store, state, repository.root, await store.events(run));
	if (changed !== null && "problem" in changed) {
		// The engine that runs writes these files, one after the other.
		await refuseLive(store, run);
		throw new Refusal("refused", changed.problem);
	}
	const driven = async (first: readonly Input[]): Promise<Resumed> => ({
		how: "driven",
		run,
		ended: await endedRun(repository, store, await drive(c, { ...runs, run, first }, observer)),
	});
	if (changed === null && !left && state.status === "completed") {
		// Workers may have ended it when nobody followed it: then its files here are older.
		return isShared(store) && !detach ? driven([]) : { how: "completed", state };
	}
	if (isCutOff(state)) await leaveToPerson(repository, store, state);
	if ((changed === null && !left) || isCutOff(state)) await refuseEnded(c, store, state);
	const at = c.now();
	const first: Input[] = [...(await inputsOfList(c, state)), { type: "resume", at, by }, { type: "advance", at }];
	if (detach) {
		await startApart(c, { ...runs, run, first });
		return { how: "driven", run, ended: null };
	}
	return driven(first);
}

/** Starts no agent: stopped steps may be claimed again, and pawl does its own steps. */
async function claimable(c: RunsContext, runs: OpenRuns, state: RunState, by: By): Promise<Resumed> {
	const { store, repository } = runs;
	const run = state.id;
	// After a crash right at the end. A session that is still to be started is a claimed one, which nobody begins any more.
	const isLeft = isOver(state.status) && (await store.pending(run)).some(({ effect }) => effect.effect !== "start_attempt");
	if (isLeft) await withPull(c, runs, run, (pull) => pull.settle());
	if (state.status === "completed") return { how: "completed", state };
	await refuseEnded(c, store, state);
	await sayDifferentSettings(c, repository, state);
	await deliverAll(c, store, state, [...(await inputsOfList(c, state)), { type: "resume", at: c.now(), by }]);
	await withPull(c, runs, run, (pull) => pull.settle());
	return { how: "claimable", run, status: (await current(store, run)).status };
}

function refuseOptions(options: TakeOverOptions): void {
	const [first] = Object.keys(options);
	if (first !== undefined)
		throw new Refusal(
			"invalid",
			`--${first.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is only for a run that is adopted from a state file; this run keeps the options it was started with`,
		);
}

/** A run that has begun, of a workflow whose runs cannot be resumed. Before it has begun nothing is lost, and a background run starts this way. */
const isCutOff = ({ definition, status, root }: RunState): boolean =>
	definition.resume === "never" && (status !== "running" || root.steps.some((step) => step.attempt > 0));

/** Why no engine can continue the run now, as `pawl resume` says it. For a front end that starts one elsewhere. */
export async function refuseResume(
	c: RunsContext,
	{ store, repository }: { readonly store: Store; readonly repository: Pick<History, "root"> },
	state: RunState,
): Promise<void> {
	const { id, status } = state;
	await refuseLive(store, id);
	const left = (await store.pending(id)).length + (await store.inbox(id)).length > 0;
	const changed = await changedByHand(c, store, state, repository.root, await store.events(id));
	if (changed !== null && "problem" in changed) throw new Refusal("refused", changed.problem);
	if (changed !== null) return;
	if (status === "completed" && !left) throw new Refusal("refused", `run ${id} is completed: there is nothing left to do`);
	if (status === "waiting" && waitingSteps(state).length > 0)
		throw new Refusal("refused", `run ${id} waits for a person: it continues when the question is answered`);
	if (!left || isCutOff(state)) await refuseEnded(c, store, state);
}

async function refuseLive(store: Store, id: string): Promise<void> {
	if (await isLive(store, id)) throw new Refusal("refused", `run ${id} is already being run by another pawl; pawl status ${id} shows it`);
}

async function refuseEnded(c: RunsContext, store: Store, state: RunState): Promise<void> {
	const { id, status } = state;
	if (isCutOff(state))
		throw new Refusal(
			"refused",
			`a run of the workflow ${state.definition.name} cannot continue: ${recoveryText(state) ?? `start it again with pawl run ${state.definition.name}`}`,
		);
	const { stories, root } = failedByAccount(state);
	if (status === "failed" && stories.length === 0 && root === null)
		throw new Refusal(
			"refused",
			`run ${id} failed: ${state.reason ?? "no reason is known"}\npawl retry ${id} continues from the step that failed`,
			status,
		);
	if (status === "cancelled" || status === "refused") throw new Refusal("refused", `run ${id} is ${status}: it cannot continue`);
	const over = status === "stopped" && !(await isLive(store, id)) ? exceeded(state, c.now()) : null;
	if (over !== null) throw new Refusal("refused", `${over.text}; raise it with: pawl extend ${id} ${raising(over.budgets)}`, status);
}
