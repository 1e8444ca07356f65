import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../definition.ts";
import { cost, dynamic, edits, failedCheck, findings, linear, stories } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const at = (type: string): World => new World(dynamic(), { stories: ["A"] }).until(type);
const passed = { name: "lint", command: "lint", exitCode: 0, output: "" };

test("D-45 D-30 exit 0 completes the step with its notes, usage and times", () => {
	const w = new World(dynamic(), { stories: ["A"] });
	w.at += 5000;
	w.end("context_gathering", { notes: "seen all", usage: { costUsd: 0.5, inputTokens: 10, outputTokens: null } });
	const step = w.step("A", "step-001");
	assert.deepEqual(
		[step.status, step.notes, step.completedAt, step.usage, step.error],
		["completed", "seen all", w.at, { costUsd: 0.5, inputTokens: 10, outputTokens: null }, null],
	);
	assert.equal(w.step("A", "step-002").startedAt, w.at);
});

test("D-71 D-74 commit and log are known while the step runs", () => {
	const w = new World(dynamic(), { stories: ["A"] });
	w.prepare(w.job("context_gathering"));
	const step = w.step("A", "step-001");
	assert.deepEqual([step.status, step.commit, step.log], ["in_progress", "commit-of-step-001-1", "logs/A/step-001.jsonl"]);
});

test("D-46 D-61 D-119 D-120 a crash of the agent: tree put back into failures/, step failed with its error, story failed", () => {
	const w = at("coding");
	w.end("coding", { signal: "agent_error", error: "exit 3" });
	assert.deepEqual([w.step("A", "step-005").status, w.step("A", "step-005").error], ["failed", "exit 3"]);
	assert.deepEqual(
		w.asked("rollback").map((r) => [r.scope, r.folder, r.name, r.commit]),
		[["A", "failures", "A-step-005", "commit-of-step-005-1"]],
	);
	const order = w.effects.map((e) => e.effect);
	assert.ok(order.indexOf("rollback") < order.indexOf("release_story"), "the tree is put back before the place is given away");
	assert.equal(w.state.status, "failed");
});

test("D-116 D-47 a timeout cancels the step, with an error that says so", () => {
	const w = at("coding");
	w.end("coding", { signal: "timeout", error: "no end within 30 min (timeout)" });
	assert.deepEqual([w.step("A", "step-005").status, w.step("A", "step-005").error], ["cancelled", "no end within 30 min (timeout)"]);
	assert.deepEqual([w.story("A").status, w.asked("rollback").length], ["failed", 1]);
});

test("the fence: a result of an attempt that is not running is journaled as ignored and changes nothing", () => {
	const w = at("coding");
	const old = w.job("coding");
	w.end(old, { signal: "rate_limited", retryAt: w.at + 10 });
	const { scope } = w.story("A");
	assert.deepEqual(
		w.end(old, { usage: cost(9) }).map((e) => e.event),
		["attempt_ignored"],
	);
	assert.deepEqual(w.story("A").scope, scope);
	w.at += 10;
	w.feed({ type: "advance" });
	assert.deepEqual(
		w.end(old, {}).map((e) => e.event),
		["attempt_ignored"],
	);
	assert.deepEqual([w.step("A", "step-005").status, w.step("A", "step-005").attempt], ["in_progress", 2]);
	for (const nowhere of [
		{ ...old, scope: "nobody" },
		{ ...old, step: "step-999" },
		{ ...old, attempt: 99 },
	])
		assert.deepEqual(
			w.end(nowhere, {}).map((e) => e.event),
			["attempt_ignored"],
		);
});

test("nobody can end the step that opens stories: it has no attempt of anybody", () => {
	const w = new World(dynamic(), { stories: ["A"] });
	const each = w.find("@run", "stories");
	const job = { ...w.job("context_gathering"), scope: "@run", step: each.id, attempt: each.attempt };
	for (const answer of [{}, "lost", "cancelled"] as const) w.end(job, answer);
	assert.deepEqual(w.list(), ["stories in_progress"]);
});

test("D-26 failing tests put in a cycle of coding, linting and testing right behind, at most three times a story", () => {
	const w = at("initial_testing");
	w.end("initial_testing", { checks: [failedCheck()] });
	assert.deepEqual(w.list("A").slice(6, 11), [
		"initial_testing completed",
		"coding in_progress",
		"linting pending",
		"initial_testing pending",
		"review pending",
	]);
	assert.match(w.find("A", "coding").description, /check test failed: `npm run test` exited 1/);
	assert.match(w.scope("A").failing?.[0]?.output ?? "", /boom/);
	w.play({ initial_testing: { checks: [failedCheck()] } });
	assert.equal(w.started.filter((s) => s === "A initial_testing").length, 4);
	assert.equal(w.story("A").status, "failed");
	assert.match(w.story("A").error ?? "", /check test failed/);
});

test("D-26 where the agent saw the failure and put in steps itself, the engine adds none", () => {
	const w = at("initial_testing");
	const add = {
		operation: "add_after",
		target_step_id: "step-007",
		reason: "tests fail",
		new_steps: ["coding", "linting", "initial_testing"].map((type) => ({ type, description: "mend" })),
	};
	w.end("initial_testing", { checks: [failedCheck()], edits: edits(add) });
	assert.equal(w.scope("A").steps.filter((s) => s.type === "initial_testing").length, 2);
	assert.deepEqual(w.scope("A").counters, {});
});

test("D-26 edits that add nothing, or were rejected, do not replace a repaired check", () => {
	for (const operation of [
		{ operation: "skip", target_step_id: "step-009", reason: "no tests" },
		{ operation: "skip", target_step_id: "step-010", reason: "no" },
	]) {
		const w = at("initial_testing");
		w.end("initial_testing", { checks: [failedCheck()], edits: edits(operation) });
		assert.equal(w.scope("A").steps.filter((s) => s.type === "initial_testing").length, 2, operation.target_step_id);
	}
});

test("D-29 failing checks of final_review put fix steps before it and run it again; the agent's word does not count", () => {
	const w = at("final_review");
	w.end("final_review", { signal: "done", notes: "all fine", checks: [passed, failedCheck()] });
	assert.deepEqual(w.list("A").slice(8), [
		"prune_tests completed",
		"coding in_progress",
		"linting pending",
		"final_review pending",
		"merge pending",
	]);
	w.play();
	assert.equal(w.story("A").status, "completed");
});

test("T-12 a check that passes by now leaves the scope, and one that fails again stands there once, with what it printed last", () => {
	const on: Record<string, Route> = { checks_failed: { action: "next" } };
	const w = new World(stories({ a: { on }, b: { on }, c: { on } }), { stories: ["A"] });
	const names = () => w.scope("A").failing?.map(({ name, output }) => `${name}: ${output}`);
	w.end("a", { checks: [failedCheck("test"), failedCheck("lint")] });
	assert.deepEqual(names(), ["test: boom", "lint: boom"]);
	w.end("b", { checks: [{ ...failedCheck("lint"), output: "bang" }] });
	assert.deepEqual(names(), ["test: boom", "lint: bang"]);
	w.end("c", { checks: [{ ...failedCheck("test"), exitCode: 0 }] });
	assert.deepEqual(names(), ["lint: bang"]);
});

test("a check that could not be run to its end has failed", () => {
	const w = at("linting");
	w.end("linting", { checks: [{ ...passed, exitCode: null }] });
	assert.match(w.find("A", "coding").description, /could not be run to its end/);
});

test("D-139 D-140 conflict: rebase_resolve before final_review, which runs again, then the merge; the step limit does not prevent it", () => {
	const w = at("planning");
	const add = {
		operation: "add_after",
		target_step_id: "step-005",
		reason: "many",
		new_steps: Array.from({ length: 20 }, () => ({ type: "coding", description: "more" })),
	};
	w.end("planning", { edits: edits(add) });
	w.until("merge");
	w.end("merge", { signal: "conflict", changed: false });
	assert.deepEqual(w.list("A").slice(-4), ["prune_tests completed", "rebase_resolve in_progress", "final_review pending", "merge pending"]);
	assert.equal(w.find("A", "rebase_resolve").id, "step-031");
	assert.equal(w.story("A").status, "in_progress");
	w.play({ merge: { signal: "merged" } });
	assert.deepEqual(w.started.slice(-4), ["A merge", "A rebase_resolve", "A final_review", "A merge"]);
	assert.equal(w.story("A").status, "completed");
});

test("D-139 D-51 a conflict re-opens only completed steps: a lost final_review stays on record as failed", () => {
	const w = at("final_review");
	w.end("final_review", "lost");
	w.until("merge");
	w.end("merge", { signal: "conflict" });
	w.play({ merge: { signal: "merged" } });
	assert.equal(w.step("A", "step-010").status, "failed");
	assert.equal(w.started.filter((s) => s === "A final_review").length, 3);
	assert.equal(w.story("A").status, "completed");
});

test("D-139 a fourth conflict fails the story", () => {
	const w = at("merge");
	w.play({ merge: { signal: "conflict" } });
	assert.equal(w.started.filter((s) => s === "A merge").length, 4);
	assert.equal(w.story("A").status, "failed");
});

// A gate: check blocks, simplify advises.
const again: Route = { action: "goto", target: "revise", max: 3, per: "entry", exhausted: { action: "next", record: "blockers" } };
const gate = (more = {}) =>
	linear({
		gate: {
			kind: "gate",
			members: [
				{ role: "check", blocking: true },
				{ role: "audit", blocking: true },
				{ role: "simplify", blocking: false },
			],
			verdicts: ["acceptable", "needs_work", "block"],
			on: {
				acceptable: { action: "next" },
				needs_work: again,
				block: { action: "fail", target: "run" },
				unreadable: { action: "retry", max: 2 },
				...more,
			},
		},
		revise: { detour: true, on: { done: { action: "goto", target: "back" } } },
		after: {},
	});

test("O-34 all members of a gate run at once, and it is decided when the last has spoken", () => {
	const w = new World(gate());
	assert.deepEqual(
		w.jobs.map((j) => j.role),
		["check", "audit", "simplify"],
	);
	w.end("gate check", { signal: "acceptable" });
	w.end("gate simplify", { signal: "acceptable" });
	assert.deepEqual(w.list(), ["gate in_progress", "after pending"]);
	w.end("gate audit", { signal: "acceptable" });
	assert.deepEqual(w.list(), ["gate completed", "after in_progress"]);
});

test("O-35 O-38 an advisory member never blocks, whatever it says; its findings are kept", () => {
	for (const signal of ["block", "unreadable", "agent_error", "timeout", "rate_limited"]) {
		const w = new World(gate());
		w.end("gate simplify", { signal, findings: findings("F1") });
		w.end("gate check", { signal: "acceptable" });
		w.end("gate audit", { signal: "acceptable" });
		assert.equal(w.find("@run", "gate").status, "completed", signal);
		assert.deepEqual(
			w.scope().kept.map((k) => [k.name, k.text]),
			[["advisories", "simplify [F1] about F1"]],
		);
	}
});

test("the worst verdict of the blocking members counts, in whatever order they speak", () => {
	for (const [first, second] of [
		["check", "audit"],
		["audit", "check"],
	] as const) {
		const w = new World(gate());
		w.end(`gate ${first}`, { signal: "needs_work" });
		w.end(`gate ${second}`, { signal: "acceptable" });
		w.end("gate simplify", { signal: "acceptable" });
		assert.equal(w.started.at(-1), "revise");
		const blocked = new World(gate());
		blocked.end(`gate ${first}`, { signal: "block", error: "no way" });
		blocked.end(`gate ${second}`, { signal: "needs_work" });
		blocked.end("gate simplify", { signal: "acceptable" });
		assert.equal(blocked.state.status, "failed");
	}
});

test("A-44 C-22 an unreadable verdict is never a pass, nor is one that the gate does not know", () => {
	const w = new World(gate());
	w.end("gate check", { signal: "unreadable" });
	w.end("gate audit", { signal: "acceptable" });
	w.end("gate simplify", { signal: "acceptable" });
	assert.deepEqual([w.list()[0], w.jobs.length], ["gate in_progress", 3], "the whole gate again");
	const strange = new World(gate());
	strange.end("gate check", { signal: "splendid" });
	strange.end("gate audit", { signal: "acceptable" });
	strange.end("gate simplify", { signal: "acceptable" });
	assert.equal(strange.state.status, "failed");
	assert.match(strange.state.reason ?? "", /splendid/);
});

test("what a gate's route reads (fields, error, time to wait) is what the member with the deciding verdict said", () => {
	const w = new World(gate({ needs_work: { ...again, set: { feedback: "{{ISSUES}}" } } }));
	w.end("gate check", { signal: "needs_work", fields: { ISSUES: "too long" } });
	w.end("gate audit", { signal: "acceptable", fields: { ISSUES: "none" } });
	w.end("gate simplify", { signal: "needs_work", fields: { ISSUES: "simplify!" }, error: "advice" });
	assert.equal(w.scope().fields["feedback"], "too long");
	const limited = new World(gate());
	limited.end("gate check", { signal: "rate_limited", retryAt: limited.at + 77_000 });
	limited.end("gate audit", { signal: "acceptable" });
	limited.end("gate simplify", { signal: "acceptable" });
	assert.equal(limited.find("@run", "gate").notBefore, limited.at + 77_000);
});

test("a gate in which one member is lost is lost as a whole, once", () => {
	const w = new World(gate());
	const [check, audit, simplify] = w.jobs;
	w.end(check!, "lost");
	w.end(audit!, "lost");
	w.end(simplify!, "lost");
	assert.deepEqual(w.list(), ["gate failed", "gate in_progress", "after pending"]);
	assert.equal(w.jobs.length, 3);
});

test("usage of all attempts adds up; one that is not known is counted, never taken for zero", () => {
	const w = new World(stories({ work: { on: { agent_error: { action: "retry", max: 5 } } } }), { stories: ["A"] });
	w.play({ work: [{ signal: "agent_error", usage: cost(1) }, { signal: "agent_error" }, { usage: cost(0.5) }] });
	assert.deepEqual([w.step("A", "step-001").usage.costUsd, w.state.totals.costUsd], [1.5, 1.5]);
	assert.deepEqual([w.state.totals.attempts, w.state.totals.unknownCost], [3, 1]);
});

test("C-17 a step that continues a session leaves it to the next one of its role; the others leave none", () => {
	const w = new World(stories({ a: { session: "continue" }, b: {} }), { stories: ["A"] });
	w.end("a", { session: "s-1" });
	w.end("b", { session: "s-2" });
	assert.deepEqual(w.state.stories[0]?.scope.sessions, { agent: "s-1" });
});

test("what a gate reads of its members stands in the order of the workflow, whoever spoke first; the first of the worst decides", () => {
	const member = (role: string) => ({ role, blocking: true });
	const gate = { kind: "gate" as const, writes: "none" as const, verdicts: ["fine", "bad"], members: ["a", "b", "c"].map(member) };
	const on: Record<string, Route> = { fine: { action: "next" }, bad: { action: "fail", target: "story", set: { why: "{{WHY}}" } } };
	const w = new World(stories({ gate: { ...gate, on } }), { stories: ["A"] });
	const say = (role: string, signal: string) =>
		w.end(`gate ${role}`, {
			signal,
			fields: { WHY: role },
			findings: [{ key: role, class: "", text: role }],
			error: signal === "bad" ? `${role} says no` : null,
		});
	say("c", "bad");
	say("b", "bad");
	say("a", "fine");
	assert.equal(w.scope("A").fields["why"], "b");
	assert.match(w.story("A").error ?? "", /b says no/);
	assert.deepEqual(
		w.all("attempt_reported").map((e) => e.said?.error),
		["c says no", "b says no", null],
	);
});

test("D-48 a restart says why to the attempt that follows, and a rejected edit says all its reasons in the scratch file", () => {
	const w = new World(dynamic(), { stories: ["A"] }).until("coding");
	w.end("coding", { edits: edits({ operation: "restart", target_step_id: "step-005", reason: "wrong file", new_description: "again" }) });
	assert.equal(w.find("A", "coding").feedback, "the attempt before this one asked to start over: wrong file");
	assert.equal(w.asked("rollback").at(-1)?.name, "A-step-005-1");
	w.end("coding", { edits: edits({ operation: "skip", target_step_id: "step-010", reason: "x" }, { operation: "fly", reason: "y" }) });
	const text = w.asked("append_scratch").at(-1)?.text ?? "";
	assert.match(
		text,
		/^the workflow edits of step-005 \(coding\) were rejected as a whole, nothing was changed:\n- operation 1 .*mandatory.*\n- operation 2 .*unknown operation/,
	);
	const settled = w.asked("settle_edits").map(({ how, reasons }) => [how, reasons.length]);
	assert.deepEqual(settled, [
		["applied", 0],
		["rejected", 2],
	]);
});

test("G-15 D-93 a final review that runs again knows which steps it asked for, and what it said", () => {
	const w = new World(dynamic(), { stories: ["A"] }).until("final_review");
	const fix = { type: "coding", description: "mend the empty list" };
	w.end("final_review", {
		notes: "- criterion 2 fails: src/a.ts:3",
		edits: edits({ operation: "add_after", target_step_id: "step-009", new_steps: [fix], reason: "criterion 2" }),
	});
	const { feedback, status } = w.find("A", "final_review");
	assert.equal(status, "pending");
	assert.match(feedback ?? "", /step-011 coding \(mend the empty list\)[\s\S]*- criterion 2 fails: src\/a\.ts:3$/);
	w.play();
	assert.equal(w.story("A").status, "completed");
});
