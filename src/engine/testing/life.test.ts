import assert from "node:assert/strict";
import { test } from "node:test";
import { dieAt, dieBy, Killed, Life } from "./life.suite.ts";
import { settled, VirtualClock } from "./virtual-clock.suite.ts";

const counter = () => {
	let value = 0;
	return { add: async () => ++value, read: async () => value };
};

test("a killed process does nothing more and learns nothing more; what it did stays", async () => {
	const world = counter();
	const clock = new VirtualClock();
	const life = new Life(clock, dieBy("after add#2"));
	const seen = life.wrap(world, { add: "add" });
	const said: string[] = [];
	life.clock.after(10, () => said.push("timer"));
	void (async () => {
		for (;;) said.push(`added ${await seen.add()}`);
	})();
	await settled();
	assert.ok(life.dead);
	void seen.read().then(() => said.push("read"));
	void seen.add().then(() => said.push("added"));
	await clock.runUntilIdle();
	assert.deepEqual([said, await world.read()], [["added 1"], 2]);
	assert.deepEqual(life.boundaries, ["before add", "after add", "before add", "after add"]);
	assert.throws(() => life.point("anywhere"), Killed);
});

test("a boundary can fail, or take time", async () => {
	const clock = new VirtualClock(0);
	const life = new Life(clock, (_, nth) => (nth === 1 ? { fail: new Error("no disk") } : { wait: 1_000 }));
	const seen = life.wrap(counter(), { add: "add" });
	await assert.rejects(seen.add(), /no disk/);
	assert.equal(await clock.runUntil(seen.read()), 0);
	await assert.rejects(clock.runUntil(seen.add()), /no disk/, "its first `after add`");
	assert.equal(await clock.runUntil(seen.add()), 2);
	assert.equal(clock.now(), 3_000);
});

test("what is telling comes right after something that outlives the process", async () => {
	const life = new Life(new VirtualClock());
	const seen = life.wrap({ ...counter(), write: async () => {} }, { add: "add", write: "projection" });
	await seen.add();
	await seen.write();
	await seen.read();
	life.point("a point");
	await seen.add();
	assert.deepEqual(
		life.telling.map((n) => life.boundaries[n]),
		["after add", "after add"],
	);
	const again = new Life(new VirtualClock(), dieAt(life.telling[1] ?? -1));
	again.point("one");
	assert.equal(again.dead, false);
});
