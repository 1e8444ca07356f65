// Which checkout a scope works in.

import { publishedCommit, wantedBranch } from "../core/mark.ts";
import { RUN_SCOPE, type RunState, type Story } from "../core/model.ts";
import { hasStoryTrees, isOver, startOfWork, storySlots, workspaceOf } from "../core/query.ts";
import { startedWith } from "../core/started-with.ts";
import { type Repository, type Standing, type Workspace, WorkspaceError } from "../workspace.ts";
import { type Occupant, Occupants } from "./occupants.ts";

export class Workspaces {
	private readonly repository: Repository;
	private readonly open = new Map<string, Workspace>();
	private tree: Workspace | null = null;
	private run: { readonly wanted: string | null; readonly tree: Promise<Workspace> } | null = null;
	/** Slots that are being released: the next story in one waits until that is done. */
	private readonly releasing = new Map<number, { readonly scope: string; readonly done: Promise<void> }>();
	private readonly occupants: Occupants;
	private readonly vacate: (story: string, next: string | null) => Promise<void>;

	/** `vacate`: ends what this engine does for a story, whose slot the journal has given to the next one; null: one of another engine. */
	constructor(
		repository: Repository,
		occupants = new Occupants(),
		vacate: (story: string, next: string | null) => Promise<void> = async () => {},
	) {
		this.repository = repository;
		this.occupants = occupants;
		this.vacate = vacate;
	}

	async of(state: RunState, scope: string): Promise<Workspace> {
		if (worksOnBranch(state, scope)) return this.runTree(state);
		if (scope === RUN_SCOPE || !isolated(state)) {
			this.tree ??= this.repository.tree();
			return this.tree;
		}
		const known = this.open.get(scope);
		if (known) return known;
		const story = state.stories.find((s) => s.id === scope);
		if (!story || story.slot === null) throw new WorkspaceError(`story ${scope} has no worktree to work in`);
		// A story does not wait for its own release: what is still to be done (a rollback after a crash) comes before it.
		const releasing = this.releasing.get(story.slot);
		if (releasing !== undefined && releasing.scope !== scope) await releasing.done;
		await this.enter(state, story.slot, scope);
		// A story that has worked before continues in its worktree; a new one must not find leftovers of an earlier run.
		const worked = startOfWork(story.scope) !== null;
		const workspace =
			(worked ? await this.repository.reopen(story.slot, scope, state.id, isApart(state), standingOf(story)) : null) ??
			(await this.claim(state, story.slot, scope));
		this.open.set(scope, workspace);
		return workspace;
	}

	private enter(state: RunState, slot: number, story: string): Promise<void> {
		const vacate = (next: Occupant): Promise<void> => this.vacate(story, next.of === this ? next.story : null);
		return this.occupants.enter(slot, { of: this, run: state.id, story, vacate }, isOver(state.status));
	}

	private async claim(state: RunState, slot: number, scope: string): Promise<Workspace> {
		const base = workspaceOf(state) === "branch" ? (await this.runTree(state)).branch : baseOf(state);
		return this.repository.claim(slot, scope, base, state.id, isApart(state));
	}

	/** The run's own branch; null if it has none. */
	async branchOf(state: RunState): Promise<string | null> {
		return workspaceOf(state) === "branch" ? (await this.runTree(state)).branch : null;
	}

	/** Opened one after the other: the first call after the run knows its branch's name renames the branch. */
	private runTree(state: RunState): Promise<Workspace> {
		const wanted = wantedBranch(state);
		if (this.run?.wanted === wanted) return this.run.tree;
		const before: Promise<unknown> = this.run?.tree.catch(() => {}) ?? Promise.resolve();
		const { startCommit: start } = startedWith(state);
		const request = { run: state.id, base: baseOf(state), ...(start === "" ? {} : { start }), known: state.branch, wanted };
		const tree = before.then(() => this.repository.openBranch(state.options.slots[0] ?? 1, request));
		const run = { wanted, tree };
		this.run = run;
		tree.catch(() => {
			if (this.run === run) this.run = null;
		});
		return tree;
	}

	/** Called before the next story can ask for the slot. */
	willRelease(slot: number, scope: string, done: Promise<void>): void {
		this.releasing.set(slot, { scope, done });
	}

	async release(state: RunState, scope: string, slot: number): Promise<void> {
		if (!isolated(state)) return;
		this.close(scope);
		await this.repository.release(slot, scope, state.id, isApart(state));
		this.occupants.leave(this, scope);
	}

	/** Another machine may have worked on the story since this process did: where it stands is looked up again. */
	forget(scope: string): void {
		this.close(scope);
		this.occupants.leave(this, scope);
	}

	private close(scope: string): void {
		this.open.get(scope)?.letGo?.();
		this.open.delete(scope);
	}

	/** This process watches no attempt any more, also if some go on: an agent that claimed a step works on. */
	async letGo(): Promise<void> {
		const run = await this.run?.tree.catch(() => null);
		for (const workspace of [...this.open.values(), this.tree, run]) workspace?.letGo?.();
	}

	async remove(state: RunState): Promise<void> {
		if (isolated(state)) await this.repository.close(storySlots(state), state.id);
		if (workspaceOf(state) === "branch")
			await this.repository.closeBranch(state.options.slots[0] ?? 1, state.id, startedWith(state).startCommit);
	}
}

/** Where the journal says that the work of a story stands, if machines share it. */
function standingOf({ scope }: Story): Standing | undefined {
	const start = startOfWork(scope);
	// Until an attempt has ended there, nothing counts but what it started from.
	return start === null ? undefined : { start, commit: publishedCommit(scope) ?? start };
}

/** The same for a scope; undefined also if it has no worktree of its own. */
export function standingIn(state: RunState, scope: string): Standing | undefined {
	const story = isolated(state) ? state.stories.find(({ id }) => id === scope) : undefined;
	return story === undefined || story.slot === null ? undefined : standingOf(story);
}

/** Nobody knew its stories when it was created, so nobody could refuse a second run with a story of the same name. */
export const isApart = (state: RunState): boolean => workspaceOf(state) === "branch";

export const isolated = (state: RunState): boolean => hasStoryTrees(state);

/** The one worktree of the whole run. */
export const worksOnBranch = (state: RunState, scope: string): boolean =>
	workspaceOf(state) === "branch" && (scope === RUN_SCOPE || !hasStoryTrees(state));

/** The branch that stories with worktrees of their own are merged into. */
export const mergeBase = (state: RunState): string => (workspaceOf(state) === "branch" ? state.branch : null) ?? baseOf(state);

/** The branch that a scope's branch started from; null if there is none. */
export const leftBranch = (state: RunState, scope: string): string | null =>
	scope === RUN_SCOPE || !hasStoryTrees(state) || state.options.base === null ? state.options.base : mergeBase(state);

export function baseOf(state: RunState): string {
	if (state.options.base === null) throw new WorkspaceError("there is no base branch to start from");
	return state.options.base;
}
