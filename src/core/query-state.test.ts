// What is due, what waits, how long a run has worked, and how reports and conditions are read.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition, ReportGrammar, Role } from "./definition.ts";
import {
	betweenIterations,
	claimHandle,
	dueSteps,
	elapsed,
	fieldOf,
	fieldsFor,
	grammarOf,
	holds,
	JUDGED,
	nameOfStep,
	nextWake,
	openLoop,
	runningAttempts,
	triesOf,
	waitingSteps,
	workedMs,
} from "./query.ts";
import { definitionOf, linear, plan, stories, storyOf, type TypePart } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

const LOOP: TypePart = {
	kind: "loop",
	loop: { schedule: "W", roles: { W: { role: "worker" } }, max: "9", inject: {}, delay: "500" },
	on: { done: { action: "retry" } },
};
const limited = { signal: "rate_limited" };

test("the next time to look is the earliest of the steps that wait for one, after the given one", () => {
	const w = new World(stories({ work: {} }), { stories: ["A", "B", "C"], options: { agents: 3 } });
	assert.equal(nextWake(w.state), null);
	w.end("A work", { ...limited, retryAt: w.at + 30 });
	w.end("B work", { ...limited, retryAt: w.at + 10 });
	w.end("C work", { ...limited, retryAt: w.at + 20 });
	const [b, c, a] = [w.at + 10, w.at + 20, w.at + 30];
	assert.equal(nextWake(w.state), b);
	assert.deepEqual([nextWake(w.state, b - 1), nextWake(w.state, b), nextWake(w.state, c), nextWake(w.state, a)], [b, c, a, null]);
	const due = (at: number) => dueSteps(w.state, at).map(({ scope, step }) => `${scope} ${step.id}`);
	assert.deepEqual([due(b - 1), due(b), due(a)], [[], ["B step-001"], ["A step-001", "B step-001", "C step-001"]]);
});

test("a loop that pauses between two iterations waits for its time; one at work does not", () => {
	const w = new World(linear({ loop: LOOP }));
	assert.deepEqual([nextWake(w.state), betweenIterations(w.state, w.find("@run", "loop"))], [null, false]);
	w.end("loop");
	assert.deepEqual([nextWake(w.state), betweenIterations(w.state, w.find("@run", "loop"))], [w.at + 500, true]);
	assert.deepEqual(
		dueSteps(w.state, w.at + 500).map(({ scope, step }) => [scope, step.type]),
		[["@run", "loop"]],
	);
	w.at += 500;
	w.feed({ type: "advance" });
	assert.equal(nextWake(w.state), null);
	const agent = new World(linear({ work: {} }));
	assert.equal(betweenIterations(agent.state, { ...agent.find("@run", "work"), running: [] }), false, "no loop");
});

test("the loop that messages go to is the one that is open, of the run itself", () => {
	const w = new World(linear({ work: {}, loop: { ...LOOP, on: { done: { action: "next" } } }, last: {} }));
	assert.equal(openLoop(w.state)?.type, "loop", "still to come");
	w.end("work");
	assert.equal(openLoop(w.state)?.type, "loop", "under way");
	w.end("loop");
	assert.equal(openLoop(w.state), undefined);
});

test("waiting steps are those of the run and of stories at work", () => {
	const w = new World(stories({ work: { on: { bad: { action: "wait", target: "person" } } } }), {
		stories: ["A", "B"],
		options: { agents: 2 },
	});
	w.end("B work", { signal: "bad" });
	assert.deepEqual(
		waitingSteps(w.state).map(({ scope, step }) => [scope, step.id]),
		[["B", "step-001"]],
	);
	assert.deepEqual(
		runningAttempts(w.state).map(({ scope, step, attempt }) => [scope, step.id, attempt.number, attempt.role]),
		[["A", "step-001", 1, "agent"]],
		"the step that opens the stories is nobody's work",
	);
});

test("G-13 time that a run has worked begins with the first session and ends with the last; elapsed time is without pauses", () => {
	const w = new World(linear({ work: {}, look: {} }));
	w.at += 5;
	assert.equal(workedMs(w.state, w.at), 0, "nobody has begun");
	w.prepare(w.job("work"));
	assert.deepEqual([workedMs(w.state, w.at + 7), workedMs(w.state, w.at - 7)], [7, 0], "clocks go back");
	w.at += 20;
	w.end("work");
	assert.equal(workedMs(w.state, w.at + 100), 20, "the next has not begun");
	assert.equal(elapsed(w.state, w.at + 100), 125);
	w.feed({ type: "stop", how: "pause" });
	w.end("look", "cancelled");
	assert.equal(elapsed(w.state, w.at + 1_000), 25, "it is paused");
	w.at += 1_000;
	w.feed({ type: "resume" });
	assert.equal(elapsed(w.state, w.at + 10), 35);
	assert.equal(elapsed(w.state, 0), 0);
});

test("tries of a step: the members of a gate try together, and a loop goes on within one try", () => {
	const members = ["x", "y"].map((role) => ({ role, blocking: true }));
	const w = new World(stories({ gate: { kind: "gate", members, verdicts: ["done", "bad"], on: { bad: { action: "retry" } } } }), {
		stories: ["A"],
	});
	assert.equal(triesOf(w.find("A", "gate")), 1);
	w.end("gate x", { signal: "bad" });
	w.end("gate y");
	assert.equal(triesOf(w.find("A", "gate")), 2);
	const loop = new World(linear({ loop: { ...LOOP, loop: { schedule: "W", roles: { W: { role: "worker" } }, max: "9", inject: {} } } }));
	loop.end("loop");
	loop.end("loop");
	assert.equal(triesOf(loop.find("@run", "loop")), 1);
	const once = new World(linear({ work: {} }));
	assert.equal(triesOf(once.find("@run", "work")), 1);
});

test("conditions: each operator, with a value, with an empty one and without", () => {
	const w = new World(linear({ work: {} }), { fields: { x: "2", empty: "", n: "5", word: "w" } });
	const is = (field: string, op: Condition["op"], value?: Condition["value"]) =>
		holds(w.state, w.state.root, [{ field, op, ...(value === undefined ? {} : { value }) }]);
	assert.deepEqual([is("x", "set"), is("empty", "set"), is("none", "set")], [true, false, false]);
	assert.deepEqual([is("x", "unset"), is("empty", "unset"), is("none", "unset")], [false, true, true]);
	assert.deepEqual([is("x", "is", "2"), is("x", "is", 2), is("x", "is", "3"), is("none", "is", "2")], [true, true, false, false]);
	assert.deepEqual([is("x", "is_not", "2"), is("x", "is_not", 3), is("none", "is_not", "2")], [false, true, true]);
	assert.deepEqual([is("n", "above", 4), is("n", "above", 5), is("n", "above", "x"), is("word", "above", 1)], [true, false, false, false]);
	assert.deepEqual([is("n", "below", 6), is("n", "below", 5), is("none", "below", 5)], [true, false, false]);
	assert.equal(holds(w.state, w.state.root, []), true);
	const two: Condition[] = [
		{ field: "x", op: "set" },
		{ field: "none", op: "set" },
	];
	assert.equal(holds(w.state, w.state.root, two), false, "every one has to hold");
});

test("fields of a condition: the engine's own first, then the story's, then the run's; none from the prototype", () => {
	const w = new World(stories({ work: {} }), {
		stories: [storyOf("A", { expectsChange: false }), "B"],
		fields: { mode: "mine", given: "run" },
		options: { agents: 3 },
	});
	const [root, a] = [w.state.root, w.scope("A")];
	const names = ["mode", "workspace", "story_trees", "agents", "stories", "given", "constructor"];
	assert.deepEqual(
		names.map((name) => fieldOf(w.state, a, name)),
		["prd", "worktree", "true", "3", "2", "run", undefined],
	);
	assert.equal(fieldOf(w.state, { ...a, fields: { given: "story" } }, "given"), "story");
	assert.deepEqual([fieldOf(w.state, a, "changed"), fieldOf(w.state, a, "expects_change")], ["false", "false"]);
	assert.deepEqual([fieldOf(w.state, root, "changed"), fieldOf(w.state, root, "expects_change")], [undefined, undefined]);
	w.end("A work");
	assert.equal(fieldOf(w.state, w.scope("A"), "changed"), "true");
});

test("a report is read by the grammar of the letter, or else of the step, or else of the role; without any it is text", () => {
	const grammar = (key: string): ReportGrammar => ({ notes: "text", keys: [key], signals: [] });
	const role = (name: string): Role => ({ name, description: "", report: grammar(name), can: [] });
	const roles = { worker: role("worker"), agent: role("agent") };
	const loop = {
		schedule: "WVX",
		roles: { W: { role: "worker", report: grammar("W") }, V: { role: "worker", report: grammar("V") }, X: { role: "other" } },
		max: "9",
		inject: {},
	};
	const types: Record<string, TypePart> = {
		own: { report: grammar("own") },
		plain: {},
		loop: { kind: "loop", loop, on: { done: { action: "retry" } } },
	};
	const w = new World(linear(types, { roles }));
	const keys = (type: string, by: string) => grammarOf(w.state.definition, w.find("@run", type), by).keys;
	assert.deepEqual([keys("own", "agent"), keys("plain", "agent"), keys("plain", "nobody")], [["own"], ["agent"], []]);
	assert.deepEqual(grammarOf(w.state.definition, w.find("@run", "plain"), "nobody"), { notes: "text", keys: [], signals: [] });
	assert.deepEqual(keys("loop", "worker"), ["W"], "nobody runs: the first letter of the role");
	w.end("own");
	w.end("plain");
	w.end("loop");
	assert.deepEqual(keys("loop", "worker"), ["V"], "the letter that runs");
	assert.deepEqual(keys("loop", "other"), [], "its letter has none, nor its role");
});

test("A-33 a key that both the run's steps and the stories' report is everybody's; in the run's own scope all fields are", () => {
	const report = (...keys: string[]) => ({ report: { notes: "text" as const, keys, signals: [] } });
	const definition = definitionOf({
		steps: ["first", "all"],
		types: {
			first: { scope: "run", ...report("PLAN") },
			all: { scope: "run", each: { steps: plan("work", "odd") } },
			work: report("PLAN", "CHANGES"),
		},
	});
	const w = new World(definition, { stories: ["A"], fields: { plan: "p", changes: "c", other: "o" } });
	assert.deepEqual(fieldsFor(w.state, w.scope("A")), { plan: "p", other: "o" });
	assert.deepEqual(fieldsFor(w.state, w.state.root), { plan: "p", changes: "c", other: "o" });
});

test("names for people", () => {
	assert.deepEqual([nameOfStep({ id: "verify", type: "verify" }), nameOfStep({ id: "step-1", type: "work" })], ["verify", "step-1 (work)"]);
	assert.equal(JUDGED, "judged_criteria", "it is a field of journals");
	assert.equal(claimHandle("run-1", "A", "step-001", 2), "run-1:A:step-001:2");
});
