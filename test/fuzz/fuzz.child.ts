// The thread that fuzzes: target after target, a slice of time each, until somebody ends it. Before each text it writes down what it is about to try, so that
// the thread that watches can say what never ended.
import { parentPort, workerData } from "node:worker_threads";
import { Coverage } from "./coverage.ts";
import type { FuzzMessage, FuzzWork } from "./fuzz.ts";
import { FuzzTarget } from "./fuzz-target.ts";
import { TARGETS } from "./targets.ts";

const { seed, names, shared, minutes } = workerData as FuzzWork;
const place = Buffer.from(shared);
let count = 0;
const watch = (target: string, input: string): void => {
	place.writeInt32LE(++count, 0);
	place.fill(0, 4, 44);
	place.write(target, 4, 40);
	place.writeInt32LE(place.write(input, 52, place.length - 52), 44);
};
const tell = (message: FuzzMessage): void => parentPort?.postMessage(message);

const until = performance.now() + minutes * 60_000;
const chosen = TARGETS.filter(({ name }) => names.includes(name)).map((target) => new FuzzTarget(target, seed, watch));
/** A slice is short enough that every target has its turn in the shortest budget. */
const slice = Math.min(2000, Math.max(50, (minutes * 60_000) / chosen.length / 4));
const coverage = new Coverage();
for (let round = 0; performance.now() < until; round++) {
	for (const one of chosen) {
		if (performance.now() >= until) break;
		const [before, told] = [one.executions, one.violations.length];
		await one.large(slice / 3);
		if (round % 4 === 0) {
			coverage.begin();
			await one.guided(slice / 2, coverage);
			coverage.end();
		}
		await one.mutations(slice);
		tell({ target: one.target.name, executions: one.executions - before, violations: one.violations.slice(told) });
	}
	if (chosen.every((one) => one.told)) break;
}
for (const one of chosen) await one.target.close?.();
