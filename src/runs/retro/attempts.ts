// The attempts of a run, one row each, read from its journal: who, how long, what it cost, how it ended and why.
import type { Event } from "../../core/event.ts";
import type { RunState, Usage } from "../../core/model.ts";
import { findStep } from "../../core/query.ts";

export interface AttemptRow {
	readonly scope: string;
	readonly step: string;
	readonly type: string;
	readonly attempt: number;
	readonly role: string;
	readonly startedAt: number;
	endedAt: number | null;
	usage: Usage | null;
	/** Its signal, or what became of it. */
	ended: string;
	/** Why it did not simply go on. */
	reason: string;
}

/** In the order in which they started. Steps that nobody attempts, such as the one that opens stories, have none. */
export function attemptRows(events: readonly Event[], state: RunState): readonly AttemptRow[] {
	const rows: AttemptRow[] = [];
	const open = (scope: string, step: string, attempt?: number): AttemptRow[] =>
		rows.filter((row) => row.scope === scope && row.step === step && row.endedAt === null && (attempt ?? row.attempt) === row.attempt);
	const end = (at: number, found: readonly AttemptRow[], ended: string, reason = ""): void => {
		for (const row of found) {
			row.endedAt = at;
			if (row.ended === "") row.ended = ended;
			if (row.reason === "") row.reason = reason;
		}
	};
	for (const event of events) {
		switch (event.event) {
			case "step_started": {
				const { scope, step, attempt, role, at } = event;
				const type = findStep(state, scope, step)?.type ?? "";
				if (role !== "") rows.push({ scope, step, type, attempt, role, startedAt: at, endedAt: null, usage: null, ended: "", reason: "" });
				break;
			}
			case "usage_recorded":
				for (const row of open(event.scope, event.step, event.attempt)) row.usage = event.usage;
				break;
			case "attempt_reported":
				end(event.at, open(event.scope, event.step, event.attempt), event.signal, event.said?.error ?? findingsOf(event.findings));
				break;
			case "route_taken":
				for (const row of open(event.scope, event.step)) [row.ended, row.reason] = [event.signal, event.reason ?? ""];
				break;
			case "report_asked":
				end(event.at, open(event.scope, event.step, event.attempt), "unreadable", event.missing);
				break;
			case "step_completed":
				end(event.at, open(event.scope, event.step), event.signal);
				break;
			case "step_failed":
				end(event.at, open(event.scope, event.step), event.signal, event.error);
				break;
			case "step_cancelled":
				end(event.at, open(event.scope, event.step), "cancelled", event.error);
				break;
			case "step_reopened":
			case "step_postponed":
				end(event.at, open(event.scope, event.step), "again", event.reason);
				break;
			case "step_restarted":
				end(event.at, open(event.scope, event.step), "restarted itself", event.reason ?? event.description);
				break;
			case "step_extended":
				end(event.at, open(event.scope, event.step, event.attempt), "iteration ended", event.reason ?? "");
				break;
		}
	}
	return rows;
}

const findingsOf = (findings: readonly { readonly key: string; readonly text: string }[]): string =>
	findings.map(({ key, text }) => `[${key}] ${text}`).join("; ");
