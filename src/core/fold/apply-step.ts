// The fold of one step: step + event → step.

import { isFailure } from "../definition.ts";
import type { EventOf } from "../event.ts";
import { openAfter, unansweredBy } from "../finding.ts";
import type { Attempt, ReportAsked, Stack, Step, Verdict } from "../model.ts";
import { fresh, withoutAsks } from "./begin.ts";

/** A prompt shows them all. */
const MOST_UNANSWERED = 50;

export type StepEvent = EventOf<
	| "step_started"
	| "step_prepared"
	| "attempt_reported"
	| "report_asked"
	| "step_completed"
	| "step_failed"
	| "step_cancelled"
	| "step_skipped"
	| "step_reopened"
	| "step_restarted"
	| "step_postponed"
	| "step_waiting"
	| "step_extended"
	| "loop_asked"
	| "loop_extended"
	| "merge_stacked"
	| "merge_unstacked"
	| "merge_announced"
>;

export function stepAfter(step: Step, event: StepEvent): Step {
	switch (event.event) {
		case "step_started":
			return {
				...step,
				status: "in_progress",
				startedAt: joins(step, event) ? step.startedAt : event.at,
				completedAt: null,
				error: null,
				attempt: Math.max(step.attempt, event.attempt),
				...(joins(step, event) ? { beside: (step.beside ?? 0) + 1 } : {}),
				...begun(step, event),
				notBefore: null,
				...(event.announces ? { announced: step.announced ?? [] } : {}),
			};
		case "step_prepared":
			return {
				...step,
				commit: startOf(step, event),
				...earlierStarts(step, event),
				log: event.log ?? step.log,
				...(event.agent === undefined ? {} : { doneBy: doneBy(event.agent, event) }),
				running: step.running.map((a) => (a.number === event.attempt ? { ...a, prepared: true } : a)),
			};
		case "attempt_reported":
			return {
				...step,
				...(event.next ? { status: "pending" } : {}),
				running: reported(step, event.attempt),
				verdicts: [...step.verdicts, verdictOf(event)],
			};
		case "report_asked":
			return {
				...step,
				status: "pending",
				running: without(step, event.attempt),
				verdicts: step.verdicts.filter((v) => v.role !== event.role),
				asks: [...(step.asks ?? []), askedOf(event)],
			};
		case "step_completed":
			return {
				...counted(step, event.attempt),
				status: "completed",
				completedAt: event.at,
				settled: true,
				postponed: 0,
				notes: event.notes,
				error: null,
				running: [],
				verdicts: [],
				...roundOf(step),
			};
		case "step_failed":
			return {
				...counted(step, event.attempt),
				status: "failed",
				completedAt: event.at,
				error: event.error,
				failedBy: event.signal,
				running: [],
				verdicts: [],
			};
		case "step_cancelled":
			return { ...step, status: "cancelled", completedAt: event.at, error: event.error, running: [], verdicts: [] };
		case "step_skipped":
			return { ...fresh(step), status: "skipped", skipReason: event.reason };
		case "step_reopened":
			return {
				...fresh(step),
				...(event.entry ? { lastFindings: [], unanswered: [] } : roundOf(step)),
				feedback: event.reason,
				...unreadAfter(step, event.report),
				...(event.putBack || step.putBack ? { putBack: event.putBack ?? false } : {}),
				...(event.unchanged || step.unchanged ? { unchanged: event.unchanged ?? false } : {}),
				...(event.retried || step.retried ? { retried: event.retried ?? false } : {}),
				...(event.apart ? { apart: true } : {}),
			};
		case "merge_stacked": {
			const { commit, onto, behind = null } = event;
			return { ...step, running: withStack(step, event.attempt, { commit, onto, behind }) };
		}
		case "merge_unstacked":
			return { ...step, running: withStack(step, event.attempt, { commit: null, onto: null, behind: null, reason: event.reason }) };
		case "merge_announced":
			return { ...step, announced: [...(step.announced ?? []), event.commit] };
		case "step_restarted":
			return {
				...fresh(step),
				description: event.description,
				settled: false,
				restarts: step.restarts + 1,
				feedback: event.reason ?? "the attempt before this one asked to start over",
				...unreadAfter(step),
			};
		case "step_postponed":
			return { ...fresh(step), notBefore: event.until, postponed: step.postponed + 1 };
		case "step_waiting":
			return {
				...step,
				status: "waiting",
				running: [],
				error: null,
				notes: null,
				// If a person lets it run again, this is why.
				feedback: event.reason,
				...unreadAfter(step),
				...(event.signal === undefined ? {} : { failedBy: event.signal }),
			};
		case "step_extended":
			return {
				// Positions of the schedule that are passed over may be those of a role that was to be asked.
				...(event.attempt === 0 ? withoutAsks(step) : step),
				running: without(step, event.attempt),
				verdicts: [],
				iteration: event.iteration,
				cursor: event.cursor,
				queue: event.queue,
				...feedbackAfter(step, event),
				...(event.until === undefined ? {} : { notBefore: event.until }),
			};
		case "loop_extended":
			return { ...step, max: event.max };
		case "loop_asked":
			return { ...step, queue: event.queue, skips: event.skips, asked: event.asked };
	}
}

const withStack = (step: Step, number: number, stack: Stack): readonly Attempt[] =>
	step.running.map((one) => (one.number === number ? { ...one, stack } : one));

/** A report is shown once, with the reason why it was not taken. */
const unreadAfter = (step: Step, report: string | null = null): Partial<Step> =>
	report === null && !step.unread ? {} : { unread: report };

/** The next iterations know why one failed, until one of the same role ends well. */
function feedbackAfter(step: Step, { attempt, reason }: EventOf<"step_extended">): Partial<Step> {
	const role = step.running.find((a) => a.number === attempt)?.role ?? null;
	if (reason !== undefined) return { feedback: role === null ? reason : `${role}: ${reason}`, feedbackFor: role };
	return role !== null && step.feedbackFor === role ? { feedback: null, feedbackFor: null } : {};
}

/** The iteration that ends a loop counts too. */
function counted(step: Step, attempt: number): Step {
	const under = step.running.find((a) => a.number === attempt && a.letter !== undefined);
	if (!under) return step;
	const { iteration, cursor, queue } = step;
	return { ...step, iteration: iteration + 1, cursor: under.queued ? cursor : cursor + 1, queue: under.queued ? queue.slice(1) : queue };
}

const attemptOf = ({ attempt, role, at, letter, queued }: EventOf<"step_started">): Attempt => ({
	number: attempt,
	role,
	startedAt: at,
	...(letter === undefined ? {} : { letter }),
	...(queued ? { queued } : {}),
});

/** It belongs to a round that has begun: others run beside it, or ran before it because they run one after the other. */
const joins = ({ status, apart, verdicts, asks = [] }: Step, { role }: EventOf<"step_started">): boolean =>
	status === "in_progress" || (apart === true && verdicts.length > 0 && !asks.some((one) => one.role === role));

/** The attempt, and the report that it asks for. */
function begun(step: Step, event: EventOf<"step_started">): Pick<Step, "running" | "asks"> {
	const { asks = [] } = step;
	const mine = asks.find(({ role }) => role === event.role);
	const attempt = attemptOf(event);
	if (mine === undefined) return { running: [...step.running, attempt] };
	return { running: [...step.running, { ...attempt, asks: mine }], asks: asks.filter((one) => one !== mine) };
}

function doneBy(agent: string, { model, effort, tier }: EventOf<"step_prepared">): NonNullable<Step["doneBy"]> {
	return { agent, model: model ?? null, ...(effort === undefined ? {} : { effort }), ...(tier === undefined ? {} : { tier }) };
}

/** If the report is never given, everything since the first attempt is put back. */
function startOf(step: Step, { attempt, commit }: EventOf<"step_prepared">): string | null {
	const asks = step.running.some((one) => one.number === attempt && one.asks !== undefined);
	return asks ? (step.commit ?? commit) : (commit ?? step.commit);
}

/** A report that is asked for is about the same start. */
function earlierStarts(step: Step, { attempt, commit }: EventOf<"step_prepared">): Pick<Step, "firstCommit" | "previousCommit"> {
	const asks = step.running.some((one) => one.number === attempt && one.asks !== undefined);
	const first = step.firstCommit ?? step.commit ?? commit;
	return {
		...(first === null ? {} : { firstCommit: first }),
		...(asks || step.commit === null ? {} : { previousCommit: step.commit }),
	};
}

const askedOf = ({ role, attempt, agent, session, missing, changed, signal, notes }: EventOf<"report_asked">): ReportAsked => ({
	role,
	attempt,
	agent,
	session,
	missing,
	...(changed ? { changed } : {}),
	...(signal === undefined ? {} : { signal }),
	...(notes === undefined ? {} : { notes }),
});

/** An iteration stays `running` until its route is taken, because the route needs to know whether it came from the queue. */
const reported = (step: Step, attempt: number) => step.running.filter((a) => a.number !== attempt || a.letter !== undefined);
const without = (step: Step, attempt: number) => step.running.filter((a) => a.number !== attempt);
/** After a round: the findings of its blocking members, those that they say are still open, and those that they do not mention. */
function roundOf(step: Step): Pick<Step, "lastFindings" | "unanswered"> {
	// A round without any readable verdict changes nothing.
	if (step.verdicts.every((v) => isFailure(v.signal))) return { lastFindings: step.lastFindings, unanswered: step.unanswered ?? [] };
	const verdicts = step.verdicts.filter((v) => !v.advisory);
	const now = verdicts.flatMap((v) => v.findings);
	const earlier = verdicts.flatMap((v) => v.earlier ?? []);
	const unanswered = unansweredBy([...(step.unanswered ?? []), ...step.lastFindings], now, earlier);
	return { lastFindings: openAfter(step.lastFindings, now, earlier), unanswered: unanswered.slice(-MOST_UNANSWERED) };
}
const verdictOf = ({ role, signal, findings, earlier, advisory, said, asks }: EventOf<"attempt_reported">): Verdict => ({
	role,
	signal,
	findings,
	...(earlier ? { earlier } : {}),
	...(advisory ? { advisory } : {}),
	...(said ? { said } : {}),
	...(asks ? { asks } : {}),
});

export const questionOf = ({ at, held, asks }: EventOf<"step_waiting">, version: number): NonNullable<Step["question"]> => ({
	version,
	at,
	...(held ? { held } : {}),
	...(asks ? { asks } : {}),
});

/** Those that merge take turns in the order in which they started. */
export const placed = (step: Step, attempt: number, place: number): Step => ({
	...step,
	running: step.running.map((one) => (one.number === attempt ? { ...one, place } : one)),
});
