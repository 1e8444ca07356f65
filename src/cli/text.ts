// How values are written for people.
import type { Usage } from "../core/model.ts";

export function clock(at: number): string {
	const date = new Date(at);
	const two = (n: number) => String(n).padStart(2, "0");
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function span(ms: number): string {
	if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
	const s = ms / 1000;
	if (s < 60) return `${s < 10 ? s.toFixed(1) : Math.round(s)}s`;
	const m = Math.floor(s / 60);
	return m < 60 ? `${m}m${String(Math.round(s % 60)).padStart(2, "0")}s` : `${Math.floor(m / 60)}h${String(m % 60).padStart(2, "0")}m`;
}

export const money = (usd: number): string => `$${usd.toFixed(usd !== 0 && usd < 0.1 ? 3 : 2)}`;

export function tokens(n: number): string {
	return n < 1000 ? String(n) : n < 999_500 ? `${(n / 1000).toFixed(n < 9_950 ? 1 : 0)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}

/** Unknown is said, not shown as zero. */
export function usageText(usage: Usage): string {
	const parts: string[] = [];
	if (usage.costUsd !== null) parts.push(money(usage.costUsd));
	if (usage.inputTokens !== null || usage.outputTokens !== null) parts.push(`${tokens(usage.inputTokens ?? 0)} in / ${tokens(usage.outputTokens ?? 0)} out`);
	return parts.join(", ");
}

/** One line, at most `width` columns, whatever an agent wrote. */
export function oneLine(text: string, width: number): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach the terminal
	const flat = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
	return flat.length <= width ? flat : `${flat.slice(0, Math.max(0, width - 1))}…`;
}

export interface Paint {
	bold(text: string): string;
	dim(text: string): string;
	green(text: string): string;
	red(text: string): string;
	yellow(text: string): string;
}

export function paint(on: boolean): Paint {
	const code = (open: number, close: number) => (text: string) => (on ? `\u001b[${open}m${text}\u001b[${close}m` : text);
	return { bold: code(1, 22), dim: code(2, 22), green: code(32, 39), red: code(31, 39), yellow: code(33, 39) };
}

export const wantsColor = (env: NodeJS.ProcessEnv, isTty: boolean): boolean =>
	(env["FORCE_COLOR"] ?? "") !== "" && env["FORCE_COLOR"] !== "0" ? true : (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb" && isTty;

/** Columns aligned by the longest entry of each. */
export function table(rows: readonly (readonly string[])[], indent = "  "): string {
	const widths: number[] = [];
	for (const row of rows) row.forEach((cell, i) => {
		widths[i] = Math.max(widths[i] ?? 0, cell.length);
	});
	return rows.map((row) => indent + row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join("  ").trimEnd()).join("\n");
}
