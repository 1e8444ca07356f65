// What an unfinished run owns, whether a process drives it or not: the stories it works on in worktrees (branch and worktree are named
// after the story), its slots, and the checkout if it works in the user's tree. No other run gets any of it before that run is over. Runs
// are created one after the other, so that two starts cannot both find it free.
import { setTimeout as sleep } from "node:timers/promises";
import type { EventOf } from "../core/event.ts";
import { fold } from "../core/fold/apply.ts";
import type { Input } from "../core/input.ts";
import { RUN_SCOPE, type RunState } from "../core/model.ts";
import { failedByAccount, isOver, workspaceOf } from "../core/query.ts";
import type { Lease, Store } from "../store.ts";
import type { RunsContext } from "./context.ts";
import { Refusal } from "./refusal.ts";
import { isShared } from "./shared-files.ts";
import type { Prepared } from "./start/prepare.ts";
import { slotOwners } from "./start/slots.ts";

const WAIT_MS = 30_000;
const RETRY_MS = 20;
/** No run has this id: ids of runs begin with a date. */
const STARTING = "starting";

/** One start at a time in a repository. */
export async function oneStartAtATime<T>(c: RunsContext, store: Store, work: () => Promise<T>): Promise<T> {
	const lease = await startingLease(c, store);
	try {
		return await work();
	} finally {
		await lease.release();
	}
}

async function startingLease(c: RunsContext, store: Store): Promise<Lease> {
	for (const end = c.now() + WAIT_MS; ; await sleep(RETRY_MS)) {
		const lease = await store.lease(STARTING, RUN_SCOPE, WAIT_MS);
		if (lease !== null) return lease;
		if (c.now() > end) throw new Refusal("unavailable", "another pawl has been starting a run in this repository for 30 s; try again");
	}
}

/** Before anything is written. `pull`: agents will claim its steps; such a start never continues an earlier run. */
export async function refuseTakenByOthers(store: Store, p: Prepared, pull = false): Promise<void> {
	const workspace = p.definition.inputs[p.mode]?.workspace;
	const stories = workspace === "worktree" ? p.stories.filter((story) => !story.passes).map((story) => story.id) : [];
	await refuseTaken(store, { run: null, slots: [], stories, tree: null });
	// With --fresh the person has said that the earlier work there does not go on.
	if (workspace === "tree" && !p.options.fresh) await refuseTakenTree(store, p.base, null, (first) => !pull && isSameSource(first, p));
}

/** The work on it has continued elsewhere, or this start would have continued that run. */
const isSameSource = ({ definition, input }: EventOf<"run_created">, p: Prepared): boolean =>
	p.source.length > 0 && definition.name === p.definition.name && p.source.every((key) => input[key] === p.input[key]);

/** A run that is over has given up what it owned. If these inputs bring it back, or give it more stories, it has to get all of that again: the
 * call is refused if another run owns any of it by now. While the lease that comes back is held, no other run starts; null if nothing
 * has to be taken. */
export async function takeAgain(c: RunsContext, store: Store, state: RunState, inputs: readonly Input[]): Promise<Lease | null> {
	const added = inputs.flatMap((input) => (input.type === "add_stories" ? input.stories.map((story) => story.id) : []));
	const back = comesBack(state, inputs);
	if (!back && added.length === 0) return null;
	const lease = await startingLease(c, store);
	try {
		const own = workspaceOf(state) === "worktree" ? added : [];
		await refuseTaken(store, {
			run: state.id,
			slots: back ? slotsOf(state) : [],
			stories: back ? [...atWork(state), ...own] : own,
			tree: back ? treeOf(state) : null,
		});
		return lease;
	} catch (error) {
		await lease.release();
		throw error;
	}
}

function comesBack(state: RunState, inputs: readonly Input[]): boolean {
	if (!isOver(state.status)) return false;
	const { stories, root } = failedByAccount(state);
	const account = stories.length > 0 || root !== null;
	return inputs.some((input) => input.type === "retry_story" || input.type === "adopt" || (input.type === "resume" && account));
}

interface Needs {
	/** The run that needs it; null: a new one. */
	readonly run: string | null;
	readonly slots: readonly number[];
	readonly stories: readonly string[];
	/** The branch of the checkout that it works in; null if it works elsewhere. */
	readonly tree: string | null;
}

async function refuseTaken(store: Store, needs: Needs): Promise<void> {
	const [slots, stories] = [new Set(needs.slots), new Set(needs.stories)];
	if (needs.tree !== null) await refuseTakenTree(store, needs.tree, needs.run, () => false);
	if (slots.size + stories.size === 0) return;
	for (const { id, status } of await slotOwners(store)) {
		if (id === needs.run) continue;
		const state = fold(await store.events(id));
		if (state === null) continue;
		const over = isOver(status);
		const both = (over ? await toPutBack(store, state) : atWork(state)).filter((story) => stories.has(story));
		const remedy = remedyFor(id);
		if (both.length > 0 && over) throw notPutBack(id, both.join(", "));
		if (both.length > 0)
			throw new Refusal(
				"refused",
				`run ${id} has ${both.join(", ")} at work in a worktree of that name, and it is ${status}: ${remedy}${needs.run === null ? `, or rename the stor${both.length === 1 ? "y" : "ies"}` : ""}`,
			);
		const shared = slotsOf(state).filter((slot) => slots.has(slot));
		if (shared.length > 0)
			throw new Refusal(
				"refused",
				`run ${id} works in ${shared.map((slot) => `.pawl/worktrees/agent-${slot}`).join(", ")} by now, which run ${needs.run} had before, and it is ${status}: ${remedy} first`,
			);
	}
}

const remedyFor = (id: string): string => `let it end (pawl status ${id}, pawl resume ${id}, pawl cancel ${id})`;

/** The newest run in a checkout owns it: it took the place of any that was begun there before (`--fresh`). */
async function refuseTakenTree(
	store: Store,
	tree: string,
	mine: string | null,
	isReplaced: (first: EventOf<"run_created">) => boolean,
): Promise<void> {
	// In most repositories no run is open or has anything left to do, and the others need not be read.
	if ((await store.runs({ open: true, unsettled: true })).every(({ id }) => id === mine)) return;
	for (const { id, status } of await store.runs()) {
		const [first] = await store.events(id, 0, 1);
		if (id === mine || first?.event !== "run_created" || treeOf(first) !== tree) continue;
		if (isReplaced(first)) return;
		if (isOver(status)) {
			const state = fold(await store.events(id));
			if (state !== null && (await toPutBack(store, state)).length > 0) throw notPutBack(id, "this checkout");
			return;
		}
		throw new Refusal(
			"refused",
			`run ${id} works in this checkout, on ${tree}, and it is ${status}: ${remedyFor(id)}, or use another worktree`,
		);
	}
}

/** Where a run that is over still has to put back its last attempt, because it was killed before it could; `pawl resume` does. What machines share, a
 * worker puts back. */
async function toPutBack(store: Store, { id, definition }: RunState): Promise<string[]> {
	if (isShared(store) || definition.resume === "never") return [];
	return (await store.pending(id)).flatMap(({ effect }) => (effect.effect === "rollback" ? [effect.scope] : []));
}

const notPutBack = (id: string, where: string): Refusal =>
	new Refusal("refused", `run ${id} was killed before it had put back what it left in ${where}: pawl resume ${id} does that first`);

/** Stories that need a branch and a worktree of their name. */
function atWork(state: RunState): string[] {
	if (workspaceOf(state) !== "worktree") return [];
	return state.stories.filter((story) => story.status !== "completed").map((story) => story.id);
}

/** The branch of the checkout that a run in the user's tree works in; a branch is checked out in one place only. A run that can never
 * be resumed has given it up with its process. */
const treeOf = ({ definition, options }: Pick<RunState, "definition" | "options">): string | null =>
	definition.inputs[options.mode]?.workspace === "tree" && definition.resume !== "never" ? options.base : null;

/** A run in the user's tree has no worktree. */
const slotsOf = (state: RunState): readonly number[] => (workspaceOf(state) === "tree" ? [] : state.options.slots);
