import { test } from "node:test";
import { problemsAt, workflow } from "../marked.suite.ts";

test("an unknown key is reported at its position, with what was probably meant", () => {
	problemsAt(workflow("  a: {role: dev, §timeot: 5m}", "[a]"), /unknown key `timeot`; did you mean `timeout`\?/);
	problemsAt(workflow("  a: {role: dev}", "[a]", "§stpes: [a]"), /unknown key `stpes`; did you mean `steps`\?/);

	problemsAt(workflow("  a: {role: dev, §zzzzzz: 1}", "[a]"), /unknown key `zzzzzz`; there is `description`, `role`/);
	problemsAt(workflow("  s: {each: {steps: [a], §oder: list}}\n  a: {role: dev}", "[s]"), /did you mean `order`\?/);
	problemsAt(
		workflow("  a:\n    role: dev\n    on:\n      lost: {retry: true, max: 3/run, exhausted: fail run, §sped: x}", "[a]"),
		/unknown key `sped`; did you mean `spend`\?/,
	);
});

test("an unknown key does not hide the other problems of its entry", () => {
	problemsAt(
		workflow("  a: {role: §devv, §timeot: 5m, timeout: §5}", "[a]").replace("timeout: §5", "timeout: 5m"),
		/no role `devv`; did you mean `dev`/,
		/unknown key `timeot`/,
	);
});

test("a mistake in one type does not hide a mistake in another", () => {
	problemsAt(
		workflow("  a: {role: dev, edits: §5}\n  b: {role: dev, timeout: §soon}", "[a, b]"),
		/true or false/,
		/`soon` is not a duration/,
	);
});

test("a missing key is reported at the map that lacks it", () => {
	problemsAt(
		"name: t\ninputs:\n  §request: {workspace: tree}\ntypes: {a: {approval: person, on: {approved: next, rejected: fail run}}}\nsteps: [a]\n",
		/`reader` is missing/,
	);
	problemsAt(
		"§§§title: T\ninputs: {request: {reader: request, workspace: tree}}\n",
		/`name` is missing/,
		/`types` is missing/,
		/`steps` is missing/,
	);
});

test("the error for a wrong value says what is allowed", () => {
	problemsAt(workflow("  a: {role: dev, timeout: §15}", "[a]"), /a duration such as 15m/);
	problemsAt(
		workflow("  a: {role: dev, session: §frsh}", "[a]"),
		/one of `fresh`, `continue` is wanted here, not `frsh`; did you mean `fresh`\?/,
	);
	problemsAt(workflow("  a: {role: dev, writes: §sometimes}", "[a]"), /`none`|`any`/);
	problemsAt(workflow("  a: {role: dev, on: {done: §5}}", "[a]"), /an action is wanted here/);
	problemsAt(workflow("  a: {role: dev, by: §person}", "[a]"), /`engine` is wanted here/);
	problemsAt(workflow("  a: {role: dev}", "§soon"), /a list of step types/);
	problemsAt("§- a\n- b\n", /a workflow is a map of keys/);
	problemsAt("§", /a workflow is a map of keys/);
});

test("a name that cannot be one is refused at the name", () => {
	problemsAt(
		workflow("  §Big Step: {role: dev}\n  a: {role: dev}", "[a]"),
		/`Big Step` cannot be used here: a name starts with a lower-case letter/,
	);
	problemsAt(workflow("  §same: {role: dev}", "[same]"), /`same` has a meaning of its own/);
});

test("a type says exactly one thing that it does, with the keys that go with it", () => {
	problemsAt(workflow("  §a: {timeout: 5m}", "[a]"), /does not say what it does: add a `prompt`, or one of `role`, `command`/);
	problemsAt(workflow("  §a: {role: dev, command: lint}", "[a]"), /says `role`, `command`: a step does one thing/);
	problemsAt(
		workflow("  a: {approval: person, §edits: true, on: {approved: next, rejected: fail run}}", "[a]"),
		/`edits` has no meaning for a step of kind `approval`/,
	);
});

test("T-01 a key that a kind of step cannot have is refused", () => {
	const gate = "gate: {members: {judge: blocking}}, on: {good: next, bad: fail run}";
	const loop = "loop: {schedule: W, roles: {W: dev}, max: 3}, on: {done: retry, max_iterations: fail run}";
	problemsAt(workflow(`  a: {${gate}, §edits: true}`, "[a]"), /`edits` has no meaning for a step of kind `gate`/);
	problemsAt(workflow(`  a: {${gate}, §spend: some}`, "[a]", "budgets: {some: 3/run}"), /`spend` has no meaning for a step of kind `gate`/);
	problemsAt(
		workflow("  a: {action: merge, §edits: true, §writes: none, §checks: [lint], §stall: 1m}", "[a]"),
		...["edits", "writes", "checks", "stall"].map((key) => new RegExp(`\`${key}\` has no meaning for a step of kind \`action\``)),
	);
	problemsAt(
		workflow("  a: {command: lint, §edits: true, §writes: none, §checks: [lint], §stall: 1m, on: {checks_failed: fail run}}", "[a]"),
		...["edits", "writes", "checks", "stall"].map((key) => new RegExp(`\`${key}\` has no meaning for a step of kind \`command\``)),
	);
	problemsAt(workflow("  a: {role: dev, §edits: true}", "[a]"), /`edits` changes the steps of a story, and `a` runs outside the stories/);
	problemsAt(workflow(`  a: {${loop}, §edits: true}`, "[a]"), /`edits` changes the steps of a story/);
	problemsAt(workflow(`  a: {${loop}, edits: true}\n  s: {each: {steps: [a]}}`, "[s]"));
});

test("durations, caps and amounts are well-formed", () => {
	problemsAt(
		workflow("  a: {role: dev, timeout: §10 minutes, stall: §0s}", "[a]"),
		/write it as 500ms, 90s, 15m or 2h/,
		/longer than nothing/,
	);
	problemsAt(workflow("  a: {role: dev, on: {lost: {retry: true, max: §3, exhausted: fail run}}}", "[a]"), /a cap such as 3\/story/);
	problemsAt(workflow("  a: {role: dev, on: {lost: {retry: true, max: §0/run, exhausted: fail run}}}", "[a]"), /not a cap/);
	problemsAt(
		workflow("  a: {role: dev, on: {lost: {retry: true, max: §3/stpe, exhausted: fail run}}}", "[a]"),
		/per `stpe`; did you mean `step`/,
	);
	problemsAt(
		workflow("  a: {role: dev}", "[a]", "budgets: {x: §10, y: §ten/run, z: {limit: $1/run, warn: [§90]}}")
			.replace("§10,", "§lots,")
			.replace("[§90]", '[§"90"]'),
		/not an amount/,
		/not an amount/,
		/not a share/,
	);
});

test("conditions are read, or refused with the grammar", () => {
	problemsAt(workflow("  a: {role: dev, when: §stories = 1}", "[a]"), /`stories = 1` is not a condition/);
	problemsAt(workflow("  a: {role: dev, when: §stories > many}", "[a]"), /`many` is not a number/);
	problemsAt(workflow("  a: {role: dev, when: §storys > 1}", "[a]"), /no field `storys`; did you mean `stories`/);
});

test("reports name their keys in capitals and leave the engine's signals alone", () => {
	const roles = (report: string) =>
		`name: t\ntitle: T\ninputs: {r: {reader: request, workspace: tree}}\nsteps: [a]\ntypes: {a: {approval: person, on: {approved: next, rejected: fail run}}}\nroles: {dev: {report: ${report}}}\n`;
	problemsAt(roles("{signals: {done: {§status: done}}}"), /`status` is not a key of a report/);
	problemsAt(roles("{signals: {§timeout: {STATUS: late}}}"), /`timeout` is a signal of the engine's own/);
	problemsAt(roles("{signals: {done: §{}}}"), /say what makes a report `done`/);
	problemsAt(roles("{signals: {done: {STATUS: done, §finding: plan}}}"), /`finding` needs `findings`/);
	problemsAt(roles("{promise: §'{{promis}}'}"), /no field `promis`/);
});
