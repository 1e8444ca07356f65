// What is found by its mark while processes come and go.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { markedAmong, PROC } from "./proc-table.ts";
import { MARK_VARIABLE } from "./process-table.ts";
import { has } from "./system.ts";

test("one that ends before it is looked at, and has started another one after the list was made, hides nobody", () => {
	const lists = [
		[1, 7],
		[1, 8],
		[1, 8],
		[1, 8],
	];
	const found = markedAmong(
		() => lists.shift() ?? assert.fail("it looks on and on"),
		(pid) => pid === 8,
		() => assert.fail("nobody is unclear"),
	);
	assert.deepEqual(found, [8]);
});

test("one that is about to become another program is looked at again, and one that never says is given up", () => {
	let looks = 0;
	let pauses = 0;
	const list = (): number[] => [1, 7, 9];
	const found = markedAmong(
		list,
		(pid) => (pid === 7 ? (looks++ < 3 ? null : true) : pid === 9 ? null : false),
		() => void pauses++,
	);
	assert.deepEqual(found, [7]);
	assert.ok(pauses >= 3 && pauses < 100);
});

test("a real process is found by its mark, and nobody else", { skip: has("proc") ? false : "no /proc" }, async () => {
	const mark = `run-of-this-test:${process.pid}`;
	const child = spawn("sleep", ["60"], { env: { ...process.env, [MARK_VARIABLE]: mark }, stdio: "ignore" });
	await once(child, "spawn");
	assert.deepEqual(PROC.marked(mark), [child.pid]);
	child.kill("SIGKILL");
	await once(child, "exit");
	assert.deepEqual(PROC.marked(mark), []);
});
