// The schedule of a loop: whose turn it is by the letters alone.
import type { Loop } from "../definition.ts";
import type { Step } from "../model.ts";
import { fieldOf, typeOf } from "../query.ts";
import { renderTemplate, templateNames } from "../template.ts";
import type { Decision } from "./decision.ts";

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

/** Its letters in order; none if they name no known role. */
export const scheduleOf = (d: Decision, scopeId: string, { schedule, roles }: Loop): readonly string[] =>
	parseSchedule(filled(d, scopeId, schedule), Object.keys(roles)) ?? [];

/** undefined: the schedule names no known role. */
export function letterAt(d: Decision, scopeId: string, loop: Loop, cursor: number): string | undefined {
	const schedule = scheduleOf(d, scopeId, loop);
	return schedule[cursor % schedule.length];
}

/** A step that is a loop; null if there is none. */
export function loopOf(d: Decision, scopeId: string, stepId: string): { readonly step: Step; readonly loop: Loop } | null {
	const step = d.step(scopeId, stepId);
	const loop = step && typeOf(d.state, step)?.loop;
	return loop ? { step, loop } : null;
}

export function filled(d: Decision, scopeId: string, text: string): string {
	const scope = d.scope(scopeId);
	return renderTemplate(
		text,
		Object.fromEntries(templateNames(text).map((name) => [name, scope ? (fieldOf(d.state, scope, name) ?? "") : ""])),
	);
}
