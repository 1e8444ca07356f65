import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openBounded } from "./bounded-file.ts";

const folder = mkdtempSync(join(tmpdir(), "pawl-bounded-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const line = (n: number): string => `{"n":${n},"text":"${"x".repeat(n % 90)}"}\n`;
const linesOf = (file: string) =>
	readFileSync(file, "utf8")
		.trimEnd()
		.split("\n")
		.map((text) => JSON.parse(text));

test("G-30: of a flood the beginning and the end are kept, every line whole, and one record says how much is missing", () => {
	for (const max of [64_000, 200_000, 5_000_000]) {
		const file = join(folder, `${max}.jsonl`);
		appendFileSync(file, '{"before":true}\n');
		const open = openBounded(file, max);
		const count = Math.ceil((max * 7) / 60);
		let written = 0;
		for (let n = 0; n < count; n++) {
			open.append(line(n));
			written += line(n).length;
		}
		open.close();
		const text = readFileSync(file, "utf8");
		assert.ok(text.length <= max + 1000 && text.length > max / 2, `${text.length} of ${max}`);
		const all = linesOf(file);
		const cut = all.filter((one) => one.type === "cut");
		assert.deepEqual([all[0], all[1]?.n, all.at(-1)?.n, cut.length], [{ before: true }, 0, count - 1, 1]);
		assert.equal(cut[0].bytes, open.cut);
		assert.equal(
			text.length - '{"before":true}\n'.length - `{"type":"cut","bytes":${" ".repeat(16)}}\n`.length + open.cut,
			written,
			"nothing else is missing",
		);
		const numbers = all.flatMap((one) => (one.n === undefined ? [] : [one.n]));
		assert.deepEqual(
			numbers,
			numbers.toSorted((a, b) => a - b),
		);
	}
});

test("G-30: what fits is kept as it is, and the next attempt has a bound of its own", () => {
	const file = join(folder, "fits.jsonl");
	for (let attempt = 0; attempt < 3; attempt++) {
		const open = openBounded(file, 64_000);
		for (let n = 0; n < 500; n++) open.append(line(n));
		assert.equal(open.cut, 0);
		open.close();
	}
	assert.equal(linesOf(file).length, 1500);
});
