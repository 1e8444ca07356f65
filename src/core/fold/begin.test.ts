// Stories as they begin, give way to a new plan, or are taken over from a file; and how long a run has been working.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventOf } from "../event.ts";
import { RUN_SCOPE } from "../model.ts";
import { definitionOf, storyOf } from "../testing/builders.suite.ts";
import { AT, CREATED, Folded, type Part, planned } from "../testing/folded.suite.ts";

const run = new Folded(
	definitionOf({
		types: { work: {}, other: {}, mend: { detour: true }, act: { kind: "action", action: "x" } },
		budgets: { plans: { unit: "count", limit: 3, scope: "run", warnAt: [0.5, 0.9] } },
	}),
);
const added = (...ids: string[]): Part => ({ event: "stories_added", stories: ids.map((id) => storyOf(id)) });
const completed = (scope: string): Part => ({ event: "story_completed", scope });
const steps = (scope: string): Part => ({
	event: "steps_planned",
	scope,
	steps: [{ id: "step-007", type: "work", description: "" }],
});

test("a story begins as it was written: unclaimed, or done if it passes already", () => {
	const seed = storyOf("A", { title: "T", description: "D", criteria: ["c"], priority: 3, dependsOn: ["B"] });
	const { scope, ...story } = run.story("A", { event: "stories_added", stories: [seed] });
	assert.deepEqual(story, {
		...{ id: "A", title: "T", description: "D", criteria: ["c"], priority: 3, dependsOn: ["B"] },
		...{
			expectsChange: true,
			group: null,
			status: "unclaimed",
			slot: null,
			claimedAt: null,
			completedAt: null,
			error: null,
			changed: false,
		},
	});
	assert.deepEqual(scope, { id: "A", steps: [], nextNumber: 1, counters: {}, fields: {}, kept: [], sessions: {} });
	const more = { passes: true, independent: true, expectsChange: false, group: "g" } as const;
	const done = run.story("A", { event: "stories_added", stories: [{ ...seed, ...more }] });
	assert.deepEqual([done.status, done.completedAt, done.independent, done.expectsChange, done.group], ["completed", AT, true, false, "g"]);
});

test("an id that is taken, or is the run's own, is not added again", () => {
	const { stories } = run.state(added("A", "B"), {
		event: "stories_added",
		stories: [storyOf("A", { title: "other" }), storyOf(RUN_SCOPE), storyOf("C")],
	});
	assert.deepEqual(
		stories.map(({ id, title }) => [id, title]),
		["A", "B", "C"].map((id) => [id, `Story ${id}`]),
	);
	assert.equal(run.state(added("A", "A")).stories.length, 1);
});

test("a new plan replaces all stories, or those that are not completed; what gave way is kept, and step ids are not used again", () => {
	const before = [added("A", "B"), steps("A"), steps("B"), completed("A")];
	const replace = (more: object): Part => ({ event: "stories_replaced", stories: [storyOf("B"), storyOf("A"), storyOf("C")], ...more });
	const all = run.state(...before, replace({}));
	assert.deepEqual([all.stories.map(({ id }) => id), "replaced" in all], [["B", "A", "C"], false]);
	assert.equal(all.stories[0]?.scope.nextNumber, 1, "nobody had begun");
	const some = run.state(...before, replace({ keep: "completed" }));
	assert.deepEqual(
		some.stories.map(({ id, status, scope }) => [id, status, scope.nextNumber]),
		[
			["A", "completed", 8],
			["B", "unclaimed", 8],
			["C", "unclaimed", 1],
		],
	);
	assert.deepEqual(
		some.replaced?.map(({ id, scope }) => [id, scope.steps.length]),
		[["B", 1]],
	);
	const twice = run.state(...before, replace({ keep: "completed" }), {
		event: "stories_replaced",
		stories: [storyOf("D")],
		keep: "completed",
	});
	assert.deepEqual(
		twice.replaced?.map(({ id }) => id),
		["B", "B", "C"],
	);
});

type Adopted = Omit<EventOf<"run_adopted">, "event" | "at">;
const adopt = (more: Partial<Adopted> = {}): Part => ({
	event: "run_adopted",
	at: 9_000,
	...{ reason: "restored", stories: [storyOf("A"), storyOf("B")], done: [], fields: { x: "y" }, budgets: {}, elapsedMs: 500 },
	...more,
});

test("I19 a state file that is taken over sets the run going again, with its own stories, fields and times", () => {
	const state = run.state(
		added("A", "Z"),
		steps("A"),
		{ event: "counted", scope: RUN_SCOPE, counter: "c" },
		{ event: "kept", scope: RUN_SCOPE, step: "s", name: "n", text: "t" },
		{ event: "run_aborting", reason: "r" },
		{ event: "stop_requested", how: "pause" },
		{ event: "run_status_changed", status: "failed", reason: "f" },
		adopt(),
	);
	assert.deepEqual(
		[state.status, state.reason, state.stopping, state.aborting, state.endedAt, state.idleSince, state.idleMs],
		["running", null, null, false, null, null, 9_000 - CREATED - 500],
	);
	assert.deepEqual(state.busy, { running: 0, since: null, ms: 500, at: 9_000 });
	assert.deepEqual(
		state.stories.map(({ id, scope }) => [id, scope.nextNumber]),
		[
			["A", 8],
			["B", 1],
		],
	);
	assert.deepEqual([state.root.fields, state.root.counters], [{ given: "1", x: "y" }, {}]);
	assert.deepEqual(state.root.kept, [{ name: "n", step: "s", text: "t" }]);
	assert.deepEqual(run.state(adopt({ kept: [{ name: "k", text: "u" }] })).root.kept, [{ name: "k", text: "u", step: "" }]);
});

test("I19 steps that the file calls done are done, a detour is left out, and all others begin again", () => {
	const done: Part = { event: "step_completed", scope: RUN_SCOPE, step: "step-001", attempt: 1, signal: "done", notes: "mine" };
	const { root } = run.state(
		planned("work", "work", "other", "mend", "gone"),
		done,
		{ event: "step_reopened", scope: RUN_SCOPE, step: "step-003", reason: "again" },
		adopt({ done: ["work"] }),
	);
	assert.deepEqual(
		root.steps.map(({ status, completedAt, notes, skipReason, feedback }) => [status, completedAt, notes, skipReason, feedback]),
		[
			["completed", AT, "mine", null, null],
			["completed", 9_000, null, null, null],
			["pending", null, null, null, null],
			["skipped", null, null, "restored", null],
			["pending", null, null, null, null],
		],
	);
});

test("I19 of budgets the file says what is spent, and which warnings were due", () => {
	const { budgets } = run.state(adopt({ budgets: { plans: { limit: 10, spent: 5 }, cost: { limit: 2, spent: 2 } } }));
	assert.deepEqual(budgets, { plans: { limit: 10, spent: 5, warned: [0.5] }, cost: { limit: 2, spent: 2, warned: [] } });
	assert.deepEqual(run.state(adopt({ budgets: { plans: { limit: 10, spent: 4 } } })).budgets["plans"]?.warned, []);
});

test("I19 what the journal itself knows about a story counts, where the file says the same", () => {
	const known = { completed: ["A"], begun: { B: { f: "1" }, A: { f: "2" } }, changed: ["B"], replaced: 1 };
	const mine = [added("A", "B"), steps("A"), completed("A"), { event: "change_recorded", scope: "A" } as const];
	const taken = run.state(...mine, adopt({ known }));
	assert.deepEqual(
		taken.stories.map(({ status, changed, scope }) => [status, changed, scope.steps.length, scope.fields]),
		[
			["completed", true, 1, {}],
			["unclaimed", true, 0, { f: "1" }],
		],
	);
	const none = run.state(...mine, adopt({ known: { ...known, completed: [], changed: [] } }));
	assert.deepEqual(
		none.stories.map(({ status, changed, scope }) => [status, changed, scope.fields]),
		[
			["unclaimed", false, { f: "2" }],
			["unclaimed", false, { f: "1" }],
		],
	);
	const unknown = run.state(added("A"), adopt({ known })).stories[0];
	assert.deepEqual([unknown?.status, unknown?.scope.fields], ["unclaimed", { f: "2" }], "the journal does not say so");
	const second = run.state(added("A", "B"), steps("B"), completed("B"), adopt({ known: { ...known, completed: ["A", "B"] } }));
	assert.deepEqual(
		second.stories.map(({ status, scope }) => [status, scope.steps.length]),
		[
			["unclaimed", 0],
			["completed", 1],
		],
	);
	assert.deepEqual(run.state(...mine, adopt()).stories[0]?.scope.fields, {});
	const replace: Part = { event: "stories_replaced", stories: [storyOf("C")], keep: "completed" };
	const dropped = (more: Partial<Adopted>) => run.state(added("A", "B"), replace, adopt(more)).replaced?.map(({ id }) => id);
	assert.deepEqual([dropped({ known }), dropped({})], [["A"], ["A", "B"]]);
	assert.equal("replaced" in run.state(adopt({ known })), false);
});

const started = (step: string, at: number, role = "agent"): Part => ({
	event: "step_started",
	scope: RUN_SCOPE,
	step,
	attempt: 1,
	role,
	at,
});
const prepared = (step: string, at: number): Part => ({
	...{ event: "step_prepared", scope: RUN_SCOPE, step, attempt: 1, commit: null, log: null },
	at,
});
const ended = (step: string, at: number): Part => ({ event: "step_cancelled", scope: RUN_SCOPE, step, attempt: 1, error: "", at });

test("G-13 a run works from the first session that has begun to the last that has ended, or while an action runs", () => {
	const plan = planned("work", "act", "other");
	const busy = (...parts: Part[]) => run.state({ ...plan, at: CREATED }, ...parts).busy;
	assert.deepEqual(busy(started("step-001", 2_000)), { running: 0, since: null, ms: 0, at: 2_000 });
	const two = [started("step-001", 2_000), prepared("step-001", 2_100), started("step-003", 2_200), prepared("step-003", 2_300)];
	assert.deepEqual(busy(...two), { running: 2, since: 2_100, ms: 0, at: 2_300 });
	assert.deepEqual(busy(...two, ended("step-001", 2_500)), { running: 1, since: 2_100, ms: 0, at: 2_500 });
	const done = [...two, ended("step-001", 2_500), ended("step-003", 3_100)];
	assert.deepEqual(busy(...done), { running: 0, since: null, ms: 1_000, at: 3_100 });
	assert.equal(busy(...done, started("step-002", 4_000), ended("step-002", 4_250)).ms, 1_250, "an action needs no session");
	assert.equal(busy(started("step-002", 4_000, "")).running, 0, "nobody does it");
	assert.deepEqual(busy(...two, ended("step-001", 1_500)).at, 2_300, "a clock that went back");
});

test("G-13 time in which no engine drove the run does not count; stories that are replaced work no more", () => {
	const work = [planned("work"), started("step-001", 6_000), prepared("step-001", 6_000)];
	assert.equal(run.state(...work, { event: "engine_missed", ms: 300, at: 7_000 }).busy.since, 6_300);
	assert.equal(run.state({ event: "engine_missed", ms: 300, at: 7_000 }).busy.since, null);
	const story = [added("A"), steps("A")];
	const inStory = { scope: "A", step: "step-007", attempt: 1 };
	const both = [
		...work,
		...story,
		{ event: "step_started", ...inStory, role: "agent", at: 6_100 } as const,
		{ event: "step_prepared", ...inStory, commit: null, log: null, at: 6_200 } as const,
	];
	assert.equal(run.state(...both).busy.running, 2);
	const replace: Part = { event: "stories_replaced", stories: [storyOf("B")], at: 6_500 };
	assert.deepEqual(run.state(...both, replace).busy, { running: 1, since: 6_000, ms: 0, at: 6_500 });
	assert.deepEqual(run.state(...both, completed("A"), { ...replace, keep: "completed" }).busy.running, 2, "what stays goes on");
	assert.deepEqual(run.state(...both, { ...replace, at: 6_500 }, ended("step-001", 7_000)).busy.ms, 1_000);
});
