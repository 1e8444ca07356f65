// Merges that are checked ahead of their turn (ADR 23): how long they take, who goes back, and what gets onto base.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { Event } from "../../core/event.ts";
import type { HarnessOptions } from "../testing/harness.suite.ts";
import { violations } from "../testing/invariants.suite.ts";
import { MemoryRepository } from "../testing/memory-repository.suite.ts";
import { landed, type Queue, type QueueOptions, queueOf, SECOND } from "./merge-queue.suite.ts";

/** Created, and gone when the test ends. */
async function begun(
	t: TestContext,
	passes: QueueOptions["passes"],
	more: Partial<HarnessOptions> = {},
	takes?: QueueOptions["takes"],
): Promise<Queue> {
	const queue = queueOf({ passes, ...(takes === undefined ? {} : { takes }), ...more });
	t.after(() => queue.h.remove());
	await queue.h.create();
	return queue;
}

const routes = (events: readonly Event[]): string[] =>
	events.flatMap((e) => (e.event === "route_taken" && e.signal !== "done" && e.signal !== "merged" ? [`${e.scope} ${e.signal}`] : []));

test("four stories are checked side by side, each on top of those in front of it, and merged in order", async (t) => {
	const { h, checked } = await begun(t, () => true);
	const start = h.clock.now();
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(landed(h), ["A", "B", "C", "D"]);
	assert.deepEqual(
		checked.map(({ tree }) => tree),
		["A1", "A1 B1", "A1 B1 C1", "A1 B1 C1 D1"],
	);
	assert.ok(h.clock.now() - start < 6.5 * SECOND, `it took ${h.clock.now() - start} ms`);
	assert.deepEqual(await violations(h), []);
	// The commit on base is the one that was checked.
	const events = await h.events();
	const stacked = new Map(events.flatMap((e) => (e.event === "merge_stacked" ? [[e.scope, e.commit] as const] : [])));
	const announced = events.flatMap((e) => (e.event === "merge_announced" ? [[e.scope, e.commit] as const] : []));
	assert.deepEqual(announced, [...stacked]);
});

test("a story whose checks end first waits for those in front of it, and is not checked again", async (t) => {
	const { h, checked } = await begun(
		t,
		() => true,
		{},
		(tree) => (tree === "A1" ? 20 * SECOND : SECOND),
	);
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(landed(h), ["A", "B", "C", "D"]);
	assert.deepEqual(checked.map(({ tree }) => tree).sort(), ["A1", "A1 B1", "A1 B1 C1", "A1 B1 C1 D1"]);
	assert.deepEqual(await violations(h), []);
});

test("merge: serial: one check after the other, and nothing about a queue in the journal", async (t) => {
	const { h, checked } = await begun(t, () => true, { serialMerges: true });
	assert.equal((await h.toHalt()).status, "completed");
	for (const [n, { from }] of checked.entries()) assert.ok(n === 0 || from >= (checked[n - 1]?.from ?? 0) + 5 * SECOND);
	assert.ok(!(await h.events()).some(({ event }) => event === "merge_stacked"));
});

test("one that fails goes back alone; those behind it are put together without it, once", async (t) => {
	// The first try of B breaks whatever it is part of.
	const { h, checked } = await begun(t, (tree) => !tree.includes("B1"));
	const start = h.clock.now();
	assert.equal((await h.toHalt()).status, "completed");
	const events = await h.events();
	assert.deepEqual(routes(events), ["B checks_failed"]);
	assert.deepEqual(landed(h), ["A", "C", "D", "B"]);
	assert.deepEqual(
		checked
			.filter(({ ended }) => ended)
			.map(({ tree }) => tree)
			.sort(),
		["A1", "A1 B1", "A1 B2 C1 D1", "A1 C1", "A1 C1 D1"],
	);
	assert.ok(h.clock.now() - start < 13 * SECOND, `it took ${h.clock.now() - start} ms`);
	assert.deepEqual(await violations(h), []);
});

test("one that conflicts goes back alone, on its turn; if the story in front is not merged, it is not to blame", async (t) => {
	const both: HarnessOptions["cast"] = {
		write: async ({ files, story, nth, takes }) => {
			await takes(SECOND + "ABCD".indexOf(story) * 10);
			files.write(`${story}.txt`, `${nth}\n`);
			// A and B write the same line until B is asked to resolve it.
			if (story === "A" || (story === "B" && nth === 1)) files.write("shared.txt", `${story}\n`);
			else if (story === "B") files.write("shared.txt", "A\n");
		},
	};
	const fine = await begun(t, () => true, { cast: both });
	assert.equal((await fine.h.toHalt()).status, "completed");
	assert.deepEqual(routes(await fine.h.events()), ["B conflict"]);
	assert.deepEqual(landed(fine.h), ["A", "C", "D", "B"]);
	assert.deepEqual(await violations(fine.h), []);
	// A fails its checks for good: B has nothing to conflict with.
	const { h } = await begun(t, (tree) => !tree.includes("A"), { cast: both });
	assert.equal((await h.toHalt()).status, "failed");
	assert.deepEqual(landed(h), ["B", "C", "D"]);
	assert.ok(!routes(await h.events()).includes("B conflict"));
	assert.deepEqual(await violations(h), []);
});

test("a person's commit on base: everything that was checked without it is put together and checked again", async (t) => {
	const { h, checked } = await begun(t, () => true);
	h.clock.after(3 * SECOND, () => {
		h.site.user.files.write("of the user.txt", "mine\n");
		h.site.user.commitAll("mine");
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(landed(h).slice(1), ["A", "B", "C", "D"]);
	// A was through when it noticed; the checks of the others were pointless then.
	assert.deepEqual(checked.map(({ ended }) => ended).sort(), [false, false, false, true, true, true, true, true]);
	assert.deepEqual(await violations(h), []);
});

test("paused in the middle, the worktrees are on their branches; resumed, all are merged", async (t) => {
	const { h } = await begun(t, () => true);
	h.clock.after(3 * SECOND, () => void h.post({ type: "stop", at: h.clock.now(), how: "pause" }));
	assert.equal((await h.toHalt()).status, "paused");
	assert.deepEqual(
		h.site.checkouts.map(({ branch }) => branch),
		["main", "ralph/A", "ralph/B", "ralph/C", "ralph/D"],
	);
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(landed(h).sort(), ["A", "B", "C", "D"]);
	assert.deepEqual(await violations(h), []);
});

const ids = ["A", "B", "C", "D"] as const;

/** What happens to the four: how many of their tries break the check, which conflict, where processes are killed, when a person commits. */
const histories = fc.record({
	breaks: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2)),
	clash: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
	kills: fc.array(fc.nat(160), { maxLength: 3 }),
	commits: fc.array(fc.nat(20_000), { maxLength: 3 }),
	took: fc.tuple(fc.nat(3_000), fc.nat(3_000), fc.nat(3_000), fc.nat(3_000)),
	checks: fc.tuple(fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), fc.nat(5_000)),
	pause: fc.option(fc.nat(15_000), { nil: null }),
});

test("I7 I9 I17 whatever passes, fails, conflicts, is killed or is committed by a person, and in whatever order: all are merged once, and nothing unchecked is", async (t) => {
	await fc.assert(
		fc.asyncProperty(histories, async ({ breaks, clash, kills, commits, took, checks, pause }) => {
			const triesOf = (story: string): number => breaks[ids.indexOf(story as "A")] ?? 0;
			const passes = (tree: string): boolean => tree.split(" ").every((one) => Number(one.slice(1)) > triesOf(one.slice(0, 1)));
			const cast: HarnessOptions["cast"] = {
				write: async ({ files, checkout, story, nth, takes }) => {
					const n = ids.indexOf(story as "A");
					await takes(took[n] ?? 0);
					// A repair of a conflict begins with what base has.
					if (nth > 1) checkout.mergeOurs("main");
					files.write(`${story}.txt`, `${nth}\n`);
					if (clash[n]) files.write("shared.txt", `${files.read("shared.txt") ?? ""}${story}\n`);
				},
			};
			// The last story of a tree decides how long its check takes.
			const { h } = await begun(t, passes, { cast }, (tree) => checks[ids.indexOf(tree.split(" ").at(-1)?.slice(0, 1) as "A")] ?? 0);
			const mine: string[] = [];
			for (const [n, after] of commits.entries())
				h.clock.after(after, () => {
					h.site.user.files.write(`user-${n}.txt`, "mine\n");
					mine.push(h.site.user.commitAll("mine"));
				});
			if (pause !== null) h.clock.after(pause, () => void h.post({ type: "stop", at: h.clock.now(), how: "pause" }));
			const lives = kills.map((at) => {
				let passed = 0;
				return () => (passed++ === at ? "die" : "go") as "die" | "go";
			});
			let state = await h.toHalt(...lives);
			for (let n = 0; n < 3 && (state.status === "paused" || state.status === "failed"); n++) {
				if (state.status === "failed") await h.post({ type: "retry_story", at: h.clock.now(), story: null });
				state = await h.toHalt();
			}
			assert.deepEqual(await violations(h), []);
			assert.equal(state.status, "completed", state.reason ?? "");
			assert.deepEqual(
				landed(h)
					.filter((subject) => subject !== "mine")
					.sort(),
				[...ids],
			);
			const base = h.site.git.ancestors(await new MemoryRepository(h.site).commitOf("main"));
			assert.ok(
				mine.every((commit) => base.has(commit)),
				"I8 a person's commit is gone",
			);
			h.remove();
		}),
		{ numRuns: Number(process.env["PAWL_QUEUE_RUNS"] ?? 25) },
	);
});
