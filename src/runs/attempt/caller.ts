// Finds the attempt behind a report box, again for every call. Refuses the call if the token is another attempt's, the report box
// is closed, or the attempt has ended.
import { fold } from "../../core/fold/apply.ts";
import type { RunState, Step, Story } from "../../core/model.ts";
import { attemptOf, findStep, isOpen } from "../../core/query.ts";
import { enterReportBox, INBOX, type Ticket } from "../../engine/attempt/report-box.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";

export interface Desk {
	readonly env: Readonly<Record<string, string | undefined>>;
	openReader(file: string): Store | null;
	readonly now: () => number;
}

/** Works only in a process that an agent of ours started. */
export function openDesk(c: RunsContext): Desk {
	if ((c.env[INBOX] ?? "") === "")
		throw new Refusal(
			"invalid",
			`pawl mcp works inside an attempt only: an agent that pawl started starts it, and ${INBOX} says whose it is`,
		);
	return { env: c.env, openReader: (file) => c.services.openReader(file), now: c.now };
}

export interface Caller {
	readonly ticket: Ticket;
	readonly state: RunState;
	readonly step: Step;
	/** null: a step of the run itself. */
	readonly story: Story | null;
}

/** What a tool says; `ok` false is an error that the agent can act on. */
export interface Answer {
	readonly ok: boolean;
	readonly text: string;
}

export const no = (text: string): Answer => ({ ok: false, text });
export const yes = (text: string): Answer => ({ ok: true, text });

export async function asCaller(desk: Desk, work: (caller: Caller) => Answer | Promise<Answer>): Promise<Answer> {
	const ticket = await enterReportBox(desk.env);
	if ("problem" in ticket) return no(ticket.problem);
	const store = desk.openReader(ticket.database);
	if (store === null) return no("the journal of this run is gone");
	try {
		const state = fold(await store.events(ticket.run));
		const step = state === null ? undefined : findStep(state, ticket.scope, ticket.step);
		if (state === null || step === undefined) return no(`there is no step ${ticket.step} in this run`);
		if (!isOpen(state, ticket.scope) || attemptOf(step, ticket.attempt) === undefined)
			return no(`attempt ${ticket.attempt} of ${step.id} has ended: nothing that it says counts any more`);
		return await work({ ticket, state, step, story: state.stories.find((s) => s.id === ticket.scope) ?? null });
	} finally {
		await store.close();
	}
}
