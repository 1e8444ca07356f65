// A loop: one step whose attempts are iterations. A schedule such as W5R (five W, then one R) says whose turn it is; queued roles come
// first and do not advance the schedule.
import type { Loop } from "../definition.ts";
import type { Step } from "../model.ts";
import { fieldOf, own, typeOf } from "../query.ts";
import { renderTemplate, templateNames } from "../template.ts";
import type { Decision } from "./decision.ts";
import { takeRoute } from "./route.ts";

/** How it became a role's turn. */
export interface Called {
	readonly letter?: string;
	readonly queued?: boolean;
}

/** "W5R" → W W W W W R. null: not a schedule over these letters. */
export function parseSchedule(text: string, letters: readonly string[]): string[] | null {
	const out: string[] = [];
	const part = /([A-Za-z])(\d{0,4})/gy;
	let end = 0;
	for (let m = part.exec(text); m !== null; m = part.exec(text)) {
		const letter = m[1] ?? "";
		const count = m[2] === "" ? 1 : Number(m[2]);
		if (!letters.includes(letter) || count < 1 || out.length + count > 10_000) return null;
		for (let i = 0; i < count; i++) out.push(letter);
		end = part.lastIndex;
	}
	return end === text.length && out.length > 0 ? out : null;
}

/** Starts the next iteration, or routes what ends the loop. True: the loop has ended and the scope can continue. */
export function startIteration(
	d: Decision,
	scopeId: string,
	stepId: string,
	start: (attempt: number, role: string, how: Called) => unknown,
): boolean {
	begin(d, scopeId, stepId);
	const step = d.step(scopeId, stepId);
	const loop = step && typeOf(d.state, step)?.loop;
	if (!step || !loop) return false;
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
	const letter = nextLetter(d, scopeId, loop, cursor, step.queue);
	const role = letter === null ? undefined : own(loop.roles, letter)?.role;
	if (letter === null || role === undefined)
		return end("agent_error", `the schedule ${filled(d, scopeId, loop.schedule) || loop.schedule} names no known role`);
	start(step.attempt + 1, role, { letter, ...(step.queue.length > 0 ? { queued: true } : {}) });
	return false;
}

/** Continues work that was begun elsewhere. */
function begin(d: Decision, scopeId: string, stepId: string): void {
	const step = d.step(scopeId, stepId);
	const loop = step && typeOf(d.state, step)?.loop;
	if (!step || !loop?.start || step.attempt > 0 || step.iteration > 0 || step.cursor > 0) return;
	const number = (text: string | undefined): number => {
		const n = Number(filled(d, scopeId, text ?? "0"));
		return Number.isSafeInteger(n) && n > 0 ? n : 0;
	};
	const iteration = number(loop.start.iteration);
	const cursor = number(loop.start.cursor);
	const queue = [...filled(d, scopeId, loop.start.queue ?? "")].filter((letter) => own(loop.roles, letter) !== undefined);
	if (iteration === 0 && cursor === 0 && queue.length === 0) return;
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

function nextLetter(d: Decision, scopeId: string, loop: Loop, cursor: number, queue: readonly string[]): string | null {
	if (queue[0] !== undefined) return queue[0];
	const schedule = parseSchedule(filled(d, scopeId, loop.schedule), Object.keys(loop.roles));
	return schedule === null ? null : (schedule[cursor % schedule.length] ?? null);
}

export function filled(d: Decision, scopeId: string, text: string): string {
	const scope = d.scope(scopeId);
	return renderTemplate(
		text,
		Object.fromEntries(templateNames(text).map((name) => [name, scope ? (fieldOf(d.state, scope, name) ?? "") : ""])),
	);
}
