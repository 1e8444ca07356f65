// A loop: one step whose attempts are iterations. A schedule such as W5R (five W, then one R) says whose turn it is; queued roles come
// first and do not advance the schedule.
import type { Step } from "../model.ts";
import { own } from "../query.ts";
import type { Decision } from "./decision.ts";
import { filled, letterAt, loopOf } from "./loop-schedule.ts";
import { takeRoute } from "./route.ts";

/** How it became a role's turn. */
export interface Called {
	readonly letter?: string;
	readonly queued?: boolean;
}

/** Starts the next iteration, or routes what ends the loop. True: the loop has ended and the scope can continue. */
export function startIteration(
	d: Decision,
	scopeId: string,
	stepId: string,
	start: (attempt: number, role: string, how: Called) => unknown,
): boolean {
	begin(d, scopeId, stepId);
	const found = loopOf(d, scopeId, stepId);
	if (!found) return false;
	const { step, loop } = found;
	// The step may end before any iteration; a step that ends must have been started.
	const end = (signal: string, error: string): true => {
		const attempt = step.status === "pending" ? step.attempt + 1 : step.attempt;
		if (step.status === "pending") d.emit({ event: "step_started", scope: scopeId, step: stepId, attempt, role: "" });
		takeRoute(d, scopeId, stepId, attempt, { signal, error });
		return true;
	};
	if (step.asked) {
		d.emit({ event: "loop_asked", scope: scopeId, step: stepId, queue: step.queue, skips: step.skips ?? 0, asked: null });
		return end(step.asked.signal, step.asked.reason);
	}
	if (typeof d.state.held === "string") return false;
	const max = step.max ?? Number(filled(d, scopeId, loop.max));
	if (Number.isFinite(max) && step.iteration >= max) return end("max_iterations", `${max} iterations are used up`);
	const { cursor } = passOver(d, scopeId, step);
	const letter = step.queue[0] ?? letterAt(d, scopeId, loop, cursor) ?? "";
	const role = own(loop.roles, letter)?.role;
	if (role === undefined)
		return end("agent_error", `the schedule ${filled(d, scopeId, loop.schedule) || loop.schedule} names no known role`);
	start(step.attempt + 1, role, { letter, ...(step.queue.length > 0 ? { queued: true } : {}) });
	return false;
}

/** Continues work that was begun elsewhere. */
function begin(d: Decision, scopeId: string, stepId: string): void {
	const found = loopOf(d, scopeId, stepId);
	if (!found?.loop.start) return;
	const { step, loop } = found;
	const { start } = found.loop;
	if (step.attempt > 0 || step.iteration > 0 || step.cursor > 0) return;
	const number = (text = ""): number => {
		const n = Number(filled(d, scopeId, text));
		return Number.isSafeInteger(n) ? Math.max(0, n) : 0;
	};
	const iteration = number(start.iteration);
	const cursor = number(start.cursor);
	const queue = [...filled(d, scopeId, start.queue ?? "")].filter((letter) => own(loop.roles, letter) !== undefined);
	// Those who are called may be queued already, if nothing could start then.
	if (iteration === 0 && cursor === 0 && queue.every((letter, at) => step.queue[at] === letter)) return;
	d.emit({ event: "step_extended", scope: scopeId, step: stepId, attempt: 0, iteration, cursor, queue: [...queue, ...step.queue] });
}

/** Skips positions of the schedule, which do not count as iterations. Does not skip queued roles. */
function passOver(d: Decision, scopeId: string, step: Step): Step {
	const skips = step.skips ?? 0;
	if (skips < 1 || step.queue.length > 0) return step;
	const { id, iteration, queue, asked = null } = step;
	d.emit({ event: "loop_asked", scope: scopeId, step: id, queue, skips: 0, asked });
	d.emit({ event: "step_extended", scope: scopeId, step: id, attempt: 0, iteration, cursor: step.cursor + skips, queue });
	return d.step(scopeId, id) ?? step;
}
