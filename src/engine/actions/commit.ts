// The action `commit`: folds what the run did since its start, or since its last such commit, into one commit on its branch. `with`:
// `message`, a template for the subject; `leave`, folders left for a later commit; `since: start`, to fold everything since the run began.

import { EMPTY } from "../../core/definition.ts";
import { deliveredCommit, deliveredFact } from "../../core/mark.ts";
import { startedWith } from "../../core/started-with.ts";
import { renderTemplate } from "../../core/template.ts";
import type { Action } from "../../format.ts";

const LONGEST_SUBJECT = 100;

export const commit: Action = async ({ state, step, workspace }) => {
	const { message = "{{run_id}}", leave = "", since = "" } = state.definition.types[step.type]?.with ?? {};
	const start = startedWith(state).startCommit;
	const onto = (since === "start" ? "" : deliveredCommit(state)) || start;
	const values = { ...state.input, ...state.root.fields, run_id: state.id };
	// Titles come from agents and documents: one line, so that no trailer can be forged.
	const subject = oneLine(renderTemplate(message, values));
	const folders = leave.split(/[\s,]+/).filter((path) => path !== "");
	const made = await workspace.fold({ onto, message: `${subject}\n\nPawl-Run: ${oneLine(state.id)}\n`, leave: folders });
	if (made === null) return { signal: EMPTY, error: "there is nothing to commit: the run changed nothing" };
	return { signal: "committed", notes: `${made.slice(0, 12)} ${subject}`, facts: deliveredFact(made) };
};

export function oneLine(text: string): string {
	const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
	return line.length <= LONGEST_SUBJECT ? line : `${line.slice(0, LONGEST_SUBJECT - 1).trimEnd()}…`;
}
