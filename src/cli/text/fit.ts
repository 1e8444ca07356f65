// Tables that fit the terminal: empty columns are left out, the last one is cut, no line is wider than asked.
import { oneLine } from "./text.ts";

export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

const GAP = "  ";

export function fitted(rows: readonly (readonly Cell[])[], width: number, indent = GAP): string {
	const plain = rows.map((row) => row.map((cell) => oneLine(typeof cell === "string" ? cell : cell.text, 10_000)));
	const widths: number[] = [];
	for (const row of plain) for (const [i, text] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, text.length);
	const used = widths.flatMap((w, i) => (w > 0 ? [i] : []));
	return rows.map((row, r) => indent + line(row, plain[r] ?? [], used, widths, width - indent.length)).join("\n");
}

function line(row: readonly Cell[], plain: readonly string[], used: readonly number[], widths: readonly number[], width: number): string {
	const filled = used.filter((i) => (plain[i] ?? "") !== "").at(-1) ?? -1;
	let left = width;
	let out = "";
	for (const i of used) {
		if (i > filled || left <= 0) break;
		const gap = i === used[0] ? "" : GAP;
		const text = oneLine(plain[i] ?? "", left - gap.length);
		const padded = i === filled ? text : text.padEnd(Math.min(widths[i] ?? 0, left - gap.length));
		left -= gap.length + padded.length;
		const cell = row[i];
		out += gap + (cell === undefined || typeof cell === "string" ? padded : cell.paint(padded));
	}
	return out;
}
