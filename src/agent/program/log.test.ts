// Whatever bytes an agent prints, the log is lines of JSON and nothing is lost.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { logLines } from "../agent.suite.ts";
import { openLog } from "./log.ts";

const dir = mkdtempSync(join(tmpdir(), "pawl-log-test-"));
after(() => rmSync(dir, { recursive: true, force: true }));
let counter = 0;

function logged(chunks: readonly Buffer[], stream: "stdout" | "stderr" = "stdout"): Record<string, unknown>[] {
	const file = join(dir, "deep", `${++counter}.jsonl`);
	const log = openLog(file);
	assert.ok(!("problem" in log));
	for (const chunk of chunks) log.write(stream, chunk);
	log.end({ type: "end" });
	const lines = logLines(file);
	assert.deepEqual(lines.pop(), { type: "end" });
	return lines;
}

describe("the log", () => {
	it("keeps objects as they are and wraps everything else", () => {
		const lines = logged([Buffer.from('{"type":"x","n":1}\nplain\n{broken\n[1]\n\r\n{"crlf":1}\r\nlast')]);
		const text = (value: string) => ({ type: "text", stream: "stdout", text: value });
		assert.deepEqual(lines, [{ type: "x", n: 1 }, text("plain"), text("{broken"), text("[1]"), text(""), { crlf: 1 }, text("last")]);
	});

	it("wraps all of stderr", () => {
		assert.deepEqual(logged([Buffer.from('{"a":1}\n')], "stderr"), [{ type: "text", stream: "stderr", text: '{"a":1}' }]);
	});

	it("cuts long lines at characters, and loses none of them", () => {
		const long = "aé€😀".repeat(30_000);
		const bytes = Buffer.from(`${long}\n{"x":"${long}"}\nend\n`);
		const chunks = Array.from({ length: Math.ceil(bytes.length / 7001) }, (_, i) => bytes.subarray(i * 7001, (i + 1) * 7001));
		const pieces = logged(chunks).map((line) => String(line["text"]));
		assert.ok(pieces.every((piece) => Buffer.byteLength(piece) <= 64 * 1024));
		assert.ok(pieces.join("") === `${long}{"x":"${long}"}end`);
	});

	it("survives any bytes, cut anywhere", () => {
		fc.assert(
			fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
				logged(chunks.map((chunk) => Buffer.from(chunk)));
			}),
			{ numRuns: 50 },
		);
	});

	it("does not blow up a flood of short lines", () => {
		const chunk = Buffer.from("y\n".repeat(32_768));
		const lines = logged(Array.from({ length: 160 }, () => chunk));
		const size = statSync(join(dir, "deep", `${counter}.jsonl`)).size;
		assert.ok(size < 60_000_000, `${size} bytes for 10 MB`);
		assert.equal(lines.map((line) => `${line["text"]}\n`).join("").length, 160 * chunk.length);
	});
});
