import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition } from "../core/definition.ts";
import { parse, workflow } from "./marked.suite.ts";

function definition(text: string, prompts?: Record<string, string>): Definition {
	const loaded = parse(text, prompts);
	assert.ok(loaded.ok, loaded.ok ? "" : loaded.problems.map((p) => `${p.line}:${p.column} ${p.message}`).join("\n"));
	return loaded.definition;
}

test("routes are written in words or as a map, for one signal or several", () => {
	const types = definition(
		workflow(
			`  a:
    role: judge
    on:
      good: {next: true, record: notes, set: {issues: "{{ISSUES}}"}}
      bad|lost: {rollback: restarts, insert: [same, b: Mend it], before: b, reopen: [b], max: 3/step, exhausted: wait person}
      timeout: {goto: a, fresh: true, spend: rework, converged: skip, exhausted: fail run}
  b: {role: dev}`,
			"[a, b]",
			"budgets: {rework: 2/run}",
		),
	).types;
	const inserted = {
		action: "insert",
		rollback: "restarts",
		steps: [{ type: "same" }, { type: "b", description: "Mend it" }],
		before: "b",
		reopen: ["b"],
		max: 3,
		per: "step",
		exhausted: { action: "wait", target: "person" },
	};
	assert.deepEqual(types.a?.routes.good, { action: "next", record: "notes", set: { issues: "{{ISSUES}}" } });
	assert.deepEqual(types.a?.routes.bad, inserted);
	assert.deepEqual(types.a?.routes.lost, inserted);
	assert.deepEqual(types.a?.routes.timeout, {
		action: "goto",
		target: "a",
		fresh: true,
		spend: "rework",
		converged: { action: "skip" },
		exhausted: { action: "fail", target: "run" },
	});
	assert.deepEqual(types.b?.routes.done, { action: "next" }, "the workflow's own routes are for all types");
});

test("a named route wins over `*`, the type's own over the workflow's", () => {
	const text = workflow('  a: {role: dev, on: {auth: abort, "*": fail run}}\n  b: {role: dev}', "[a, b]", "abort: [b]")
		.replace("|overloaded|", "|")
		.replace("done: next", 'done: next\n  "*": wait time');
	const { a, b } = definition(text).types;
	assert.deepEqual([a?.routes.auth?.action, a?.routes.lost?.action, a?.routes.overloaded?.action], ["abort", "fail", "fail"]);
	assert.deepEqual([b?.routes.auth?.action, b?.routes.overloaded?.action], ["fail", "wait"]);
});

test("G-14: without a route for it, out of credit is routed as auth, else by a `*` that ends the run, else it fails the run", () => {
	const routeOf = (on: string, own = "") => {
		const text = workflow(`  a: {role: dev${own}}\n  b: {role: dev}`, "[a]", "abort: [b]");
		return definition(text.replace("auth|", "").replace("done: next", `done: next\n  ${on}`)).types.a?.routes.out_of_credit;
	};
	assert.deepEqual(routeOf('auth: {rollback: failures, fail: run}\n  "*": wait person'), {
		action: "fail",
		target: "run",
		rollback: "failures",
	});
	assert.deepEqual(routeOf('"*": wait person', ', on: {"*": {rollback: failures, abort: true}}'), {
		action: "abort",
		rollback: "failures",
	});
	assert.deepEqual(routeOf('"*": wait person'), { action: "fail", target: "run", rollback: "failures" });
	assert.deepEqual(routeOf('out_of_credit: wait time\n  "*": wait person'), { action: "wait", target: "time" });
});

test("the kind of a step follows from what it says", () => {
	const types = definition(
		workflow(
			`  a: {role: dev, timeout: 90s, stall: 1m, writes: [src/**], edits: true, session: continue, when: [workspace is worktree, agents > 2]}
  b: {command: lint, on: {checks_failed: fail run}}
  c: {action: forge.pr, with: {draft: "true"}, by: engine, internal: true}
  d: {approval: person, on: {approved: next, rejected: fail run}}
  e: {gate: {members: {judge: blocking, dev: {authority: advisory, prompt: prompts/x.md}}}, on: {good: next, bad: fail run}}
  f: {each: {steps: [a], concurrency: $agents, order: dependencies, on_failure: block, expects_change: false}}
  g: {loop: {schedule: W5R, roles: {W: dev, R: {role: judge, prompt: prompts/r.md}}, max: 7, inject: {bad: R}}, on: {done|good: retry, max_iterations: fail run}}`,
			"[b, c, d, e, f, g]",
		),
	).types;
	assert.deepEqual(
		["a", "b", "c", "d", "e", "f", "g"].map((name) => types[name]?.kind),
		["agent", "command", "action", "approval", "gate", "each", "loop"],
	);
	const { name, timeoutMs, stallMs, writes, prompt, session, when } = types.a ?? assert.fail();
	assert.deepEqual(
		{ name, timeoutMs, stallMs, writes, prompt, session },
		{ name: "a", timeoutMs: 90_000, stallMs: 60_000, writes: ["src/**"], prompt: "prompts/a.md", session: "continue" },
	);
	assert.deepEqual(when, [
		{ field: "workspace", op: "is", value: "worktree" },
		{ field: "agents", op: "above", value: 2 },
	]);
	assert.deepEqual(types.e?.members, [
		{ role: "judge", blocking: true, prompt: "prompts/judge.md" },
		{ role: "dev", blocking: false, prompt: "prompts/x.md" },
	]);
	assert.deepEqual(types.e?.verdicts, ["good", "bad"]);
	assert.equal(types.e?.writes, "none");
	assert.deepEqual(types.f?.each, {
		steps: [{ type: "a" }, { type: "f.checks" }],
		concurrency: 0,
		order: "dependencies",
		onFailure: "block",
		expectsChange: false,
	});
	assert.deepEqual(types.g?.loop, {
		schedule: "W5R",
		roles: { W: { role: "dev", prompt: "prompts/dev.md" }, R: { role: "judge", prompt: "prompts/r.md" } },
		max: "7",
		inject: { bad: "R" },
	});
	assert.deepEqual(types.g?.routes.bad, { action: "retry" }, "a signal that calls a role in leaves the loop going");
});

test("a loop says where it begins, how long it waits, and what each letter stands for", () => {
	const { types, inboxes } = definition(
		workflow(
			"  a: {cut_off: keep, signals: [halt], loop: {schedule: W, max: 3, start: {iteration: 2, cursor: 1, queue: R}, delay: 50, roles: {W: {role: dev, raw: given}, R: {role: dev, prompt: prompts/a.md, fields: {how: well}, report: {signals: {good: {OK: fine}}}}}}, on: {done|good: retry, halt: complete, max_iterations: stop, agent_error: {retry: true, max: '{{how}} or 2/row', exhausted: fail run}}}",
			"[a]",
			"inboxes: [post]",
		),
	);
	const { loop, routes, leavesWork } = types["a"] ?? {};
	assert.deepEqual([loop?.start, loop?.delay, leavesWork, inboxes], [{ iteration: "2", cursor: "1", queue: "R" }, "50", true, ["post"]]);
	assert.deepEqual(loop?.roles["W"], { role: "dev", raw: "given" });
	assert.deepEqual([loop?.roles["R"]?.fields, loop?.roles["R"]?.report?.signals[0]?.signal], [{ how: "well" }, "good"]);
	assert.deepEqual(routes?.["max_iterations"], { action: "stop" });
	assert.deepEqual([routes?.["agent_error"]?.max, routes?.["agent_error"]?.maxField, routes?.["agent_error"]?.per], [2, "how", "row"]);
});

test("budgets are money, time or a count", () => {
	const { budgets, limits } = definition(
		workflow(
			"  a: {role: dev}",
			"[a]",
			"budgets: {cost: $2.50/run, time: {limit: 2h/run, warn: [75%, 90%]}, tries: 3/story}\nlimits: {steps: 12}",
		),
	);
	assert.deepEqual(budgets, {
		cost: { unit: "cost", limit: 2.5, scope: "run", warnAt: [] },
		time: { unit: "time", limit: 7_200_000, scope: "run", warnAt: [0.75, 0.9] },
		tries: { unit: "count", limit: 3, scope: "story", warnAt: [] },
	});
	assert.deepEqual(limits, { steps: 12, restarts: 3 });
});

test("the hash follows the meaning: not comments, spelling or order of keys, but every value and every prompt", () => {
	const text = workflow("  a: {role: dev, timeout: 60m}", "[a]");
	const { hash } = definition(text);
	assert.match(hash, /^[0-9a-f]{64}$/);
	assert.equal(definition(`# a word\n${text}`).hash, hash);
	assert.equal(definition(text.replace("{role: dev, timeout: 60m}", "{timeout: 1h, role: dev}")).hash, hash);
	assert.notEqual(definition(text.replace("60m", "61m")).hash, hash);
	assert.notEqual(definition(text, { "prompts/a.md": "Do it well." }).hash, hash);
});

test("a definition is plain data: what a journal keeps of it is the same", () => {
	const d = definition(
		workflow("  a: {role: judge, on: {good: next, bad: {retry: true, max: 2/run, exhausted: abort}}}", "[a]", "abort: [a]").replace(
			"exhausted: abort",
			"exhausted: fail run",
		),
	);
	assert.deepEqual(JSON.parse(JSON.stringify(d)), d);
});

test("prompts: an unknown variable is a problem in the prompt's own file; fields of the run are known", () => {
	const text = workflow(
		'  a: {role: judge, on: {good: next, bad: {retry: true, set: {issues: "{{ISSUES}}"}, max: 1/run, exhausted: fail run}}}',
		"[a]",
	).replace("{notes: text}", "{notes: text}, frame: f.md");
	definition(text, { "prompts/a.md": "{{ story_title }} {{issues}}", "f.md": "{{instructions}}" });
	const loaded = parse(text, { "prompts/a.md": "One\ntwo {{story_titel}}\n{{instructions}}", "f.md": "{{notes}}" });
	assert.ok(!loaded.ok);
	assert.deepEqual(
		loaded.problems.map((p) => `${p.file}:${p.line}:${p.column} ${p.message}`),
		[
			"f.md:1:1 a frame needs {{instructions}} where the prompt goes",
			"prompts/a.md:2:5 there is no variable `{{story_titel}}`; did you mean `story_title`?",
			"prompts/a.md:3:1 there is no variable `{{instructions}}`: it belongs in a frame, where it stands for the prompt",
		],
	);
});

test("unused parts are warnings", () => {
	const loaded = parse(workflow("  a: {role: dev}\n  b: {role: dev}", "[a]").replace("title: T\n", ""));
	assert.ok(loaded.ok);
	assert.deepEqual(
		loaded.warnings.map((w) => `${w.line}:${w.column}`),
		["13:3"],
	);
	assert.match(loaded.warnings[0]?.message ?? "", /`b` is never used/);
});
