// The schedule of a loop: whose turn it is by the letters alone.
import type { Loop } from "../definition.ts";
import { fieldOf } from "../query.ts";
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

/** null: the schedule names no known role. */
export function letterAt(d: Decision, scopeId: string, loop: Loop, cursor: number): string | null {
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
