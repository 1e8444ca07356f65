// Only a person decides. Every command that decides about a run asks here first. It refuses any process that a session or a check of pawl started, unless
// the run was created inside that same session: an agent may try pawl in a scratch repository.
import type { EventOf } from "../core/event.ts";
import type { By } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import { UNKNOWN_MARK } from "../process.ts";
import type { RunsContext } from "./context.ts";
import { Refusal } from "./refusal.ts";

/** Who decides. Throws if that is not a person. `run` is null if the change belongs to no known run. */
export function personFor(c: RunsContext, run: RunState | null): By {
	const { user, marks } = c.services.caller();
	const within = run === null ? [] : startedWith(run).within;
	// No run was created inside of that: it is no session.
	if (marks.includes(UNKNOWN_MARK))
		throw new Refusal(
			"refused",
			"only a person decides this, and pawl cannot tell whether an agent or a check of pawl started this process; nothing was changed",
		);
	// All marks count: a session can add the mark of a session that is allowed, but cannot hide its own.
	if (marks.some((mark) => !within.includes(mark)))
		throw new Refusal(
			"refused",
			`only a person decides this, and this process was started by an agent or a check of pawl (${marks.join(", ")}); nothing was changed`,
		);
	return { user, how: c.how ?? "cli" };
}

/** What a decision did to the step. */
export const VERDICT = { approve: "approved", reject: "rejected", retry: "retried", answer: "answered", skip: "skipped" } as const;

/** The decision that counted, for a person whose decision did not. */
export function decisionText({ at, by, step, verdict, reason }: EventOf<"decided">): string {
	const who = by === undefined ? "" : ` by ${by.user} (${by.how})`;
	return `${step} was ${VERDICT[verdict]}${who} at ${new Date(at).toISOString()}${reason === "" ? "" : `: ${reason}`}`;
}
