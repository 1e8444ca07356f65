import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "./definition.ts";
import type { RunStatus } from "./model.ts";
import { isOver } from "./query.ts";
import { dynamic, linear, stories, storyOf, type TypePart } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";
import { transition } from "./transition.ts";

const at = (type: string): World => new World(dynamic(), { stories: ["A"] }).until(type);

test("D-149 D-150 D-152 a lost step keeps its failed record, the tree is put back, and a copy of it runs next", () => {
	const w = at("linting");
	w.end("linting", "lost");
	const steps = w.scope("A").steps.slice(5, 8);
	assert.deepEqual(
		steps.map((s) => `${s.id} ${s.type} ${s.status}`),
		["step-006 linting failed", "step-011 linting in_progress", "step-007 initial_testing pending"],
	);
	assert.equal(steps[0]?.error, "orchestrator restart — agent not found");
	assert.equal(steps[1]?.description, steps[0]?.description);
	assert.deepEqual(
		w.asked("rollback").map((r) => [r.folder, r.commit]),
		[["failures", "commit-of-step-006-1"]],
	);
	assert.equal(w.story("A").status, "in_progress");
	w.play();
	assert.equal(w.story("A").status, "completed");
});

test("D-152 at most three recoveries of one line of copies; then the story fails", () => {
	const w = at("linting");
	for (let n = 0; n < 4; n++) w.end("linting", "lost");
	assert.deepEqual(
		w
			.scope("A")
			.steps.filter((s) => s.type === "linting")
			.map((s) => s.status),
		["failed", "failed", "failed", "failed"],
	);
	assert.equal(w.story("A").status, "failed");
	const other = at("coding");
	for (let n = 0; n < 3; n++) other.end("coding", "lost");
	other.until("linting");
	for (let n = 0; n < 3; n++) other.end("linting", "lost");
	other.play();
	assert.equal(other.story("A").status, "completed", "each line has three of its own");
});

test("D-65 a retry after too many losses runs the last copy again, with its allowance, and leaves the records", () => {
	const w = at("linting");
	for (let n = 0; n < 4; n++) w.end("linting", "lost");
	w.feed({ type: "retry_story", story: null });
	w.end("linting", "lost");
	w.play();
	assert.equal(w.story("A").status, "completed");
	assert.equal(w.scope("A").steps.filter((s) => s.type === "linting" && s.status === "failed").length, 4);
});

test("D-65 a story that failed as a whole runs again, except its records of lost steps", () => {
	const w = new World(stories({ a: {}, b: {} }, { expectsChange: true }), { stories: ["A"] });
	w.play({ a: ["lost", { changed: false }], b: { changed: false } });
	assert.equal(w.story("A").status, "failed");
	w.feed({ type: "retry_story", story: "A" });
	w.play();
	assert.deepEqual(w.list("A"), ["a failed", "a completed", "b completed"]);
	assert.equal(w.story("A").status, "completed");
});

test("G-01 a story that runs again as a whole is checked: a check that had no change to look at is not left out; the agent is told why", () => {
	const check = { when: [{ field: "changed", op: "is", value: "true" }] } as const;
	const w = new World(stories({ a: {}, check }, { expectsChange: true }), { stories: ["A"] });
	w.play({ a: { changed: false } });
	assert.deepEqual([w.story("A").status, w.list("A")], ["failed", ["a completed", "check skipped"]]);
	w.feed({ type: "retry_story", story: "A" });
	assert.match(w.find("A", "a").feedback ?? "", /nothing was changed/);
	w.play();
	assert.deepEqual([w.story("A").status, w.list("A")], ["completed", ["a completed", "check completed"]]);
});

test("D-149 the engine's own actions are simply done again when they were lost or interrupted", () => {
	for (const answer of ["lost", "cancelled"] as const) {
		const w = at("merge");
		w.end("merge", answer);
		assert.deepEqual([w.find("A", "merge").attempt, w.list("A").at(-1)], [2, "merge in_progress"], answer);
		w.play({ merge: { signal: "merged" } });
		assert.equal(w.story("A").status, "completed");
	}
});

test("D-47 interrupt: nothing new starts, attempts end as cancelled with a copy after them, the run is paused and can continue", () => {
	const w = new World(stories({ a: {}, b: {} }), { stories: ["A", "B", "C"], options: { agents: 2 } });
	w.feed({ type: "stop", how: "interrupt" });
	assert.deepEqual(
		w.asked("cancel_attempt").map((c) => `${c.scope} ${c.reason}`),
		["A interrupted", "B interrupted"],
	);
	w.end("A a", "cancelled");
	assert.equal(w.state.status, "running", "one still runs");
	w.end("B a");
	assert.deepEqual([w.state.status, w.state.reason, w.jobs.length], ["paused", "interrupted", 0]);
	assert.deepEqual(
		[w.list("A"), w.list("B")],
		[
			["a cancelled", "a pending", "b pending"],
			["a completed", "b pending"],
		],
	);
	assert.deepEqual(w.stories(), { A: "in_progress", B: "in_progress", C: "unclaimed" });
	assert.deepEqual(
		w.asked("rollback").map((r) => [r.scope, r.folder]),
		[["A", "failures"]],
	);
	w.feed({ type: "advance" });
	assert.equal(w.jobs.length, 0);
	w.feed({ type: "resume" });
	w.play();
	assert.equal(w.state.status, "completed");
	assert.deepEqual(w.started.slice(2).sort(), ["A a", "A b", "B b", "C a", "C b"]);
});

test("an interrupted read-only step is rolled back as well: what it wrote anyway is not the next step's work", () => {
	const w = at("planning");
	w.feed({ type: "stop", how: "interrupt" });
	w.end("planning", "cancelled");
	assert.deepEqual(
		w.asked("rollback").map((r) => [r.scope, r.step, r.folder]),
		[["A", w.asked("start_attempt").at(-1)?.step, "failures"]],
	);
});

test("cancel: what runs is ended, then the run is cancelled and stays so; an interrupt meanwhile does not make it a pause", () => {
	const w = new World(stories({ a: {} }), { stories: ["A"] });
	w.feed({ type: "stop", how: "cancel" });
	w.feed({ type: "stop", how: "interrupt" });
	w.end("a", "cancelled");
	assert.equal(w.state.status, "cancelled");
	for (const input of [{ type: "resume" }, { type: "advance" }, { type: "stop", how: "pause" }] as const) w.feed(input);
	assert.deepEqual([w.state.status, w.jobs.length], ["cancelled", 0]);
	const waiting = new World(linear({ ask: { kind: "approval" } }));
	waiting.feed({ type: "stop", how: "cancel" });
	assert.equal(waiting.state.status, "cancelled");
});

test("a pause while the run only waits for a time, and a resume that continues to wait", () => {
	const w = new World(stories({ a: {} }), { stories: ["A"] });
	w.end("a", { signal: "rate_limited", retryAt: w.at + 1000 });
	w.feed({ type: "stop", how: "pause" });
	assert.equal(w.state.status, "paused");
	w.feed({ type: "resume" });
	assert.deepEqual([w.state.status, w.jobs.length], ["running", 0]);
	w.play();
	assert.equal(w.state.status, "completed");
});

test("a resume before all attempts have ended takes the stop back", () => {
	const w = new World(stories({ a: {}, b: {} }), { stories: ["A"] });
	w.feed({ type: "stop", how: "pause" });
	w.feed({ type: "resume" });
	w.end("a");
	assert.equal(w.started.at(-1), "A b");
});

const approval: TypePart = { kind: "approval", on: { approved: { action: "next" }, rejected: { action: "fail", target: "run" } } };

test("S-05 an approval waits for a person; approve continues, reject fails with the reason", () => {
	const w = new World(linear({ a: {}, ask: approval, b: {} }));
	w.end("a");
	assert.deepEqual([w.list(), w.state.status], [["a completed", "ask waiting", "b pending"], "waiting"]);
	assert.match(w.state.reason ?? "", /step-002 \(ask\) waits for a person/);
	w.feed({ type: "resume" });
	assert.deepEqual(
		w.asked("notify").map((n) => [n.about, n.step]),
		[["waiting", "step-002"]],
		"G-16: a person is told once",
	);
	w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
	assert.deepEqual([w.state.status, w.started.at(-1)], ["running", "b"]);
	const no = new World(linear({ ask: approval, b: {} }));
	no.feed({ type: "decide", scope: "@run", step: "ask", verdict: "reject", reason: "too dear" });
	assert.deepEqual([no.state.status, no.state.reason, no.list()[0]], ["failed", "ask: too dear", "ask failed"]);
});

test("--yes approves what waits for approval", () => {
	const w = new World(linear({ a: {}, ask: approval, b: {} }), { options: { yes: true } });
	w.play();
	assert.deepEqual([w.started, w.state.status], [["a", "b"], "completed"]);
});

test("while a story waits for a person the others continue; the run waits when nothing else is left", () => {
	const w = new World(stories({ ask: { kind: "approval", when: [{ field: "x", op: "unset" }], on: approval.on ?? {} }, a: {} }), {
		stories: ["A", "B"],
		options: { agents: 2 },
	});
	assert.equal(w.state.status, "waiting");
	w.feed({ type: "decide", scope: "B", step: null, verdict: "approve", reason: "" });
	assert.deepEqual([w.state.status, w.started], ["running", ["B a"]]);
	w.end("B a");
	assert.deepEqual([w.stories(), w.state.status], [{ A: "in_progress", B: "completed" }, "waiting"]);
	w.feed({ type: "decide", scope: "A", step: "step-001", verdict: "approve", reason: "" });
	w.play();
	assert.equal(w.state.status, "completed");
});

const escalate: Route = { action: "retry", max: 1, exhausted: { action: "wait", target: "person" } };

test("an escalated step: approve takes its result, retry runs it with a fresh allowance, reject fails it", () => {
	const escalated = () => {
		const w = new World(stories({ a: { on: { unreadable: escalate } }, b: {}, pre_a: { on: { unreadable: escalate } } }), {
			stories: ["A"],
		});
		w.play({ a: { signal: "unreadable" } });
		assert.deepEqual([w.list("A")[0], w.state.status, w.started.length], ["a waiting", "waiting", 2]);
		return w;
	};
	const decide = (w: World, verdict: "approve" | "reject" | "retry") =>
		w.feed({ type: "decide", scope: null, step: null, verdict, reason: "I looked" });
	const approved = escalated();
	decide(approved, "approve");
	assert.deepEqual([approved.list("A")[0], approved.started.at(-1)], ["a completed", "A b"]);
	const retried = escalated();
	decide(retried, "retry");
	retried.play({ a: { signal: "unreadable" } });
	assert.deepEqual([retried.started.length, retried.state.status], [4, "waiting"]);
	const rejected = escalated();
	decide(rejected, "reject");
	assert.deepEqual([rejected.list("A")[0], rejected.story("A").status, rejected.state.status], ["a failed", "failed", "failed"]);
	assert.match(rejected.story("A").error ?? "", /I looked/);
});

test("a fresh allowance is that of the step alone, not of one whose name ends like it", () => {
	const w = new World(linear({ pre_a: { on: { unreadable: escalate } }, a: { on: { unreadable: escalate } } }));
	w.play({ pre_a: [{ signal: "unreadable" }, {}], a: { signal: "unreadable" } });
	w.feed({ type: "decide", scope: null, step: "a", verdict: "retry", reason: "" });
	assert.deepEqual(w.scope().counters, { "pre_a:unreadable": 1 });
});

test("a decision that comes after the run has ended changes nothing", () => {
	const w = new World(stories({ ask: approval, a: {} }), { stories: ["A"] });
	w.feed({ type: "stop", how: "cancel" });
	for (const verdict of ["approve", "reject", "retry"] as const)
		assert.deepEqual(w.feed({ type: "decide", scope: null, step: null, verdict, reason: "" }), []);
	assert.equal(w.state.status, "cancelled");
});

test("a decision while the run is paused is taken, and the run stays paused", () => {
	const w = new World(stories({ ask: approval, a: {} }), { stories: ["A", "B"], options: { agents: 2 } });
	w.feed({ type: "decide", scope: "A", step: null, verdict: "approve", reason: "" });
	w.feed({ type: "stop", how: "pause" });
	w.end("A a", "cancelled");
	assert.equal(w.state.status, "paused");
	w.feed({ type: "decide", scope: "B", step: null, verdict: "approve", reason: "" });
	assert.deepEqual([w.state.status, w.list("B")[0], w.jobs.length], ["paused", "ask completed", 0]);
});

test("retry does nothing where the workflow forbids it, where nothing failed, and after an abort", () => {
	const never = new World(stories({ a: {} }, {}, { resume: "never" }), { stories: ["A"] });
	never.play({ a: { signal: "agent_error" } });
	assert.deepEqual(never.feed({ type: "retry_story", story: null }), []);
	const fine = new World(stories({ a: {} }), { stories: ["A"] });
	assert.deepEqual(fine.feed({ type: "retry_story", story: "A" }), []);
	const aborted = new World(
		stories({ a: { on: { block: { action: "abort" } } } }, {}, { abort: ["tell"], types: { tell: { scope: "run" } } }),
		{
			stories: ["A"],
		},
	);
	aborted.play({ a: { signal: "block" } });
	assert.equal(aborted.state.status, "failed");
	assert.deepEqual(aborted.feed({ type: "retry_story", story: null }), []);
});

test("the first failure is the reason: what ends later does not change it", () => {
	const w = new World(stories({ a: {} }), { stories: ["A", "B"], options: { agents: 2 } });
	w.end("A a", { signal: "auth", error: "not logged in" });
	w.end("B a", { signal: "auth", error: "not logged in either" });
	assert.deepEqual([w.state.reason, w.all("run_status_changed").length], ["a: not logged in", 1]);
});

test("G-14: out of credit fails the run once, whatever its other stories do, and a resume continues exactly what it stopped", () => {
	for (const signal of ["auth", "out_of_credit"]) {
		const w = new World(stories({ a: {} }), { stories: ["A", "B", "C"] });
		w.end("A a", { signal: "agent_error", error: "broken" });
		w.end("B a", { signal, error: "no money" });
		assert.deepEqual([w.stories(), w.state.status], [{ A: "failed", B: "failed", C: "unclaimed" }, "failed"], signal);
		w.feed({ type: "resume" });
		assert.deepEqual([w.stories(), w.state.status], [{ A: "failed", B: "in_progress", C: "unclaimed" }, "running"], signal);
		w.end("B a", {});
		assert.equal(w.stories()["B"], "completed");
	}
	const broken = new World(stories({ a: {} }), { stories: ["A"] });
	broken.end("A a", { signal: "agent_error" });
	assert.deepEqual(broken.feed({ type: "resume" }), [], "a failure of the work needs a retry");
});

test("G-14: a step of the run itself that was out of credit is opened by a resume; a run of an earlier version takes the route of auth", () => {
	const definition = linear({ a: {}, b: {} });
	const { out_of_credit: _, ...routes } = definition.types["a"]?.routes ?? {};
	const a = definition.types["a"];
	const w = new World(a ? { ...definition, types: { ...definition.types, a: { ...a, routes } } } : definition);
	w.end("a", { signal: "out_of_credit", error: "no money" });
	assert.equal(w.state.status, "failed");
	assert.deepEqual(w.all("route_taken").at(-1), { ...w.all("route_taken").at(-1), signal: "out_of_credit", action: "fail run" });
	w.feed({ type: "resume" });
	assert.deepEqual([w.state.status, w.list()], ["running", ["a in_progress", "b pending"]]);
});

test("what a person undid is in the journal once, whatever the run's status, and changes nothing else", () => {
	const w = new World(stories({ work: {} }), { stories: ["A"] });
	w.end("work");
	const before = w.state;
	const commits = [{ scope: "A", commit: "c1", by: "r1" }];
	w.feed({ type: "undo", scope: "A", commits, by: { user: "ann", how: "cli" } });
	w.feed({ type: "undo", scope: "A", commits });
	assert.deepEqual(
		w.all("work_undone").map(({ scope, commits: of, by }) => [scope, of, by?.user]),
		[["A", commits, "ann"]],
	);
	assert.deepEqual([w.state.status, w.state.stories, w.state.undone], [before.status, before.stories, commits]);
});

test("T-18 steering goes into the journal, from which every later prompt has it, and not into the scratch file among the notes of agents", () => {
	const w = new World(stories({ a: {} }), { stories: ["A"] });
	w.feed({ type: "steer", text: "use tabs" });
	assert.equal(w.all("run_steered")[0]?.text, "use tabs");
	assert.deepEqual([w.state.steered, w.asked("append_scratch")], [["use tabs"], []]);
});

test("a run is created once; an input without a run does nothing", () => {
	assert.deepEqual(transition(null, { type: "advance", at: 1 }), { state: null, events: [], effects: [] });
	const w = new World(stories({ a: {} }), { stories: ["A"] });
	const { definition, options } = w.state;
	const again = transition(w.state, {
		type: "create_run",
		at: 2,
		id: "x",
		title: "",
		definition,
		options,
		input: {},
		fields: {},
		stories: [storyOf("Z")],
	});
	assert.deepEqual([again.state, again.events], [w.state, []]);
});

test("if everything waits too long, the run ends as limited, and a resume continues when the time has come", () => {
	const w = new World(stories({ a: {} }), { stories: ["A"], options: { maxWaitMs: 60_000 } });
	w.end("a", { signal: "rate_limited", retryAt: w.at + 30_000 });
	assert.equal(w.state.status, "running");
	w.at += 30_000;
	w.feed({ type: "advance" });
	w.end("a", { signal: "rate_limited", retryAt: w.at + 3_600_000 });
	assert.equal(w.state.status, "limited");
	w.at += 3_600_000;
	w.feed({ type: "resume" });
	w.end("a");
	assert.equal(w.state.status, "completed");
});

test("T-02 a run is over when nothing but a person's retry brings it back", () => {
	const statuses: RunStatus[] = ["running", "waiting", "paused", "completed", "failed", "stopped", "limited", "cancelled", "refused"];
	assert.deepEqual(statuses.filter(isOver), ["completed", "failed", "cancelled", "refused"]);
});

test("G-23 a merge announces its commit before base moves; what another attempt announces is ignored, and a restart forgets nothing", () => {
	const w = at("merge");
	const step = w.scope("A").steps.find((s) => s.type === "merge")?.id ?? "";
	w.feed({ type: "merge_announced", scope: "A", step, attempt: 1, commit: "c1" });
	w.feed({ type: "merge_announced", scope: "A", step, attempt: 7, commit: "forged" });
	const announced = (): readonly string[] | undefined => w.scope("A").steps.find((s) => s.id === step)?.announced;
	assert.deepEqual(announced(), ["c1"]);
	w.end("merge", "lost");
	w.feed({ type: "merge_announced", scope: "A", step, attempt: 2, commit: "c2" });
	assert.deepEqual(announced(), ["c1", "c2"]);
	w.play();
	assert.equal(w.story("A").status, "completed");
});

test("G-22 pawl asks a person about what it cannot judge, without a route of the workflow; a retry runs the step again", () => {
	const w = at("coding");
	w.end("coding", { signal: "unclear", error: "somebody deleted branch wip" });
	assert.deepEqual(
		w
			.scope("A")
			.steps.filter((s) => s.type === "coding")
			.map((s) => s.status),
		["waiting"],
	);
	assert.equal(w.state.status, "waiting");
	w.feed({ type: "decide", scope: "A", step: "step-005", verdict: "retry", reason: "" });
	w.play();
	assert.equal(w.story("A").status, "completed");
});

test("G-15 after a retry by a person the step is told what the attempt before did wrong, not only that somebody wants it", () => {
	const asked = at("coding");
	asked.end("coding", { signal: "unclear", error: "somebody deleted branch wip" });
	asked.feed({ type: "decide", scope: "A", step: "step-005", verdict: "retry", reason: "I put it back" });
	const failed = at("coding");
	failed.end("coding", { signal: "agent_error", error: "the port was taken" });
	failed.feed({ type: "retry_story", story: "A" });
	const told = (w: World) => w.scope("A").steps.findLast((step) => step.type === "coding")?.feedback ?? "";
	assert.match(told(asked), /I put it back.*somebody deleted branch wip/);
	assert.match(told(failed), /retried by a person.*the port was taken/);
});

test("T-24 a person's retry after rejections that are used up goes back to where they send the work", () => {
	const back = (exhausted: Route): Route => ({ action: "goto", target: "make", max: 1, per: "story", exhausted });
	for (const exhausted of [
		{ action: "wait", target: "person" },
		{ action: "fail", target: "story" },
	] as const) {
		const w = new World(stories({ make: {}, judge: { on: { retry: back(exhausted) } } }), { stories: ["A"] });
		w.play({ judge: { signal: "retry" } });
		assert.deepEqual(w.started, ["A make", "A judge", "A make", "A judge"]);
		if (exhausted.action === "wait") w.feed({ type: "decide", scope: "A", step: "judge", verdict: "retry", reason: "" });
		else w.feed({ type: "retry_story", story: "A" });
		w.play({ judge: {} });
		assert.deepEqual(w.started.slice(4), ["A make", "A judge"]);
		assert.equal(w.state.status, "completed");
	}
});

test("T-24 a retry goes through the detour that the rejection leads to; checks that failed are only run again", () => {
	const person: Route = { action: "wait", target: "person" };
	const w = new World(
		linear({
			make: {},
			judge: { on: { retry: { action: "goto", target: "mend", max: 1, per: "run", exhausted: person } } },
			mend: { detour: true, on: { done: { action: "goto", target: "back" } } },
		}),
	);
	w.play({ judge: { signal: "retry" } });
	assert.deepEqual(w.started, ["make", "judge", "mend", "judge"]);
	w.feed({ type: "decide", scope: null, step: "judge", verdict: "retry", reason: "" });
	w.play({ judge: {} });
	assert.deepEqual([w.started.slice(4), w.state.status], [["mend", "judge"], "completed"]);
	const checks = new World(
		linear({
			make: {},
			look: {
				kind: "action",
				action: "checks",
				on: { checks_failed: { action: "goto", target: "make", max: 1, per: "run", exhausted: person } },
			},
		}),
	);
	checks.play({ look: { signal: "checks_failed" } });
	const before = checks.started.length;
	checks.feed({ type: "decide", scope: null, step: "look", verdict: "retry", reason: "" });
	assert.deepEqual(checks.started.slice(before), ["look"]);
});

test("I17 an approval that is rejected without a reason still says why the run stopped", () => {
	const w = new World(linear({ agree: { kind: "approval", on: { rejected: { action: "stop" } } } }));
	w.feed({ type: "decide", scope: null, step: null, verdict: "reject", reason: "" });
	assert.deepEqual([w.state.status, w.state.reason], ["stopped", "rejected by a person"]);
});
