// How values are written for people.
import type { Usage } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { columnsOf, cutTo, padTo } from "./columns.ts";

export function clock(at: number): string {
	const date = new Date(at);
	const two = (n: number) => String(n).padStart(2, "0");
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function span(ms: number): string {
	if (ms < 1000) return `${Math.max(0, Math.floor(ms))}ms`;
	if (ms < 9950) return `${(ms / 1000).toFixed(1)}s`;
	const s = Math.round(ms / 1000);
	const two = (n: number) => String(n).padStart(2, "0");
	if (s < 60) return `${s}s`;
	const m = Math.floor(s / 60);
	return m < 60 ? `${m}m${two(s % 60)}s` : `${Math.floor(m / 60)}h${two(m % 60)}m`;
}

export function tokens(n: number): string {
	return n < 1000 ? String(n) : n < 999_500 ? `${(n / 1000).toFixed(n < 9_950 ? 1 : 0)}k` : `${(n / 1_000_000).toFixed(1)}M`;
}

/** Says "unknown" instead of showing zero. */
export function usageText(usage: Usage): string {
	const parts: string[] = [];
	if (usage.costUsd !== null) parts.push(money(usage.costUsd));
	if (usage.inputTokens !== null || usage.outputTokens !== null)
		parts.push(`${tokens(usage.inputTokens ?? 0)} in / ${tokens(usage.outputTokens ?? 0)} out`);
	return parts.join(", ");
}

/** One complete line, whatever an agent wrote: nothing in it moves the cursor, changes colours or reverses the line. */
export function flat(text: string): string {
	return (
		text
			// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences must not reach the terminal, nor parts of them as text
			.replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g, "")
			// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
			.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
			.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, "")
			.trim()
	);
}

/** The same, in at most `width` columns. */
export const oneLine = (text: string, width: number): string => cutTo(flat(text), width);

/** Parts with commas between them, on as many lines as they need. */
export function joined(parts: readonly string[], width: number, indent = ""): string[] {
	const lines: string[] = [];
	for (const part of parts) {
		const last = lines.at(-1);
		const longer = last === undefined ? null : `${last}, ${part}`;
		if (longer === null) lines.push(part);
		else if (columnsOf(longer) < width) lines.splice(-1, 1, longer);
		else lines.splice(-1, 1, `${last},`, indent + part);
	}
	return lines;
}

export interface Paint {
	bold(text: string): string;
	dim(text: string): string;
	green(text: string): string;
	red(text: string): string;
	yellow(text: string): string;
	cyan(text: string): string;
	inverse(text: string): string;
}

export function paint(on: boolean): Paint {
	const code = (open: number, close: number) => (text: string) => (on ? `\u001b[${open}m${text}\u001b[${close}m` : text);
	return {
		bold: code(1, 22),
		dim: code(2, 22),
		green: code(32, 39),
		red: code(31, 39),
		yellow: code(33, 39),
		cyan: code(36, 39),
		inverse: code(7, 27),
	};
}

export const wantsColor = (env: NodeJS.ProcessEnv, isTty: boolean): boolean =>
	(env["FORCE_COLOR"] ?? "") !== "" && env["FORCE_COLOR"] !== "0"
		? true
		: (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb" && isTty;

/** Columns aligned by the longest entry of each. */
export function table(rows: readonly (readonly string[])[], indent = "  "): string {
	const widths: number[] = [];
	for (const row of rows)
		row.forEach((cell, i) => {
			widths[i] = Math.max(widths[i] ?? 0, columnsOf(cell));
		});
	return rows
		.map(
			(row) =>
				indent +
				row
					.map((cell, i) => (i === row.length - 1 ? cell : padTo(cell, widths[i] ?? 0)))
					.join("  ")
					.trimEnd(),
		)
		.join("\n");
}

// Characters that a terminal obeys or that reorder a line: control characters other than tab and line feed, and those for the writing direction.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with such characters spelled out, as `cat -v` does. */
export const visible = (text: string): string =>
	text.replaceAll("\r\n", "\n").replace(OBEYED, (one) => {
		const code = one.charCodeAt(0);
		return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : `<${code.toString(16).padStart(4, "0")}>`;
	});
