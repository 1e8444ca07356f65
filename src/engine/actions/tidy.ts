// The action `tidy`: turns pawl's commits on the user's own branch into one commit in the repository's own style.
// Commits of agents and people stay as they are, so it folds only pawl's own commits at the end of the branch; those before them have a
// subject in that style already.
import { inStyle } from "../../core/commit-style.ts";
import { isLeftSubject } from "../../core/left-subject.ts";
import { startedWith } from "../../core/started-with.ts";
import type { Action } from "../../format.ts";
import { oneLine } from "./commit.ts";

const OWN = "pawl: ";

export const tidy: Action = async ({ state, workspace, repository }) => {
	const { startCommit, commitStyle } = startedWith(state);
	const made = await repository.commits(startCommit, workspace.branch);
	const first = made.findLastIndex(({ subject }) => !subject.startsWith(OWN) && !isLeftSubject(state, subject)) + 1;
	if (first === made.length) return { signal: "done" };
	const onto = made[first - 1]?.sha ?? startCommit;
	const subject = oneLine(inStyle(commitStyle, state.title));
	const commit = await workspace.fold({ onto, message: `${subject}\n\nPawl-Run: ${oneLine(state.id)}\n` });
	return { signal: "done", notes: commit === null ? null : `${commit.slice(0, 12)} ${subject}` };
};
