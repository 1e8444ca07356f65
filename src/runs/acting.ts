// Where a front end that stays in one folder has to act on a run.
import { checkoutFor } from "./checkout.ts";
import type { RunsContext } from "./context.ts";
import { lookAt } from "./open.ts";
import { personFor } from "./person.ts";

/** Does something to a run, by its whole id, from the checkout that it has to continue in. Refuses agents before anything else. */
export async function actingOn<T>(c: RunsContext, name: string, act: (there: RunsContext, run: string) => Promise<T>): Promise<T> {
	const { run, cwd } = await lookAt(c, name, ({ state, root }) => {
		personFor(c, state);
		return { run: state.id, cwd: checkoutFor(state, root, c.cwd) };
	});
	return act({ ...c, cwd }, run);
}
