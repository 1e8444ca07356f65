import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, problemsAt, workflow } from "./marked.suite.ts";

const CAP = "max: 3/run, exhausted: fail run";

test("U-06: a signal that a step can end in and has no route for is a problem at the step", () => {
	problemsAt(workflow("  §a: {role: judge, on: {good: next}}", "[a]"), /`a` can end in `bad` and has no route for it: add it under `on`/);
	problemsAt(workflow("  §a: {role: judge}", "[a]"), /can end in `good`, `bad` and has no route for them/);
	problemsAt(workflow("  §a: {action: tidy, signals: [tidied, odd], on: {tidied: next}}", "[a]"), /can end in `odd`/);
	problemsAt(workflow("  §a: {gate: {members: {judge: blocking}}, on: {good: next}}", "[a]"), /can end in `bad`/);
});

test("a step that has to promise something is not done without it", () => {
	problemsAt(
		workflow("  §a: {role: dev}", "[a]")
			.replace("dev: {report: {notes: text}}", "dev: {report: {promise: DONE}}")
			.replace("  done: next\n", ""),
		/can end in `done` and has no route for it/,
	);
});

test("a route for a signal that cannot come is a problem, its own or the workflow's", () => {
	problemsAt(workflow("  a: {role: dev, on: {§dnoe: next}}", "[a]"), /`a` cannot end in `dnoe`; did you mean `done`/);
	problemsAt(
		workflow("  a: {role: dev}", "[a]").replace("  done: next", "  done: next\n  §conflct: fail run"),
		/no step of this workflow can end in `conflct`/,
	);
	problemsAt(workflow("  a: {role: dev, on: {§cancelled: fail run}}", "[a]"), /`cancelled` is not routed/);
	problemsAt(workflow("  a: {role: dev, on: {done: next, §lost|done: fail run}}", "[a]"), /`done` has a route already/);
});

test("`*` takes what is left, but not `unreadable`, which has its default", () => {
	const loaded = parse(workflow('  a: {role: judge, on: {good: next, "*": fail run}}', "[a]").replace(/^ {2}unreadable.*$/m, ""));
	assert.ok(loaded.ok, JSON.stringify(loaded));
	const { routes = {} } = loaded.definition.types["a"] ?? {};
	assert.deepEqual([routes["bad"]?.action, routes["timeout"]?.action, routes["unreadable"]?.action], ["fail", "fail", "retry"]);
});

test("a detour that says nothing about `done` leads back to whoever sent the work there", () => {
	const types =
		"  a: {role: dev}\n  b: {role: judge, on: {good: next, bad: {goto: fix, max: 2/run, exhausted: fail run}}}\n  fix: {detour: true, role: dev}";
	const loaded = parse(workflow(types, "[a, b]").replace(/^ {2}done.*$/m, ""));
	assert.ok(loaded.ok, JSON.stringify(loaded));
	assert.deepEqual(loaded.definition.types["fix"]?.routes["done"], { action: "goto", target: "back" });
	assert.deepEqual(loaded.definition.types["a"]?.routes["done"], { action: "next" });
});

test("`unreadable` is never a pass, whatever stands in for its route", () => {
	const on = (route: string) => workflow(`  a:\n    role: dev\n    on:\n      unreadable: ${route}\n  b: {role: dev}`, "[a, b]");
	problemsAt(on("§next"), /`unreadable` is never a pass: `next`/);
	problemsAt(on("§complete"), /never a pass/);
	problemsAt(on("§skip"), /never a pass/);
	problemsAt(on("§goto b"), /never a pass: `goto b`/);
	problemsAt(on("{retry: true, max: 1/step, exhausted: §next}"), /never a pass/);
	problemsAt(on("{retry: true, max: 1/step, converged: §{next: true, record: x}, exhausted: fail run}"), /never a pass/);
	problemsAt(on(`§{insert: [b], ${CAP}}`), /`insert` without the step itself/);
	problemsAt(on(`{insert: [same], ${CAP}}`));
});

test("actions in words are read, or refused with a suggestion", () => {
	const on = (route: string) => workflow(`  a: {role: dev, on: {done: ${route}}}`, "[a]");
	problemsAt(on("§nxt"), /`nxt` is not an action; did you mean `next`/);
	problemsAt(on("§fail stories"), /`fail` needs `story` or `run`/);
	problemsAt(on("§wait tomorrow"), /`wait` needs `person`, `answer` or `time`/);
	problemsAt(on("§next b"), /`next` stands alone/);
	problemsAt(on("§insert b"), /`insert` needs its steps/);
	problemsAt(on("§goto"), /`goto` needs a step type/);
	problemsAt(on("§{record: x}"), /says no action/);
	problemsAt(on("§{next: true, fail: run}"), /says `next`, `fail`: one action is taken/);
	problemsAt(on("{next: true, §before: a}"), /`before` goes with `insert`/);
	problemsAt(on("{next: true, §fresh: true}"), /`fresh` goes with `goto`/);
	problemsAt(on("{next: true, §reopen: [a]}"), /`reopen` with a list goes with `insert`/);
	problemsAt(on(`{insert: §[], ${CAP}}`), /at least one step/);
});

test("every target exists in the same list of steps", () => {
	const on = (route: string) => workflow(`  a: {role: dev, on: {lost: ${route}}}\n  b: {role: dev}\n  s: {each: {steps: [b]}}`, "[a, s]");
	problemsAt(on("§goto plan"), /no step type `plan`; there is `a`, `s`/);
	problemsAt(on(`{goto: §bb, ${CAP}}`), /no step type `bb`/);
	problemsAt(on(`{goto: §b, ${CAP}}`), /`b` is not a step of the run, nor a detour/);
	problemsAt(on("§goto back"), /only a detour has one: `a` is none/);
	problemsAt(on(`{insert: [a, §c], ${CAP}}`), /no step type `c`/);
	problemsAt(on(`{insert: [a], before: §b, reopen: [§c], ${CAP}}`), /the run has no step `b`/, /the run has no step `c`/);
	problemsAt(workflow("  abc: {role: dev}", "[§abd]"), /no step type `abd`; did you mean `abc`/);
});

test("fail story, caps per story and abort belong where there is a story, or an abort list", () => {
	const on = (route: string) => workflow(`  a: {role: dev, on: {lost: ${route}}}`, "[a]");
	problemsAt(on("§fail story"), /runs outside the stories.*write `fail run`/);
	problemsAt(on("{retry: true, max: §3/story, exhausted: fail run}"), /count per entry, step or run/);
	problemsAt(on("§abort"), /there are no abort steps/);
	problemsAt(workflow("  a: {role: dev}\n  c: {role: dev, on: {lost: §abort}}", "[a]", "abort: [c]"), /the abort steps run already/);
});

test("only a step of a role asks for an answer, because it runs again with it", () => {
	const route = "§{wait: answer, max: 2/run, exhausted: fail run}";
	problemsAt(workflow(`  a: {command: test, on: {checks_failed: ${route}}}`, "[a]"), /only a step of a role can ask for an answer/);
});

test("nothing goes round without an end: retry, reopen, insert and ways back are capped", () => {
	const on = (route: string) => workflow(`  a: {role: dev}\n  b: {role: judge, on: {good: next, bad: ${route}}}`, "[a, b]");
	problemsAt(on("§retry"), /nothing ends this `retry`: add `max`, as 3\/run, and `exhausted`/);
	problemsAt(on("§{reopen: true}"), /nothing ends this `reopen`/);
	problemsAt(on("§{insert: [a]}"), /nothing ends this `insert`/);
	problemsAt(on("§wait answer"), /nothing ends this `wait`: add `max`/);
	problemsAt(on("§goto a"), /nothing ends this way back to `a`/);
	problemsAt(on("§goto b"), /nothing ends this way back to `b`/);
	problemsAt(on("{goto: a, max: 2/entry, exhausted: §goto a}"), /nothing ends this way back to `a`/);
	problemsAt(on("{goto: a, max: 2/entry, exhausted: fail run}"));
});

test("a detour and its sender need one cap between them, at the sender", () => {
	const types = (route: string, back = "goto back") =>
		workflow(
			`  a: {role: dev}\n  b: {role: judge, on: {good: next, bad: ${route}}}\n  fix: {detour: true, role: dev, on: {done: ${back}}}`,
			"[a, b]",
		);
	problemsAt(types("§goto fix"), /nothing ends this way back to `fix`/);
	problemsAt(types("{goto: fix, max: 2/entry, exhausted: fail run}"));
	problemsAt(types("{goto: fix, max: 2/entry, exhausted: fail run}", "goto a"));
	problemsAt(types("{goto: fix, max: 2/run, exhausted: fail run}", "goto a"));
	problemsAt(
		workflow(
			"  a: {role: dev}\n  b: {role: judge, on: {good: next, bad: §{goto: a, fresh: true, max: 2/entry, exhausted: fail run}}}",
			"[a, b]",
		),
		/`fresh` starts the caps anew/,
	);
});

test("a way forward needs no cap, even if a type is in the list twice", () => {
	problemsAt(workflow("  a: {role: judge, on: {good: next, bad: goto c}}\n  b: {role: dev}\n  c: {role: dev}", "[a, b, a, b, c]"));
});

test("a cap says what happens at its end, and an end belongs to a cap", () => {
	const on = (route: string) => workflow(`  a: {role: dev, on: {lost: ${route}}}`, "[a]", "budgets: {rework: 2/run, cash: $5/run}");
	problemsAt(on("{retry: true, §max: 3/run}"), /`exhausted` is missing/);
	problemsAt(on("{retry: true, §spend: rework}"), /`exhausted` is missing/);
	problemsAt(on("{fail: run, §exhausted: abort}"), /`exhausted` is never taken/);
	problemsAt(on("{retry: true, spend: §rewrok, exhausted: fail run}"), /no budget `rewrok`; did you mean `rework`/);
	problemsAt(on("{retry: true, spend: §cash, exhausted: fail run}"), /`cash` is a budget of cost/);
});

test("D-37: `last` is last, and nothing is inserted behind it; `mandatory` is no detour", () => {
	problemsAt(workflow("  a: {role: dev, last: true}\n  b: {role: dev}", "[§a, b]"), /`a` is `last`, but `b` follows it/);
	problemsAt(workflow("  a: {role: dev, last: true}\n  b: {action: merge, internal: true}", "[a, b]"));
	problemsAt(
		workflow(`  a: {role: dev, last: true, on: {lost: {insert: [§b], ${CAP}}}}\n  b: {role: dev}`, "[a]"),
		/nothing can be put after `a`/,
	);
	problemsAt(
		workflow(`  a: {role: dev, on: {lost: {goto: d, ${CAP}}}}\n  d: {role: dev, detour: true, §mandatory: true}`, "[a]"),
		/a detour runs only when a route leads to it/,
	);
	problemsAt(workflow(`  a: {role: dev, on: {lost: {goto: d, ${CAP}}}}\n  d: {role: dev, detour: true}`, "[a, §d]"), /`d` is a detour/);
});

test("stories are opened by the run only", () => {
	problemsAt(workflow("  a: {role: dev}\n  s: {each: {steps: [a, §t]}}\n  t: {each: {steps: [a]}}", "[s]"), /`t` opens stories/);
});

test("roles exist; the blocking ones of a gate end in its verdicts; a loop's letters are its own", () => {
	problemsAt(workflow("  a: {role: §jugde}", "[a]"), /no role `jugde`; did you mean `judge`/);
	problemsAt(workflow("  a: {gate: {members: {§jugde: blocking}}}", "[a]"), /no role `jugde`/);
	problemsAt(workflow("  a: {gate: {§members: {judge: advisory}}, on: {good: next, bad: next}}", "[a]"), /at least one `blocking` member/);
	problemsAt(
		workflow("  a: {gate: {members: {§judge: blocking}, verdicts: [good]}, on: {good: next}}", "[a]"),
		/can end in `bad`, which is not among the gate's `verdicts`/,
	);
	const loop = (more: string) => workflow(`  a: {loop: {${more}}, on: {max_iterations: fail run, done: retry}}`, "[a]");
	problemsAt(loop("schedule: §W5R, roles: {W: dev}, max: 5"), /the schedule has `R`/);
	problemsAt(loop("schedule: §w, roles: {W: dev}, max: 5"), /not a schedule/);
	problemsAt(loop("schedule: §'{{scheme}}', roles: {W: dev}, max: §'{{n}}'"), /no field `scheme`/, /no field `n`/);
	problemsAt(loop("schedule: W, roles: {W: dev}, max: 5, inject: {§dnoe: W}"), /ends in `dnoe`; did you mean `done`/);
	problemsAt(loop("schedule: W, roles: {W: dev}, max: 5, inject: {lost: §R}"), /`R` is not a role of this loop/);
});

test("`set` takes keys that the role reports", () => {
	problemsAt(
		workflow('  a: {role: judge, on: {good: next, bad: {fail: run, set: {why: §"{{ISSUE}}"}}}}', "[a]"),
		/`a` does not report `ISSUE`; did you mean `ISSUES`/,
	);
});

test("all problems come at once, in the order of the text", () => {
	problemsAt(
		workflow("  a: {role: §devv, timeout: §soon}\n  b: {role: dev, §colour: red, on: {done: §goto nowhere}}", "[a, b, §c]"),
		/no step type `c`/,
		/no role/,
		/not a duration/,
		/unknown key `colour`/,
		/no step type `nowhere`/,
	);
});
