import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stories } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { isOn, mergeQueue, turnOf } from "./queue.ts";

const definition = () =>
	stories({
		work: {},
		merge: {
			kind: "action",
			action: "merge",
			internal: true,
			on: {
				merged: { action: "next" },
				conflict: { action: "goto", target: "work" },
				checks_failed: { action: "goto", target: "work" },
				dirty: { action: "wait", target: "time" },
			},
		},
	});
const ids = ["A", "B", "C", "D"];

/** All stories are at their merge, in this order. */
function merging(...order: string[]): World {
	const w = new World(definition(), { stories: ids, options: { agents: 4, slots: [1, 2, 3, 4] } });
	for (const id of order) w.end(`${id} work`, { changed: true });
	return w;
}
const idOf = (w: World, scope: string) => ({ scope, step: "merge-1", attempt: w.find(scope, "merge").attempt });
const stack = (w: World, scope: string, commit: string, onto: string, behind?: string) =>
	w.feed({ type: "merge_stacked", ...idOf(w, scope), commit, onto, ...(behind === undefined ? {} : { behind }) });
const unstack = (w: World, scope: string) => w.feed({ type: "merge_unstacked", ...idOf(w, scope), reason: "conflict in a.txt" });
const turns = (w: World): string[] =>
	ids.map((id) => {
		const turn = turnOf(w.state, id);
		return turn.turn === "behind" ? `${turn.story}@${turn.commit}` : turn.turn;
	});

test("merges take turns in the order in which they started; each waits until the one in front of it is put together", () => {
	const w = merging("B", "A", "D", "C");
	assert.deepEqual(
		mergeQueue(w.state).map(({ scope }) => scope),
		["B", "A", "D", "C"],
	);
	assert.deepEqual(turns(w), ["wait", "now", "wait", "wait"]);
	stack(w, "B", "b1", "base");
	assert.deepEqual(turns(w), ["B@b1", "now", "wait", "wait"]);
	stack(w, "A", "a1", "b1", "B");
	assert.deepEqual(turns(w), ["B@b1", "now", "wait", "A@a1"]);
});

test("what is no longer on top of the one in front of it does not count", () => {
	const w = merging(...ids);
	stack(w, "A", "a1", "base");
	stack(w, "A", "a2", "base 2");
	assert.deepEqual(stack(w, "B", "b1", "a1", "A"), []);
	assert.deepEqual(stack(w, "B", "b1", "base 2"), []);
	assert.equal(stack(w, "B", "b2", "a2", "A").length, 1);
	assert.deepEqual(turns(w), ["now", "A@a2", "B@b2", "wait"]);
	const late = w.feed({ type: "merge_stacked", scope: "A", step: "merge-1", attempt: 7, commit: "x", onto: "y" });
	assert.deepEqual(
		late.map(({ event }) => event),
		["attempt_ignored"],
	);
});

test("those behind one that does not stand do without it; it stays in the queue until its turn", () => {
	const w = merging(...ids);
	stack(w, "A", "a1", "base");
	unstack(w, "B");
	assert.deepEqual(turns(w), ["now", "A@a1", "A@a1", "wait"]);
	unstack(w, "A");
	assert.deepEqual(turns(w), ["now", "base", "base", "wait"]);
	w.end("A merge", { signal: "merged" });
	assert.deepEqual(turns(w).slice(1), ["now", "base", "wait"]);
	// Put together again, it stands.
	stack(w, "B", "b1", "base 2");
	assert.deepEqual(turns(w).slice(1), ["now", "B@b1", "wait"]);
});

test("a merge leaves the queue by whatever ends its attempt, and comes back as the last", () => {
	for (const end of [{ signal: "checks_failed" }, { signal: "dirty", retryAt: 0 }, "lost", "cancelled"] as const) {
		const w = merging(...ids);
		stack(w, "A", "a1", "base");
		stack(w, "B", "b1", "a1", "A");
		w.end("A merge", end);
		const left = mergeQueue(w.state).map(({ scope }) => scope);
		assert.deepEqual(
			left.filter((scope) => scope !== "A"),
			["B", "C", "D"],
			JSON.stringify(end),
		);
		assert.notEqual(left[0], "A");
		assert.deepEqual(turnOf(w.state, "B"), { turn: "now" });
		assert.deepEqual(turnOf(w.state, "C"), { turn: "behind", story: "B", commit: "b1" });
	}
});

test("by any sequence of inputs: one is first, the others are behind somebody in front of them who stands, and the fold agrees", () => {
	const acts = fc.array(
		fc.record({
			who: fc.constantFrom(...ids),
			act: fc.constantFrom("stack", "unstack", "merged", "checks_failed", "conflict", "lost", "work"),
			n: fc.nat(9),
		}),
		{ maxLength: 60 },
	);
	fc.assert(
		fc.property(acts, (all) => {
			const w = new World(definition(), { stories: ids, options: { agents: 4, slots: [1, 2, 3, 4] } });
			for (const { who, act, n } of all) {
				const isMerging = w.jobs.some((job) => job.scope === who && job.type === "merge");
				if (act === "work") {
					if (w.jobs.some((job) => job.scope === who && job.type === "work")) w.end(`${who} work`, { changed: true });
				} else if (isMerging && act === "stack") {
					const turn = turnOf(w.state, who);
					// Half of them are on top of something that may be stale.
					const onto = turn.turn === "behind" && n > 4 ? turn.commit : `${n}`;
					stack(w, who, `${who}${n}${w.events.length}`, onto, turn.turn === "behind" ? turn.story : undefined);
				} else if (isMerging && act === "unstack") unstack(w, who);
				else if (isMerging) w.end(`${who} merge`, act === "lost" ? "lost" : { signal: act });
				const queue = mergeQueue(w.state);
				const now = queue.filter(({ scope }) => turnOf(w.state, scope).turn === "now");
				assert.deepEqual(now, queue.slice(0, 1));
				for (const [at, { scope }] of queue.entries()) {
					const turn = turnOf(w.state, scope);
					if (turn.turn !== "behind") continue;
					const front = queue.findIndex((one) => one.scope === turn.story);
					assert.ok(front >= 0 && front < at && queue[front]?.stack?.commit === turn.commit);
					// Nobody between them stands.
					assert.ok(queue.slice(front + 1, at).every(({ stack }) => stack !== null && stack.commit === null));
				}
			}
		}),
	);
});

test("what is put together fits its turn if it is on the commit that the turn names, or on base where nobody is in front", () => {
	const behind = { turn: "behind", story: "A", commit: "a1" } as const;
	assert.equal(isOn(behind, "A", "a1"), true);
	for (const [story, commit] of [
		["B", "a1"],
		["A", "a2"],
		[null, "a1"],
	] as const)
		assert.equal(isOn(behind, story, commit), false);
	for (const turn of ["now", "base"] as const) {
		assert.equal(isOn({ turn }, null, "x"), true, turn);
		assert.equal(isOn({ turn }, "A", "x"), false, turn);
	}
	assert.equal(isOn({ turn: "wait" }, null, "x"), false);
});

test("a story that merges nothing has nobody in front of it", () => {
	const w = merging("A");
	assert.deepEqual(turnOf(w.state, "B"), { turn: "now" });
	assert.deepEqual(mergeQueue(w.state), [{ scope: "A", step: "merge-1", attempt: 1, stack: null }]);
});
