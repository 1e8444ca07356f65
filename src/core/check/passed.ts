// Which checks passed on which tree. A check that passed there need not run again in the same run; one that failed may have failed for
// a reason that git does not see (a missing dependency), so it always runs again.
import type { CheckResult } from "../input.ts";
import type { RunState } from "../model.ts";

type Ran = Pick<CheckResult, "name" | "command" | "tree">;

/** null if the tree that it ran on is unknown. */
export const passKeyOf = ({ name, command, tree }: Ran): string | null =>
	tree === undefined ? null : JSON.stringify([name, command, tree]);

export function hasPassed(state: RunState, ran: Ran): boolean {
	const key = passKeyOf(ran);
	return key !== null && (state.passed ?? []).includes(key);
}
