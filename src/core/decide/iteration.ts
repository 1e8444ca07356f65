// The end of one iteration of a loop that continues.

import type { Loop } from "../definition.ts";
import { own } from "../query.ts";
import type { Decision } from "./decision.ts";
import { filled, letterAt, loopOf, scheduleOf } from "./loop-schedule.ts";

/** Advances the schedule, unless the role came from the queue. `reason`: why the iteration failed. */
export function endIteration(d: Decision, scopeId: string, stepId: string, attempt: number, signal: string, reason?: string): void {
	const found = loopOf(d, scopeId, stepId);
	if (!found) return;
	const { step, loop } = found;
	const [under] = step.running;
	// A signal between two iterations does not count as one.
	const done = under !== undefined && under.role !== "";
	const queued = under?.queued ?? false;
	const inject = own(loop.inject, signal);
	const queue = [...step.queue.slice(queued ? 1 : 0), ...(inject === undefined ? [] : [inject])];
	const passed = queued && takesTurn(d, scopeId, loop, under?.letter ?? "", step.cursor, queue);
	const delay = done ? delayOf(d, scopeId, loop.delay) : 0;
	d.emit({
		event: "step_extended",
		scope: scopeId,
		step: stepId,
		attempt,
		iteration: step.iteration + (done ? 1 : 0),
		cursor: done && (!queued || passed) ? step.cursor + 1 : step.cursor,
		queue,
		...(delay > 0 ? { until: d.at + delay } : {}),
		...(reason === undefined ? {} : { reason }),
	});
}

/** Whoever was called in has just done what the schedule would ask for next. Those who are called in after it, beside the schedule, do not change
 * that; one that the schedule names does. */
function takesTurn(d: Decision, scopeId: string, loop: Loop, letter: string, cursor: number, queue: readonly string[]): boolean {
	const insteadOf = own(loop.roles, letter)?.insteadOf;
	const scheduled = scheduleOf(d, scopeId, loop);
	if (letterAt(d, scopeId, loop, cursor) !== insteadOf) return false;
	return !queue.some((next) => next !== insteadOf && scheduled.includes(next));
}

function delayOf(d: Decision, scopeId: string, text = ""): number {
	const ms = Number(filled(d, scopeId, text));
	return Number.isFinite(ms) ? ms : 0;
}
