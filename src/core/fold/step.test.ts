// What single events make of a step: exactly that, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReportAsked, RUN_SCOPE } from "../model.ts";
import { definitionOf } from "../testing/builders.suite.ts";
import { AT, Folded, type Part, planned } from "../testing/folded.suite.ts";

const run = new Folded(definitionOf({ types: { work: {} } }));
const place = { scope: RUN_SCOPE, step: "step-001" } as const;
const first = { ...place, attempt: 1 } as const;
const after = (...parts: Part[]) => run.step("step-001", planned("work"), ...parts);
const started = (attempt = 1, more: object = {}): Part => ({ event: "step_started", ...place, attempt, role: "agent", ...more });
const prepared = (attempt: number, commit: string | null, more: object = {}): Part => ({
	...{ event: "step_prepared", ...place, attempt, commit, log: null },
	...more,
});
const completed = (more: object = {}): Part => ({ event: "step_completed", ...first, signal: "done", notes: "n", ...more });
const reopened = (more: object = {}): Part => ({ event: "step_reopened", ...place, reason: "again", ...more });
const asked: ReportAsked = { role: "agent", attempt: 1, agent: "claude", session: "s", missing: "STATUS" };
const reportAsked = (more: object = {}): Part => ({ event: "report_asked", ...place, ...asked, ...more });

test("a step begins with nothing, or with what it was made from", () => {
	const { id, type, description, ...rest } = after();
	assert.deepEqual([id, type, description], ["step-001", "work", "do work"]);
	assert.deepEqual(rest, {
		...{ status: "pending", startedAt: null, completedAt: null, commit: null, notes: null, error: null, skipReason: null, restarts: 0 },
		usage: { costUsd: null, inputTokens: null, outputTokens: null },
		...{ log: null, attempt: 0, running: [], verdicts: [], lastFindings: [], origin: "step-001", sender: null, notBefore: null },
		...{ feedback: null, postponed: 0, iteration: 0, cursor: 0, queue: [] },
	});
	const made = { id: "step-002", type: "work", description: "", origin: "step-000", sender: "step-001" };
	const copy = run.step("step-002", { event: "steps_planned", scope: RUN_SCOPE, steps: [made] });
	assert.deepEqual([copy.origin, copy.sender], ["step-000", "step-001"]);
});

test("an attempt starts: the first sets the time, those beside it are counted, numbers only grow", () => {
	const one = after(started(2));
	assert.deepEqual(
		[one.status, one.startedAt, one.attempt, "beside" in one, one.running],
		[...["in_progress", AT, 2, false], [{ number: 2, role: "agent", startedAt: AT }]],
	);
	const three = after(started(2), started(1, { at: AT + 1 }), started(3, { at: AT + 2, letter: "W", queued: true, role: "worker" }));
	assert.deepEqual([three.startedAt, three.attempt, three.beside], [AT, 3, 2]);
	assert.deepEqual(three.running.at(-1), { number: 3, role: "worker", startedAt: AT + 2, letter: "W", queued: true });
	const again = after(completed({ signal: "done" }), started(2));
	assert.deepEqual([again.completedAt, again.error, again.notBefore], [null, null, null]);
	assert.equal("announced" in one, false);
	assert.deepEqual(after(started(1, { announces: true })).announced, []);
	assert.deepEqual(
		after(started(1, { announces: true }), { event: "merge_announced", ...first, commit: "m" }, started(2, { announces: true })).announced,
		["m"],
		"what was announced stays",
	);
});

test("G-05 where a step began: the newest start counts, the first is kept, and the one before it", () => {
	const starts = (...parts: Part[]) => {
		const { commit, firstCommit, previousCommit } = after(...parts);
		return [commit, firstCommit, previousCommit];
	};
	assert.deepEqual(starts(started(), prepared(1, "c1")), ["c1", "c1", undefined]);
	assert.deepEqual(starts(started(), prepared(1, null)), [null, undefined, undefined]);
	assert.deepEqual(starts(started(), prepared(1, "c1"), started(2), prepared(2, "c2")), ["c2", "c1", "c1"]);
	assert.deepEqual(starts(started(), prepared(1, "c1"), started(2), prepared(2, null)), ["c1", "c1", "c1"]);
	assert.deepEqual(
		starts(started(), prepared(1, "c1"), reportAsked(), started(2), prepared(2, "c2")),
		["c1", "c1", undefined],
		"a report that is asked for is about the same start",
	);
	assert.deepEqual(starts(started(), reportAsked(), started(2), prepared(2, "c2")), ["c2", "c2", undefined]);
	const asking = [started(), prepared(1, "c1"), reportAsked(), started(2), started(3, { role: "other" })];
	assert.deepEqual(starts(...asking, prepared(2, "c2")), ["c1", "c1", undefined], "also beside another attempt");
	assert.deepEqual(starts(...asking, prepared(3, "c3")), ["c3", "c1", "c1"], "which asks for nothing");
	assert.deepEqual(
		starts(started(), prepared(1, "c1"), completed(), reopened(), started(2), prepared(2, "c2")),
		["c2", "c1", "c1"],
		"opened again, it is compared with the time before",
	);
	assert.deepEqual(starts(started(), prepared(1, "c1"), reopened()), [null, "c1", undefined], "an attempt that failed looked at nothing");
	assert.deepEqual(starts(started(), prepared(1, "c1"), completed(), reopened()), [null, "c1", "c1"]);
});

test("who prepares an attempt says its agent and its log; another attempt is not prepared by that", () => {
	const step = after(started(), started(2), prepared(2, "c", { log: "l", agent: "codex" }));
	assert.deepEqual(
		step.running.map((one) => one.prepared),
		[undefined, true],
	);
	assert.deepEqual([step.log, step.doneBy], ["l", { agent: "codex", model: null }]);
	assert.equal(after(started(), prepared(1, "c", { log: "l" }), prepared(1, "c")).log, "l", "a log that is known stays");
	assert.equal("doneBy" in after(started(), prepared(1, "c")), false);
	assert.deepEqual(after(started(), prepared(1, "c", { agent: "a", model: "m" })).doneBy, { agent: "a", model: "m" });
	const whole = { agent: "a", model: "m", effort: "high", tier: "strong" };
	assert.deepEqual(after(started(), prepared(1, "c", whole)).doneBy, whole);
});

test("T-05 a report that is asked for waits for the next attempt of its role, which takes it with it", () => {
	const waits = after(started(), started(2, { role: "other" }), reportAsked({ changed: true, signal: "done", notes: "n" }));
	assert.deepEqual([waits.status, waits.running.map(({ number }) => number)], ["pending", [2]]);
	assert.deepEqual(waits.asks, [{ ...asked, changed: true, signal: "done", notes: "n" }]);
	assert.deepEqual(after(started(), reportAsked({ changed: false })).asks, [asked], "what is not so is not kept");
	const both = after(started(), reportAsked(), reportAsked({ role: "other", attempt: 2 }));
	assert.deepEqual(
		both.asks?.map(({ role }) => role),
		["agent", "other"],
	);
	const other = after(started(), reportAsked(), started(2, { role: "other" }));
	assert.deepEqual([other.asks, other.running[0]?.asks], [[asked], undefined]);
	const taken = after(started(), reportAsked(), started(2));
	assert.deepEqual([taken.asks, taken.running[0]?.asks], [[], asked]);
	const one = after(started(), reportAsked(), reportAsked({ role: "other", attempt: 2 }), started(3));
	assert.deepEqual(
		one.asks?.map(({ role }) => role),
		["other"],
	);
	const reported: Part = { event: "attempt_reported", ...first, role: "agent", signal: "unreadable", findings: [] };
	const others: Part = { ...reported, attempt: 2, role: "other" };
	assert.deepEqual(
		after(started(), started(2), reported, others, reportAsked()).verdicts.map(({ role }) => role),
		["other"],
		"what it said before is gone",
	);
});

test("what a member reports is kept as far as it says something; an iteration stays until its route is taken", () => {
	const reported: Part = { event: "attempt_reported", ...first, role: "r", signal: "ok", findings: [] };
	const plain = after(started(), started(2), reported);
	assert.deepEqual([plain.running.map(({ number }) => number), plain.verdicts], [[2], [{ role: "r", signal: "ok", findings: [] }]]);
	const said = { error: null, notes: "n", fields: {}, retryAt: null };
	const full = { earlier: [{ key: "k", open: true }], advisory: true, said, asks: asked };
	assert.deepEqual(after(started(), { ...reported, ...full }).verdicts, [{ role: "r", signal: "ok", findings: [], ...full }]);
	assert.equal(after(started(1, { letter: "W" }), reported).running.length, 1);
});

test("a step that is done has nothing running, no error and no postponement; its work is settled", () => {
	const postponed: Part = { event: "step_postponed", ...first, until: AT + 9, reason: "limit" };
	const step = after(started(), postponed, started(2), completed());
	assert.deepEqual(
		[step.status, step.completedAt, step.settled, step.postponed, step.notes, step.error, step.running, step.verdicts],
		["completed", AT, true, 0, "n", null, [], []],
	);
	const waits = after(started(), postponed, started(2), { ...postponed, attempt: 2 });
	assert.deepEqual([waits.status, waits.notBefore, waits.postponed, waits.running], ["pending", AT + 9, 2, []]);
});

test("a step that fails, is cancelled or left out says why", () => {
	const failed = after(started(), { event: "step_failed", ...first, signal: "timeout", error: "slow" });
	assert.deepEqual(
		[failed.status, failed.completedAt, failed.error, failed.failedBy, failed.running, failed.verdicts],
		["failed", AT, "slow", "timeout", [], []],
	);
	const cancelled = after(started(), { event: "step_cancelled", ...first, error: "stopped" });
	assert.deepEqual(
		[cancelled.status, cancelled.completedAt, cancelled.error, cancelled.running, cancelled.verdicts],
		["cancelled", AT, "stopped", [], []],
	);
	const skipped = after({ event: "step_skipped", ...place, reason: "not needed" });
	assert.deepEqual([skipped.status, skipped.skipReason], ["skipped", "not needed"]);
});

test("a step that is opened again has nothing of the attempt before but what must survive, and knows why", () => {
	const before = [
		started(),
		prepared(1, "c1", { log: "l" }),
		reportAsked(),
		completed(),
		{ event: "edit_rejected", ...place, reasons: ["x"] },
	];
	const step = after(...(before as Part[]), reopened());
	assert.deepEqual(
		[step.status, step.startedAt, step.completedAt, step.commit, step.notes, step.doubts, step.error, step.skipReason, step.log],
		["pending", null, null, null, null, [], null, null, null],
	);
	assert.deepEqual(
		[step.running, step.verdicts, step.notBefore, "asks" in step, step.attempt, step.feedback],
		[[], [], null, false, 1, "again"],
	);
	assert.equal("previousCommit" in after(reopened()), false, "it had no start");
	for (const key of ["putBack", "unchanged", "retried"] as const) {
		assert.equal(key in step, false, key);
		assert.equal(after(reopened({ [key]: true }))[key], true, key);
		assert.equal(after(reopened({ [key]: true }), reopened())[key], false, `${key} is about the last time`);
	}
	assert.deepEqual([after(reopened()).apart, after(reopened({ apart: true }), reopened()).apart], [undefined, true]);
	assert.deepEqual(
		[after(reopened()).unread, after(reopened({ report: "half" })).unread, after(reopened({ report: "half" }), reopened()).unread],
		[undefined, "half", null],
		"a report is shown once",
	);
});

test("G-18 a round keeps its findings for the next one; a new entry forgets them", () => {
	const finding = { key: "k", class: "c", text: "t" };
	const reported: Part = { event: "attempt_reported", ...first, role: "r", signal: "bad", findings: [finding] };
	assert.deepEqual(after(started(), reported, reopened()).lastFindings, [finding]);
	assert.deepEqual(after(started(), reported, completed()).lastFindings, [finding]);
	const entered = after(started(), reported, reopened(), reopened({ entry: true }));
	assert.deepEqual([entered.lastFindings, entered.unanswered], [[], []]);
	assert.deepEqual(after(started(), { ...reported, advisory: true }, reopened()).lastFindings, [], "a member that only advises");
	const unread: Part = { ...reported, signal: "unreadable", findings: [] };
	assert.deepEqual(after(started(), reported, reopened(), started(2), unread, reopened()).lastFindings, [finding], "nobody could read it");
	const other = { ...reported, findings: [{ key: "z", class: "c", text: "something else" }] };
	const next = after(started(), reported, reopened(), started(2), other, reopened());
	assert.deepEqual([next.lastFindings.map(({ key }) => key), next.unanswered], [["z"], [finding]], "it was not spoken of");
	const many = Array.from({ length: 60 }, (_, i) => ({ key: `k${i}`, class: "c", text: `number ${i}` }));
	const fifty = after(started(), { ...reported, findings: many }, reopened(), started(2), other, reopened()).unanswered ?? [];
	assert.deepEqual([fifty.length, fifty.at(-1)?.key], [50, "k59"], "the newest fifty");
});

test("a step that starts over has its new text; without a reason it says that it asked for it", () => {
	const restarted = (more: object = {}): Part => ({ event: "step_restarted", ...first, description: "other", ...more });
	const step = after(started(), completed(), restarted());
	assert.deepEqual([step.description, step.settled, step.restarts, step.status], ["other", false, 1, "pending"]);
	assert.equal(step.feedback, "the attempt before this one asked to start over");
	assert.equal(after(restarted({ reason: "wrong" }), restarted({ reason: "wrong again" })).feedback, "wrong again");
	assert.equal(after(reopened({ report: "half" }), restarted()).unread, null);
});

test("a step that waits for a person keeps the reason for its next attempt, and what it failed by", () => {
	const waiting = (more: object = {}): Part => ({ event: "step_waiting", ...place, reason: "who?", ...more });
	const step = after(started(), completed(), waiting({ signal: "unclear" }));
	assert.deepEqual(
		[step.status, step.running, step.error, step.notes, step.feedback, step.failedBy],
		["waiting", [], null, null, "who?", "unclear"],
	);
	assert.equal("failedBy" in after(waiting()), false);
	assert.equal(after(reopened({ report: "half" }), waiting()).unread, null);
});

test("a loop goes on: the iteration that ended is gone, and its reason stays until one of the same role ends well", () => {
	const extended = (attempt: number, more: object = {}): Part => ({
		...{ event: "step_extended", ...place, attempt, iteration: attempt, cursor: 1, queue: ["R"] },
		...more,
	});
	const start = (attempt: number, role: string): Part => started(attempt, { role, letter: "W" });
	const step = after(start(1, "w"), extended(1, { reason: "broken", until: AT + 5 }));
	assert.deepEqual(
		[step.running, step.verdicts, step.iteration, step.cursor, step.queue, step.feedback, step.feedbackFor, step.notBefore],
		[[], [], 1, 1, ["R"], "w: broken", "w", AT + 5],
	);
	const other = after(start(1, "w"), extended(1, { reason: "broken" }), start(2, "r"), extended(2));
	assert.deepEqual([other.feedback, other.feedbackFor], ["w: broken", "w"]);
	const well = after(start(1, "w"), extended(1, { reason: "broken" }), start(2, "w"), extended(2));
	assert.deepEqual([well.feedback, well.feedbackFor], [null, null]);
	const unknown = after(extended(7, { reason: "broken" }));
	assert.deepEqual([unknown.feedback, unknown.feedbackFor], ["broken", null]);
	assert.equal("feedbackFor" in after(extended(7)), false);
	assert.equal(after(extended(7, { reason: "broken" }), extended(8)).feedback, "broken", "nobody's end is not the same role's");
	assert.equal(after(start(1, "w"), extended(1)).notBefore, null);
	const beside = after(start(1, "w"), start(2, "r"), extended(2, { reason: "broken" }));
	assert.deepEqual([beside.feedback, beside.running.map(({ number }) => number)], ["r: broken", [1]]);
	assert.equal("asks" in after(started(), reportAsked(), extended(0)), false, "positions that are passed over ask nobody");
	assert.deepEqual(after(started(), reportAsked(), extended(3)).asks, [asked]);
});

test("the iteration that ends a loop counts too; one from the queue leaves its place in the schedule", () => {
	const end = (more: object, last: Part = completed()) => {
		const queue: Part = { event: "loop_asked", ...place, queue: ["R", "W"], skips: 2, asked: { signal: "halt", reason: "r" } };
		const { iteration, cursor, queue: left, skips, asked: halt } = after(queue, started(1, more), last);
		assert.deepEqual([skips, halt], [2, { signal: "halt", reason: "r" }]);
		return [iteration, cursor, left.join()];
	};
	assert.deepEqual(end({ letter: "W" }), [1, 1, "R,W"]);
	assert.deepEqual(end({ letter: "R", queued: true }), [1, 0, "W"]);
	assert.deepEqual(end({}), [0, 0, "R,W"], "no iteration of a loop");
	assert.deepEqual(end({ letter: "W" }, { event: "step_failed", ...first, signal: "bad", error: "e" }), [1, 1, "R,W"]);
	assert.deepEqual(end({ letter: "W" }, completed({ attempt: 2 })), [0, 0, "R,W"], "another attempt");
	assert.equal(after({ event: "loop_extended", ...place, max: 12 }).max, 12);
});

test("what a merge is put on top of belongs to its own attempt", () => {
	const stacked = (behind?: string): Part => ({
		...{ event: "merge_stacked", ...place, attempt: 2, commit: "c", onto: "o" },
		...(behind === undefined ? {} : { behind }),
	});
	const stacks = (part: Part) => after(started(), started(2), part).running.map(({ stack }) => stack);
	assert.deepEqual(stacks(stacked("A")), [undefined, { commit: "c", onto: "o", behind: "A" }]);
	assert.deepEqual(stacks(stacked()), [undefined, { commit: "c", onto: "o", behind: null }]);
	assert.deepEqual(stacks({ event: "merge_unstacked", ...place, attempt: 2, reason: "conflict" }), [
		undefined,
		{ commit: null, onto: null, behind: null, reason: "conflict" },
	]);
});
