// What a pipeline compiles to, and the errors for an invalid one.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Definition, FAILURES } from "../../core/definition.ts";
import { loadDefinition } from "../../definition/load.ts";
import { showDefinition } from "../../definition/view/show.ts";
import { MINI, parse } from "./pipeline.suite.ts";
import { pipelineOf } from "./pipeline.ts";
import { pipelineSpelling } from "./spelling.ts";

const LANGUAGE = { spellings: [async () => pipelineSpelling] };

function compiled(text: string): Definition {
	const loaded = parse(text);
	assert.ok(loaded.ok, loaded.ok ? "" : JSON.stringify(loaded.problems));
	return loaded.definition;
}

const problems = (text: string): string[] => {
	const loaded = parse(text);
	return loaded.ok ? [] : loaded.problems.map((p) => `${p.line}:${p.column} ${p.message}`);
};
const warnings = (text: string): string[] => {
	const loaded = parse(text);
	return loaded.ok ? loaded.warnings.map((p) => `${p.line}:${p.column} ${p.message}`) : [];
};

describe("a pipeline compiled", () => {
	const definition = compiled(MINI);

	test("A-01 its steps are in order, the verifying one inside the loop", () => {
		assert.deepEqual(
			definition.steps.map((s) => s.type),
			["plan", "implement.stories", "test", "final_checks"],
		);
		assert.deepEqual(
			definition.types["implement.stories"]?.each?.steps.map((s) => s.type),
			["implement", "implement.checks", "verify", "implement.merge"],
		);
		assert.equal(definition.ids, "named");
		assert.equal(definition.inputs["request"]?.workspace, "branch");
	});

	test("A-43 A-55 a story's retries are counted together, and the last one fails", () => {
		const retry = definition.types["verify"]?.routes["retry"];
		const failed = definition.types["implement"]?.routes["unreadable"];
		assert.deepEqual([retry?.action, retry?.target, retry?.max, retry?.per], ["goto", "implement", 2, "story"]);
		assert.equal(retry?.count, failed?.count);
		assert.deepEqual([retry?.exhausted?.action, retry?.exhausted?.target], ["fail", "run"]);
		assert.deepEqual([failed?.action, failed?.max], ["retry", 2]);
	});

	test("T-24 rejections that are used up ask a person where the verifier's step says so", () => {
		const text = MINI.replace('input: "VERIFY {{current_story}} {{changes}}"', "$&\n    on_fail: {escalate_to: human}");
		const retry = compiled(text).types["verify"]?.routes["retry"];
		assert.deepEqual([retry?.exhausted?.action, retry?.exhausted?.target], ["wait", "person"]);
		assert.deepEqual(retry?.exhausted?.set, retry?.set, "the developer is told all the same");
	});

	test("T-20 a plan without stories is a plan, unless the loop asks for some", () => {
		const each = (text: string) => compiled(text).types["implement.stories"]?.each?.atLeast;
		assert.equal(each(MINI), 0);
		assert.equal(each(MINI.replace("verify_step: verify", "$&\n      min_stories: 1")), 1);
	});

	test("G-01 a step that has to change something is checked before anybody looks at it; who may not write cannot be asked for a change", () => {
		const text = MINI.replace("agent: developer\n", "agent: developer\n    expects_change: true\n");
		const single = `${MINI}  - id: mend\n    agent: developer\n    expects_change: true\n    input: MEND\n`;
		assert.equal(compiled(text).types["implement"]?.expectsChange, true);
		assert.deepEqual(
			compiled(single)
				.steps.map((s) => s.type)
				.slice(-3),
			["mend", "mend.checks", "final_checks"],
		);
		assert.equal(compiled(single).types["mend.checks"]?.routes["checks_failed"]?.target, "mend");
		assert.match(
			problems(single.replace("agent: developer\n    expects", "agent: planner\n    expects")).join(),
			/`planner` may not change files/,
		);
	});

	test("keys of the language mean in a pipeline what they mean in a workflow.yml, and are checked alike", () => {
		const step = (more: string) => `${MINI}  - id: mend\n    agent: developer\n    input: MEND\n${more}budgets: {cost: $5/run}\n`;
		const made = compiled(step('    timeout: 2h\n    stall: 5m\n    writes: ["src/**"]\n    checks: [lint]\n    when: stories > 1\n'));
		const { timeoutMs, stallMs, writes, checks, when, routes = {} } = made.types["mend"] ?? {};
		assert.deepEqual([timeoutMs, stallMs, writes, checks], [7_200_000, 300_000, ["src/**"], ["lint"]]);
		assert.deepEqual(when, [{ field: "stories", op: "above", value: 1 }]);
		assert.equal(routes["checks_failed"]?.action, "retry", "the default");
		assert.deepEqual([made.budgets["cost"]?.unit, made.budgets["cost"]?.limit], ["cost", 5]);
		const wrong = step("    timeout: soon\n    when: storeys > 1\n");
		const loaded = parse(wrong);
		assert.ok(!loaded.ok);
		const line = (text: string) => wrong.split("\n").findIndex((one) => one.includes(text)) + 1;
		assert.deepEqual(
			loaded.problems.map((problem) => [problem.line, problem.message.split(";")[0]]),
			[
				[line("soon"), "`soon` is not a duration: write it as 500ms, 90s, 15m or 2h"],
				[line("storeys"), "there is no field `storeys`"],
			],
		);
		assert.equal(
			compiled(`${MINI}  - id: look\n    agent: verifier\n    input: LOOK\n    writes: any\n`).types["look"]?.writes,
			"none",
			"it may not write",
		);
	});

	test("T-27 the step that writes the text of the pull request changes no file", () => {
		const text = `${MINI}  - id: pr\n    agent: developer\n    publish: true\n    input: PR\n`;
		assert.equal(compiled(text).types["pr"]?.writes, "none");
		assert.equal(compiled(text).types["implement"]?.writes, "any");
	});

	test("T-27 people read that a step writes the pull request, not what its agent does otherwise", () => {
		const text = `${MINI}\n  - id: pr\n    agent: developer\n    input: "PR_TITLE: one line"\n`;
		assert.match(compiled(text).types["pr"]?.description ?? "", /^[^:]+: Writes the pull request's text$/);
		assert.doesNotMatch(compiled(text).types["implement"]?.description ?? "", /pull request/);
	});

	test("A-07 a later step's retry goes to a detour of the developer, and back; used up, a person is asked", () => {
		const retry = definition.types["test"]?.routes["retry"];
		assert.deepEqual([retry?.action, retry?.target, retry?.max, retry?.per], ["goto", "test-fix", 2, "run"]);
		assert.deepEqual([retry?.exhausted?.action, retry?.exhausted?.target], ["wait", "person"]);
		const fix = definition.types["test-fix"];
		assert.deepEqual([fix?.detour, fix?.role, fix?.routes["done"]?.target], [true, "developer", "back"]);
	});

	test("A-56 a single step is tried again, then the run fails or a person is asked", () => {
		assert.deepEqual(definition.types["plan"]?.routes["agent_error"]?.exhausted, { action: "fail", target: "run", rollback: "failures" });
		assert.equal(definition.types["plan"]?.routes["agent_error"]?.max, 1);
		assert.deepEqual(definition.types["test"]?.routes["unreadable"]?.exhausted, { action: "wait", target: "person" });
		assert.equal(definition.types["verify"]?.routes["boundary_violation"]?.exhausted?.rollback, "failures");
	});

	test("a usage limit and a crash cost no retry", () => {
		for (const type of ["plan", "implement", "verify", "test"]) {
			assert.notEqual(definition.types[type]?.routes["rate_limited"]?.count, definition.types[type]?.routes["agent_error"]?.count);
			assert.notEqual(definition.types[type]?.routes["lost"]?.count, definition.types[type]?.routes["agent_error"]?.count);
		}
	});

	test("every failure of an agent has a route", () => {
		for (const type of Object.values(definition.types))
			if (type.kind === "agent" && type.name !== "repair_checks")
				for (const signal of [...FAILURES, "done", "retry"]) assert.ok(type.routes[signal], `${type.name} ${signal}`);
	});

	test("what an agent may do follows from its kind", () => {
		assert.deepEqual(
			["plan", "implement", "verify"].map((t) => definition.types[t]?.writes),
			["none", "any", "none"],
		);
		assert.deepEqual(
			["planner", "developer", "verifier"].map((r) => definition.roles[r]?.can),
			[[], ["run", "commit", "network"], ["run"]],
		);
		assert.deepEqual([definition.roles["developer"]?.model, definition.types["implement"]?.timeoutMs], ["big", 60_000]);
	});

	test("an agent's files are frozen into it, also from above its folder", () => {
		assert.deepEqual(definition.roles["developer"]?.files, { "AGENTS.md": "../shared/AGENTS.md" });
		assert.equal(definition.prompts["../shared/AGENTS.md"], "# ../shared/AGENTS.md {{task}}\n");
	});

	test("A-15 a step without a type is single, and the loop has its defaults", () => {
		const plain = compiled(MINI.replace(/ {6}verify_each: true\n {6}verify_step: verify\n/, ""));
		const [plan, implement] = pipelineOf(plain)?.steps ?? [];
		assert.deepEqual([plan?.type, plan?.loop, plan?.expects, plan?.maxRetries], ["single", null, "STATUS: done", 1]);
		assert.deepEqual(implement?.loop, { over: "stories", completion: "all_done", freshSession: true, verifyEach: false });
	});

	test("A-16 A-17 A-22 the pipeline itself is kept for its tables and its timer", () => {
		assert.deepEqual(
			pipelineOf(definition)?.steps.map((s) => [s.id, s.type, s.root]),
			[
				["plan", "single", "plan"],
				["implement", "loop", "implement.stories"],
				["verify", "single", null],
				["test", "single", "test"],
			],
		);
		assert.deepEqual(pipelineOf(definition)?.steps[1]?.loop, {
			over: "stories",
			completion: "all_done",
			freshSession: true,
			verifyEach: true,
			verifyStep: "verify",
		});
		assert.equal(pipelineOf(definition)?.intervalMs, 300_000);
		assert.equal(pipelineOf(compiled(`cron: {interval_ms: 60000}\n${MINI}`))?.intervalMs, 60_000);
	});

	test("A-21 A-38 without a loop a step called verify is a step like any other", () => {
		const plain = compiled(MINI.replace(/ {4}type: loop\n {4}loop:\n( {6}.*\n)+/, ""));
		assert.deepEqual(
			plain.steps.map((s) => s.type),
			["plan", "implement", "verify", "test", "final_checks"],
		);
		assert.deepEqual(plain.projections, []);
	});

	test("a step that goes back to a single step goes there, with what came back", () => {
		const text = MINI.replace("retry_step: implement", "retry_step: plan");
		const retry = compiled(text).types["test"]?.routes["retry"];
		assert.deepEqual([retry?.action, retry?.target], ["goto", "plan"]);
		assert.ok("plan.reason" in (retry?.set ?? {}), "its text has no place for feedback, so the frame tells it");
	});

	test("what it compiles to can be shown", () => {
		assert.match(
			showDefinition(definition),
			/retry → set implement\.reason, verify_feedback, verify\.reason, goto\s+implement, at most 2 a story; then: set implement\.reason,\s+verify_feedback, verify\.reason, fail run/,
		);
	});
});

describe("a pipeline that cannot be used", () => {
	for (const [what, from, to, message] of [
		["A-18 a loop without its settings", / {4}loop:\n( {6}.*\n)+/, "", /^22:5 .*`loop` settings are missing/],
		["A-19 over something else", "over: stories", "over: files", /^26:13 `over` is one of `stories`, not `files`/],
		["A-19 another completion", "all_done", "most_done", /completion.*most_done/],
		["A-20 verify_each without a step", "      verify_step: verify\n", "", /verify_step/],
		["A-20 a verify_step that is not there", "verify_step: verify", "verify_step: nowhere", /there is no step `nowhere`/],
		["an agent that is not there", "agent: developer", "agent: ghost", /there is no agent `ghost`/],
		["a kind that is not there", "role: coding", "role: hacking", /`role` is one of .*hacking/],
		["the same id twice", "id: verify\n", "id: plan\n", /`plan` is there twice/],
		["a step without input", '    input: "PLAN {{task}}"\n', "", /`input` is missing/],
		["retries that are no number", "max_retries: 3", "max_retries: many", /whole number/],
		["a way back to what comes later", "retry_step: implement", "retry_step: later", /there is no step `later`/],
		["a file that is not there", "../shared/AGENTS.md", "../shared/missing.md", /missing\.md/],
		["an id that is a path", "id: mini", "id: ../mini", /cannot be an id/],
	] as const)
		test(what, () => {
			const text = MINI.replace(from, to);
			assert.notEqual(text, MINI);
			const found = problems(text);
			assert.ok(
				found.some((p) => message.test(p)),
				found.join("\n") || "it was taken",
			);
		});

	test("all mistakes are reported at once", () => {
		const text = MINI.replace("agent: developer", "agent: ghost").replace("over: stories", "over: files").replace("id: mini\n", "");
		assert.equal(problems(text).length, 3);
	});
});

test("G-20 T-26 skills are warned of, with their place", () => {
	const found = warnings(MINI.replace("  - id: planner", "  - id: planner\n    workspace: {skills: [browser]}"));
	assert.match(found.join("\n"), /^\d+:\d+ `skills` is not used/m);
});

test("A-32 unknown keys and variables are warnings", () => {
	const found = warnings(`colour: blue\n${MINI.replace("PLAN {{task}}", "PLAN {{nope}} {{outline}}. Answer with OUTLINE: text")}`);
	assert.ok(found.some((w) => w.startsWith("1:1 `colour` is not known")));
	assert.ok(found.some((w) => w.includes("{{nope}}")));
	assert.ok(!found.some((w) => w.includes("{{outline}}") || w.includes("{{task}}") || w.includes("{{changes}}")));
});

for (const name of ["feature-dev", "bug-fix", "security-audit"])
	test(`A-08 the pipeline ${name} loads without a warning`, async () => {
		const loaded = await loadDefinition(fileURLToPath(new URL(`../../../workflows/${name}`, import.meta.url)), LANGUAGE);
		assert.ok(loaded.ok);
		assert.deepEqual(loaded.warnings, []);
		assert.equal(loaded.definition.name, name);
		for (const role of Object.values(loaded.definition.roles)) assert.ok(role.files && "IDENTITY.md" in role.files, role.name);
		assert.ok(Object.values(loaded.definition.types).some((t) => t.action === "forge.pull-request"));
	});

test("A-05 A-65 A-66 A-67 A-60 what feature-dev tells its agents, and that all of them have the same model", async () => {
	const loaded = await loadDefinition(fileURLToPath(new URL("../../../workflows/feature-dev", import.meta.url)), LANGUAGE);
	assert.ok(loaded.ok);
	const { roles, prompts } = loaded.definition;
	assert.deepEqual(Object.keys(roles).toSorted(), ["developer", "planner", "reviewer", "tester", "verifier"]);
	for (const role of Object.values(roles))
		assert.deepEqual([role.model, role.agent, role.effort], ["standard", undefined, undefined], role.name);
	const file = (role: string, name: string): string => prompts[roles[role]?.files?.[name] ?? ""] ?? "";
	const inOrder = (text: string, ...parts: RegExp[]): void => {
		let from = 0;
		for (const part of parts) {
			const at = text.slice(from).search(part);
			assert.ok(at >= 0, `${part} is missing, or not where it should be`);
			from += at + 1;
		}
	};
	assert.match(file("planner", "IDENTITY.md"), /^Name: Planner\nRole: Decomposes tasks into user stories$/m);
	assert.ok(file("planner", "SOUL.md").length > 100);
	inOrder(
		file("planner", "AGENTS.md"),
		/Look first/,
		/fits into one session/,
		/right size/,
		/Too big/,
		/data and schema/,
		/logic/,
		/people see/,
	);
	inOrder(file("planner", "AGENTS.md"), /can be checked/, /Every story has the criterion "Typecheck passes"/, /at most 20 stories/);
	inOrder(file("planner", "AGENTS.md"), /^ +STATUS: done$/m, /^ +REPO:/m, /^ +BRANCH:/m, /^ +STORIES_JSON: \[/m);
	inOrder(
		file("developer", "AGENTS.md"),
		/ONE story in this session/,
		/^1\. Read the progress log/m,
		/^2\. .*branch.*\n?.*pull/m,
		/^3\. Implement/m,
		/^4\. Run the quality checks/m,
		/^5\. Commit .*`feat: <story-id> - <story-title>`/m,
		/^6\. Append your entry to the progress log/m,
		/^7\. .*Codebase Patterns at the top.*Only what is general/m,
		/^8\. .*structural.*AGENTS\.md.*Only what is structural/m,
	);
	inOrder(file("developer", "AGENTS.md"), /# Progress Log/, /Run:/, /Task:/, /Started:/, /## Codebase Patterns/);
	inOrder(
		file("developer", "AGENTS.md"),
		/## <date and time> - <story-id>: <title>/,
		/implemented/,
		/Files changed/,
		/\*\*Learnings:\*\*/,
		/---/,
	);
	inOrder(
		file("verifier", "AGENTS.md"),
		/^1\. .*no TODO, no placeholder/m,
		/^2\. Every acceptance criterion/m,
		/^3\. Nothing is left half done/m,
		/^4\. The type check passes/m,
		/^5\. .*browser/m,
		/STATUS: done\n +VERIFIED:/,
		/STATUS: retry\n +ISSUES:/,
	);
});
