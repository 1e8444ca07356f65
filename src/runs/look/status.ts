// Where a run stands: the run, its stories and its steps, who drives it, and what was recorded for it and is not taken up yet.
import type { RunsContext } from "../context.ts";
import { isDriven } from "../hold.ts";
import { lookAt } from "../open.ts";
import { type RunView, runView } from "./run-view.ts";

export type StatusView = RunView & {
	readonly driven: boolean;
	/** The types of the inputs that wait in the run's inbox. */
	readonly recorded: readonly string[];
};

export function statusOf(c: RunsContext, run: string | undefined): Promise<StatusView> {
	return lookAt(c, run, async ({ state, events, store }) => {
		const recorded = (await store.inbox(state.id)).map(({ input }) => input.type);
		return { ...runView(state, events, c.now()), driven: await isDriven(store, state.id, state.status), recorded };
	});
}
