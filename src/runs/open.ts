// Opens the store of a repository, finds a run by its name, and reads its state.
import { existsSync } from "node:fs";
import type { Event } from "../core/event.ts";
import { fold } from "../core/fold/apply.ts";
import type { RunState } from "../core/model.ts";
import type { RunSummary, Store } from "../store.ts";
import type { History } from "../workspace.ts";
import type { RunsContext } from "./context.ts";
import { latestIn, latestOf } from "./latest.ts";
import { Refusal } from "./refusal.ts";
import { databaseOf, findHistory } from "./repository.ts";
import type { SharedCode } from "./shared-code.ts";
import { StoryNamed } from "./story-named.ts";

/** A run as it is now, in a store for reading. */
export interface OpenRun {
	readonly root: string;
	readonly repository: History;
	readonly store: Store;
	readonly events: readonly Event[];
	readonly state: RunState;
	/** Of a run that machines share: its code is on their repository. */
	readonly code?: SharedCode;
}

/** Opens a run for reading; changes nothing. Of a run that machines share, its files come here. */
export async function lookAt<T>(c: RunsContext, name: string | undefined, look: (run: OpenRun) => T | Promise<T>): Promise<T> {
	const repository = await findHistory(c);
	const { root } = repository;
	const store = await openReader(c, root);
	if (store === null)
		throw new Refusal("not_found", `there are no runs in ${root} yet; start one with: pawl run ${c.services.oneShotWorkflow} "REQUEST"`);
	try {
		const { id } = await findRun(c, repository, store, name, "repository");
		const events = await store.events(id);
		const state = stateOf(id, events);
		return await look({ root, repository, store, events, state, ...(await brought(c, repository, store, state)) });
	} finally {
		await store.close();
	}
}

/** What a run that machines share has elsewhere. */
export async function brought(c: RunsContext, repository: History, store: Store, state: RunState): Promise<Pick<OpenRun, "code">> {
	if (c.db === undefined) return {};
	const [{ bringFiles }, { sharedCode }] = await Promise.all([import("./shared-files.ts"), import("./shared-code.ts")]);
	await bringFiles(store, state).catch((error: unknown) =>
		c.warn(`the files of run ${state.id} could not be brought here: ${error instanceof Error ? error.message : String(error)}`),
	);
	return { code: sharedCode(c, repository, state.options.base ?? "") };
}

/** null if the repository never had a run. */
export async function openReader(c: RunsContext, root: string): Promise<Store | null> {
	return c.db === undefined ? c.services.openReader(databaseOf(root)) : openShared(c, c.db, root);
}

/** A writable store; makes one if the repository never had a run. */
export async function openStore(c: RunsContext, root: string): Promise<Store> {
	return c.db === undefined ? c.services.openStore(databaseOf(root)) : openShared(c, c.db, root);
}

async function openShared(c: RunsContext, db: string, root: string): Promise<Store> {
	const { filesBelowRoot } = await import("./shared-files.ts");
	return filesBelowRoot(await c.services.openShared(db, c.warn), root);
}

/** A writable store; refuses if the repository never had a run. */
export async function openExisting(c: RunsContext, root: string): Promise<Store> {
	if (c.db === undefined && !existsSync(databaseOf(root))) throw new Refusal("not_found", `there are no runs in ${root} yet`);
	return openStore(c, root);
}

/** Commands that only look cover the whole repository; commands that change something stay in the worktree, unless they name a run. */
export type Reach = "repository" | "worktree";

/** Nobody reads more names than these. */
const MOST_NAMED = 10;

/** An id, a unique prefix, or `latest`. */
export async function findRun(
	c: Pick<RunsContext, "services">,
	repository: History,
	store: Store,
	name: string | undefined,
	reach: Reach,
): Promise<RunSummary> {
	const { root } = repository;
	const [newest] = await store.runs({ limit: 1 });
	if (newest === undefined) throw new Refusal("not_found", "there are no runs yet");
	const wanted = name ?? "latest";
	const known = async (id: string | null): Promise<RunSummary | null> => (id === null ? null : store.summary(id));
	const own = await known(latestIn(root, repository.checkout));
	const latest = own ?? (await known(latestOf(root))) ?? newest;
	if (wanted === "latest") {
		if (own) return own;
		if (reach === "worktree")
			throw new Refusal(
				"invalid",
				`no run was started in this worktree: name the one you mean (${newest.id} is the latest of the repository)`,
			);
		return latest;
	}
	const exact = await known(wanted);
	if (exact) return exact;
	const matching = await store.runs({ prefix: wanted, limit: MOST_NAMED });
	if (matching.length === 1 && matching[0]) return matching[0];
	if (matching.length === 0) {
		// As `latest` does, a story without a run reaches no further than this worktree.
		const isNear = own !== null || reach !== "worktree";
		if (isNear && (await hasStory(c, await current(store, latest.id), wanted))) throw new StoryNamed(latest.id, wanted);
		throw new Refusal("not_found", `there is no run ${wanted}; pawl runs lists them`);
	}
	throw new Refusal("invalid", `${wanted} could be ${matching.map((r) => r.id).join(", ")}`);
}

/** In the journal, or in a file of the run's own. */
async function hasStory({ services }: Pick<RunsContext, "services">, state: RunState, id: string): Promise<boolean> {
	if (state.stories.length > 0) return state.stories.some((story) => story.id === id);
	return (await services.keptStories(state)).some((story) => story.id === id);
}

/** What a run was started with, without reading its journal if that can be avoided; null if the journal is broken. */
export async function inputOf(store: Store, run: RunSummary): Promise<Readonly<Record<string, string>> | null> {
	if (run.input !== undefined) return run.input;
	const [first] = await store.events(run.id, 0, 1);
	return first?.event === "run_created" ? first.input : null;
}

export async function current(store: Store, run: string): Promise<RunState> {
	return stateOf(run, await store.events(run));
}

export function stateOf(run: string, events: readonly Event[]): RunState {
	const state = fold(events);
	if (state === null) throw new Refusal("internal", `the journal of run ${run} cannot be read: it does not begin with run_created`);
	return state;
}
