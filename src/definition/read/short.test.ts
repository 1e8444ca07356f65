// What a workflow.yml may leave out, and what pawl does then.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, Route } from "../../core/definition.ts";
import { FAILURES } from "../../core/definition.ts";
import { parse, problemsAt } from "../marked.suite.ts";
import { showDefinition } from "../view/show.ts";

function load(text: string): Definition {
	const loaded = parse(text);
	assert.ok(loaded.ok, JSON.stringify(loaded));
	assert.deepEqual(loaded.warnings, []);
	return loaded.definition;
}

const TWELVE = `name: careful
story: [plan, code, review]
types:
  plan: {prompt: Write a plan of at most ten lines., writes: none, model: strong}
  code: {prompt: Carry out the plan., checks: [test]}
  review:
    prompt: Read the diff against the plan.
    writes: none
    report: {signals: {done: {VERDICT: pass}, rework: {VERDICT: rework}}}
    on:
      rework: {goto: code, max: 2/story, exhausted: fail}
`;

const routeOf = (definition: Definition, type: string, signal: string): Route | undefined => definition.types[type]?.routes[signal];
const fails = (route: Route | undefined): string | undefined =>
	route?.action === "fail" ? route.target : route?.exhausted && fails(route.exhausted);

test("a workflow needs a name, a list of steps and what each step does", () => {
	const made = load(TWELVE);
	assert.deepEqual(made.inputs, { request: { reader: "request", workspace: "tree" } });
	assert.deepEqual(
		made.types["stories"]?.each?.steps.map(({ type }) => type),
		["plan", "code", "stories.checks", "review"],
	);
	assert.equal(made.types["plan"]?.role, "agent");
	assert.equal(made.prompts[made.types["plan"]?.prompt ?? ""], "Write a plan of at most ten lines.");
	assert.match(made.prompts[made.roles["agent"]?.frame ?? ""] ?? "", /\{\{instructions\}\}/);
});

test("every signal of the engine has a default route, which fails the story inside of one and the run outside", () => {
	const made = load(TWELVE);
	const outside = load(
		"name: once\nsteps: [look, ask, run]\ntypes: {look: {prompt: Look around.}, ask: {approval: person}, run: {command: test}}",
	);
	for (const signal of FAILURES) {
		const account = signal === "auth" || signal === "out_of_credit";
		assert.equal(fails(routeOf(made, "plan", signal)), account ? "run" : "story", signal);
		assert.equal(fails(routeOf(outside, "look", signal)), "run", signal);
	}
	assert.equal(routeOf(made, "plan", "done")?.action, "next");
	assert.deepEqual(routeOf(made, "review", "rework")?.exhausted, { action: "fail", target: "story" });
	assert.deepEqual(routeOf(outside, "ask", "rejected"), { action: "fail", target: "run" });
	assert.deepEqual(routeOf(outside, "run", "checks_failed"), {
		action: "goto",
		target: "look",
		max: 2,
		per: "run",
		exhausted: { action: "fail", target: "run" },
	});
});

test("a route that all steps share fails the run where there is no story", () => {
	const made = load(
		`${TWELVE}  end: {prompt: Write a summary.}\nsteps: [stories, end]\non: {timeout: fail story, stalled: fail, "*": {rollback: failures, fail: true}}\n`,
	);
	for (const signal of ["timeout", "stalled", "permission"])
		assert.deepEqual([fails(routeOf(made, "plan", signal)), fails(routeOf(made, "end", signal))], ["story", "run"], signal);
	problemsAt("name: a\nsteps: [b]\ntypes: {b: {prompt: Do it., on: {timeout: §fail story}}}", /there is none to fail: write `fail run`/);
});

test("a step that is in a story and in the run fails whichever it is in", () => {
	const made = load("name: both\nstory: [work]\nsteps: [stories, work]\ntypes: {work: {prompt: Do it.}}");
	assert.equal(fails(routeOf(made, "work", "timeout")), "story", "for the core, outside of stories that is the run");
});

test("a loop goes on until it is promised that all is done", () => {
	const made = load(
		"name: again\nsteps: [work]\nroles: {agent: {report: {promise: ALL DONE}}}\ntypes: {work: {loop: {schedule: W, roles: {W: {role: agent, prompt: Do the next item.}}, max: 9}}}",
	);
	const actions = ["done", "promise", "max_iterations", "timeout"].map((signal) => routeOf(made, "work", signal)?.action);
	assert.deepEqual(actions, ["retry", "next", "fail", "reopen"]);
});

test("a merge needs no more than its name", () => {
	const made = load(
		"name: side\ninputs: [request]\nworkspace: worktree\nstory: [work, merge]\ntypes: {work: {prompt: Do it.}, merge: {action: merge}}",
	);
	assert.equal(made.inputs["request"]?.workspace, "worktree");
	const { routes = {}, internal, byEngine } = made.types["merge"] ?? {};
	assert.deepEqual([internal, byEngine], [true, true]);
	assert.deepEqual(
		["merged", "conflict", "checks_failed", "dirty", "empty"].map((signal) => [signal, routes[signal]?.action, routes[signal]?.target]),
		[
			["merged", "next", undefined],
			["conflict", "goto", "work"],
			["checks_failed", "goto", "work"],
			["dirty", "wait", "time"],
			["empty", "fail", "story"],
		],
	);
});

test("a prompt in the file is checked like one in its own, and a word alone is a path", () => {
	problemsAt(
		"name: a\nsteps: [b]\ntypes: {b: {prompt: §'Do {{storytitle}} now'}}",
		/there is no variable `\{\{storytitle\}\}`; did you mean `story_title`/,
	);
	assert.deepEqual(
		Object.keys(load("name: a\nsteps: [b]\ntypes: {b: {prompt: prompts/b.md}}").prompts).filter((key) => key.endsWith(".md")),
		["prompts/b.md"],
	);
});

test("what goes together is said", () => {
	problemsAt(
		"§name: a\ntypes: {b: {approval: person}}",
		/`steps` is missing: list the steps of the run, or under `story` those of each story/,
	);
	problemsAt(
		"name: a\n§story: [b]\ntypes: {b: {approval: person}, stories: {each: {steps: [b]}}}",
		/`story` is short for a type `stories`/,
	);
	problemsAt("name: a\nstory: [b]\n§steps: [b]\ntypes: {b: {prompt: Do it.}}", /`stories` is missing/);
	problemsAt("name: a\nstory: [b, §c]\ntypes: {b: {prompt: Do it.}}", /there is no step type `c`/);
	problemsAt("name: a\nsteps: [b]\ntypes: {b: {prompt: Do it., §after: c}}", /`after` goes with `extends`/);
	problemsAt("name: a\n§without: [b]\nsteps: [b]\ntypes: {b: {prompt: Do it.}}", /`without` goes with `extends`/);
});

test("`workflow show` marks what the workflow leaves to pawl", () => {
	const text = showDefinition(load(TWELVE));
	assert.match(text, /rework → goto code, at most 2 a story; then: fail story\n/);
	assert.match(text, /Where a session has no route \(fail: its story; outside the stories, the run\)\n {2}done → next\n/);
	assert.match(text, /rate_limited → roll back \(failures\), wait time, at most 100 a step; then: roll\s+back \(failures\), fail\n/);
	assert.match(text, /auth, out_of_credit → roll back \(failures\), fail run\n/);
});
