// What a front end that does not drive runs itself can do: decide, resume, stop. After a decision the run goes on in a process of its own.
import { setTimeout as sleep } from "node:timers/promises";
import type { RunState, RunStatus } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import type { Store } from "../../store.ts";
import type { History } from "../../workspace.ts";
import { type Decision, decide } from "../change/decide.ts";
import type { Delivered, Delivery } from "../change/deliver.ts";
import type { RunsContext } from "../context.ts";
import { decideShared } from "../drive/shared-run.ts";
import { letGoOn, startEngine } from "../engine-process.ts";
import { current, openExisting } from "../open.ts";
import { personFor, VERDICT } from "../person.ts";
import { type OpenRuns, withRuns } from "../pull/open-pulled.ts";
import { Refusal } from "../refusal.ts";
import { findHistory } from "../repository.ts";
import { refuseResume } from "./resume.ts";
import { recordRetry, type WhatToRetry } from "./retry.ts";
import { type StopHow, stop } from "./stop.ts";

export interface Done {
	readonly run: string;
	/** For a person: what was done. */
	readonly what: string;
	readonly delivery: Delivery;
	/** The run's status afterwards. */
	readonly status: RunStatus;
	/** Some process drives it now. */
	readonly driven: boolean;
}

export async function decideAndGoOn(c: RunsContext, decision: Decision & { readonly run: string }): Promise<Done> {
	const decided = await decide(c, decision);
	return goOn(c, `${decided.step} ${VERDICT[decision.verdict]}`, decided);
}

export async function retryAndGoOn(c: RunsContext, what: WhatToRetry & { readonly run: string }): Promise<Done> {
	return goOn(c, `${what.story ?? "what failed"} is tried again`, await recordRetry(c, what));
}

const goOn = (c: RunsContext, what: string, delivered: Delivered): Promise<Done> =>
	c.db === undefined ? goOnHere(c, what, delivered) : withShared(c, (store) => doneElsewhere(store, what, delivered));

const goOnHere = (c: RunsContext, what: string, { run, delivery }: Delivered): Promise<Done> =>
	withRuns(c, async (runs) => {
		const driven = await letGoOn(c, runs.repository, runs.store, await current(runs.store, run));
		return { run, what, delivery, status: (await current(runs.store, run)).status, driven };
	});

/** Workers go on with it. */
const doneElsewhere = async (store: Store, what: string, { run, delivery }: Pick<Delivered, "run" | "delivery">): Promise<Done> => ({
	...{ run, what, delivery, status: (await current(store, run)).status },
	driven: (await store.holder(run)) !== null,
});

async function withShared<T>(c: RunsContext, work: (store: Store, repository: History) => Promise<T>): Promise<T> {
	const repository = await findHistory(c);
	const store = await openExisting(c, repository.root);
	try {
		return await work(store, repository);
	} finally {
		await store.close();
	}
}

export function resumeDetached(c: RunsContext, run: string): Promise<Done> {
	if (c.db !== undefined)
		return withShared(c, async (store, repository) => {
			const state = await current(store, run);
			const by = personFor(c, state);
			await refuseResume(c, { store, repository }, state);
			const at = c.now();
			await decideShared(c, store, run, [
				{ type: "resume", at, by },
				{ type: "advance", at },
			]);
			return doneElsewhere(store, "resumed", { run, delivery: "taken" });
		});
	return withRuns(c, async (runs) => {
		const state = await current(runs.store, run);
		personFor(c, state);
		await refuseResume(c, runs, state);
		await startEngine(c, runs.repository, runs.store, state);
		return { run, what: "resumed", delivery: "recorded", status: await statusAfter(c, runs, state), driven: true };
	});
}

const WENT_ON_MS = 30_000;
const POLL_MS = 25;

/** The engine has the run before it has written that the run goes on. */
async function statusAfter(c: RunsContext, { store }: OpenRuns, before: RunState): Promise<RunStatus> {
	for (const end = c.now() + WENT_ON_MS; ; await sleep(POLL_MS)) {
		const { status, version } = await current(store, before.id);
		if (status === "running" || version > before.version || c.now() > end || (await store.holder(before.id)) === null) return status;
	}
}

/** A run that is already as it should be is refused, so that of several who ask at once one is told that it was them. */
export async function stopOnce(c: RunsContext, run: string, how: StopHow): Promise<Done> {
	const what = how === "pause" ? "paused" : "cancelled";
	const live = await withStore(c, async (store) => {
		const state = await current(store, run);
		personFor(c, state);
		if (state.status === what) throw new Refusal("refused", `run ${run} is ${what} already`);
		if (how === "pause" && !isOver(state.status) && state.status !== "running")
			throw new Refusal("refused", `run ${run} is ${state.status}: there is nothing to pause`);
		return (await store.holder(run)) !== null;
	});
	try {
		const { status } = await stop(c, run, how);
		return { run, what, delivery: live ? "taken" : "recorded", status, driven: false };
	} catch (error) {
		// The request is in the run's inbox, and stays there until its engine takes it.
		if (!(error instanceof Refusal) || error.code !== "unavailable") throw error;
		return withStore(c, async (store) => ({ run, what, delivery: "left", ...(await now(store, run)) }));
	}
}

const withStore = <T>(c: RunsContext, work: (store: Store) => Promise<T>): Promise<T> =>
	c.db === undefined ? withRuns(c, ({ store }) => work(store)) : withShared(c, work);

async function now(store: Store, run: string): Promise<{ readonly status: RunStatus; readonly driven: boolean }> {
	return { status: (await current(store, run)).status, driven: (await store.holder(run)) !== null };
}
