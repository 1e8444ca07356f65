// The end of one iteration of a loop that continues.

import { fieldOf, own, typeOf } from "../query.ts";
import { renderTemplate, templateNames } from "../template.ts";
import type { Decision } from "./decision.ts";

/** Advances the schedule, unless the role came from the queue. `reason`: why the iteration failed. */
export function endIteration(d: Decision, scopeId: string, stepId: string, attempt: number, signal: string, reason?: string): void {
	const step = d.step(scopeId, stepId);
	const loop = step && typeOf(d.state, step)?.loop;
	if (!step || !loop) return;
	const under = step.running.find((a) => a.number === attempt);
	// A signal between two iterations does not count as one.
	const done = under !== undefined && under.role !== "";
	const queued = under?.queued ?? false;
	const inject = own(loop.inject, signal);
	const delay = done ? delayOf(d, scopeId, loop.delay) : 0;
	d.emit({
		event: "step_extended",
		scope: scopeId,
		step: stepId,
		attempt,
		iteration: step.iteration + (done ? 1 : 0),
		cursor: done && !queued ? step.cursor + 1 : step.cursor,
		queue: [...step.queue.slice(queued ? 1 : 0), ...(inject === undefined ? [] : [inject])],
		...(delay > 0 ? { until: d.at + delay } : {}),
		...(reason === undefined ? {} : { reason }),
	});
}

function delayOf(d: Decision, scopeId: string, text = ""): number {
	const scope = d.scope(scopeId);
	const values = Object.fromEntries(templateNames(text).map((name) => [name, scope ? (fieldOf(d.state, scope, name) ?? "") : ""]));
	const ms = Number(renderTemplate(text, values));
	return Number.isFinite(ms) && ms > 0 ? ms : 0;
}
