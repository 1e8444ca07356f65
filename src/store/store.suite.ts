// What every store must do, seen through the contract only. An implementation runs it from its own test file.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import type { Effect } from "../core/effect.ts";
import type { Event } from "../core/event.ts";
import type { Input } from "../core/input.ts";
import type { Claim, Commit, RunSummary, Store } from "../store.ts";

/** One empty place to keep runs in. Each `open` gives a handle of its own on it, as another process would have one. */
export interface StorePlace {
	open(): Store;
	remove(): void;
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
	return { run, expectedVersion, events: [], effects: [], done: [], taken: [], summary: summaryOf(run), ...more };
}

/** Commits what is expected to go through and gives the numbers of the new effects. */
function put(store: Store, commit: Commit): number[] {
	const result = store.commit(commit);
	assert.ok(result.ok, "the commit was refused");
	return result.effects.map((effect) => effect.seq);
}

const steer = (text: string): Input => ({ type: "steer", at: AT, text });

export function storeSuite(name: string, makePlace: () => StorePlace): void {
	describe(`store contract: ${name}`, () => {
		const leftovers: (() => void)[] = [];
		afterEach(() => {
			for (const undo of leftovers.splice(0).reverse()) undo();
		});

		function place(): () => Store {
			const made = makePlace();
			leftovers.push(() => made.remove());
			return () => {
				const store = made.open();
				leftovers.push(() => store.close());
				return store;
			};
		}

		test("a run that is not there has nothing", () => {
			const store = place()();
			assert.deepEqual(store.events("none"), []);
			assert.deepEqual(store.pending("none"), []);
			assert.deepEqual(store.inbox("none"), []);
			assert.deepEqual(store.runs(), []);
			assert.equal(store.summary("none"), null);
		});

		test("A-57 claims come with a commit, are found by token and by handle, and are held until one says otherwise", () => {
			const open = place();
			const store = open();
			const claim: Claim = { token: "t1", run: "a", handle: "a:step:1", data: { x: 1 }, expiresAt: AT + 5, state: "held" };
			put(store, commitOf("a", 0, { events: [steered("1")], claims: [claim] }));
			assert.deepEqual(open().claims("a"), [claim]);
			assert.deepEqual([store.claim("t1"), store.claim("a:step:1"), store.claim("none"), store.claims("b")], [claim, claim, null, []]);
			const refused = store.commit(commitOf("a", 0, { claims: [{ ...claim, state: "completed" }] }));
			assert.equal(refused.ok, false);
			assert.deepEqual(store.claims("a"), [claim]);
			put(store, commitOf("a", 1, { claims: [{ ...claim, state: "completed" }] }));
			assert.deepEqual(store.claims("a"), []);
			assert.equal(store.claim("t1")?.state, "completed");
		});

		test("events come back in order, from any version on, to another handle too", () => {
			const open = place();
			const store = open();
			put(store, commitOf("a", 0, { events: [steered("1"), steered("2")] }));
			put(store, commitOf("b", 0, { events: [steered("of b")] }));
			put(store, commitOf("a", 2, { events: [steered("3")] }));
			assert.deepEqual(store.events("a"), [steered("1"), steered("2"), steered("3")]);
			store.close();
			const again = open();
			assert.deepEqual(again.events("a", 1), [steered("2"), steered("3")]);
			assert.deepEqual(again.events("a", 3), []);
			assert.deepEqual(again.events("b"), [steered("of b")]);
		});

		test("a commit on an older version is refused and changes nothing", () => {
			const open = place();
			const [first, second] = [open(), open()];
			const [seq] = put(first, commitOf("a", 0, { events: [steered("1"), steered("2")], effects: [notify("x")] }));
			first.post("a", steer("left"));
			const [entry] = first.inbox("a");
			for (const expectedVersion of [0, 1, 3]) {
				const refused = second.commit(
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
			assert.equal(second.commit(commitOf("a", 1)).ok, false, "not even a commit without events");
			assert.equal(second.commit(commitOf("new", 1, { events: [steered("lost")] })).ok, false);
			assert.equal(first.events("a").length, 2);
			assert.deepEqual(first.pending("a"), [{ seq, effect: notify("x") }]);
			assert.equal(first.inbox("a").length, 1);
			assert.equal(first.summary("a")?.status, "running");
			assert.equal(first.summary("new"), null);
		});

		test("effects are pending, in order of commit, until they are done", () => {
			const open = place();
			const store = open();
			const one = put(store, commitOf("a", 0, { effects: [notify("1"), notify("2")] }));
			const other = put(store, commitOf("b", 0, { effects: [notify("of b")] }));
			const three = put(store, commitOf("a", 0, { effects: [notify("3")], done: [one[0]!] }));
			const all = [...one, ...other, ...three];
			assert.deepEqual(
				all,
				[...new Set(all)].sort((a, b) => a - b),
			);
			const left = [
				{ seq: one[1], effect: notify("2") },
				{ seq: three[0], effect: notify("3") },
			];
			assert.deepEqual(store.pending("a"), left);
			store.settle("a", other);
			assert.equal(store.pending("b").length, 1, "an effect is settled by its own run only");
			store.settle("a", [three[0]!]);
			store.settle("a", [three[0]!, 999_999]);
			store.close();
			assert.deepEqual(open().pending("a"), left.slice(0, 1));
		});

		test("an input stays in the inbox until a commit takes it, and its id is never used again", () => {
			const open = place();
			const [engine, person] = [open(), open()];
			person.post("a", steer("1"));
			person.post("b", steer("of b"));
			person.post("a", steer("2"));
			person.close();
			const [first, second] = engine.inbox("a");
			assert.deepEqual([first?.input, second?.input], [steer("1"), steer("2")]);
			put(engine, commitOf("a", 0, { events: [steered("1")], taken: [first!.id, second!.id, engine.inbox("b")[0]!.id] }));
			assert.deepEqual(engine.inbox("a"), []);
			assert.equal(engine.inbox("b").length, 1, "an input is taken by its own run only");
			engine.post("a", steer("3"));
			const [third] = engine.inbox("a");
			assert.ok(third!.id > second!.id);
		});

		test("runs are listed newest first, as their last commit left them", () => {
			const store = place()();
			put(store, commitOf("middle", 0, { summary: summaryOf("middle", { createdAt: AT + 1 }) }));
			put(store, commitOf("newest", 0, { summary: summaryOf("newest", { createdAt: AT + 2 }) }));
			put(store, commitOf("old-1", 0));
			put(store, commitOf("old-2", 0));
			const changed = summaryOf("old-1", { status: "completed", title: "New", updatedAt: AT + 9 });
			put(store, commitOf("old-1", 0, { summary: changed }));
			assert.deepEqual(
				store.runs().map((run) => run.id),
				["newest", "middle", "old-2", "old-1"],
			);
			assert.deepEqual(store.summary("old-1"), changed);
			assert.deepEqual(store.runs()[3], changed);
		});

		test("X-06 any text comes back as it was", () => {
			const store = place()();
			const text = `"; DROP TABLE runs; -- 'q' $& \`x\` \\ \u0000 \n\u2028 ünï 🦊 ${"long ".repeat(100_000)}`;
			put(store, commitOf("a", 0, { events: [steered(text)], effects: [notify(text)], summary: summaryOf("a", { title: text }) }));
			store.post("a", steer(text));
			assert.deepEqual(store.events("a"), [steered(text)]);
			assert.deepEqual(store.pending("a")[0]?.effect, notify(text));
			assert.deepEqual(store.inbox("a")[0]?.input, steer(text));
			assert.equal(store.summary("a")?.title, text);
		});

		test("a commit that fails half-way leaves nothing, and the store goes on", () => {
			const store = place()();
			const broken = { ...notify("x"), text: 1n } as unknown as Effect;
			assert.throws(() => store.commit(commitOf("a", 0, { events: [steered("lost")], effects: [notify("lost"), broken] })));
			assert.deepEqual(store.events("a"), []);
			assert.deepEqual(store.pending("a"), []);
			assert.equal(store.summary("a"), null);
			put(store, commitOf("a", 0, { events: [steered("1")] }));
			assert.deepEqual(store.events("a"), [steered("1")]);
		});

		test("a commit that carries another run's summary is a bug", () => {
			const store = place()();
			assert.throws(() => store.commit(commitOf("a", 0, { summary: summaryOf("b") })), /summary of b/);
			assert.deepEqual(store.runs(), []);
		});

		test("changes() tells that somebody else wrote, and only then", () => {
			const open = place();
			const [one, two] = [open(), open()];
			const before = one.changes();
			assert.equal(one.changes(), before);
			put(two, commitOf("a", 0, { events: [steered("1")] }));
			const after = one.changes();
			assert.notEqual(after, before);
			one.events("a");
			assert.equal(one.changes(), after);
			two.post("a", steer("1"));
			assert.notEqual(one.changes(), after);
		});

		test("X-11 a run is locked by one at a time; a release is final and harms nobody", () => {
			const open = place();
			const [one, two] = [open(), open()];
			const first = one.lock("a");
			assert.ok(first);
			assert.equal(two.lock("a"), null);
			assert.equal(one.lock("a"), null);
			assert.deepEqual([two.isLocked("a"), two.isLocked("b")], [true, false]);
			assert.equal(two.lock("a"), null, "a refused attempt does not weaken the lock");
			assert.ok(two.lock("b"), "another run is free");
			put(two, commitOf("a", 0, { events: [steered("1")] }));
			first.release();
			const second = two.lock("a");
			assert.ok(second);
			first.release();
			assert.equal(one.lock("a"), null, "a second release does not free the lock of the next owner");
			two.close();
			assert.equal(one.isLocked("a"), false);
			assert.ok(one.lock("a"), "a closed store holds nothing");
		});

		test("X-06 only the id of a run can be locked", () => {
			const store = place()();
			for (const run of ["", "../x", "a/b", "a b", "a\0", "ü"]) assert.throws(() => store.lock(run), /not the id of a run/);
		});
	});
}
