// The action `tidy`: what pawl committed step by step on the user's own branch becomes one commit that reads like the repository's own.
// Commits of agents and of persons stay as they were made, so only pawl's own ones at the end of the branch are folded.
import { startedWith } from "../../core/started-with.ts";
import type { Action } from "../../format.ts";
import { oneLine } from "./commit.ts";
import { inStyleOf } from "./commit-style.ts";

const OWN = "pawl: ";

export const tidy: Action = async ({ state, workspace, repository }) => {
	const { startCommit } = startedWith(state);
	const made = await repository.commits(startCommit, workspace.branch);
	const first = made.findLastIndex(({ subject }) => !subject.startsWith(OWN)) + 1;
	if (first === made.length) return { signal: "done" };
	const onto = made[first - 1]?.sha ?? startCommit;
	const subject = oneLine(inStyleOf(await repository.subjects(startCommit), state.title));
	const commit = await workspace.fold({ onto, message: `${subject}\n\nPawl-Run: ${oneLine(state.id)}\n` });
	return { signal: "done", notes: commit === null ? null : `${commit.slice(0, 12)} ${subject}` };
};
