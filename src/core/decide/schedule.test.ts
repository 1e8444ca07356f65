import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextWake } from "../query.ts";
import { definitionOf, dynamic, linear, plan, stories, storyOf } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const needs = (id: string, ...dependsOn: string[]) => storyOf(id, { dependsOn });
const one = (more = {}) => stories({ work: more });

test("D-01 D-02 the steps of a story run one after the other, the first pending one in the order of the list", () => {
	const w = new World(stories({ a: {}, b: {}, c: {} }), { stories: ["A"] });
	assert.deepEqual(w.list("A"), ["a in_progress", "b pending", "c pending"]);
	w.end("a");
	assert.deepEqual(w.list("A"), ["a completed", "b in_progress", "c pending"]);
	w.play();
	assert.deepEqual(w.started, ["A a", "A b", "A c"]);
	assert.deepEqual([w.story("A").status, w.state.status], ["completed", "completed"]);
});

test("D-09 among those that can start the lowest priority number comes first, ties in the order of the list", () => {
	const w = new World(one(), {
		stories: [storyOf("A", { priority: 3 }), storyOf("B", { priority: 1 }), storyOf("C", { priority: 2 }), storyOf("D", { priority: 1 })],
	});
	w.play();
	assert.deepEqual(w.started, ["B work", "D work", "C work", "A work"]);
});

test("D-09 among stories of equal priority the one with the longest chain behind it comes first", () => {
	const w = new World(one(), { stories: [needs("A"), needs("B"), needs("C", "B"), needs("D", "C"), needs("E"), needs("F", "E")] });
	w.play();
	assert.deepEqual(w.started, ["B work", "C work", "E work", "A work", "D work", "F work"]);
});

test("D-09 a chain is as long as its stories are expected to take: as those of the same group took in this run", () => {
	const of = (id: string, group: string, dependsOn: string[] = [], priority = 1) => storyOf(id, { group, dependsOn, priority });
	const w = new World(one(), {
		stories: [
			of("slow", "slow", [], 0),
			of("quick", "quick", [], 0),
			of("A", "other"),
			of("a1", "quick", ["A"]),
			of("a2", "quick", ["a1"]),
			of("B", "other"),
			of("b1", "slow", ["B"]),
		],
	});
	w.at += 60_000;
	w.end("slow work");
	w.end("quick work");
	// Two stories wait for A, and one for B that is expected to take longer than both.
	assert.deepEqual(w.started, ["slow work", "quick work", "B work"]);
	w.play();
	assert.equal(w.state.status, "completed");
});

test("D-09 no slot is free while a story could start, whatever ends in whatever order; each starts once", () => {
	const graphs = fc.record({
		needs: fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 12 }),
		priorities: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 8, maxLength: 8 }),
		agents: fc.integer({ min: 1, max: 4 }),
		picks: fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }),
	});
	fc.assert(
		fc.property(graphs, ({ needs: edges, priorities, agents, picks }) => {
			const w = new World(one(), {
				stories: priorities.map((priority, n) =>
					storyOf(`S${n}`, { priority, dependsOn: [...new Set(edges.filter(([a, b]) => a === n && b < n).map(([, b]) => `S${b}`))] }),
				),
				options: { agents, slots: Array.from({ length: agents }, (_, n) => n + 1) },
			});
			for (const pick of picks) {
				const done = new Set(w.state.stories.filter((s) => s.status === "completed").map((s) => s.id));
				const ready = w.state.stories.filter((s) => s.status === "unclaimed" && s.dependsOn.every((id) => done.has(id)));
				assert.ok(w.jobs.length === agents || ready.length === 0, `${agents - w.jobs.length} slots are free`);
				const job = w.jobs[pick % w.jobs.length];
				if (job) w.end(`${job.scope} work`);
			}
			assert.deepEqual([w.state.status, w.started.length], ["completed", 8]);
		}),
	);
});

test("order list: the priority does not count", () => {
	const w = new World(stories({ work: {} }, { order: "list" }), {
		stories: [storyOf("A", { priority: 3 }), storyOf("B", { priority: 1 })],
	});
	w.play();
	assert.deepEqual(w.started, ["A work", "B work"]);
});

test("D-127 D-59 as many stories at once as there are agents, each in a place of its own that is free again afterwards", () => {
	const w = new World(one(), { stories: ["A", "B", "C", "D", "E"], options: { agents: 3, slots: [4, 7, 9] } });
	assert.deepEqual(
		w.jobs.map((j) => j.scope),
		["A", "B", "C"],
	);
	assert.deepEqual(
		["A", "B", "C"].map((id) => w.story(id).slot),
		[4, 7, 9],
	);
	w.end("B work");
	assert.deepEqual([w.story("D").slot, w.story("D").claimedAt], [7, w.at]);
	w.play();
	assert.ok(w.state.stories.every((s) => s.status === "completed"));
});

test("a width of its own goes before the number of agents", () => {
	const w = new World(stories({ work: {} }, { concurrency: 1 }), { stories: ["A", "B"], options: { agents: 2 } });
	assert.equal(w.jobs.length, 1);
});

test("D-128 D-142 a story starts when all that it needs is completed, its merge included", () => {
	const w = new World(dynamic(), {
		stories: [needs("D", "B", "C"), needs("B", "A"), needs("C", "A"), needs("A")],
		options: { agents: 4 },
	});
	w.until("A merge");
	assert.ok(w.started.every((s) => s.startsWith("A ")));
	assert.equal(w.story("A").status, "in_progress");
	w.end("A merge", { signal: "merged" });
	assert.deepEqual(
		w.jobs.map((j) => j.scope),
		["B", "C"],
	);
	w.play({ merge: { signal: "merged" } });
	assert.ok(w.started.indexOf("D context_gathering") > w.started.lastIndexOf("C merge"));
	assert.equal(w.state.status, "completed");
});

test("D-11 a story that had passed before is completed without a step and satisfies those that need it", () => {
	const w = new World(one(), { stories: [storyOf("A", { passes: true }), needs("B", "A")] });
	assert.deepEqual(w.started, ["B work"]);
	w.play();
	assert.equal(w.state.status, "completed");
	const all = new World(one(), { stories: [storyOf("A", { passes: true })] });
	assert.equal(all.state.status, "completed");
});

test("D-61 D-63 D-143 D-144 a failed story blocks those that need it, directly or not; the rest continues; the run fails at the end", () => {
	const w = new World(one(), { stories: [needs("C", "B"), needs("B", "A"), "A", "X"] });
	w.end("A work", { signal: "agent_error", error: "exit 3" });
	assert.deepEqual(w.stories(), { A: "failed", B: "blocked", C: "blocked", X: "in_progress" });
	assert.equal(w.state.status, "running");
	w.play();
	assert.deepEqual(w.stories(), { A: "failed", B: "blocked", C: "blocked", X: "completed" });
	assert.equal(w.state.status, "failed");
	assert.equal(w.state.reason, "failed: A; blocked: C, B");
	assert.deepEqual(w.started, ["A work", "X work"]);
});

test("D-66 a story that runs is left alone when another fails", () => {
	const w = new World(one(), { stories: ["A", "B"], options: { agents: 2 } });
	w.end("A work", { signal: "agent_error" });
	assert.equal(w.story("B").status, "in_progress");
	assert.deepEqual(w.asked("cancel_attempt"), []);
});

test("A-43 where a failed story fails the run, what runs elsewhere is ended and nothing new starts", () => {
	const w = new World(stories({ work: {} }, { onFailure: "fail_run" }), { stories: ["A", "B", "C"], options: { agents: 2 } });
	w.end("A work", { signal: "agent_error", error: "exit 3" });
	assert.equal(w.state.status, "failed");
	assert.match(w.state.reason ?? "", /story A failed.*exit 3/);
	assert.deepEqual(
		w.asked("cancel_attempt").map((c) => c.scope),
		["B"],
	);
	w.end("B work", "cancelled");
	assert.deepEqual([w.started.length, w.state.status], [2, "failed"]);
});

test("D-65 D-64 D-124 a retry by a person runs the failed step again; then the blocked ones run, one after the other", () => {
	const w = new World(stories({ a: {}, b: {} }), { stories: ["A", needs("B", "A"), needs("C", "B")] });
	w.play({ "A b": { signal: "agent_error", error: "exit 3" } });
	assert.deepEqual([w.state.status, w.started], ["failed", ["A a", "A b"]]);
	w.feed({ type: "advance" });
	assert.equal(w.started.length, 2, "never automatically");
	w.feed({ type: "retry_story", story: "A" });
	assert.deepEqual(w.stories(), { A: "in_progress", B: "blocked", C: "blocked" });
	assert.deepEqual(w.list("A"), ["a completed", "b in_progress"]);
	w.end("A b");
	assert.deepEqual(w.stories(), { A: "completed", B: "in_progress", C: "blocked" });
	w.play();
	assert.equal(w.state.status, "completed");
	assert.deepEqual(w.started.slice(2), ["A b", "B a", "B b", "C a", "C b"]);
});

test("a story whose attempts changed nothing fails, unless it says that no change is expected", () => {
	const definition = stories({ work: {} }, { expectsChange: true });
	const w = new World(definition, { stories: ["A", storyOf("B", { expectsChange: false }), "C"] });
	w.play({ work: { changed: false }, "C work": { changed: true } });
	assert.deepEqual(w.stories(), { A: "failed", B: "completed", C: "completed" });
	assert.match(w.story("A").error ?? "", /nothing was changed/);
	w.feed({ type: "retry_story", story: "A" });
	w.play({ work: { changed: true } });
	assert.equal(w.state.status, "completed");
});

test("the change of a failed attempt does not count: it is put back", () => {
	const w = new World(stories({ work: { on: { agent_error: { action: "retry", max: 1 } } } }, { expectsChange: true }), { stories: ["A"] });
	w.play({ work: [{ signal: "agent_error", changed: true }, { changed: false }] });
	assert.equal(w.story("A").status, "failed");
});

test("D-60 D-18 the end of a story gives its place back and says whether it completed", () => {
	const w = new World(one(), { stories: ["A", "B"] });
	w.play({ "B work": { signal: "timeout" } });
	assert.deepEqual(
		w.asked("release_story").map((e) => [e.scope, e.slot, e.completed]),
		[
			["A", 1, true],
			["B", 1, false],
		],
	);
	assert.ok(w.story("A").completedAt !== null && w.story("B").completedAt === null);
});

test("D-123 a failed story is told in the run's own scratch file", () => {
	const w = new World(one(), { stories: ["A"] });
	w.end("work", { signal: "agent_error", error: "exit 3" });
	const [told] = w.asked("append_scratch");
	assert.equal(told?.scope, "@run");
	assert.match(told?.text ?? "", /story A failed: step-001 \(work\): exit 3/);
});

test("stories that need no attempt at all do not hold up the others", () => {
	const definition = stories({ work: { when: [{ field: "wanted", op: "is", value: "yes" }] } });
	const w = new World(definition, { stories: ["A", "B", needs("C", "B")] });
	assert.deepEqual([w.stories(), w.state.status], [{ A: "completed", B: "completed", C: "completed" }, "completed"]);
	const failing = new World(stories({ work: { when: [{ field: "wanted", op: "is", value: "yes" }] } }, { expectsChange: true }), {
		stories: ["A", "B", needs("C", "B")],
	});
	assert.deepEqual([failing.stories(), failing.state.status], [{ A: "failed", B: "failed", C: "blocked" }, "failed"]);
});

test("a story that needs what does not exist, or itself in a circle, cannot hang the run", () => {
	const w = new World(one(), { stories: ["A", needs("B", "nobody"), needs("C", "D"), needs("D", "C")] });
	w.play();
	assert.equal(w.story("A").status, "completed");
	assert.equal(w.state.status, "failed");
	assert.match(w.state.reason ?? "", /B.*C.*D/);
});

test("a story that is given twice, or has the run's own name, is there once or not at all", () => {
	const w = new World(one(), { stories: ["A", "A", "@run"] });
	assert.deepEqual(Object.keys(w.stories()), ["A"]);
	w.feed({ type: "add_stories", stories: [storyOf("A"), storyOf("B"), storyOf("B")] });
	assert.deepEqual(Object.keys(w.stories()), ["A", "B"]);
	w.play();
	assert.deepEqual(w.started, ["A work", "B work"]);
});

test("D-145 a story that is added to a running run takes a free slot at once", () => {
	const w = new World(one(), { stories: ["A"], options: { agents: 2 } });
	w.feed({ type: "add_stories", stories: [storyOf("B"), needs("C", "A")] });
	assert.deepEqual(w.started, ["A work", "B work"]);
	w.end("A work");
	assert.equal(w.started.at(-1), "C work");
});

test("A-50 stories come from a step's report, and the each step after it works on them", () => {
	const definition = definitionOf({
		steps: ["plan", "stories", "test"],
		types: { plan: { scope: "run" }, stories: { each: { steps: plan("work") } }, work: {}, test: { scope: "run" } },
	});
	const w = new World(definition);
	w.end("plan", { stories: [storyOf("A"), storyOf("B")] });
	w.play();
	assert.deepEqual(w.started, ["plan", "A work", "B work", "test"]);
	assert.equal(w.state.status, "completed");
	const none = new World(definition);
	none.end("plan");
	assert.deepEqual([none.state.status, none.state.reason], ["failed", "there is no story to work on"]);
});

test("T-20 an each step that asks for no story at all is done when there is none", () => {
	const definition = definitionOf({
		steps: ["plan", "stories", "test"],
		types: { plan: { scope: "run" }, stories: { each: { steps: plan("work"), atLeast: 0 } }, work: {}, test: { scope: "run" } },
	});
	const w = new World(definition);
	w.end("plan");
	w.play();
	assert.deepEqual([w.started, w.state.status], [["plan", "test"], "completed"]);
});

test("two each steps: the second finds all stories done and ends at once", () => {
	const definition = definitionOf({
		steps: ["first", "second", "test"],
		types: { first: { each: { steps: plan("work") } }, second: { each: { steps: plan("work") } }, work: {}, test: { scope: "run" } },
	});
	const w = new World(definition, { stories: ["A"] });
	w.play();
	assert.deepEqual([w.started, w.state.status], [["A work", "test"], "completed"]);
});

test("a step whose condition does not hold is skipped with that reason; fields of the story go before those of the run", () => {
	const definition = linear({
		a: { on: { done: { action: "next", set: { tasks: "{{TASKS}}" } } } },
		many: { when: [{ field: "tasks", op: "above", value: 1 }] },
		few: { when: [{ field: "tasks", op: "below", value: 2 }] },
		here: { when: [{ field: "workspace", op: "is", value: "worktree" }] },
		tree: { when: [{ field: "workspace", op: "is_not", value: "worktree" }] },
		known: { when: [{ field: "colour", op: "set" }] },
		unknown: { when: [{ field: "shape", op: "unset" }] },
	});
	const w = new World(definition, { fields: { colour: "red", tasks: "0" } });
	w.play({ a: { fields: { TASKS: "3" } } });
	assert.deepEqual(w.started, ["a", "many", "here", "known", "unknown"]);
	assert.equal(w.find("@run", "few").skipReason, "its condition does not hold");
});

test("a definition without the type of a step fails the run instead of hanging it", () => {
	const w = new World(definitionOf({ steps: ["ghost"], types: {} }));
	assert.equal(w.state.status, "failed");
	assert.match(w.state.reason ?? "", /ghost/);
});

test("a gate without members cannot hang the run", () => {
	const w = new World(linear({ gate: { kind: "gate", members: [], verdicts: ["ok"] } }));
	assert.equal(w.state.status, "failed");
});

test("rate_limited waits until the time it was told, without burning anything; nextWake says when", () => {
	const w = new World(one(), { stories: ["A"] });
	w.end("work", { signal: "rate_limited", retryAt: w.at + 90_000 });
	assert.deepEqual([w.list("A"), w.state.status, nextWake(w.state)], [["work pending"], "running", w.at + 90_000]);
	w.at += 89_999;
	w.feed({ type: "advance" });
	assert.equal(w.jobs.length, 0);
	w.at += 1;
	w.feed({ type: "advance" });
	assert.deepEqual([w.jobs.length, nextWake(w.state)], [1, null]);
	w.play();
	assert.deepEqual([w.state.status, w.step("A", "step-001").restarts, w.scope("A").counters], ["completed", 0, {}]);
});

test("overloaded without a time waits a while of its own, and never less than a moment", () => {
	const w = new World(one(), { stories: ["A"] });
	w.end("work", { signal: "overloaded" });
	assert.ok((nextWake(w.state) ?? 0) > w.at);
	w.play({ work: [{ signal: "rate_limited", retryAt: 5 }, {}] });
	assert.equal(w.state.status, "completed");
});

test("while one story waits for a time the others continue", () => {
	const w = new World(one(), { stories: ["A", "B"], options: { agents: 2 } });
	w.end("A work", { signal: "rate_limited", retryAt: w.at + 1000 });
	w.end("B work");
	assert.deepEqual(w.stories(), { A: "in_progress", B: "completed" });
	assert.equal(w.state.status, "running");
});

test("I21 stories that come when all others are done are worked on, and what follows the stories runs again", () => {
	const after = definitionOf({
		steps: ["stories", "tidy", "last"],
		types: { stories: { each: { steps: plan("a") } }, a: {}, tidy: { scope: "run" }, last: { scope: "run" } },
	});
	const w = new World(after, { stories: ["A"] });
	w.end("A a");
	w.end("tidy");
	w.feed({ type: "add_stories", stories: [storyOf("B")] });
	w.end("last");
	assert.equal(w.started.at(-1), "B a");
	w.play();
	assert.deepEqual(
		[w.started.slice(-3), w.state.status, w.stories()],
		[["B a", "tidy", "last"], "completed", { A: "completed", B: "completed" }],
	);
});

test("T-18 stories of which each says that it needs no other run side by side; where one says nothing, the order of the list counts", () => {
	const definition = stories({ work: {} });
	const each = Object.values(definition.types).find((type) => type.each);
	assert.ok(each?.each);
	const types = { ...definition.types, [each.name]: { ...each, each: { ...each.each, concurrency: 0, onlyDeclared: true } } };
	const started = (...said: (true | undefined)[]) =>
		new World(
			{ ...definition, types },
			{
				stories: said.map((independent, n) => storyOf(`S${n + 1}`, independent ? { independent } : {})),
				options: { agents: 2, slots: [1, 2] },
			},
		).started;
	assert.deepEqual(started(true, true), ["S1 work", "S2 work"]);
	assert.deepEqual(started(true, undefined), ["S1 work"]);
	assert.deepEqual(started(undefined, undefined), ["S1 work"]);
});

test("I21 a list of stories that comes after the stories, of which there were none, is refused instead of being left undone", () => {
	const report = { notes: "text", keys: [], signals: [], open: true, stories: "STORIES_JSON" } as const;
	const late = definitionOf({
		steps: ["stories", "last"],
		types: { stories: { each: { steps: plan("a"), atLeast: 0 } }, a: {}, last: { scope: "run", report } },
	});
	const w = new World(late);
	w.end("last", { stories: [storyOf("A")] });
	assert.deepEqual([w.state.status, w.state.stories], ["failed", []]);
	assert.match(w.state.reason ?? "", /work on the stories has begun/);
});
