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
		at: 1_000_000,
		now: () => clock.at,
		after: (ms: number, work: () => void) => {
			timers.push({ ms, work });
			return () => {};
		},
	};
	const projector = new Projector(projections, clock, (error) => assert.fail(String(error)));
	const change = () => projector.apply([{} as Event], {} as RunState);
	/** Changes everything, lets the time pass, and starts an agent. */
	const agentAfter = async (ms: number) => {
		clock.at += ms;
		change();
		await projector.flush();
	};
	return { projector, timers, change, agentAfter };
}

it("a file is written before each agent starts, a large one unless it was written a moment ago", async () => {
	const [small, large] = [new Written(MEGABYTE / 8 - 1), new Written(MEGABYTE / 2)];
	const { agentAfter } = projectorOf(small, large);
	const writes = async (ms: number) => {
		await agentAfter(ms);
		return [small.writes, large.writes];
	};
	assert.deepEqual(await writes(0), [1, 1]);
	assert.deepEqual(await writes(0), [2, 1]);
	assert.deepEqual(await writes(499), [3, 1]);
	assert.deepEqual(await writes(1), [4, 2]);
	assert.deepEqual(await writes(-3_600_000), [5, 3], "a clock that was put back");
});

it("what no agent waits for is written when its time has come: a second later for each megabyte", async () => {
	const [small, large] = [new Written(10), new Written(3 * MEGABYTE)];
	const { timers, agentAfter } = projectorOf(small, large);
	await agentAfter(0);
	await agentAfter(0);
	assert.deepEqual(
		timers.map(({ ms }) => ms),
		[200 + 3 * 1000],
	);
	assert.deepEqual([small.writes, large.writes], [2, 1]);
	timers[0]?.work();
	await agentAfter(0);
	assert.deepEqual([small.writes, large.writes], [3, 2]);
	assert.equal(timers.length, 2);
});

it("a large file is written before pawl exits", async () => {
	const large = new Written(3 * MEGABYTE);
	const { projector, change, agentAfter } = projectorOf(large);
	await agentAfter(0);
	change();
	await projector.close();
	assert.equal(large.writes, 2);
});
