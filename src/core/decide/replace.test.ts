// A step whose stories replace all that are not completed, steps that a person asks for, and kept values of reports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readReport } from "../report/report.ts";
import { failedCheck, stories, storyOf } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { planChanges } from "./replace.ts";

const back = { action: "goto", target: "plan", spend: "plans", exhausted: { action: "fail", target: "run" } } as const;
const definition = {
	...stories(
		{
			check: { on: { re_plan: back } },
			work: { on: { checks_failed: { action: "retry", max: 3, per: "step" } } },
			plan: { detour: true, replaces: true, on: { checks_failed: { action: "retry", max: 1, per: "step" } } },
			look: { detour: true, onDemand: true, on: { re_plan: back } },
		},
		{ concurrency: 1, order: "list", onFailure: "fail_run" },
	),
	budgets: { plans: { unit: "count", limit: 2, scope: "run", warnAt: [] } as const },
};
const seeds = ["1.1", "1.2", "2.1"].map((id) => storyOf(id, { group: id.slice(0, 1), title: `old ${id}` }));
const world = () => new World(definition, { stories: seeds });
const fresh = [storyOf("1.2", { title: "new 1.2" }), storyOf("2.3", { title: "new 2.3" }), storyOf("3.1"), storyOf("1.1", { title: "no" })];

test("S-28 S-31: new stories replace every one that is not completed, the current one included, in the groups of their kind", () => {
	const w = world().play({ "1.2 check": [{ signal: "re_plan" }, {}], plan: { stories: fresh } });
	assert.deepEqual(w.stories(), { "1.1": "completed", "1.2": "completed", "2.3": "completed", "3.1": "completed" });
	assert.deepEqual(
		w.state.stories.map((s) => [s.title, s.group]),
		[
			["old 1.1", "1"],
			["new 1.2", "1"],
			["new 2.3", "2"],
			["Story 3.1", null],
		],
	);
	assert.deepEqual(w.started.slice(2), [
		"1.2 check",
		"1.2 plan",
		"1.2 check",
		"1.2 work",
		"2.3 check",
		"2.3 work",
		"3.1 check",
		"3.1 work",
	]);
	const ids = w.ids("1.2");
	assert.ok(!ids.includes("step-001"), `ids of the old list are not used again: ${ids.join(" ")}`);
});

test("S-31: the budget of re-plans ends it; a list that evidence is against changes nothing", () => {
	const w = world().play({ check: { signal: "re_plan" }, plan: { stories: fresh } });
	assert.deepEqual([w.state.status, w.all("stories_replaced").length], ["failed", 2]);
	const v = world().play({ "1.1 check": { signal: "re_plan" }, plan: { stories: fresh, checks: [failedCheck("tasks")] } });
	assert.deepEqual([v.all("stories_replaced").length, v.state.status], [0, "failed"]);
});

test("S-25: a step that a person asks for runs before the story continues, even if the running step has to repeat", () => {
	const w = world().until("1.1 work");
	w.feed({ type: "call", step: "look", scope: null, reason: "a person asked for it" });
	w.end("1.1 work", { checks: [failedCheck()] });
	w.play();
	assert.deepEqual(w.started.slice(0, 4), ["1.1 check", "1.1 work", "1.1 look", "1.1 work"]);
	const v = world().until("1.1 work");
	for (const [step, scope] of [
		["work", null],
		["look", "2.1"],
		["nothing", null],
	] as const)
		v.feed({ type: "call", step, scope, reason: "" });
	assert.equal(v.all("steps_inserted").length, 0);
});

test("S-46: every value of a kept key counts once, wherever it appears", () => {
	const report = readReport(
		{ notes: "text", keys: [], signals: [{ signal: "done", when: { STATUS: "done|finished" } }], keep: { lessons: "LEARNING" } },
		"LEARNING: a | b\nSTATUS: finished\nLEARNING: c\n  and more\nLEARNING: a | b\n",
	);
	assert.deepEqual(report.signal, "done");
	assert.deepEqual(report.kept, [
		{ name: "lessons", text: "a | b" },
		{ name: "lessons", text: "c\n  and more" },
	]);
	const w = world();
	w.end("1.1 check", { kept: report.kept ?? [] });
	assert.deepEqual(
		w.scope("1.1").kept.map((k) => [k.name, k.text.slice(0, 5)]),
		[
			["lessons", "a | b"],
			["lessons", "c\n  a"],
		],
	);
});

test("C-02 S-49: the run continues from the adopted state, whatever the journal knew", () => {
	const w = world().until("2.1 work");
	w.jobs = [];
	w.feed({
		type: "adopt",
		reason: "a checkpoint was restored",
		stories: seeds.map((s) => (s.id === "1.1" ? { ...s, passes: true } : s)),
		done: [],
		fields: { from: "file" },
		budgets: { plans: { limit: 3, spent: 1 } },
		elapsedMs: 5000,
	});
	w.play();
	assert.equal(w.state.status, "completed");
	assert.deepEqual(w.started.slice(-4), ["1.2 check", "1.2 work", "2.1 check", "2.1 work"]);
	assert.deepEqual([w.state.budgets["plans"]?.limit, w.state.root.fields["from"], w.all("run_adopted").length], [3, "file", 1]);
});

test("C-02: a run that had ended continues, and its own steps are where the file says", () => {
	const w = world().play();
	assert.equal(w.state.status, "completed");
	w.feed({
		type: "adopt",
		reason: "file",
		stories: [{ ...storyOf("9.1"), passes: true }, storyOf("9.2")],
		done: [],
		fields: {},
		budgets: {},
		elapsedMs: 0,
	});
	assert.deepEqual(w.stories(), { "9.1": "completed", "9.2": "in_progress" });
	w.play();
	assert.equal(w.state.status, "completed");
});

test("G-19: a story under another id is moved, neither dropped nor added; an equal title alone is not enough", () => {
	const then = (id: string, more = {}) => storyOf(id, { title: "Tests", description: "of the parser", criteria: ["a"], ...more });
	const w = new World(definition, { stories: [then("1.1"), storyOf("1.2", { title: "old 1.2" })] });
	assert.deepEqual(planChanges(w.state.stories, [storyOf("1.2", { title: "old 1.2" }), then("2.1", { criteria: ["a", "b"] })]), [
		"moves 1.1 to 2.1: Tests",
		'gives 1.1 the criterion "b"',
	]);
	assert.deepEqual(
		planChanges(w.state.stories, [storyOf("1.2", { title: "old 1.2" }), then("2.1", { description: "of all", criteria: ["c"] })]),
		["drops 1.1: Tests", "adds 2.1: Tests"],
	);
	assert.deepEqual(planChanges(w.state.stories, [storyOf("1.2", { title: "old 1.2" }), then("1.1")]), ["changes the order of the stories"]);
	assert.deepEqual(planChanges(w.state.stories, [then("1.1"), storyOf("1.2", { title: "old 1.2" })]), []);
});

test("G-19: a new plan says what it changes and needs the same approval as the first; dropped stories do not run", () => {
	const asks = {
		...definition,
		steps: [{ type: "approve" }, ...definition.steps],
		types: {
			...definition.types,
			approve: {
				...definition.types["check"]!,
				name: "approve",
				kind: "approval" as const,
				description: "Approve",
				routes: { approved: { action: "next" } as const },
			},
		},
	};
	const w = new World(asks, { stories: seeds.map((seed) => ({ ...seed, criteria: ["it holds"] })) });
	w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
	const weaker = [storyOf("1.2", { title: "old 1.2", criteria: [] }), storyOf("2.2", { title: "more" })];
	w.until("1.2 check");
	w.end("1.2 check", { signal: "re_plan" });
	w.end("1.2 plan", { stories: weaker });
	assert.equal(w.state.status, "waiting");
	const said = w.all("remarked").map((e) => e.text);
	assert.deepEqual(
		said.filter((text) => /drops|adds|criterion/.test(text)).map((text) => text.replace(/".*"/, "…")),
		["the new plan takes the criterion … from 1.2", "the new plan drops 2.1: old 2.1", "the new plan adds 2.2: more"],
	);
	assert.match(w.all("step_waiting").at(-1)?.reason ?? "", /^Approve: the plan has changed: .*drops 2\.1/);
	assert.deepEqual(w.stories(), { "1.1": "completed", "1.2": "unclaimed", "2.2": "unclaimed" });
	w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
	w.play();
	assert.deepEqual([w.state.status, w.stories()], ["completed", { "1.1": "completed", "1.2": "completed", "2.2": "completed" }]);
	assert.deepEqual(
		w.state.replaced?.map((s) => s.id),
		["1.2", "2.1"],
	);
});

test("G-20 T-33: a plan that changed while nobody had approved it is planned again; once its stories have begun it stays", () => {
	const asks = { ...definition, steps: [{ type: "work" }, ...definition.steps] };
	const w = new World(asks, { stories: seeds });
	w.end("work");
	const before = w.events.length;
	w.feed({ type: "renew_plan", stories: [storyOf("9.1")], fields: {} });
	assert.equal(w.events.length, before);
	const v = new World(asks, { stories: seeds });
	v.feed({ type: "renew_plan", stories: [storyOf("9.1")], fields: { phases: "[]" } });
	assert.deepEqual([v.stories(), v.state.root.fields["phases"], v.started], [{ "9.1": "unclaimed" }, "[]", ["work"]]);
});

test("G-19: a plan that changes nothing is said to settle nothing, and needs no words of change", () => {
	const same = seeds.slice(1).map((seed) => ({ ...seed }));
	const w = world();
	w.until("1.2 check");
	w.end("1.2 check", { signal: "re_plan" });
	w.end("1.2 plan", { stories: same });
	assert.deepEqual(
		w.all("remarked").map((e) => e.text),
		["the new plan changes nothing, so what led to it is not settled"],
	);
	assert.deepEqual(
		w.asked("release_story").map(({ scope, slot, completed }) => [scope, slot, completed]),
		[
			["1.1", 1, true],
			["1.2", 1, false],
		],
		"the story that asked for it gives its place back, unfinished",
	);
	const empty = world();
	empty.until("1.1 check");
	empty.end("1.1 check", { signal: "re_plan" });
	empty.end("1.1 plan", { stories: [] });
	assert.equal(empty.all("stories_replaced").length, 0, "no stories are no plan");
});

test("G-19: what a plan changes, in words: titles, descriptions, criteria, order", () => {
	const w = world();
	const now = w.state.stories;
	const [a, b, c] = seeds as unknown as [(typeof seeds)[0], (typeof seeds)[0], (typeof seeds)[0]];
	assert.deepEqual(planChanges(now, seeds), []);
	assert.deepEqual(
		planChanges(
			now,
			[b, a, c].map((one) => one as never),
		),
		["changes the order of the stories"],
	);
	assert.deepEqual(planChanges(now, [storyOf("0.1", { title: "new" }), a, b, c] as never), ["adds 0.1: new"]);
	assert.deepEqual(planChanges(now, [{ ...a, title: "better" }, b, c] as never), ['renames 1.1 from "old 1.1" to "better"']);
	assert.deepEqual(planChanges(now, [{ ...a, description: " more " }, b, c] as never), ["describes 1.1 in other words"]);
	assert.deepEqual(planChanges(now, [{ ...a, criteria: ["x", "y"] }, b, c] as never), [
		'gives 1.1 the criterion "x"',
		'gives 1.1 the criterion "y"',
	]);
	assert.deepEqual(planChanges(now, [a, b] as never), ["drops 2.1: old 2.1"]);
});

test("G-20 T-33: a plan that changes while its approval is awaited is asked for again, with the reason; without stories to open there is no plan", () => {
	const approve = { kind: "approval" as const, routes: { approved: { action: "next" } as const } };
	const asks = {
		...definition,
		steps: [{ type: "work" }, { type: "approve" }, ...definition.steps, { type: "later" }],
		types: {
			...definition.types,
			approve: { ...definition.types["check"]!, name: "approve", ...approve },
			later: { ...definition.types["check"]!, name: "later" },
		},
	};
	const w = new World(asks, { stories: seeds });
	w.end("work");
	assert.equal(w.state.status, "waiting");
	const events = w.feed({ type: "renew_plan", stories: [storyOf("9.1")], fields: { a: "b" } });
	assert.deepEqual(
		events.flatMap((e) => (e.event === "step_reopened" ? [[e.step, e.reason]] : [])),
		[
			["step-001", "the document has changed"],
			["step-002", "the document has changed"],
		],
	);
	const none = new World({ ...asks, steps: [{ type: "work" }] }, {});
	assert.deepEqual(none.feed({ type: "renew_plan", stories: [storyOf("9.1")], fields: {} }), []);
});
