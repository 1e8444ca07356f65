// Reaching a run from another terminal. Where an engine runs it, the input is left in its inbox; where none does, the
// input is decided and committed here, under the run's lock, and the next engine carries out what follows from it.
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Input } from "../core/input.ts";
import type { RunState, RunStatus } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import { transition } from "../core/transition.ts";
import type { Store } from "../store.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { stateOf } from "./look.ts";
import { databaseOf, findRepository, findRun } from "./place.ts";
import { rowsIn } from "./rows.ts";

const TAKEN_MS = 30_000;
export const POLL_MS = 100;

export const OVER: readonly RunStatus[] = ["completed", "failed", "cancelled", "refused"];

/** `recorded`: it is in the journal, and nobody runs the run; `taken`: its engine took it; `left`: it has not done so yet. */
export type Delivery = "recorded" | "taken" | "left";

export interface Steered {
	readonly root: string;
	readonly store: Store;
	readonly state: RunState;
}

/** A store to write in; one that is not there is not made. */
export function openExisting(c: Context, root: string): Store {
	if (!existsSync(databaseOf(root))) throw new CliError(`there are no runs in ${root} yet`);
	return c.services.openStore(databaseOf(root));
}

export async function steer(c: Context, name: string | undefined, work: (s: Steered) => Promise<void>): Promise<void> {
	const { root } = await findRepository(c);
	const store = openExisting(c, root);
	try {
		const { id } = findRun(root, store, name);
		await work({ root, store, state: current(store, id) });
		await project(c, root, store, id);
	} finally {
		store.close();
	}
}

/** What was recorded without an engine is in the run's files as well; one that a person changed is left for the resume to judge. */
async function project(c: Context, root: string, store: Store, run: string): Promise<void> {
	const lock = store.lock(run);
	if (lock === null) return;
	try {
		const events = store.events(run);
		const state = stateOf(run, events);
		const { sharedDir } = startedWith(state);
		if (!existsSync(sharedDir) || (await c.services.changedByHand(sharedDir, root, events)) !== null) return;
		for (const projection of c.services.projections(sharedDir, root)(state)) {
			for (const event of events) projection.apply(event, state);
			if (projection.dirty) await projection.write();
		}
	} finally {
		lock.release();
	}
}

export const current = (store: Store, run: string): RunState => stateOf(run, store.events(run));

/** Somebody holds the right to run it. */
export function isLive(store: Store, run: string): boolean {
	const lock = store.lock(run);
	lock?.release();
	return lock === null;
}

export async function deliver(c: Context, store: Store, run: string, input: Input): Promise<Delivery> {
	const text = JSON.stringify(input);
	let posted = false;
	for (const end = c.now() + TAKEN_MS; ; await sleep(POLL_MS)) {
		if (posted && !store.inbox(run).some((entry) => JSON.stringify(entry.input) === text)) return "taken";
		const lock = store.lock(run);
		if (lock !== null) {
			try {
				record(c, store, run, posted ? [] : [input]);
				return "recorded";
			} finally {
				lock.release();
			}
		}
		if (!posted) store.post(run, input);
		else if (c.now() > end) return "left";
		posted = true;
	}
}

/** Decides what lies in the inbox, then these inputs. Only with the run's lock. */
function record(c: Context, store: Store, run: string, inputs: readonly Input[]): void {
	let state = current(store, run);
	const waiting = store.inbox(run).map(({ id, input }) => ({ input: { ...input, at: c.now() }, taken: [id] }));
	for (const { input, taken } of [...waiting, ...inputs.map((input) => ({ input, taken: [] as number[] }))]) {
		const next = transition(state, input);
		if (next.state === null) continue;
		const result = store.commit({
			run,
			expectedVersion: state.version,
			events: next.events,
			effects: next.effects,
			done: [],
			taken,
			summary: {
				id: run,
				workflow: state.definition.name,
				title: state.title,
				status: next.state.status,
				createdAt: state.createdAt,
				updatedAt: input.at,
			},
			...rowsIn(state, next.state),
		});
		if (!result.ok) throw new CliError(`another process changed run ${run} at the same time; try again`, EXIT.failed);
		state = next.state;
	}
}

/** What became of it, for people or as one JSON document, and how the run goes on. */
export function told(c: Context, store: Store, run: string, what: string, delivery: Delivery, json: boolean): void {
	const { status } = current(store, run);
	if (json) return c.out(`${JSON.stringify({ run, what, delivery, status })}\n`);
	if (delivery === "taken") return c.out(`${what}; run ${run} goes on with it\n`);
	if (delivery === "left") return c.out(`${what}; run ${run} takes it up as soon as it can\n`);
	c.out(OVER.includes(status) ? `${what}; run ${run} is ${status}\n` : `${what}; go on with: pawl resume ${run}\n`);
}

export function refuseOver(state: RunState, what: string): void {
	if (OVER.includes(state.status)) throw new CliError(`run ${state.id} is ${state.status}: there is nothing to ${what}`);
}
