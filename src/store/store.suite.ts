// What every store must do, seen through the contract only. An implementation runs it from its own test file.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { afterEach, describe, test } from "node:test";
import type { Effect } from "../core/effect.ts";
import type { Event } from "../core/event.ts";
import type { Input } from "../core/input.ts";
import type { RunStatus } from "../core/model.ts";
import { isOver } from "../core/query.ts";
import type { Claim, Commit, RunSummary, RunsOf, Store } from "../store.ts";

/** An empty database. Each `open` gives another handle on it, as another process would have. */
export interface TestDatabase {
	open(): Store | Promise<Store>;
	remove(): unknown;
}

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

export function steered(text: string): Event {
	return { event: "run_steered", at: AT, text };
}

export function notify(text: string): Effect {
	return { effect: "notify", scope: "run", about: "finished", text };
}

export function summaryOf(id: string, more: Partial<RunSummary> = {}): RunSummary {
	return { id, workflow: "dynamic", title: `Run ${id}`, status: "running", createdAt: AT, updatedAt: AT, ...more };
}

export function commitOf(run: string, expectedVersion: number, more: Partial<Commit> = {}): Commit {
	return { id: randomUUID(), run, expectedVersion, events: [], effects: [], done: [], taken: [], summary: summaryOf(run), ...more };
}

/** Commits something that must succeed and returns the numbers of the new effects. */
export async function put(store: Store, commit: Commit): Promise<number[]> {
	const result = await store.commit(commit);
	assert.ok(result.ok, "the commit was refused");
	return result.effects.map((effect) => effect.seq);
}

/** Inside of a `describe`: makes databases, and closes and removes them after each test. */
export function databasesOf(makeDatabase: () => TestDatabase): () => () => Promise<Store> {
	const leftovers: (() => unknown)[] = [];
	afterEach(async () => {
		for (const undo of leftovers.splice(0).reverse()) await undo();
	});
	return () => {
		const made = makeDatabase();
		leftovers.push(() => made.remove());
		return async () => {
			const store = await made.open();
			leftovers.push(() => store.close());
			return store;
		};
	};
}

const steer = (text: string): Input => ({ type: "steer", at: AT, text });

export function storeSuite(name: string, makeDatabase: () => TestDatabase): void {
	describe(`store contract: ${name}`, () => {
		const database = databasesOf(makeDatabase);

		test("a run that is not there has nothing", async () => {
			const store = await database()();
			assert.deepEqual(await store.events("none"), []);
			assert.deepEqual(await store.pending("none"), []);
			assert.deepEqual(await store.inbox("none"), []);
			assert.deepEqual(await store.runs(), []);
			assert.equal(await store.summary("none"), null);
		});

		test("A-57 claims come with a commit, are found by token and by handle, and are held until one says otherwise", async () => {
			const open = database();
			const store = await open();
			const claim: Claim = { token: "t1", run: "a", handle: "a:step:1", data: { x: 1 }, expiresAt: AT + 5, state: "held" };
			await put(store, commitOf("a", 0, { events: [steered("1")], claims: [claim] }));
			assert.deepEqual(await (await open()).claims("a"), [claim]);
			assert.deepEqual(
				[await store.claim("t1"), await store.claim("a:step:1"), await store.claim("none"), await store.claims("b")],
				[claim, claim, null, []],
			);
			const refused = await store.commit(commitOf("a", 0, { claims: [{ ...claim, state: "completed" }] }));
			assert.equal(refused.ok, false);
			assert.deepEqual(await store.claims("a"), [claim]);
			await put(store, commitOf("a", 1, { claims: [{ ...claim, state: "completed" }] }));
			assert.deepEqual(await store.claims("a"), []);
			assert.equal((await store.claim("t1"))?.state, "completed");
		});

		test("events come back in order, from any version on, to another handle too", async () => {
			const open = database();
			const store = await open();
			await put(store, commitOf("a", 0, { events: [steered("1"), steered("2")] }));
			await put(store, commitOf("b", 0, { events: [steered("of b")] }));
			await put(store, commitOf("a", 2, { events: [steered("3")] }));
			assert.deepEqual(await store.events("a"), [steered("1"), steered("2"), steered("3")]);
			await store.close();
			const again = await open();
			assert.deepEqual(await again.events("a", 1), [steered("2"), steered("3")]);
			assert.deepEqual(await again.events("a", 3), []);
			assert.deepEqual(await again.events("b"), [steered("of b")]);
		});

		test("a commit on an older version is refused and changes nothing", async () => {
			const open = database();
			const [first, second] = [await open(), await open()];
			const [seq] = await put(first, commitOf("a", 0, { events: [steered("1"), steered("2")], effects: [notify("x")] }));
			await first.post("a", steer("left"));
			const [entry] = await first.inbox("a");
			for (const expectedVersion of [0, 1, 3]) {
				const refused = await second.commit(
					commitOf("a", expectedVersion, {
						events: [steered("lost")],
						effects: [notify("lost")],
						done: [seq!],
						taken: [entry!.id],
						summary: summaryOf("a", { status: "failed" }),
					}),
				);
				assert.deepEqual(refused, { ok: false, reason: "conflict", version: 2 });
			}
			assert.equal((await second.commit(commitOf("a", 1))).ok, false, "not even a commit without events");
			assert.equal((await second.commit(commitOf("new", 1, { events: [steered("lost")] }))).ok, false);
			assert.equal((await first.events("a")).length, 2);
			assert.deepEqual(await first.pending("a"), [{ seq, effect: notify("x") }]);
			assert.equal((await first.inbox("a")).length, 1);
			assert.equal((await first.summary("a"))?.status, "running");
			assert.equal(await first.summary("new"), null);
		});

		test("effects are pending, in order of commit, until they are done", async () => {
			const open = database();
			const store = await open();
			const one = await put(store, commitOf("a", 0, { effects: [notify("1"), notify("2")] }));
			const other = await put(store, commitOf("b", 0, { effects: [notify("of b")] }));
			const three = await put(store, commitOf("a", 0, { effects: [notify("3")], done: [one[0]!] }));
			const all = [...one, ...other, ...three];
			assert.deepEqual(
				all,
				[...new Set(all)].sort((a, b) => a - b),
			);
			const left = [
				{ seq: one[1], effect: notify("2") },
				{ seq: three[0], effect: notify("3") },
			];
			assert.deepEqual(await store.pending("a"), left);
			await store.settle("a", other);
			assert.equal((await store.pending("b")).length, 1, "an effect is settled by its own run only");
			await store.settle("a", [three[0]!]);
			await store.settle("a", [three[0]!, 999_999]);
			await store.close();
			assert.deepEqual(await (await open()).pending("a"), left.slice(0, 1));
		});

		test("an input stays in the inbox until a commit takes it, and its id is never used again", async () => {
			const open = database();
			const [engine, person] = [await open(), await open()];
			await person.post("a", steer("1"));
			await person.post("b", steer("of b"));
			await person.post("a", steer("2"));
			await person.close();
			const [first, second] = await engine.inbox("a");
			assert.deepEqual([first?.input, second?.input], [steer("1"), steer("2")]);
			await put(engine, commitOf("a", 0, { events: [steered("1")], taken: [first!.id, second!.id, (await engine.inbox("b"))[0]!.id] }));
			assert.deepEqual(await engine.inbox("a"), []);
			assert.equal((await engine.inbox("b")).length, 1, "an input is taken by its own run only");
			await engine.post("a", steer("3"));
			const [third] = await engine.inbox("a");
			assert.ok(third!.id > second!.id);
		});

		test("runs are listed newest first, as their last commit left them", async () => {
			const store = await database()();
			await put(store, commitOf("middle", 0, { summary: summaryOf("middle", { createdAt: AT + 1 }) }));
			await put(store, commitOf("newest", 0, { summary: summaryOf("newest", { createdAt: AT + 2 }) }));
			await put(store, commitOf("old-1", 0));
			await put(store, commitOf("old-2", 0));
			const changed = summaryOf("old-1", { status: "completed", title: "New", updatedAt: AT + 9 });
			await put(store, commitOf("old-1", 0, { summary: changed }));
			assert.deepEqual(
				(await store.runs()).map((run) => run.id),
				["newest", "middle", "old-2", "old-1"],
			);
			assert.deepEqual(await store.summary("old-1"), changed);
			assert.deepEqual((await store.runs())[3], changed);
		});

		test("how far a run is and what it was started with come back with its summary", async () => {
			const store = await database()();
			const overview = { version: 3, costUsd: 1.5, maxCostUsd: null, waiting: 2, progress: null };
			const summary = summaryOf("a", { overview, input: { request: "do it" } });
			await put(store, commitOf("a", 0, { summary }));
			assert.deepEqual(await store.summary("a"), summary);
			assert.deepEqual((await store.runs())[0], summary);
		});

		test("X-06 any text comes back as it was", async () => {
			const store = await database()();
			const text = `"; DROP TABLE runs; -- 'q' $& \`x\` \\ \u0000 \n\u2028 ünï 🦊 ${"long ".repeat(100_000)}`;
			await put(store, commitOf("a", 0, { events: [steered(text)], effects: [notify(text)], summary: summaryOf("a", { title: text }) }));
			await store.post("a", steer(text));
			assert.deepEqual(await store.events("a"), [steered(text)]);
			assert.deepEqual((await store.pending("a"))[0]?.effect, notify(text));
			assert.deepEqual((await store.inbox("a"))[0]?.input, steer(text));
			assert.equal((await store.summary("a"))?.title, text);
		});

		test("a commit that fails half-way leaves nothing, and the store goes on", async () => {
			const store = await database()();
			const broken = { ...notify("x"), text: 1n } as unknown as Effect;
			await assert.rejects(store.commit(commitOf("a", 0, { events: [steered("lost")], effects: [notify("lost"), broken] })));
			assert.deepEqual(await store.events("a"), []);
			assert.deepEqual(await store.pending("a"), []);
			assert.equal(await store.summary("a"), null);
			await put(store, commitOf("a", 0, { events: [steered("1")] }));
			assert.deepEqual(await store.events("a"), [steered("1")]);
		});

		test("a commit that carries another run's summary is a bug", async () => {
			const store = await database()();
			await assert.rejects(store.commit(commitOf("a", 0, { summary: summaryOf("b") })), /summary of b/);
			assert.deepEqual(await store.runs(), []);
		});

		test("watch calls back when somebody else wrote, and when something was posted by this handle", async () => {
			const open = database();
			const [one, two] = [await open(), await open()];
			await put(one, commitOf("a", 0, { events: [steered("1")] }));
			const seen = Promise.withResolvers<void>();
			const watch = one.watch("a", () => seen.resolve());
			await put(two, commitOf("a", 1, { events: [steered("2")] }));
			await seen.promise;
			watch.close();
			const posted = Promise.withResolvers<void>();
			const again = one.watch(null, () => posted.resolve());
			await one.post("a", steer("1"));
			await posted.promise;
			again.close();
		});

		test("I1 M12 the same commit sent twice is answered twice and done once", async () => {
			const open = database();
			const [one, two] = [await open(), await open()];
			const commit = commitOf("a", 0, { events: [steered("1")], effects: [notify("x")] });
			const answer = await one.commit(commit);
			await put(two, commitOf("a", 1, { events: [steered("2")], effects: [notify("y")] }));
			assert.deepEqual(await two.commit(commit), answer);
			assert.deepEqual(await one.events("a"), [steered("1"), steered("2")]);
			assert.equal((await one.pending("a")).length, 2);
		});

		test("M3 whoever shares a run decides on all that is there, also on what others committed", async () => {
			const open = database();
			const [first, second] = [await open(), await open()];
			await put(first, commitOf("a", 0, { events: [steered("1")] }));
			await put(first, commitOf("a", 1, { events: [steered("2")] }));
			const seen: Event[][] = [];
			const updated = await second.update("a", 1, (events) => {
				seen.push([...events]);
				return { ...commitOf("a", 99), events: [steered("3")], effects: [notify("x")] };
			});
			assert.deepEqual(seen, [[steered("2")]]);
			assert.deepEqual(updated.events, [steered("2")]);
			assert.ok(updated.result?.ok);
			assert.deepEqual(await second.pending("a"), updated.result.effects);
			assert.deepEqual(await first.events("a"), [steered("1"), steered("2"), steered("3")]);
			assert.deepEqual(await first.update("a", 3, () => null), { events: [], result: null }, "nothing to commit");
			await assert.rejects(
				first.update("a", 3, () => {
					throw new Error("undecided");
				}),
				/undecided/,
			);
			assert.deepEqual((await first.update("a", 2, () => null)).events, [steered("3")], "the store goes on");
			const lease = await second.lease("a", "s", 60_000);
			const stale = { scope: "s", epoch: (lease?.epoch ?? 0) - 1 };
			const refused = await first.update("a", 3, () => ({ ...commitOf("a", 0), events: [steered("lost")], lease: stale }));
			assert.deepEqual(refused.result, { ok: false, reason: "fenced" });
			assert.equal((await first.events("a")).length, 3);
		});

		test("X-11 a run is driven by one at a time; a release is final and harms nobody", async () => {
			const open = database();
			const [one, two] = [await open(), await open()];
			const lease = (store: Store, run = "a") => store.lease(run, "@run", 60_000);
			const first = await lease(one);
			assert.ok(first);
			assert.equal(await lease(two), null);
			assert.equal(await lease(one), null);
			assert.match((await two.holder("a"))?.who ?? "", /process \d+/);
			assert.equal(await two.holder("b"), null);
			assert.ok(Number.isFinite(await two.seenAt("a")), "a sign of life of whoever drives it");
			assert.equal(await two.seenAt("b"), null);
			assert.equal(await lease(two), null, "a refused attempt does not weaken the lease");
			assert.ok(await lease(two, "b"), "another run is free");
			assert.ok(await two.lease("a", "US-001", 60_000), "and so is another scope of the run");
			await put(two, commitOf("a", 0, { events: [steered("1")] }));
			await first.release();
			const second = await lease(two);
			assert.ok(second);
			await first.release();
			assert.equal(await lease(one), null, "a second release does not free the lease of the next owner");
			await two.close();
			assert.equal(await one.holder("a"), null);
			assert.ok(await lease(one), "a closed store holds nothing");
		});

		test("runs are found by the beginning of their id, the newest so many, or only those that are not over", async () => {
			const store = await database()();
			const statuses: RunStatus[] = ["running", "waiting", "paused", "completed", "failed", "stopped", "limited", "cancelled", "refused"];
			for (const [n, status] of statuses.entries()) {
				const summary = summaryOf(`r${n}-${status}`, { status, createdAt: AT + n, input: { request: status } });
				await put(store, commitOf(summary.id, 0, { events: [steered("1")], summary }));
				const { input, ...later } = summary;
				await put(store, commitOf(summary.id, 1, { events: [steered("2")], summary: later }));
			}
			const of = async (which: RunsOf) => (await store.runs(which)).map(({ status }) => status);
			assert.deepEqual(await of({}), statuses.toReversed());
			assert.deepEqual(await of({ limit: 2 }), ["refused", "cancelled"]);
			assert.deepEqual(
				await of({ open: true }),
				statuses.toReversed().filter((status) => !isOver(status)),
			);
			assert.deepEqual(await of({ open: true, limit: 1 }), ["limited"]);
			const summary = summaryOf("r7-cancelled", { status: "cancelled", createdAt: AT + 7 });
			const left = await put(store, commitOf("r7-cancelled", 2, { events: [steered("3")], effects: [notify("x")], summary }));
			assert.deepEqual(await of({ open: true, unsettled: true, limit: 2 }), ["cancelled", "limited"]);
			await store.settle("r7-cancelled", left);
			assert.deepEqual(await of({ open: true, unsettled: true, limit: 2 }), ["limited", "stopped"]);
			assert.deepEqual(await of({ prefix: "r3" }), ["completed"]);
			assert.deepEqual(await of({ prefix: "%" }), []);
			assert.deepEqual((await store.runs({ prefix: "r4" }))[0]?.input, { request: "failed" }, "what the first commit said stays");
		});

		test("a run is removed with everything that belongs to it, and only by whoever drives it", async () => {
			const open = database();
			const [one, two] = [await open(), await open()];
			const claim: Claim = { token: "t", run: "a", handle: "h", data: {}, expiresAt: AT, state: "held" };
			for (const run of ["a", "b"]) {
				const claims = [{ ...claim, token: `t${run}`, handle: `h${run}`, run }];
				await put(one, commitOf(run, 0, { events: [steered("1")], effects: [notify("x")], claims }));
				await one.post(run, steer("x"));
			}
			const stale = (await one.lease("a", "@run", 60_000)) ?? assert.fail("the run is free");
			await stale.release();
			const lease = (await two.lease("a", "@run", 60_000)) ?? assert.fail("the run is free again");
			assert.equal(await one.remove("a", stale), false);
			assert.equal((await one.events("a")).length, 1);
			assert.equal(await two.remove("a", lease), true);
			await lease.release();
			const all = async (run: string) => [
				await two.summary(run),
				...[await two.events(run), await two.pending(run), await two.inbox(run), await two.claims(run)].map((rows) => rows.length),
			];
			assert.deepEqual(await all("a"), [null, 0, 0, 0, 0]);
			assert.deepEqual((await all("b")).slice(1), [1, 1, 1, 1]);
			assert.deepEqual(
				(await two.runs()).map(({ id }) => id),
				["b"],
			);
			const late = commitOf("a", 0, { events: [steered("late")], lease: { scope: "@run", epoch: stale.epoch } });
			assert.deepEqual(await one.commit(late), { ok: false, reason: "fenced" }, "nobody brings it back");
		});

		test("I2 M4 commits of a holder whose lease somebody else took since are refused, whatever the version", async () => {
			const open = database();
			const [one, two] = [await open(), await open()];
			const first = await one.lease("a", "@run", 60_000);
			assert.ok(first);
			await put(one, commitOf("a", 0, { events: [steered("1")], lease: { scope: "@run", epoch: first.epoch } }));
			await first.release();
			const second = await two.lease("a", "@run", 60_000);
			assert.ok(second && second.epoch > first.epoch);
			const late = commitOf("a", 1, { events: [steered("late")], lease: { scope: "@run", epoch: first.epoch } });
			assert.deepEqual(await one.commit(late), { ok: false, reason: "fenced" });
			await put(two, commitOf("a", 1, { events: [steered("2")], lease: { scope: "@run", epoch: second.epoch } }));
			assert.deepEqual(await one.events("a"), [steered("1"), steered("2")]);
		});

		test("X-06 only the id of a run can be locked", async () => {
			const store = await database()();
			const lease = await store.lease("20260102-030405-a_B.9", "@run", 1);
			assert.ok(lease);
			await lease.release();
			for (const run of ["", "../x", "a/b", "a b", "a\0", "ü"]) await assert.rejects(store.lease(run, "@run", 1), /not the id of a run/);
		});
	});
}
