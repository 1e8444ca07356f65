// Why a run does not simply continue, for a person: one sentence for each failure, rejection, retry, wait, hold and escalation, made from the
// journal alone. The terminal, `status`, `history`, the summary and notifications all use these sentences.

import type { Event, EventOf } from "../../core/event.ts";
import { failingPart } from "../../core/failing-part.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { findStep, isOver, own } from "../../core/query.ts";

export type WhyKind =
	/** The step failed or was ended from outside. */
	| "failed"
	/** The step ended, and its result leads back or to a detour instead of to the next step. */
	| "sent_back"
	| "again"
	| "postponed"
	| "waits"
	| "held"
	| "blocked"
	| "rejected_edit";

export interface Why {
	readonly kind: WhyKind;
	readonly at: number;
	/** null: the run itself. */
	readonly story: string | null;
	readonly step: string | null;
	/** The step's type. */
	readonly type: string | null;
	/** What happened, without the subject and without the reason: "failed", "sends back to implement". */
	readonly what: string;
	/** The reason in words about the work; complete, perhaps several lines. */
	readonly reason: string;
	/** The time that it waits for. */
	readonly until?: number;
	/** What the checks printed that it failed by: the lines that say what is wrong. */
	readonly output?: string;
}

/** Reads a journal event by event; the state is the one after the event, or after its commit. */
export class WhyReader {
	private route: EventOf<"route_taken"> | null = null;
	/** The reason that was just reported: steps that reopen because of it do not repeat it. */
	private told: string | null = null;
	private checks: EventOf<"checks_recorded"> | null = null;

	/** null: the event needs no reason, or an event just before already gave it. */
	read(event: Event, state: RunState): Why | null {
		if (event.event === "route_taken") {
			this.route = event;
			this.told = null;
			return null;
		}
		if (event.event === "checks_recorded") this.checks = event;
		const route = this.route !== null && "step" in event && sameStep(this.route, event) ? this.route : null;
		const why = whyOf(event, route, state);
		if (why === null || (event.event === "step_reopened" && this.untold(why.reason) !== why.reason)) return null;
		// Of several steps that open again for one reason, the first one says it.
		if (why.kind === "sent_back" || why.kind === "failed" || event.event === "step_reopened") this.told = why.reason;
		const said = isPrinted(why, state) ? { ...why, reason: withoutMostOutput(why.reason) } : why;
		return { ...said, ...this.printedBy(event, route) };
	}

	/** What the failed checks of this step printed, if it is they that it failed by. */
	private printedBy(event: Event, route: EventOf<"route_taken"> | null): Pick<Why, "output"> {
		if (event.event !== "step_completed" && event.event !== "step_failed") return {};
		const { checks } = this;
		if (checks === null || !sameStep(checks, event) || (route?.signal ?? event.signal) !== "checks_failed") return {};
		const failed = checks.checks.filter((check) => check.exitCode !== 0 && check.output.trim() !== "");
		return failed.length === 0 ? {} : { output: failed.map((check) => failingPart(check.output, MOST_OUTPUT / 2)).join("\n") };
	}

	/** The reason without the part that was just reported: empty if that was all, "step-004 (tests)" of "step-004 (tests): it broke". */
	untold(reason: string): string {
		const { told } = this;
		if (told === null || told === "") return reason;
		return reason === told ? "" : reason.endsWith(`: ${told}`) ? reason.slice(0, -told.length - 2) : reason;
	}
}

/** Enough for a dozen lines. The journal and the logs have all of it. */
const MOST_OUTPUT = 900;

/** It comes from a program and not from an agent or a person: after the first line there is what the program printed. */
function isPrinted({ type }: Why, { definition }: RunState): boolean {
	const kind = type === null ? undefined : own(definition.types, type)?.kind;
	return kind === "action" || kind === "command";
}

function withoutMostOutput(reason: string): string {
	const [head = "", ...rest] = reason.split("\n");
	const output = rest.join("\n");
	return output.length <= MOST_OUTPUT ? reason : `${head}\n${failingPart(output, MOST_OUTPUT)}`;
}

const sameStep = (a: { scope: string; step: string }, b: { scope: string; step: string }): boolean =>
	a.scope === b.scope && a.step === b.step;

function whyOf(event: Event, route: EventOf<"route_taken"> | null, state: RunState): Why | null {
	const about = (kind: WhyKind, what: string, reason: string, until?: number): Why => {
		const scope = "scope" in event ? event.scope : RUN_SCOPE;
		const step = "step" in event ? event.step : null;
		const type = step === null ? null : (findStep(state, scope, step)?.type ?? null);
		return {
			kind,
			at: event.at,
			story: scope === RUN_SCOPE ? null : scope,
			step,
			type,
			what,
			reason: reason.trim(),
			...(until === undefined ? {} : { until }),
		};
	};
	switch (event.event) {
		case "step_completed":
			return sendsBack(route) ? about("sent_back", aside(route, state), route?.reason ?? event.notes ?? event.signal) : null;
		case "step_failed":
			return about("failed", "failed", event.error);
		case "step_cancelled":
			return about("failed", "was ended", event.error);
		case "step_reopened":
			return about("again", "runs again", event.reason);
		case "report_asked":
			return about("again", "is asked for its report again", event.missing);
		case "step_extended":
			return event.reason === undefined ? null : about("again", "goes on after an iteration that failed", event.reason);
		case "step_restarted":
			return about("again", "starts over", event.description);
		case "step_postponed":
			return about("postponed", "waits", event.reason, event.until);
		case "step_waiting":
			return about("waits", "waits for a person", event.reason);
		case "edit_rejected":
			return about("rejected_edit", "asked for a change of the steps that was rejected", event.reasons.join("; "));
		case "story_failed":
			return about("failed", "failed", event.error);
		case "story_blocked":
			return about("blocked", "is blocked", `it needs ${event.by}`);
		case "run_held":
			return event.reason === null ? null : about("held", "is held", event.reason);
		case "run_aborting":
			return about("failed", "gives up", event.reason);
		default:
			return null;
	}
}

/** The result led neither to the next step nor to the end: a verdict that sends back, or a step that needs others first. */
export const sendsBack = (route: EventOf<"route_taken"> | null): boolean =>
	route !== null && route.signal !== "done" && /^(goto|insert|reopen|retry)\b/.test(route.action);

function aside(route: EventOf<"route_taken"> | null, state: RunState): string {
	const target = shownTarget(/^goto (.+)$/.exec(route?.action ?? "")?.[1], state);
	return target === undefined ? `ends in ${route?.signal ?? ""}` : target === "back" ? "sends back" : `sends back to ${target}`;
}

/** A step of pawl's own that only leads on to another is not spoken of: a note of where the work stands before it is planned anew. */
function shownTarget(name: string | undefined, { definition }: RunState): string | undefined {
	const type = name === undefined ? undefined : own(definition.types, name);
	const on = type?.internal && type.detour ? own(type.routes, "done") : undefined;
	return on?.action === "goto" && on.target !== undefined && on.target !== "back" ? on.target : name;
}

/** The sentence without story and step: "sends back to implement: the label is missing". */
export const whyText = ({ what, reason }: Why): string => (reason === "" ? what : `${what}: ${reason}`);

/** A step that sent work back was followed by another one of its type, which has looked at the work again. */
function forgetSentBack(standing: Map<string, Why>, { story, type }: Pick<Why, "story" | "type">): void {
	for (const [key, why] of standing)
		if (type !== null && why.kind === "sent_back" && why.story === story && why.type === type) standing.delete(key);
}

/** Work that was sent back and then failed is told by the failure. */
function forgetBefore(standing: Map<string, Why>, { story }: Pick<Why, "story">): void {
	for (const [key, why] of standing) if (why.kind === "sent_back" && why.story === story) standing.delete(key);
}

/** The reasons that still matter: the last one of every unfinished step, none of completed stories. */
export function standingReasons(events: readonly Event[], state: RunState): Why[] {
	const reader = new WhyReader();
	const standing = new Map<string, Why>();
	const keyOf = (scope: string, step: string | null): string => `${scope} ${step ?? ""}`;
	for (const event of events) {
		const why = reader.read(event, state);
		if (why !== null) {
			const scope = why.story ?? RUN_SCOPE;
			// A story fails with its step, and a run gives up because of one: the step says why.
			const said =
				(event.event === "story_failed" || event.event === "run_aborting") &&
				[...standing.values()].some(
					(w) =>
						(why.story === null || w.story === why.story) &&
						w.kind === "failed" &&
						why.reason.includes(w.reason.split("\n", 1)[0] ?? w.reason),
				);
			if (!said && why.kind !== "rejected_edit") {
				standing.delete(keyOf(scope, why.step));
				forgetSentBack(standing, why);
				if (event.event === "step_failed") forgetBefore(standing, why);
				standing.set(keyOf(scope, why.step), why);
			}
			continue;
		}
		// An iteration of a loop that did not fail: what was wrong with an earlier one is over.
		if (event.event === "step_extended") standing.delete(keyOf(event.scope, event.step));
		if (event.event === "step_completed" || event.event === "step_skipped") {
			standing.delete(keyOf(event.scope, event.step));
			const type = findStep(state, event.scope, event.step)?.type ?? null;
			forgetSentBack(standing, { story: event.scope === RUN_SCOPE ? null : event.scope, type });
		}
		if (event.event === "step_started" && standing.get(keyOf(event.scope, event.step))?.kind === "postponed")
			standing.delete(keyOf(event.scope, event.step));
		if (event.event === "run_held" || event.event === "run_resumed") standing.delete(keyOf(RUN_SCOPE, null));
		if (event.event === "story_completed" || event.event === "story_unblocked" || event.event === "story_retried")
			for (const [key, { story }] of standing) if (story === event.scope) standing.delete(key);
		if (event.event === "run_status_changed" && event.status === "completed") standing.clear();
	}
	// Nobody can answer a run that is over.
	return [...standing.values()].filter(({ kind }) => kind !== "waits" || !isOver(state.status));
}
