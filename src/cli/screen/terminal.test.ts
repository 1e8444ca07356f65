// What is written between two drawings, on a small screen of our own; and the keys that a terminal sends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyReader } from "./keys.ts";
import { changes } from "./terminal.ts";

/** Knows the codes of a drawing and no others. */
class Grid {
	readonly rows: string[] = [];
	write(text: string): void {
		let row = 0;
		let column = 0;
		// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what it reads
		for (const [part, at] of text.matchAll(/\u001b\[(\d+);1H|\u001b\[0m|\u001b\[K|[^\u001b]+|\u001b/g)) {
			if (at !== undefined) [row, column] = [Number(at) - 1, 0];
			else if (part === "\u001b[K") this.rows[row] = (this.rows[row] ?? "").slice(0, column);
			else if (part !== "\u001b[0m") {
				assert.ok(!part.startsWith("\u001b"), "a code that it does not know");
				const old = this.rows[row] ?? "";
				this.rows[row] = part + old.slice(part.length);
				column = part.length;
			}
		}
	}
}

test("only rows that changed are written, and the screen shows the last drawing", () => {
	const grid = new Grid();
	const drawings = [
		["one", "two", "three"],
		["one", "2", "three"],
		["one", "2", ""],
	];
	let before: string[] = [];
	for (const lines of drawings) {
		grid.write(changes(before, lines));
		before = lines;
		assert.deepEqual(grid.rows, lines);
	}
	assert.equal(changes(before, before), "");
	assert.doesNotMatch(changes(drawings[0] ?? [], drawings[1] ?? []), /one|three/);
});

test("keys by their names, whole, in pieces and pasted", () => {
	const reader = new KeyReader();
	assert.deepEqual(reader.read("j\u001b[A\u001b[B\u001bOC\u001b[5~\r\u007f"), ["j", "up", "down", "right", "pageup", "enter", "backspace"]);
	assert.deepEqual(reader.read("\u001b"), ["esc"]);
	assert.deepEqual([...reader.read("\u001b["), ...reader.read("6~q")], ["pagedown", "q"]);
	assert.deepEqual(reader.read("\u001b[1;5A\u001b[<0;1;1Mä\u0003"), ["ä", "ctrl-c"], "unknown sequences are no keys");
	assert.deepEqual([...reader.read("\u001b[200~two\nli"), ...reader.read("nes\u001b[201~\r")], ["two lines", "enter"]);
});
