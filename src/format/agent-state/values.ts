// Money, time and learnings as `agent-state.json` spells them. Inside they are numbers.
import type { AgentState, Learning } from "./document.ts";
import { LEARNING_TYPES } from "./words.ts";

/** An amount spent, always with cents. */
export const cents = (usd: number): string => `$${usd.toFixed(2)}`;

/** A limit, as short as possible. */
export const limit = (usd: number): string => `$${Number.isInteger(usd) ? usd : Number(usd.toFixed(2)) === usd ? usd.toFixed(2) : usd}`;

export const dollarsOf = (text: string): number => Number(text.replace("$", ""));

const parts = (ms: number): [h: number, m: number, s: number] => {
	const all = Math.max(0, Math.floor(ms / 1000));
	return [Math.floor(all / 3600), Math.floor((all % 3600) / 60), all % 60];
};

/** `0h 34m 8s` */
export function elapsedTime(ms: number): string {
	const [h, m, s] = parts(ms);
	return `${h}h ${m}m ${s}s`;
}

/** `15m 23s`; hours only if there are any. */
export function taskTime(ms: number): string {
	const [h, m, s] = parts(ms);
	return h > 0 ? `${h}h ${m}m ${s}s` : m > 0 ? `${m}m ${s}s` : `${s}s`;
}

/** `2h`, `1h 30m`: a limit without the parts that are zero. */
export function timeLimit(ms: number): string {
	const [h, m, s] = parts(Math.ceil(ms / 1000) * 1000);
	return [h > 0 ? `${h}h` : "", m > 0 ? `${m}m` : "", s > 0 || (h === 0 && m === 0) ? `${s}s` : ""].filter((part) => part !== "").join(" ");
}

export function msOf(text: string): number {
	const [, h = 0, m = 0, s = 0] = (/^(?:(\d+)h)? ?(?:(\d+)m)? ?(?:(\d+)s)?$/.exec(text) ?? []).map((part) => Number(part ?? 0));
	return ((h * 60 + m) * 60 + s) * 1000;
}

export const iso = (at: number): string => new Date(at).toISOString();

/** `type | lesson | pattern | context`; without one of the known types it is an insight. null: it is empty. */
export function readLearning(text: string): Pick<Learning, "type" | "lesson" | "pattern" | "context"> | null {
	const all = text.split("|").map((part) => part.replace(/\s+/g, " ").trim());
	const type = LEARNING_TYPES.find((one) => one === all[0]?.toLowerCase());
	const [lesson = "", pattern = "", ...context] = type === undefined ? all : all.slice(1);
	return lesson === "" ? null : { type: type ?? "insight", lesson, pattern, context: context.join(" | ") };
}

/** The state without running agents and durations, for comparing two of them: people may remove agents that are gone. */
export function comparable(state: AgentState): string {
	const { active_agents: _, safety_bounds, ...rest } = state;
	return JSON.stringify(sorted({ ...rest, safety_bounds: { ...safety_bounds, elapsed_time: "" } }));
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, one]) => [key, sorted(one)]),
	);
}
