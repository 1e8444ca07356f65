// What every dispatch must do, seen through the contract only.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import type { Dispatch, Lane, Tenancy } from "../dispatch.ts";

/** Each `open` is another process as far as that is possible. */
export interface TestDispatch {
	open(): Promise<Dispatch>;
	remove(): unknown;
}

export const laneOf = (run: string, scope = "@run", requires?: readonly string[]): Lane => ({
	run,
	scope,
	...(requires === undefined ? {} : { requires }),
});

/** A tenant that stays until it is told to go. */
export function guests() {
	const here: { readonly tenancy: Tenancy; readonly go: (how: "over" | "left" | Error) => void }[] = [];
	let arrived = Promise.withResolvers<void>();
	const tenant = (tenancy: Tenancy): Promise<"over" | "left"> =>
		new Promise((done, fail) => {
			here.push({ tenancy, go: (how) => (how instanceof Error ? fail(how) : done(how)) });
			arrived.resolve();
			arrived = Promise.withResolvers();
		});
	return {
		tenant,
		here,
		/** The next one that comes. */
		next: async () => {
			while (here.length === 0) await arrived.promise;
			return here.shift() ?? assert.fail();
		},
	};
}

export function dispatchSuite(name: string, make: () => TestDispatch): void {
	describe(`dispatch contract: ${name}`, () => {
		const leftovers: (() => unknown)[] = [];
		afterEach(async () => {
			for (const undo of leftovers.splice(0).reverse()) await undo();
		});
		function opener(): () => Promise<Dispatch> {
			const made = make();
			leftovers.push(() => made.remove());
			return async () => {
				const dispatch = await made.open();
				leftovers.push(() => dispatch.close());
				return dispatch;
			};
		}

		test("a lane is worked on by one, however often it was sent; when it is over, it can be sent again", async () => {
			const dispatch = await opener()();
			const visits = guests();
			for (let times = 0; times < 3; times++) await dispatch.send(laneOf("a", "US-001"));
			await dispatch.work({ lanes: 2 }, visits.tenant);
			await dispatch.work({ lanes: 2 }, visits.tenant);
			const first = await visits.next();
			assert.deepEqual(first.tenancy.lane, laneOf("a", "US-001"));
			await dispatch.send(laneOf("a", "US-002"));
			const other = await visits.next();
			assert.deepEqual(other.tenancy.lane.scope, "US-002", "the first lane is taken");
			first.go("over");
			other.go("over");
			// Until the end of the first tenancy is known, sending it may still change nothing.
			let again: Awaited<ReturnType<typeof visits.next>> | null = null;
			void visits.next().then((one) => {
				again = one;
			});
			while (again === null) {
				await dispatch.send(laneOf("a", "US-001"));
				await new Promise((turn) => setImmediate(turn));
			}
			(again as { go(how: "over"): void }).go("over");
		});

		test("a tenant that leaves or fails is followed by another one", async () => {
			const dispatch = await opener()();
			const visits = guests();
			await dispatch.work({ lanes: 1 }, visits.tenant);
			await dispatch.send(laneOf("a"));
			(await visits.next()).go("left");
			(await visits.next()).go(new Error("failed"));
			const third = await visits.next();
			assert.deepEqual([third.tenancy.lane.run, third.tenancy.lost.aborted], ["a", false]);
			third.go("over");
		});

		test("a lane whose tenants all fail leaves a worker room for others", async () => {
			const dispatch = await opener()();
			const reached = Promise.withResolvers<void>();
			for (const run of ["a", "b"]) await dispatch.send(laneOf(run));
			let failures = 0;
			await dispatch.work({ lanes: 1 }, async ({ lane: { run } }) => {
				if (run === "b") reached.resolve();
				else if (++failures < 8) throw new Error("it cannot be opened here");
				return "over";
			});
			await reached.promise;
			assert.ok(failures < 4, `only after ${failures} failures`);
		});

		test("a worker takes no more lanes than it has room for", async () => {
			const dispatch = await opener()();
			const visits = guests();
			for (const run of ["a", "b", "c"]) await dispatch.send(laneOf(run));
			await dispatch.work({ lanes: 2 }, visits.tenant);
			const [one, two] = [await visits.next(), await visits.next()];
			assert.equal(visits.here.length, 0);
			one.go("over");
			const three = await visits.next();
			assert.deepEqual([one, two, three].map(({ tenancy }) => tenancy.lane.run).sort(), ["a", "b", "c"]);
			for (const each of [two, three]) each.go("over");
		});

		test("a lane goes to a worker that has the labels it requires", async () => {
			const dispatch = await opener()();
			const [plain, able] = [guests(), guests()];
			await dispatch.work({ lanes: 1, labels: ["linux"] }, plain.tenant);
			await dispatch.send(laneOf("a", "@run", ["linux", "gpu"]));
			await dispatch.send(laneOf("b"));
			const first = await plain.next();
			assert.equal(first.tenancy.lane.run, "b");
			await dispatch.work({ lanes: 1, labels: ["linux", "gpu", "big"] }, able.tenant);
			const second = await able.next();
			assert.equal(second.tenancy.lane.run, "a");
			assert.equal(plain.here.length, 0);
			for (const each of [first, second]) each.go("over");
		});

		test("a worker works on so many lanes at once, whatever they require", async () => {
			const dispatch = await opener()();
			const lanes = ["a", "b", "c"].flatMap((run) => [laneOf(run), laneOf(run, "US-1", ["gpu"]), laneOf(run, "US-2", ["agent:x"])]);
			for (const lane of lanes) await dispatch.send(lane);
			const done: string[] = [];
			const all = Promise.withResolvers<void>();
			let [here, most] = [0, 0];
			await dispatch.work({ lanes: 2, labels: ["gpu", "agent:x"] }, async ({ lane: { run, scope } }) => {
				most = Math.max(most, ++here);
				await new Promise((later) => setTimeout(later, 50));
				here--;
				if (done.push(`${run} ${scope}`) === lanes.length) all.resolve();
				return "over";
			});
			await all.promise;
			assert.deepEqual(done.sort(), lanes.map(({ run, scope }) => `${run} ${scope}`).sort());
			assert.equal(most, 2);
		});

		test("a worker that drains asks its tenants to leave, waits for them and takes nothing more", async () => {
			const dispatch = await opener()();
			const [leaving, staying] = [guests(), guests()];
			const worker = await dispatch.work({ lanes: 1 }, leaving.tenant);
			await dispatch.send(laneOf("a"));
			const tenant = await leaving.next();
			const drained = worker.drain();
			assert.equal(tenant.tenancy.leave.aborted, true);
			assert.equal(tenant.tenancy.lost.aborted, false);
			await dispatch.send(laneOf("b"));
			tenant.go("left");
			await drained;
			assert.equal(leaving.here.length, 0);
			await dispatch.work({ lanes: 2 }, staying.tenant);
			const rest = [await staying.next(), await staying.next()];
			assert.deepEqual(rest.map(({ tenancy }) => tenancy.lane.run).sort(), ["a", "b"]);
			for (const each of rest) each.go("over");
		});
	});
}
