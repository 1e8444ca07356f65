// Which checks passed on which tree. A check that passed there need not run again in the same run; one that failed may have failed for
// something that git does not see (a dependency that was missing), so it always runs again.
import type { CheckResult } from "./input.ts";
import type { RunState } from "./model.ts";

type Ran = Pick<CheckResult, "name" | "command" | "tree">;

/** null where it is not known what it ran on. */
export const passKeyOf = ({ name, command, tree }: Ran): string | null =>
	tree === undefined ? null : JSON.stringify([name, command, tree]);

export function hasPassed(state: RunState, ran: Ran): boolean {
	const key = passKeyOf(ran);
	return key !== null && (state.passed ?? []).includes(key);
}
