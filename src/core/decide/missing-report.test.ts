// A report that cannot be read is asked for again in its own session, once, for every kind of step that agents do.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../definition.ts";
import type { Outcome } from "../input.ts";
import { cost, dynamic, edits, linear, stories, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const RESUMABLE = { agent: "claude", session: "s-1" };
const UNREAD: Partial<Outcome> = { signal: "unreadable", error: "it has no STATUS line", resumable: RESUMABLE };
const fail: Route = { action: "fail", target: "story", rollback: "failures" };
const worldOf = (step: TypePart, each = {}): World => new World(stories({ step, after: {} }, each), { stories: ["A"] });

const KINDS: Readonly<Record<string, TypePart>> = {
	agent: { on: { unreadable: fail } },
	gate: { kind: "gate", members: [{ role: "check", blocking: true }], verdicts: ["done"], on: { unreadable: fail } },
	loop: {
		kind: "loop",
		loop: { schedule: "WR", roles: { W: { role: "worker" }, R: { role: "reviewer" } }, max: "9", inject: {} },
		on: { done: { action: "next" }, unreadable: fail },
	},
};

for (const [kind, step] of Object.entries(KINDS)) {
	test(`${kind}: the next attempt asks for the report in the same session; no route is taken and nothing is put back`, () => {
		const w = worldOf(step);
		w.end("step", { ...UNREAD, usage: cost(1) });
		const job = w.job("step");
		assert.deepEqual([job.attempt, w.asked("rollback"), w.all("route_taken")], [2, [], []]);
		assert.deepEqual(w.find("A", "step").running[0]?.asks, {
			...RESUMABLE,
			role: job.role,
			attempt: 1,
			missing: "it has no STATUS line",
			changed: true,
		});
		w.end("step", { signal: "done", usage: cost(2), changed: false });
		assert.equal(w.find("A", "step").usage.costUsd, 3);
		assert.equal(w.find("A", "step").status, "completed");
		assert.equal(w.story("A").changed, true, "what the first attempt changed counts");
	});

	test(`${kind}: a second unreadable report takes the route, and what is put back began with the first attempt`, () => {
		const w = worldOf(step);
		w.end("step", UNREAD);
		w.end("step", UNREAD);
		assert.equal(w.story("A").status, "failed");
		assert.equal(w.all("report_asked").length, 1);
		assert.deepEqual(
			w.asked("rollback").map(({ commit }) => commit),
			["commit-of-step-001-1"],
		);
	});
}

test("without a session to continue the route decides at once", () => {
	const w = worldOf(KINDS["agent"] ?? {});
	w.end("step", { signal: "unreadable", error: "it has no STATUS line" });
	assert.deepEqual([w.story("A").status, w.all("report_asked").length], ["failed", 0]);
});

test("G-15 the end of a report that could not be taken is there for the fresh attempt that mends it, and leaves with its reason", () => {
	const again: Route = { action: "retry" };
	const unread = { signal: "unreadable", error: "it has no STATUS line", notes: "I found three places.\n\nSTATUS: fine" };
	const w = worldOf({ writes: "none", on: { unreadable: again, checks_failed: again, more: again } });
	w.end("step", unread);
	assert.deepEqual([w.find("A", "step").feedback, w.find("A", "step").unread], ["it has no STATUS line", unread.notes]);
	w.end("step", { signal: "more", notes: "one more look" });
	assert.equal(w.find("A", "step").unread, null, "that report was heard");
	const wrong = { name: "list", command: "LIST", exitCode: 1, output: "it is empty" };
	w.end("step", { notes: "LIST: []", checks: [{ ...wrong, said: true }] });
	assert.equal(w.find("A", "step").unread, "LIST: []", "the report itself was found wrong");
	w.end("step", { notes: "all is well", checks: [wrong] });
	assert.equal(w.find("A", "step").unread, null, "a command failed: nothing is wrong with the report");
	w.end("step", { ...unread, notes: `${"x".repeat(9000)} the end` });
	assert.match(w.find("A", "step").unread ?? "", /^x{5,}.* the end$/);
	assert.ok((w.find("A", "step").unread ?? "").length <= 6000);
});

test("any other failure takes its route, however well its session could be continued", () => {
	const w = worldOf(KINDS["agent"] ?? {});
	w.end("step", { signal: "agent_error", error: "exit 1", resumable: RESUMABLE });
	assert.deepEqual([w.story("A").status, w.all("report_asked").length], ["failed", 0]);
});

test("a retry after the route is a fresh attempt, whose report may be asked for again", () => {
	const w = worldOf({ on: { unreadable: { action: "retry", max: 1, per: "row", exhausted: fail } } });
	w.end("step", UNREAD);
	w.end("step", UNREAD);
	assert.equal(w.find("A", "step").running[0]?.asks, undefined, "fresh");
	w.end("step", UNREAD);
	assert.equal(w.find("A", "step").running[0]?.asks?.attempt, 3);
	w.end("step", { signal: "done" });
	assert.equal(w.find("A", "step").status, "completed");
});

test("a lost attempt that asked is lost like any other: its work is put back and a copy runs fresh", () => {
	const w = worldOf(KINDS["agent"] ?? {});
	w.end("step", UNREAD);
	w.end("step", "lost");
	assert.deepEqual(
		w.asked("rollback").map(({ commit, since }) => [commit, since]),
		[["commit-of-step-001-1", 1]],
	);
	assert.deepEqual([w.job("step").step, w.find("A", "step").running[0]?.asks], ["step-003", undefined]);
});

test("gate: only the members whose report could not be read are asked, when the round has ended", () => {
	const members = ["check", "simplify", "style"].map((role) => ({ role, blocking: role === "check" }));
	const w = worldOf({ kind: "gate", members, verdicts: ["done", "block"], on: { block: fail, unreadable: fail } });
	const member = (role: string) => w.jobs.find((job) => job.role === role) ?? assert.fail(`${role} does not run`);
	w.end(member("simplify"), UNREAD);
	assert.equal(w.all("report_asked").length, 0, "the others still run");
	w.end(member("check"), UNREAD);
	w.end(member("style"), { signal: "done" });
	assert.deepEqual(
		w.jobs.map(({ role, attempt }) => [role, attempt]),
		[
			["check", 4],
			["simplify", 5],
		],
	);
	w.end(member("simplify"), { signal: "done" });
	w.end(member("check"), { signal: "done" });
	assert.equal(w.find("A", "step").status, "completed");
});

test("gate: where another member failed, its route decides about the whole round", () => {
	const members = ["check", "style"].map((role) => ({ role, blocking: true }));
	const w = worldOf({ kind: "gate", members, verdicts: ["done"], on: { unreadable: fail } });
	w.end(w.job("step"), UNREAD);
	w.end(w.job("step"), { signal: "rate_limited", retryAt: w.at + 10 });
	assert.deepEqual([w.all("report_asked").length, w.jobs.length], [0, 0]);
});

test("loop: the iteration is not counted twice, and the same role is asked", () => {
	const w = worldOf({ ...KINDS["loop"], on: { done: { action: "retry" }, unreadable: fail, max_iterations: { action: "next" } } });
	w.end("step", { signal: "done" });
	w.end("step", UNREAD);
	assert.deepEqual([w.job("step").role, w.find("A", "step").iteration], ["reviewer", 1]);
	w.end("step", { signal: "done" });
	assert.deepEqual([w.job("step").role, w.find("A", "step").iteration], ["worker", 2]);
	assert.equal(w.find("A", "step").running[0]?.asks, undefined);
});

test("its edits were set aside, so it is told to write them again", () => {
	const w = worldOf({ edits: true, on: { unreadable: fail } });
	w.end("step", { ...UNREAD, edits: edits({ operation: "skip", target_step_id: "step-002", reason: "x" }) });
	assert.match(w.all("report_asked")[0]?.missing ?? "", /no STATUS line; the edits .* write them again/);
	assert.equal(w.asked("settle_edits")[0]?.how, "failed");
});

test("a limit limits: a report is not asked for when the budget is used up, and the run can be resumed to do so", () => {
	const w = new World(linear({ step: {} }), { options: { budgets: { cost: 1 } } });
	w.end("step", { ...UNREAD, usage: cost(2) });
	assert.deepEqual([w.state.status, w.jobs.length, w.find("@run", "step").asks?.length], ["stopped", 0, 1]);
	w.feed({ type: "extend", budgets: { cost: 9 } });
	w.feed({ type: "resume" });
	assert.equal(w.find("@run", "step").running[0]?.asks?.session, "s-1");
});

const LACKS: Partial<Outcome> = { signal: "done", lacks: ["TESTS"], resumable: RESUMABLE, fields: { CHANGES: "a" } };

test("G-17 a report that lacks a field is asked for it once; an answer that only adds the field keeps the signal of the first", () => {
	const w = worldOf(KINDS["agent"] ?? {});
	w.end("step", LACKS);
	assert.deepEqual([w.find("A", "step").running[0]?.asks?.missing, w.all("route_taken")], ["the report has no TESTS", []]);
	w.end("step", { signal: "unreadable", error: "it has no STATUS line", fields: { TESTS: "all" }, changed: false });
	assert.equal(w.find("A", "step").status, "completed");
	assert.equal(w.story("A").changed, true);
});

test("G-17 a field that is still missing after the question is let go; one that cannot be asked for is, too", () => {
	for (const last of [LACKS, { signal: "done", lacks: ["TESTS"] }]) {
		const w = worldOf(KINDS["agent"] ?? {});
		if (last === LACKS) w.end("step", LACKS);
		w.end("step", last);
		assert.deepEqual([w.find("A", "step").status, w.all("report_asked").length], ["completed", last === LACKS ? 1 : 0]);
	}
});

test("G-15 D-98 rejected edits are asked for once in the session that wrote them: its report stays, and nobody else hears of those that it mends", () => {
	const wrong = edits({ operation: "skip", target_step_id: "step-004" });
	const w = new World(dynamic(), { stories: ["A"] }).until("planning");
	w.end("planning", { edits: wrong, notes: "the plan", resumable: RESUMABLE });
	assert.match(w.find("A", "planning").running[0]?.asks?.missing ?? "", /were rejected[\s\S]*`reason` is missing/);
	assert.deepEqual(
		[w.asked("append_scratch"), w.all("edit_rejected"), w.asked("settle_edits").map(({ how }) => how)],
		[[], [], ["rejected"]],
	);
	const mended = edits({ operation: "skip", target_step_id: "step-004", reason: "no tests" });
	w.end("planning", { edits: mended, notes: "done", resumable: RESUMABLE });
	assert.deepEqual([w.find("A", "planning").notes, w.find("A", "test_architecture").status], ["the plan", "skipped"]);
	w.until("architecture");
	w.end("architecture", { edits: wrong, notes: "first", resumable: RESUMABLE });
	w.end("architecture", { edits: wrong, notes: "second", resumable: RESUMABLE });
	assert.deepEqual([w.find("A", "architecture").status, w.find("A", "architecture").notes], ["completed", "first"]);
	assert.match(
		w.asked("append_scratch").at(-1)?.text ?? "",
		/is skipped[\s\S]*it wanted: \[\{"operation":"skip","target_step_id":"step-004"\}\]|`reason` is missing\n- it wanted: /,
	);
	w.until("coding");
	w.end("coding", { edits: { problem: "the edit file is not JSON" } });
	assert.match(w.asked("append_scratch").at(-1)?.text ?? "", /kept as `workflow_edits\/rejected\/A-step-005-1\.json`/);
	assert.equal(w.find("A", "coding").status, "completed", "D-99");
});
