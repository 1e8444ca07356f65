// Who calls: the attempt behind the inbox, looked up anew for every call. A token that is not the attempt's, an inbox that is
// shut, or a journal in which the attempt is no longer under way ends the call.
import { fold } from "../../core/fold/apply.ts";
import type { RunState, Step, Story } from "../../core/model.ts";
import { attemptOf, findStep, isOpen } from "../../core/query.ts";
import { enterReportBox, type Ticket } from "../../engine/attempt/report-box.ts";
import type { Store } from "../../store.ts";

export interface Desk {
	readonly env: Readonly<Record<string, string | undefined>>;
	openReader(file: string): Store | null;
	readonly now: () => number;
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
