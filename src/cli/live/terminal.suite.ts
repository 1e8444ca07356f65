// A small terminal for tests: it knows the codes that the live view uses, fails on any other, and fails when a line
// wraps. It keeps rows above the screen, like a terminal's scrollback.
import assert from "node:assert/strict";
import { columnsOf } from "../text/columns.ts";

export class Terminal {
	columns: number;
	rows: number;
	private lines: string[] = [""];
	private row = 0;
	private column = 0;
	private highest = 0;

	constructor(columns: number, rows: number) {
		this.columns = columns;
		this.rows = rows;
	}

	write(text: string): void {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what it reads
		for (const [part, , count, code] of text.matchAll(/(\u001b\[([0-9;]*)([A-Za-z]))|\n|\r|[^\u001b\n\r]+|\u001b/g)) {
			if (part === "\n") this.newLine();
			else if (part === "\r") this.column = 0;
			else if (code === undefined) this.put(part);
			else this.obey(code, Number(count || "1"), part);
		}
	}

	/** Like real terminals: a line wider than the new width continues in the next row. */
	resize(columns: number): void {
		const below = this.lines.length - this.row;
		this.lines = this.lines.flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""]);
		this.row = this.lines.length - below;
		this.columns = columns;
	}

	/** All text, without trailing spaces. */
	text(): string[] {
		return this.lines.map((line) => line.trimEnd());
	}

	cursor(): { readonly row: number; readonly column: number } {
		return { row: this.row, column: this.column };
	}

	private put(text: string): void {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: nothing of the kind may come through
		assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f]/, "a control character that is no code of ours");
		assert.equal(this.column, 0, "the view writes whole lines");
		assert.ok(columnsOf(text) < this.columns, `wider than ${this.columns - 1} columns: ${text}`);
		const old = this.lines[this.row] ?? "";
		this.lines[this.row] = text + old.slice(text.length);
		this.column = text.length;
	}

	private newLine(): void {
		this.row++;
		this.column = 0;
		if (this.row === this.lines.length) this.lines.push("");
		this.highest = Math.max(this.highest, this.row - this.rows + 1);
	}

	private obey(code: string, count: number, part: string): void {
		if (code === "A") {
			this.row -= count;
			assert.ok(this.row >= this.highest, "goes up beyond the screen");
		} else if (code === "K") this.lines[this.row] = (this.lines[this.row] ?? "").slice(0, this.column);
		else if (code === "J") this.lines = [...this.lines.slice(0, this.row), (this.lines[this.row] ?? "").slice(0, this.column)];
		else assert.fail(`a code that it does not know: ${JSON.stringify(part)}`);
	}
}

/** Colours are not part of the text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with a control character
export const withoutColor = (text: string): string => text.replaceAll(/\u001b\[[0-9;]*m/g, "");
