// T-01: pawl takes the results of an attempt for every kind of step. A new kind needs a row here.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportGrammar, Role, Route, StepKind } from "../definition.ts";
import type { Outcome } from "../input.ts";
import { cost, edits, failedCheck, stories, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { type Answer, World } from "../testing/world.suite.ts";

const OPEN: ReportGrammar = { notes: "text", keys: [], signals: [], open: true };
const roleOf = (name: string): Role => ({ name, description: "", report: OPEN, can: [] });
const ROLES = { agent: roleOf("agent"), check: roleOf("check"), worker: roleOf("worker") };

/** How a step of each kind is written; `null`: nobody attempts it, so nothing comes back. */
const KINDS: Record<StepKind, TypePart | null> = {
	agent: { kind: "agent" },
	gate: { kind: "gate", members: [{ role: "check", blocking: true }], verdicts: ["done"] },
	loop: { kind: "loop", loop: { schedule: "W", roles: { W: { role: "worker" } }, max: "9", inject: {} } },
	command: { kind: "command", command: "test" },
	action: { kind: "action", action: "some.action" },
	approval: null,
	each: null,
};
/** The kinds that loading lets have `edits`. */
const EDITING: readonly StepKind[] = ["agent", "loop"];
const attempted = (Object.keys(KINDS) as StepKind[]).filter((kind) => KINDS[kind] !== null);
const mend: Route = { action: "goto", target: "before", max: 2, per: "story", exhausted: { action: "fail", target: "story" } };

function worldOf(kind: StepKind, more: TypePart = {}): World {
	const step: TypePart = {
		...KINDS[kind],
		session: "continue",
		...more,
		on: { checks_failed: mend, ...(kind === "loop" ? { done: { action: "retry" } } : {}), ...more.on },
	};
	return new World(stories({ before: {}, step, after: {} }, {}, { roles: ROLES }), { stories: ["A"] }).until("step");
}

const BROUGHT: Partial<Outcome> = {
	usage: cost(2),
	session: "s-1",
	checks: [{ name: "lint", command: "lint", exitCode: 0, output: "" }],
	facts: { seen: "yes" },
	remarks: ["the tree was dirty"],
	kept: [{ name: "learnings", text: "tabs, not spaces" }],
	changed: true,
};

for (const kind of attempted) {
	test(`T-01 ${kind}: usage, session, checks, facts, remarks, changes and kept values are taken`, () => {
		const w = worldOf(kind);
		w.end("step", BROUGHT);
		const own = kind === "action" || kind === "command";
		const { scope } = w.story("A");
		assert.equal(w.find("A", "step").usage.costUsd, own ? null : 2);
		assert.deepEqual(Object.values(scope.sessions), ["s-1"]);
		assert.deepEqual(
			w.all("checks_recorded").map((e) => e.checks.map((c) => c.name)),
			[["lint"]],
		);
		assert.equal(scope.fields["seen"], "yes");
		assert.deepEqual(
			w.all("remarked").map((e) => e.text),
			["the tree was dirty"],
		);
		assert.deepEqual(
			scope.kept.map((k) => [k.name, k.text, k.step]),
			[["learnings", "tabs, not spaces", w.find("A", "step").id]],
		);
		assert.equal(w.story("A").changed, true);
	});

	test(`T-01 ${kind}: a failed attempt keeps nothing of its report, but its usage`, () => {
		const w = worldOf(kind, { on: { agent_error: { action: "fail", target: "story" } } });
		w.end("step", { ...BROUGHT, signal: "agent_error" });
		assert.deepEqual([w.story("A").scope.kept, w.story("A").scope.sessions], [[], {}]);
		assert.equal(w.all("usage_recorded").filter((e) => e.usage.costUsd === 2).length, kind === "action" || kind === "command" ? 0 : 1);
	});

	test(`T-01 ${kind}: a failing check outweighs its word and is told`, () => {
		const w = worldOf(kind);
		w.end("step", { signal: "done", checks: [failedCheck()] });
		assert.equal(w.started.at(-1), "A before");
		assert.match(w.find("A", "before").feedback ?? "", /check test failed: `npm run test` exited 1/);
		assert.match(w.scope("A").failing?.[0]?.output ?? "", /boom/);
	});

	test(`T-01 ${kind}: stories that it ends with are added`, () => {
		const w = worldOf(kind, { report: { ...OPEN, open: false } });
		w.end("step", { stories: [storyOf("B")] });
		assert.deepEqual(Object.keys(w.stories()), ["A", "B"]);
	});

	test(`T-01 ${kind}: edits are applied where it may edit, and rejected with a reason where not; the file is settled`, () => {
		const may = EDITING.includes(kind);
		const w = worldOf(kind, { edits: may });
		const target = w.find("A", "after").id;
		w.end("step", { edits: edits({ operation: "edit_description", target_step_id: target, new_description: "more", reason: "r" }) });
		assert.deepEqual([w.all("workflow_edited").length, w.all("edit_rejected").length], may ? [1, 0] : [0, 1]);
		assert.deepEqual(
			w.asked("settle_edits").map((e) => e.how),
			[may ? "applied" : "rejected"],
		);
		assert.equal(w.find("A", "after").description, may ? "more" : "do after");
	});

	test(`T-01 ${kind}: the edit file of a failed attempt is put aside`, () => {
		const w = worldOf(kind, { edits: EDITING.includes(kind) });
		w.end("step", { signal: "agent_error", error: "exit 3", edits: edits({ operation: "skip" }) });
		assert.deepEqual(
			w.asked("settle_edits").map((e) => [e.how, e.reasons]),
			[["failed", ["exit 3"]]],
		);
	});
}

test("T-01 fields of an open report reach the story and the run, whichever kind reports them", () => {
	for (const kind of ["agent", "gate", "loop"] as const) {
		const w = worldOf(kind);
		w.end("step", { fields: { BRANCH: "feature/x" } });
		assert.deepEqual([w.story("A").scope.fields["branch"], w.scope().fields["branch"]], ["feature/x", "feature/x"], kind);
	}
});

test("G-21 a report cannot set what pawl itself notes down", () => {
	const w = worldOf("agent");
	w.end("step", { fields: { DELIVERED: "HEAD", SUMMARY_FILE: "/etc/passwd", NOTE: "x" } });
	assert.deepEqual(Object.keys(w.scope().fields), ["note"]);
});

test("T-01 values that an advisory member of a gate keeps are kept as well", () => {
	const w = worldOf("gate", {
		members: [
			{ role: "check", blocking: true },
			{ role: "worker", blocking: false },
		],
	});
	w.end("step worker", { kept: [{ name: "ideas", text: "shorter" }] });
	w.end("step check", { kept: [{ name: "ideas", text: "longer" }] });
	assert.deepEqual(
		w.story("A").scope.kept.map((k) => k.text),
		["shorter", "longer"],
	);
});

const ADD = (after: string): Answer => ({
	edits: edits({ operation: "add_after", target_step_id: after, reason: "r", new_steps: [{ type: "before", description: "first" }] }),
});

test("T-01 a loop that puts a step before itself lets it run, and its iteration counts", () => {
	const w = worldOf("loop", { edits: true });
	w.end("step", ADD("step-001"));
	assert.deepEqual([w.started.at(-1), w.find("A", "step").iteration], ["A before", 1]);
	w.end("before");
	assert.deepEqual([w.started.at(-1), w.find("A", "step").iteration], ["A step", 1]);
});

test("T-01 a loop that ends with steps after itself continues with them; as the last step it runs again after those before it", () => {
	const w = worldOf("loop", { edits: true, on: { promise: { action: "next" } } });
	w.end("step", { signal: "promise", ...(ADD(w.find("A", "step").id) as object) });
	assert.equal(w.started.at(-1), "A before");
	const last = new World(
		stories({ before: {}, step: { ...KINDS.loop, edits: true, last: true, on: { promise: { action: "next" } } } }, {}, { roles: ROLES }),
		{ stories: ["A"] },
	).until("step");
	last.end("step", { signal: "promise", ...(ADD("step-001") as object) });
	last.end("before");
	assert.deepEqual([last.started.at(-1), last.find("A", "step").iteration], ["A step", 1]);
	last.end("step", { signal: "promise" });
	assert.equal(last.story("A").status, "completed");
});

test("T-01 D-55 a loop restarts its iteration: tree put back, same turn again, at most three times", () => {
	const w = worldOf("loop", { edits: true });
	const again = { edits: edits({ operation: "restart", target_step_id: "step-002", new_description: "otherwise", reason: "r" }) };
	w.end("step", again);
	assert.deepEqual(
		w.asked("rollback").map((r) => [r.folder, r.name, r.commit]),
		[["restarts", "A-step-002-1", "commit-of-step-002-1"]],
	);
	const step = w.find("A", "step");
	assert.deepEqual([step.iteration, step.restarts, step.description, w.started.at(-1)], [0, 1, "otherwise", "A step"]);
	w.end("step", again);
	w.end("step", again);
	w.end("step", again);
	assert.match(w.story("A").error ?? "", /restart limit/);
});

test("T-01 the keeper of a loop has weighed its own checks: they count only where the loop has a route for them", () => {
	const loop = { ...KINDS.loop, on: { done: { action: "retry" } as Route } };
	const w = new World(stories({ step: loop }, {}, { roles: ROLES, steps: ["stories"] }), { stories: ["A"] });
	w.end("step", { checks: [failedCheck()] });
	assert.deepEqual([w.started, w.asked("append_scratch")], [["A step", "A step"], []]);
});
