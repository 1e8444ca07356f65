// The dispatch contract over lanes of one process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dispatchSuite, guests, laneOf } from "./dispatch.suite.ts";
import { localDispatch } from "./local.ts";

dispatchSuite("local", () => ({ open: async () => localDispatch(), remove: () => {} }));

test("a lane that is sent while somebody works on it is worked on again: what it was sent for may have come too late for them", async () => {
	const dispatch = localDispatch();
	const visits = guests();
	await dispatch.work({ lanes: 2 }, visits.tenant);
	await dispatch.send(laneOf("a"));
	const first = await visits.next();
	await dispatch.send(laneOf("a"));
	assert.equal(visits.here.length, 0);
	first.go("over");
	(await visits.next()).go("over");
	await dispatch.close();
});
