// When the files that follow the journal are written: at once for whoever reads them next, unless that would cost a long run its time.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { Projection } from "../format.ts";
import { Projector } from "./projector.ts";

const MEGABYTE = 1024 * 1024;

class Written implements Projection {
	dirty = false;
	writes = 0;
	bytes: number;

	constructor(bytes: number) {
		this.bytes = bytes;
	}

	apply(): void {
		this.dirty = true;
	}

	async write(): Promise<void> {
		this.dirty = false;
		this.writes++;
	}
}

function projectorOf(...projections: readonly Projection[]) {
	const timers: { readonly ms: number; readonly work: () => void }[] = [];
	const clock = {
		now: () => 0,
		after: (ms: number, work: () => void) => {
			timers.push({ ms, work });
			return () => {};
		},
	};
	const projector = new Projector(projections, clock, (error) => assert.fail(String(error)));
	const change = () => projector.apply([{} as Event], {} as RunState);
	return { projector, timers, change };
}

it("a file is written before an agent starts, a large one at the latest when its time has come", async () => {
	const [small, large] = [new Written(MEGABYTE - 1), new Written(3 * MEGABYTE)];
	const { projector, timers, change } = projectorOf(small, large);
	change();
	await projector.flush();
	assert.deepEqual([small.writes, large.writes], [1, 0]);
	change();
	assert.deepEqual(
		timers.map(({ ms }) => ms),
		[200 + 3 * 1000],
	);
	timers[0]?.work();
	await projector.flush();
	assert.deepEqual([small.writes, large.writes], [2, 1]);
});

it("a large file is written before pawl exits", async () => {
	const large = new Written(3 * MEGABYTE);
	const { projector, change } = projectorOf(large);
	change();
	await projector.close();
	assert.equal(large.writes, 1);
});
