import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { VirtualClock } from "./virtual-clock.suite.ts";

test("timers fire in the order of their time, then of their being set; a cancelled one does not", async () => {
	const clock = new VirtualClock(1000);
	const fired: string[] = [];
	const note = (name: string) => () => fired.push(`${name} at ${clock.now()}`);
	clock.after(20, note("late"));
	clock.after(10, note("first"));
	clock.after(10, note("second"));
	clock.after(15, note("never"))();
	clock.after(5, () => clock.after(5, note("third, set by a timer")));
	await clock.runUntilIdle();
	assert.deepEqual(fired, ["first at 1010", "second at 1010", "third, set by a timer at 1010", "late at 1020"]);
	assert.equal(clock.waiting, 0);
});

test("advance passes just that much time, whatever is due later", async () => {
	const clock = new VirtualClock(0);
	const fired: number[] = [];
	const tick = (): void => {
		fired.push(clock.now());
		clock.after(10, tick);
	};
	clock.after(10, tick);
	await clock.advance(35);
	assert.deepEqual([fired, clock.now(), clock.waiting], [[10, 20, 30], 35, 1]);
});

test("time stands still while a file is being read or written", async (t) => {
	const folder = await mkdtemp(join(tmpdir(), "pawl-clock-"));
	t.after(() => rm(folder, { recursive: true, force: true }));
	const clock = new VirtualClock(0);
	const file = join(folder, "x");
	const work = async (): Promise<number> => {
		for (let n = 0; n < 20; n++) await writeFile(file, `${await readFile(file, "utf8").catch(() => "")}x`);
		return clock.now();
	};
	clock.after(60_000, () => {});
	assert.equal(await clock.runUntil(work()), 0);
	assert.equal((await readFile(file, "utf8")).length, 20);
});

test("waiting for what cannot come is an error, not a hang", async () => {
	const clock = new VirtualClock(0);
	assert.equal(await clock.runUntil(clock.sleep(3_600_000).then(() => clock.now())), 3_600_000);
	await assert.rejects(clock.runUntil(new Promise(() => {})), /nothing is due/);
	await assert.rejects(clock.runUntil(Promise.reject(new Error("its own"))), /its own/);
});

test("a process whose output is still open is under way, though it has ended itself", async () => {
	const said = new Promise<string>((done, fail) =>
		execFile("sh", ["-c", "{ sleep 0.1; echo late; } & exit 0"], (error, stdout) => (error === null ? done(stdout) : fail(error))),
	);
	assert.equal(await new VirtualClock().runUntil(said), "late\n");
});
