// Gives a run an input from another process. If an engine drives the run, the input goes into its inbox. Otherwise this process decides
// and commits the input with the run's lease, and the next engine carries out its effects.
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { By, Input } from "../../core/input.ts";
import type { RunState, RunStatus } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import { Run } from "../../engine/run.ts";
import type { Lease, Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { decideShared } from "../drive/shared-run.ts";
import { hold } from "../hold.ts";
import { current, findRun, openExisting, stateOf } from "../open.ts";
import { decisionText, personFor } from "../person.ts";
import { Refusal } from "../refusal.ts";
import { findHistory } from "../repository.ts";
import { runStorage } from "../run-storage.ts";
import { isShared } from "../shared-files.ts";
import { takeAgain } from "../taken.ts";

const TAKEN_MS = 30_000;
export const POLL_MS = 100;

/** `recorded`: it is in the journal, and no process drives the run; `taken`: the run's engine took it; `left`: it has not done so yet. */
export type Delivery = "recorded" | "taken" | "left";

export interface Delivered {
	readonly run: string;
	readonly delivery: Delivery;
	/** The run's status afterwards. */
	readonly status: RunStatus;
}

/** What a person asks of a run. */
export type PersonInput = Extract<Input, { readonly by?: By }>;

interface Chosen<T> {
	readonly input: PersonInput;
	readonly about: T;
}

/** Finds a run, lets `choose` pick an input for its state, and delivers that input. Also returns what `choose` says besides the input. */
export async function deliverTo<T extends object>(
	c: RunsContext,
	name: string | undefined,
	choose: (state: RunState) => Chosen<T> | Promise<Chosen<T>>,
): Promise<Delivered & T> {
	const repository = await findHistory(c);
	const { root } = repository;
	const store = await openExisting(c, root);
	try {
		const { id } = await findRun(c, repository, store, name, "worktree");
		const state = await current(store, id);
		const by = personFor(c, state);
		const { input, about } = await choose(state);
		const delivered = await deliver(c, store, id, { ...input, by });
		await refuseUncounted(store, id, input);
		await project(c, root, store, id);
		return { ...about, ...delivered };
	} finally {
		await store.close();
	}
}

/** Of several simultaneous decisions exactly one counts; the others are refused and name it. A decision that the engine has not taken yet is not refused. */
export async function refuseUncounted(store: Store, run: string, input: PersonInput): Promise<void> {
	if (!isDecision(input) || input.id === undefined) return;
	if ((await store.inbox(run)).some((entry) => isDecision(entry.input) && entry.input.id === input.id)) return;
	const events = await store.events(run);
	if (events.some((event) => "id" in event && event.id === input.id)) return;
	if (input.type === "retry_story") throw new Refusal("conflict", "this did not count: another decision has already retried it");
	const other = events.findLast((event) => event.event === "decided" && event.scope === input.scope && event.step === input.step);
	throw new Refusal("conflict", `this did not count: ${other?.event !== "decided" ? "it does not wait any more" : decisionText(other)}`);
}

const isDecision = (input: Input) => input.type === "decide" || input.type === "skip_step" || input.type === "retry_story";

export function refuseOver(state: RunState, what: string): void {
	if (isOver(state.status)) throw new Refusal("refused", `run ${state.id} is ${state.status}: there is nothing to ${what}`);
}

/** Updates the run's files after a commit without an engine. Leaves a file that a person changed for the next resume to judge. */
async function project(c: RunsContext, root: string, store: Store, run: string): Promise<void> {
	if (isShared(store)) return;
	const lease = await hold(store, run);
	if (lease === null) return;
	try {
		const events = await store.events(run);
		const state = stateOf(run, events);
		const { sharedDir } = startedWith(state);
		if (!existsSync(sharedDir) || (await c.services.changedByHand(sharedDir, root, events)) !== null) return;
		for (const projection of c.services.projections(sharedDir, root)(state, c.warn)) {
			for (const event of events) projection.apply(event, state);
			if (projection.dirty) await projection.write();
		}
	} finally {
		await lease.release();
	}
}

export async function deliver(c: RunsContext, store: Store, run: string, input: Input): Promise<Delivered> {
	const delivery = await deliveryOf(c, store, run, input);
	return { run, delivery, status: (await current(store, run)).status };
}

/** One after the other. Refuses all of them if they bring back, or add, what another run owns by now. */
export async function deliverAll(c: RunsContext, store: Store, state: RunState, inputs: readonly [...Input[], Input]): Promise<Delivered> {
	const taken = await takeAgain(c, store, state, inputs);
	try {
		const [last, ...earlier] = inputs.toReversed() as [Input, ...Input[]];
		for (const input of earlier.reverse()) await deliver(c, store, state.id, input);
		return await deliver(c, store, state.id, last);
	} finally {
		await taken?.release();
	}
}

async function deliveryOf(c: RunsContext, store: Store, run: string, input: Input): Promise<Delivery> {
	if (isShared(store)) {
		const decided = await decideShared(c, store, run, [input]);
		// Workers go on by themselves.
		return decided.run.state.status === "running" ? "taken" : "recorded";
	}
	const text = JSON.stringify(input);
	let posted = false;
	for (const end = c.now() + TAKEN_MS; ; await sleep(POLL_MS)) {
		if (posted && !(await store.inbox(run)).some((entry) => JSON.stringify(entry.input) === text)) return "taken";
		const lease = await hold(store, run);
		if (lease !== null) {
			try {
				await record(c, store, run, posted ? [] : [input], lease);
				return "recorded";
			} finally {
				await lease.release();
			}
		}
		if (!posted) await store.post(run, input);
		else if (c.now() > end) return "left";
		posted = true;
	}
}

/** Decides the inputs in the inbox, then these inputs. Needs the run's lease. */
async function record(c: RunsContext, store: Store, id: string, inputs: readonly Input[], lease: Lease): Promise<void> {
	const opened = await Run.open(runStorage(c, store), id, lease);
	if (opened === null) throw new Refusal("not_found", `there is no run ${id}`);
	for (const entry of await store.inbox(id)) await opened.run.feed({ ...entry.input, at: c.now() }, { taken: [entry.id] });
	for (const input of inputs) await opened.run.feed(input);
}
