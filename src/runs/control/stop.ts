// Pauses and cancels runs. Asks the engine that drives the run and waits for it. If no process drives the run (it waits, or its process
// was killed), stops it here with an engine that starts no agent.
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "../../agent.ts";
import type { By } from "../../core/input.ts";
import type { RunState, RunStatus } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import type { Store } from "../../store.ts";
import { POLL_MS } from "../change/deliver.ts";
import type { RunsContext } from "../context.ts";
import { drive } from "../drive/drive.ts";
import { UNOBSERVED } from "../drive/observer.ts";
import { decideShared } from "../drive/shared-run.ts";
import { isLive } from "../hold.ts";
import { current, findRun, openExisting } from "../open.ts";
import { personFor } from "../person.ts";
import { isPulled, type OpenRuns, withPull, withRuns } from "../pull/open-pulled.ts";
import { Refusal } from "../refusal.ts";
import { findHistory } from "../repository.ts";

export type StopHow = "pause" | "cancel";

export interface StoppedRun {
	readonly run: string;
	readonly status: RunStatus;
}

const STOP_MS = 30_000;
/** After this long the caller wants to know what it waits for. */
const SILENT_MS = 5_000;

export function stop(c: RunsContext, name: string | undefined, how: StopHow): Promise<StoppedRun> {
	return c.db === undefined ? stopHere(c, name, how) : stopElsewhere(c, name, how);
}

/** Its workers stop it: no checkout is needed. */
async function stopElsewhere(c: RunsContext, name: string | undefined, how: StopHow): Promise<StoppedRun> {
	const repository = await findHistory(c);
	const store = await openExisting(c, repository.root);
	try {
		const { id: run } = await findRun(c, repository, store, name, "worktree");
		const state = await current(store, run);
		refuse(state, how);
		await stopShared(c, store, run, how, personFor(c, state));
		return { run, status: (await current(store, run)).status };
	} finally {
		await store.close();
	}
}

function stopHere(c: RunsContext, name: string | undefined, how: StopHow): Promise<StoppedRun> {
	return withRuns(c, async (runs) => {
		const { store, repository } = runs;
		const { id: run } = await findRun(c, repository, store, name, "worktree");
		const state = await current(store, run);
		const by = personFor(c, state);
		refuse(state, how);
		if (isPulled(state)) {
			await store.post(run, { type: "stop", at: c.now(), how, by });
			await withPull(c, runs, run, (pull) => pull.settle());
		} else {
			await halt(c, runs, run, how, by);
		}
		return { run, status: (await current(store, run)).status };
	});
}

function refuse({ id, status, definition }: RunState, how: StopHow): void {
	const wanted = how === "pause" ? "paused" : "cancelled";
	if (isOver(status) && status !== wanted) throw new Refusal("refused", `run ${id} is ${status}: there is nothing to ${how}`);
	// It could never continue: a person who wants it to end has to say so.
	if (how === "pause" && definition.resume === "never")
		throw new Refusal(
			"refused",
			`a run of the workflow ${definition.name} cannot continue once it stops, so it cannot be paused; pawl cancel ${id} gives it up`,
		);
}

/** Workers end their sessions and say so; whoever asked waits for that, for a while. */
async function stopShared(c: RunsContext, store: Store, run: string, how: StopHow, by: By): Promise<void> {
	await decideShared(c, store, run, [{ type: "stop", at: c.now(), how, by }]);
	for (const end = c.now() + STOP_MS; (await current(store, run)).status === "running"; await sleep(POLL_MS))
		if (c.now() > end)
			throw new Refusal("unavailable", `run ${run} was asked to stop, and its workers have not done so yet; pawl status ${run} shows it`);
}

/** Returns when the run has halted and no process has it: one that has a halted run is about to end, or to resume it. The next resume must find it free. */
async function halt(c: RunsContext, runs: OpenRuns, run: string, how: StopHow, by: By): Promise<void> {
	const { store } = runs;
	const halted = (status: RunStatus) => isOver(status) || (how === "pause" && status !== "running");
	let posted = false;
	let told = false;
	const start = c.now();
	for (const end = c.now() + STOP_MS; ; await sleep(POLL_MS)) {
		const live = await isLive(store, run);
		// Looked at after the process: one that had the run and has ended is then in it.
		if (halted((await current(store, run)).status)) {
			if (!live || c.now() > end) return;
			posted = false;
			continue;
		}
		if (!live && (await stopWithoutAgents(c, runs, run, how, by))) return;
		if (!posted) await store.post(run, { type: "stop", at: c.now(), how, by });
		posted = true;
		if (!told && c.now() > start + SILENT_MS) {
			told = true;
			const driver = await store.holder(run);
			c.warn(
				`${driver?.who ?? "the process"} that drives run ${run} has not answered yet: is it stopped, or busy? waiting ${(STOP_MS - SILENT_MS) / 1000} s more`,
			);
		}
		if (c.now() > end)
			throw new Refusal("unavailable", `run ${run} was asked to stop and has not done so yet; pawl status ${run} shows it`);
	}
}

/** False: another process took the run meanwhile, for example because it has only just begun. That one has to be asked. */
async function stopWithoutAgents(c: RunsContext, runs: OpenRuns, run: string, how: StopHow, by: By): Promise<boolean> {
	try {
		await drive(withoutAgents(c), { ...runs, run, first: [{ type: "stop", at: c.now(), how, by }] }, UNOBSERVED);
		return true;
	} catch (error) {
		if (error instanceof Refusal && (await isLive(runs.store, run))) return false;
		throw error;
	}
}

/** An engine with this context ends what is running and starts nothing, whether the run's agents are installed or not. It prints nothing
 * either: the caller knows how it ended. */
function withoutAgents(c: RunsContext): RunsContext {
	const agent: Agent = {
		name: "none",
		problem: async () => null,
		run: async () => ({
			result: "cancelled",
			error: "stopped",
			text: "",
			usage: { costUsd: null, inputTokens: null, outputTokens: null },
			exitCode: null,
			retryAt: null,
			sessionId: null,
			model: null,
		}),
	};
	return { ...c, warn: () => {}, services: { ...c.services, makeAgent: async () => ({ agent, model: null }) } };
}
