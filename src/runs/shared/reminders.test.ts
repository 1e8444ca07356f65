import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Reminders } from "./reminders.ts";

describe("lanes that wait", () => {
	test("are told of at once, then less and less often, and at least every 33rd look", () => {
		const reminders = new Reminders();
		const told = Array.from({ length: 200 }, (_, look) => (reminders.due("run", ["US-1"]).length > 0 ? look : -1)).filter(
			(look) => look >= 0,
		);
		assert.deepEqual(told.slice(0, 5), [0, 2, 5, 10, 19]);
		assert.equal(Math.max(...told.slice(1).map((look, at) => look - (told[at] ?? 0))), 33);
	});

	test("are told of at once again when they waited before, and each by itself", () => {
		const reminders = new Reminders();
		assert.deepEqual(reminders.due("run", ["US-1"]), ["US-1"]);
		assert.deepEqual(reminders.due("run", ["US-1", "US-2"]), ["US-2"]);
		assert.deepEqual(reminders.due("other", ["US-1"]), ["US-1"]);
		assert.deepEqual(reminders.due("run", []), []);
		assert.deepEqual(reminders.due("run", ["US-1"]), ["US-1"]);
	});
});
