// Which checkout a scope works in.
import { RUN_SCOPE, type RunState } from "../core/model.ts";
import { type Repository, type Workspace, WorkspaceError } from "../workspace.ts";

export class Workspaces {
	private readonly repository: Repository;
	private readonly open = new Map<string, Workspace>();
	private tree: Workspace | null = null;
	/** Slots that are being given back: the next story waits for that. */
	private readonly releasing = new Map<number, { readonly scope: string; readonly done: Promise<void> }>();

	constructor(repository: Repository) {
		this.repository = repository;
	}

	async of(state: RunState, scope: string): Promise<Workspace> {
		if (scope === RUN_SCOPE || !isolated(state)) {
			this.tree ??= this.repository.tree();
			return this.tree;
		}
		const known = this.open.get(scope);
		if (known) return known;
		const story = state.stories.find((s) => s.id === scope);
		if (!story || story.slot === null) throw new WorkspaceError(`story ${scope} has no place to work in`);
		// Not for its own: what is still to be done in it (a rollback that a crash left) comes before its release.
		const releasing = this.releasing.get(story.slot);
		if (releasing !== undefined && releasing.scope !== scope) await releasing.done;
		// A story that has worked before goes on where it was; a new one must not find what an earlier run left.
		const worked = story.scope.steps.some((s) => s.commit !== null);
		const workspace =
			(worked ? await this.repository.reopen(story.slot, scope) : null) ?? (await this.repository.claim(story.slot, scope, baseOf(state)));
		this.open.set(scope, workspace);
		return workspace;
	}

	/** Must be told before the next story can ask for the slot. */
	willRelease(slot: number, scope: string, done: Promise<void>): void {
		this.releasing.set(slot, { scope, done });
	}

	async release(state: RunState, scope: string, slot: number): Promise<void> {
		if (!isolated(state)) return;
		this.open.delete(scope);
		await this.repository.release(slot, scope);
	}

	async close(state: RunState): Promise<void> {
		if (isolated(state)) await this.repository.close(state.options.slots);
	}
}

export const isolated = (state: RunState): boolean => state.definition.inputs[state.options.mode]?.workspace === "worktree";

export function baseOf(state: RunState): string {
	if (state.options.base === null) throw new WorkspaceError("there is no base branch to start from");
	return state.options.base;
}
