// The status of a run: the run, its stories and its steps, who drives it, and which inputs still wait in its inbox.
import type { RunsContext } from "../context.ts";
import { isDriven } from "../hold.ts";
import { lookAt } from "../open.ts";
import { type Advice, adviceFor } from "./next.ts";
import { type RunView, runView } from "./run-view.ts";

export type StatusView = RunView & {
	readonly driven: boolean;
	/** The types of the inputs that wait in the run's inbox. */
	readonly recorded: readonly string[];
	/** What a person can do now. */
	readonly advice: readonly Advice[];
};

export function statusOf(c: RunsContext, run: string | undefined): Promise<StatusView> {
	return lookAt(c, run, async ({ state, events, store }) => {
		const recorded = (await store.inbox(state.id)).map(({ input }) => input.type);
		const driven = await isDriven(store, state.id, state.status);
		return { ...runView(state, events, c.now()), driven, recorded, advice: adviceFor(state, driven) };
	});
}
