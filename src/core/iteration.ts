// The end of one iteration of a loop that goes on.
import type { Draft } from "./draft.ts";
import { own, typeOf } from "./query.ts";

/** The schedule moves unless the role came from the queue. */
export function endIteration(d: Draft, scopeId: string, stepId: string, attempt: number, signal: string): void {
	const step = d.step(scopeId, stepId);
	const loop = step && typeOf(d.state, step)?.loop;
	if (!step || !loop) return;
	const queued = step.queue.length > 0;
	const inject = own(loop.inject, signal);
	d.emit({
		event: "step_extended",
		scope: scopeId,
		step: stepId,
		attempt,
		iteration: step.iteration + 1,
		cursor: queued ? step.cursor : step.cursor + 1,
		queue: [...step.queue.slice(1), ...(inject === undefined ? [] : [inject])],
	});
}
