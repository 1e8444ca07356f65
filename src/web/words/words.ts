// Values as people read them.
import { money } from "../../core/money.ts";
import type { RunRow, Spent } from "../api/types.ts";

/** The status of a run in words. A running one that no process drives was cut off. */
export const runWord = ({ status, driven, stopping }: Pick<RunRow, "status" | "driven"> & { readonly stopping?: string | null }): string =>
	status !== "running" ? status : !driven ? "cut off" : stopping ? "stopping" : "running";

/** The look that goes with a status. */
export function toneOf(word: string): string {
	switch (word) {
		case "running":
		case "in progress":
		case "in_progress":
			return "busy";
		case "waiting":
			return "asks";
		case "completed":
		case "passed":
			return "good";
		case "failed":
		case "cut off":
		case "refused":
			return "bad";
		case "paused":
		case "stopped":
		case "limited":
		case "blocked":
		case "stopping":
			return "held";
		default:
			return "calm";
	}
}

export const statusWord = (status: string): string => status.replaceAll("_", " ");

export const moneyText = (usd: number | null | undefined): string => (usd === null || usd === undefined ? "–" : money(usd));

/** Unknown is never shown as zero. */
export const costText = ({ cost_usd, unknown_cost_sessions, sessions }: Pick<Spent, "cost_usd" | "unknown_cost_sessions" | "sessions">) =>
	cost_usd === null
		? sessions === 0
			? "$0.00"
			: "unknown"
		: `${money(cost_usd)}${unknown_cost_sessions > 0 ? ` + ${unknown_cost_sessions} unknown` : ""}`;

const two = (n: number): string => String(n).padStart(2, "0");

export function span(ms: number | null | undefined): string {
	if (ms === null || ms === undefined) return "–";
	const s = Math.max(0, Math.round(ms / 1000));
	if (ms < 950) return `${Math.max(0, Math.round(ms))} ms`;
	if (s < 60) return `${s} s`;
	const m = Math.floor(s / 60);
	if (m < 60) return `${m}m ${two(s % 60)}s`;
	return m < 2880 ? `${Math.floor(m / 60)}h ${two(m % 60)}m` : `${Math.floor(m / 1440)} days`;
}

export const tokensText = (n: number | null | undefined): string =>
	n === null || n === undefined
		? "–"
		: n < 1000
			? String(n)
			: n < 999_500
				? `${(n / 1000).toFixed(n < 9_950 ? 1 : 0)}k`
				: `${(n / 1_000_000).toFixed(1)}M`;

export const timeOf = (at: string | number | null | undefined): number | null => {
	if (at === null || at === undefined) return null;
	const ms = typeof at === "number" ? at : Date.parse(at);
	return Number.isNaN(ms) ? null : ms;
};

export function clock(at: string | number | null | undefined): string {
	const ms = timeOf(at);
	if (ms === null) return "–";
	const date = new Date(ms);
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function dateText(at: string | number | null | undefined): string {
	const ms = timeOf(at);
	return ms === null ? "–" : new Date(ms).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

export function ago(at: string | number | null | undefined, now: number): string {
	const ms = timeOf(at);
	if (ms === null) return "–";
	const past = Math.max(0, now - ms);
	if (past < 60_000) return "just now";
	if (past < 3_600_000) return `${Math.floor(past / 60_000)} min ago`;
	if (past < 86_400_000) return `${Math.floor(past / 3_600_000)} h ago`;
	return dateText(ms);
}

export const countOf = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
