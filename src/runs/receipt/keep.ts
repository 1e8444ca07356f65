// Puts a receipt on every commit that a run made, as a note of git: when a run that may push is over, and when somebody asks for a receipt. Repeating it
// changes nothing.
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import type { Store } from "../../store.ts";
import type { History, Repository } from "../../workspace.ts";
import { deliveryOf } from "../look/delivery.ts";
import { receiptOf } from "./receipt.ts";
import { noteText } from "./receipt-text.ts";
import { scopesOf } from "./whose-commit.ts";

export async function keepReceipts(repository: Repository, store: Store, state: RunState, at: number): Promise<void> {
	const events = await store.events(state.id);
	const { commits } = await deliveryOf(repository, events, state);
	const scopes = scopesOf(
		state,
		events,
		commits.map(({ sha }) => sha),
	);
	const texts = new Map<string, string>();
	for (const scope of new Set(scopes.values())) {
		const own = [...scopes].filter(([, of]) => of === scope).map(([sha]) => sha);
		const text = noteText(receiptOf(state, events, scope, own));
		for (const sha of own) texts.set(sha, text);
	}
	const there = await repository.notes([...texts.keys()]);
	await repository.addNotes(new Map([...texts].filter(([sha, text]) => there.get(sha) !== text)), at);
}

/** The commits of one story, or of the run's own steps. */
export async function commitsOfScope(repository: History, store: Store, state: RunState, scope: string): Promise<readonly string[]> {
	const events = await store.events(state.id);
	const commits = (await deliveryOf(repository, events, state)).commits.map(({ sha }) => sha);
	const scopes = scopesOf(state, events, commits);
	return scope === RUN_SCOPE && state.stories.length === 0 ? commits : commits.filter((sha) => scopes.get(sha) === scope);
}
