// What stands for a projection until its code is needed says of it all that the projection says of itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { Projection } from "../format.ts";
import { lateProjection } from "./late.ts";

test("a projection that is loaded late gets all events, and then says how large its file is", async () => {
	const seen: string[] = [];
	const real: Projection & { dirty: boolean } = {
		dirty: false,
		bytes: 0,
		apply({ event }) {
			seen.push(event);
			real.dirty = true;
		},
		async write() {
			real.dirty = false;
			Object.assign(real, { bytes: seen.length * 100 });
		},
	};
	const late = lateProjection(async () => real, ["/file"]);
	const apply = (event: Event["event"]) => late.apply({ event } as Event, {} as RunState);
	assert.deepEqual([late.dirty, late.bytes, late.files], [false, 0, ["/file"]]);
	apply("run_created");
	apply("step_started");
	assert.deepEqual([late.dirty, seen], [true, []]);
	await late.write();
	assert.deepEqual([late.dirty, late.bytes, seen], [false, 200, ["run_created", "step_started"]]);
	apply("step_completed");
	await late.write();
	assert.equal(late.bytes, 300);
});
