import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { Tail } from "./tail.ts";

const folder = mkdtempSync(join(tmpdir(), "pawl-tail-"));
after(() => rmSync(folder, { recursive: true, force: true }));

it("gives whole lines only, each once, with characters that came in two pieces", () => {
	const file = join(folder, "log");
	const tail = new Tail(file);
	const read = () => {
		const lines: string[] = [];
		tail.read((line) => lines.push(line));
		return lines;
	};
	assert.deepEqual(read(), []);
	const euro = Buffer.from("€");
	writeFileSync(file, Buffer.concat([Buffer.from("one\ntw"), euro.subarray(0, 1)]));
	assert.deepEqual(read(), ["one"]);
	appendFileSync(file, Buffer.concat([euro.subarray(1), Buffer.from("\nthree\n")]));
	assert.deepEqual(read(), ["tw€", "three"]);
	const long = "x".repeat(600_000);
	appendFileSync(file, `${long}\n`);
	assert.deepEqual(read(), [long]);
	assert.deepEqual(read(), []);
});

it("begins near the end of a long file if only its last bytes are wanted, with a whole line", () => {
	const file = join(folder, "long");
	writeFileSync(file, Array.from({ length: 1000 }, (_, i) => `line ${i}\n`).join(""));
	const tail = new Tail(file, 20);
	const lines: string[] = [];
	tail.read((line) => lines.push(line));
	assert.deepEqual([lines, tail.cut], [["line 998", "line 999"], true]);
	appendFileSync(file, "more\n");
	tail.read((line) => lines.push(line));
	assert.equal(lines.at(-1), "more");
	assert.equal(new Tail(file, 1_000_000).cut, false);
});
