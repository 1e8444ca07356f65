// A loop: one step whose attempts are iterations, their roles given by a schedule such as W5R (five W, then one R), with
// roles queued outside the schedule that do not move it.
import type { Loop } from "./definition.ts";
import type { Draft } from "./draft.ts";
import { fieldOf, own, typeOf } from "./query.ts";
import { takeRoute } from "./route.ts";
import { renderTemplate, templateNames } from "./template.ts";

/** "W5R" → W W W W W R. null: not a scheme over these letters. */
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

/** Starts the next iteration, or routes `max_iterations`. True: the loop has ended and the scope can go on. */
export function startIteration(d: Draft, scopeId: string, stepId: string, start: (attempt: number, role: string) => void): boolean {
	const step = d.step(scopeId, stepId);
	const loop = step && typeOf(d.state, step)?.loop;
	if (!step || !loop) return false;
	// Where no iteration can be started the step ends all the same, and what ends has begun.
	const end = (signal: string, error: string): true => {
		const attempt = step.status === "pending" ? step.attempt + 1 : step.attempt;
		if (step.status === "pending") d.emit({ event: "step_started", scope: scopeId, step: stepId, attempt, role: "" });
		takeRoute(d, scopeId, stepId, attempt, { signal, error });
		return true;
	};
	const max = Number(filled(d, scopeId, loop.max));
	if (Number.isFinite(max) && step.iteration >= max) return end("max_iterations", `${max} iterations are used up`);
	const letter = nextLetter(d, scopeId, loop, step.cursor, step.queue);
	const role = letter === null ? undefined : own(loop.roles, letter)?.role;
	if (role === undefined) return end("agent_error", `the schedule ${loop.schedule} names no known role`);
	start(step.attempt + 1, role);
	return false;
}

function nextLetter(d: Draft, scopeId: string, loop: Loop, cursor: number, queue: readonly string[]): string | null {
	if (queue[0] !== undefined) return queue[0];
	const schedule = parseSchedule(filled(d, scopeId, loop.schedule), Object.keys(loop.roles));
	return schedule === null ? null : (schedule[cursor % schedule.length] ?? null);
}

function filled(d: Draft, scopeId: string, text: string): string {
	const scope = d.scope(scopeId);
	return renderTemplate(
		text,
		Object.fromEntries(templateNames(text).map((name) => [name, scope ? (fieldOf(d.state, scope, name) ?? "") : ""])),
	);
}
