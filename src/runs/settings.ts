// git's settings as a run began with them: what an agent writes into the configuration later runs nothing in pawl's own git calls, also
// after a resume. A person who changed them takes the new ones over.
import type { RunState } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import type { Store } from "../store.ts";
import type { Repository } from "../workspace.ts";
import { deliver } from "./change/deliver.ts";
import type { RunsContext } from "./context.ts";
import { current } from "./open.ts";
import { personFor } from "./person.ts";
import { Refusal } from "./refusal.ts";

const MOST_NAMED = 8;

/** From now on the git calls of this process are made with the settings of the run's start. How today's differ, in words; null if they do not. */
export async function useSettings(repository: Repository, state: RunState): Promise<string | null> {
	const { settings } = startedWith(state);
	if (settings === "") {
		// A run of an earlier version: at least nothing changes while this process is at work.
		await repository.noteSettings();
		return null;
	}
	const used = await repository.useSettings(settings, true);
	if ("problem" in used) throw refusal(used.problem, state);
	return used.differ.length === 0 ? null : named(used.differ);
}

/** Tells a person who continues a run that git's settings are not those of its start. The sentence; null if they are. */
export async function sayDifferentSettings(c: RunsContext, repository: Repository, state: RunState): Promise<string | null> {
	const differ = await useSettings(repository, state);
	if (differ !== null)
		c.warn(
			`git's settings are not those that run ${state.id} began with (${differ}). It continues with those of its start; pawl resume ${state.id} --accept-config uses the new ones`,
		);
	return differ;
}

/** For a process that only brings a result: it does not say how they differ, which would cost a process each time. */
export async function useSettingsQuietly(repository: Repository, state: RunState): Promise<void> {
	const { settings } = startedWith(state);
	const used = settings === "" ? { differ: [] } : await repository.useSettings(settings, false);
	if ("problem" in used) throw refusal(used.problem, state);
}

const refusal = (problem: string, { id }: RunState): Refusal =>
	new Refusal("refused", `${problem}. If that is right: pawl resume ${id} --accept-config`);

const named = (differ: readonly string[]): string =>
	differ.slice(0, MOST_NAMED).join(", ") + (differ.length > MOST_NAMED ? ` and ${differ.length - MOST_NAMED} more` : "");

/** A person says that the settings of today are theirs. */
export async function acceptSettings(c: RunsContext, repository: Repository, store: Store, state: RunState): Promise<RunState> {
	const by = personFor(c, state);
	const settings = await repository.noteSettings();
	if (settings === startedWith(state).settings) return state;
	await deliver(c, store, state.id, { type: "accept_settings", at: c.now(), settings, by });
	return current(store, state.id);
}
