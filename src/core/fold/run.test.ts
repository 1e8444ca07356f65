// What single events make of a run: exactly that, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckResult } from "../input.ts";
import { RUN_SCOPE } from "../model.ts";
import { definitionOf, storyOf } from "../testing/builders.suite.ts";
import { AT, CREATED, Folded, type Part, planned } from "../testing/folded.suite.ts";

const definition = definitionOf({
	steps: ["work"],
	types: {
		work: { on: { back: { action: "retry", rollback: "failures" } } },
		read: { writes: "none" },
		prove: { writes: "none", proves: true },
		merge: { kind: "action", action: "merge" },
		gate: { kind: "gate", members: [{ role: "x", blocking: true }], on: { back: { action: "retry", rollback: "failures" } } },
	},
	budgets: { plans: { unit: "count", limit: 3, scope: "run", warnAt: [] } },
});
const run = new Folded(definition);
const step = { scope: RUN_SCOPE, step: "step-001" } as const;
const first = { ...step, attempt: 1 } as const;
const started = (more: object = {}): Part => ({ event: "step_started", ...first, role: "agent", ...more });

test("a run begins with its options, without stories, with the limits of its workflow and of the person", () => {
	const { definition: _, options, ...state } = new Folded(definition, { budgets: { cost: 5 } }).state();
	assert.deepEqual(options.budgets, { cost: 5 });
	assert.deepEqual(state, {
		id: "r",
		version: 1,
		title: "A run",
		input: { request: "do it" },
		status: "running",
		reason: null,
		stopping: null,
		createdAt: CREATED,
		endedAt: null,
		idleSince: null,
		idleMs: 0,
		busy: { running: 0, since: null, ms: 0, at: CREATED },
		aborting: false,
		branch: null,
		steered: [],
		root: { id: RUN_SCOPE, steps: [], nextNumber: 1, counters: {}, fields: { given: "1" }, kept: [], sessions: {} },
		stories: [],
		budgets: { plans: { limit: 3, spent: 0, warned: [] }, cost: { limit: 5, spent: 0, warned: [], byPerson: true } },
		totals: { costUsd: null, inputTokens: null, outputTokens: null, unknownCost: 0, attempts: 0 },
	});
	const more = new Folded(definition, { allowUnknownCost: true, ownLimits: ["max"] }).state();
	assert.deepEqual([more.allowsUnknownCost, more.ownLimits], [true, ["max"]]);
	assert.equal("allowsUnknownCost" in new Folded(definition, { allowUnknownCost: false }).state(), false);
});

test("D-75 steps come at the front, behind a step, or at the front if that step is gone; numbers only grow", () => {
	const added = [{ id: "step-007", type: "work", description: "x" }];
	const ids = (after: string | null) => {
		const { root } = run.state(planned("work", "read"), { event: "steps_inserted", scope: RUN_SCOPE, steps: added, after, reason: "r" });
		return [root.steps.map(({ id }) => id).join(" "), root.nextNumber];
	};
	assert.deepEqual(ids(null), ["step-007 step-001 step-002", 8]);
	assert.deepEqual(ids("step-001"), ["step-001 step-007 step-002", 8]);
	assert.deepEqual(ids("step-002"), ["step-001 step-002 step-007", 8]);
	assert.deepEqual(ids("step-099"), ["step-007 step-001 step-002", 8]);
	assert.equal(run.state(planned("work", "read"), planned("work")).root.nextNumber, 3, "a lower number changes nothing");
});

test("a copy of a step is told what happened to the original; any other step that is put in is not", () => {
	const feedback = (origin?: string) =>
		run
			.state(planned("work"), {
				event: "steps_inserted",
				scope: RUN_SCOPE,
				steps: [{ id: "step-002", type: "work", description: "x", ...(origin === undefined ? {} : { origin }) }],
				after: "step-001",
				reason: "it was lost",
			})
			.root.steps.at(-1)?.feedback;
	assert.deepEqual([feedback("step-001"), feedback()], ["it was lost", null]);
});

test("counters count, and only those that are named begin again; a story that is retried has none", () => {
	const count = (counter: string, scope: string = RUN_SCOPE): Part => ({ event: "counted", scope, counter });
	const { root } = run.state(count("a"), count("a"), count("b"), { event: "counters_reset", scope: RUN_SCOPE, counters: ["a"] });
	assert.deepEqual(root.counters, { b: 1 });
	assert.deepEqual(run.state(count("a"), count("a")).root.counters, { a: 2 });
	const story = run.story("A", { event: "stories_added", stories: [storyOf("A")] }, count("a", "A"), {
		event: "story_failed",
		scope: "A",
		error: "e",
	});
	assert.deepEqual([story.scope.counters, story.status, story.error], [{ a: 1 }, "failed", "e"]);
	const again = run.story(
		"A",
		{ event: "stories_added", stories: [storyOf("A")] },
		count("a", "A"),
		{ event: "story_failed", scope: "A", error: "e" },
		{ event: "story_retried", scope: "A" },
	);
	assert.deepEqual([again.scope.counters, again.status, again.error], [{}, "unclaimed", null]);
});

test("fields are added to those that are there; limits of a person are each named once, and only if some are", () => {
	const set = (fields: Record<string, string>, limits?: string[]): Part => ({
		event: "fields_set",
		scope: RUN_SCOPE,
		fields,
		...(limits === undefined ? {} : { limits }),
	});
	const state = run.state(set({ a: "1" }, ["a"]), set({ b: "2", given: "3" }, ["a", "b"]));
	assert.deepEqual([state.root.fields, state.ownLimits], [{ given: "3", a: "1", b: "2" }, ["a", "b"]]);
	assert.equal("ownLimits" in run.state(set({ a: "1" })), false);
});

test("what was kept and what did not converge is added with its step and its text", () => {
	const { root } = run.state(
		{ event: "kept", ...step, name: "lessons", text: "x" },
		{ event: "converged", ...step, findings: [{ key: "k", class: "c", text: "t" }] },
	);
	assert.deepEqual(root.kept, [
		{ name: "lessons", step: "step-001", text: "x" },
		{ name: "converged", step: "step-001", text: "[k] c: t" },
	]);
});

test("a limit that is raised keeps what was spent; one that is new begins with nothing; both are a person's", () => {
	const extended = (budget: string) =>
		run.state(
			{ event: "budget_spent", budget: "plans", amount: 2 },
			{ event: "budget_warned", budget: "plans", share: 0.5 },
			{ event: "budget_extended", budget, limit: 9 },
		).budgets[budget];
	assert.deepEqual(extended("plans"), { limit: 9, spent: 2, warned: [0.5], byPerson: true });
	assert.deepEqual(extended("cost"), { limit: 9, spent: 0, warned: [], byPerson: true });
});

test("G-13 a run that goes on counts the time that it stood, also if it stood twice, and never less than none", () => {
	const stop = (at: number): Part => ({ event: "run_status_changed", status: "paused", reason: "p", at });
	const goOn = (at: number): Part => ({ event: "run_resumed", at });
	const paused = run.state(stop(2_000), stop(3_000));
	assert.deepEqual([paused.status, paused.reason, paused.endedAt, paused.idleSince], ["paused", "p", 3_000, 2_000]);
	const running = run.state(stop(2_000), goOn(2_500), stop(4_000), goOn(4_100));
	assert.deepEqual(
		[running.status, running.reason, running.endedAt, running.idleSince, running.idleMs, running.unpriced],
		["running", null, null, null, 600, null],
	);
	assert.equal(run.state(stop(2_000), goOn(1_900)).idleMs, 0, "a clock that went back");
	assert.equal(run.state(goOn(9_000)).idleMs, 0, "it did not stand");
	const back = run.state(stop(2_000), { event: "run_status_changed", status: "running", reason: null });
	assert.deepEqual([back.endedAt, back.idleSince], [null, null]);
});

test("a run that gives up says why and how it ends; a request to stop is settled by that", () => {
	const pause: Part = { event: "stop_requested", how: "pause" };
	const state = run.state(pause, { event: "run_aborting", reason: "no use" });
	assert.deepEqual(
		[state.aborting, state.reason, state.gaveUp, state.stopping, "endsAs" in state],
		[true, "no use", "no use", null, false],
	);
	assert.equal(run.state({ event: "run_aborting", reason: "x", ends: "stopped" }).endsAs, "stopped");
	assert.equal(run.state(pause).stopping, "pause");
	assert.equal(run.state(pause, { event: "run_resumed" }).stopping, null);
});

test("what is only told changes nothing", () => {
	const before = run.state(planned("work"));
	for (const part of [
		{ event: "limit_asked", field: "max", now: 1, more: 2 },
		{ event: "attempt_ignored", ...first, reason: "late" },
		{ event: "remarked", ...first, text: "t" },
	] as const) {
		const { version, busy, ...after } = run.state(planned("work"), part);
		assert.deepEqual(after, Object.fromEntries(Object.entries(before).filter(([key]) => key !== "version" && key !== "busy")), part.event);
		assert.deepEqual([version, busy.running], [before.version + 1, 0]);
	}
});

test("the words of people and the messages of files are kept in their order", () => {
	const state = run.state(
		{ event: "run_steered", text: "a" },
		{ event: "run_steered", text: "b" },
		{ event: "message_taken", inbox: "x", id: "1", text: "t" },
		{ event: "message_taken", inbox: "y", id: "2", text: "t" },
		{ event: "session_recorded", scope: RUN_SCOPE, role: "r", session: "s" },
		{ event: "session_recorded", scope: RUN_SCOPE, role: "q", session: "t" },
	);
	assert.deepEqual([state.steered, state.taken, state.root.sessions], [["a", "b"], { x: "1", y: "2" }, { r: "s", q: "t" }]);
	const settings = new Folded(definition, { shell: { push: true } }).state({ event: "settings_accepted", settings: "5e77" });
	assert.deepEqual(settings.options.shell, { push: true, settings: "5e77" });
});

test("G-05 work that a route puts back is not settled; what an agent leaves undone is; a review says nothing about it", () => {
	const settled = (type: string, signal: string, more: readonly Part[] = []) =>
		run.step("step-001", planned(type), ...more, { event: "route_taken", ...step, signal, action: "x" }).settled;
	assert.equal(settled("work", "later"), true);
	assert.equal(settled("work", "timeout"), undefined, "a failure that puts nothing back says nothing");
	assert.equal(settled("gate", "later"), undefined);
	assert.equal(settled("gone", "later"), undefined, "a type that is not known");
	const elsewhere: Part = { event: "route_taken", ...step, step: "step-099", signal: "later", action: "x" };
	assert.equal(run.step("step-001", planned("work"), elsewhere).settled, undefined, "a step that is gone");
	const done: Part = { event: "step_completed", ...first, signal: "done", notes: null };
	assert.equal(settled("work", "back", [done]), false);
	assert.equal(settled("gate", "back", [done]), false);
	assert.equal(settled("work", "back"), undefined, "what was never settled stays so");
	assert.equal(settled("work", "later", [done]), true);
});

const check = (name: string, exitCode: number | null, more: Partial<CheckResult> = {}): CheckResult => ({
	name,
	command: `run ${name}`,
	exitCode,
	output: `output of ${name}`,
	...more,
});
const checked = (...checks: readonly CheckResult[]): Part => ({ event: "checks_recorded", ...first, checks });

test("G-01 a check that passes is remembered by its tree, one that fails until it passes; how each ended last is known", () => {
	const state = run.state(
		planned("work"),
		checked(check("a", 0, { tree: "t1" }), check("b", 1), check("c", null), check("d", 0)),
		checked(check("a", 0, { tree: "t1" }), check("a", 0, { tree: "t2" })),
	);
	assert.deepEqual(state.passed, ['["a","run a","t1"]', '["a","run a","t2"]'], "each once; one without a tree not at all");
	const failing = (name: string, exitCode: number | null) => ({
		...{ name, command: `run ${name}`, exitCode, output: `output of ${name}` },
		step: "step-001 (work)",
	});
	assert.deepEqual(state.root.failing, [failing("b", 1), failing("c", null)]);
	assert.deepEqual(
		state.root.checked?.map(({ name, exitCode }) => [name, exitCode]),
		[
			["b", 1],
			["c", null],
			["d", 0],
			["a", 0],
			["a", 0],
		],
	);
	assert.deepEqual(state.root.steps[0]?.doubts, ["the check b failed after it (exit 1)", "the check c failed after it"]);
	const mended = run.state(planned("work"), checked(check("b", 1), check("c", 1)), checked(check("b", 0)));
	assert.deepEqual(
		mended.root.failing?.map(({ name }) => name),
		["c"],
	);
	assert.equal("passed" in mended, false);
	const both = run.state(planned("work"), checked(check("b", 1), check("c", 1)), checked(check("b", 0), check("d", 0)));
	assert.deepEqual(
		[both.root.failing?.map(({ name }) => name), both.root.checked?.map(({ name, exitCode }) => `${name} ${exitCode}`)],
		[["c"], ["c 1", "b 0", "d 0"]],
	);
	assert.equal(run.state(checked(check("b", 1))).root.failing?.[0]?.step, "step-001 ()", "a step that is gone");
});

test("G-16 what a report says or does not say fails like a check, but no command ran and no step is in doubt", () => {
	const state = run.state(
		planned("work"),
		checked(check("a", 1, { said: true }), check("b", 1, { said: true, unsaid: true, signal: "unclear" })),
	);
	assert.deepEqual(
		state.root.failing?.map(({ said, unsaid, signal }) => [said, unsaid, signal]),
		[
			[true, undefined, undefined],
			[true, true, "unclear"],
		],
	);
	assert.deepEqual(Object.keys(state.root.failing?.[0] ?? {}), ["name", "command", "exitCode", "output", "step", "said"]);
	assert.deepEqual([state.root.checked, state.root.steps[0]?.doubts], [[], undefined]);
});

test("T-31 who approves a step accepts the checks that the question was about, and no others", () => {
	const asked = checked(check("a", 1, { signal: "broken" }), check("b", 1, { signal: "slow" }), check("c", 1));
	const decided = (verdict: "approve" | "retry"): Part => ({ event: "decided", ...step, id: null, verdict, reason: "" });
	const waits = (signal?: string): Part => ({ event: "step_waiting", ...step, reason: "?", ...(signal === undefined ? {} : { signal }) });
	const after = (...parts: Part[]) => {
		const { root } = run.state(planned("work"), asked, ...parts);
		return [root.failing?.map(({ name }) => name).join(" "), root.accepted];
	};
	assert.deepEqual(after(waits("broken"), decided("approve")), ["b c", [{ name: "a", command: "run a" }]]);
	assert.deepEqual(after(waits("broken"), decided("retry")), ["a b c", undefined]);
	assert.deepEqual(after(waits("other"), decided("approve")), ["a b c", undefined]);
	assert.deepEqual(after(waits(), decided("approve")), ["a b c", undefined]);
	const twice = after(waits("broken"), decided("approve"), waits("slow"), decided("approve"));
	assert.deepEqual(twice, ["c", ["a", "b"].map((name) => ({ name, command: `run ${name}` }))]);
	const again = after(waits("broken"), decided("approve"), checked(check("a", 1, { signal: "broken" })));
	assert.equal(again[0], "b c", "its failure counts no more");
	assert.equal(run.state(planned("work"), waits("broken"), decided("approve")).root.failing, undefined);
});

test("G-16 a step that may change files and did makes the output of earlier failures old; its own are new", () => {
	const since = (type: string, more: object = {}, failedAt = "step-001") => {
		const failed: Part = { event: "checks_recorded", scope: RUN_SCOPE, step: failedAt, attempt: 1, checks: [check("a", 1)] };
		const done = { event: "step_completed", scope: RUN_SCOPE, step: "step-002", attempt: 1, signal: "done", notes: null } as const;
		return run.state(planned("read", type, "work"), failed, { ...done, ...more }, { ...done, step: "step-003" }).root.failing?.[0]?.since;
	};
	assert.equal(since("work"), "step-002 (work)");
	assert.equal(since("work", { unchanged: true }), "step-003 (work)", "it changed nothing");
	assert.equal(since("read"), "step-003 (work)", "it may not write");
	assert.equal(since("merge"), "step-003 (work)", "what pawl does by itself repairs nothing");
	assert.equal(since("gone"), "step-003 (work)");
	assert.equal(since("work", {}, "step-002"), "step-003 (work)", "the check ran after that very step");
});

test("G-01 a step that proves what is delivered leaves none of its own checks failing when it is done", () => {
	const after = (type: string, signal: string) =>
		run.state(
			planned(type, "work"),
			checked(check("a", 1)),
			{ event: "checks_recorded", scope: RUN_SCOPE, step: "step-002", attempt: 1, checks: [check("b", 1)] },
			{ event: "step_completed", ...first, signal, notes: null },
		).root.failing;
	const names = (type: string, signal: string) => after(type, signal)?.map(({ name }) => name);
	assert.deepEqual(names("prove", "done"), ["b"]);
	assert.deepEqual(names("prove", "later"), ["a", "b"]);
	assert.deepEqual(names("work", "done"), ["a", "b"]);
	assert.deepEqual(names("gone", "done"), ["a", "b"]);
	assert.equal(
		run.state(planned("prove"), { event: "step_completed", ...first, signal: "done", notes: null }).root.failing,
		undefined,
		"nothing failed",
	);
});

test("usage adds up for the step and the run; what is unknown is counted apart, and the dearest session is remembered", () => {
	const used = (costUsd: number | null, model?: string): Part => ({
		event: "usage_recorded",
		...first,
		usage: { costUsd, inputTokens: 2, outputTokens: null },
		...(model === undefined ? {} : { model }),
	});
	const state = run.state(planned("work"), used(3), used(null), used(1));
	assert.deepEqual(state.totals, { costUsd: 4, inputTokens: 6, outputTokens: null, unknownCost: 1, attempts: 3 });
	assert.deepEqual([state.root.steps[0]?.usage.costUsd, state.dearest], [4, 3]);
	assert.equal("dearest" in run.state(planned("work"), used(null)), false);
	const prepared: Part = { event: "step_prepared", ...first, commit: null, log: null, agent: "claude" };
	assert.deepEqual(run.step("step-001", planned("work"), prepared, used(1, "opus")).doneBy, { agent: "claude", model: "opus" });
	assert.deepEqual(run.step("step-001", planned("work"), prepared, used(1)).doneBy, { agent: "claude", model: null });
	assert.equal(run.step("step-001", planned("work"), used(1, "opus")).doneBy, undefined, "nobody knows the agent");
});

test("edits that were rejected are a doubt about the step; a branch of the run is known from the step that has it", () => {
	const state = run.state(planned("work"), { event: "edit_rejected", ...step, reasons: ["a", "b"] });
	assert.deepEqual(state.root.steps[0]?.doubts, ["the edits that it asked for were rejected: a; b"]);
	const prepared = (branch?: string): Part => ({
		...{ event: "step_prepared", ...first, commit: "c", log: "l" },
		...(branch === undefined ? {} : { branch }),
	});
	assert.equal(run.state(planned("work"), prepared("b"), prepared()).branch, "b");
	assert.equal(run.state(planned("work"), prepared()).branch, null);
});

test("a merge has its place from its start, and its question the version of the event that asks it", () => {
	const events = [planned("merge"), started({ announces: true }), started({ attempt: 2 })];
	assert.deepEqual(
		run.step("step-001", ...events).running.map(({ number, place }) => [number, place]),
		[
			[1, 3],
			[2, undefined],
		],
	);
	const later = [planned("merge"), started(), started({ attempt: 2, announces: true })];
	assert.deepEqual(
		run.step("step-001", ...later).running.map(({ place }) => place),
		[undefined, 4],
	);
	const held = { signal: "done", notes: null } as never;
	const { question } = run.step("step-001", planned("work"), { event: "step_waiting", ...step, reason: "?", held });
	assert.deepEqual(question, { version: 3, at: AT, held });
	assert.deepEqual(run.step("step-001", planned("work"), { event: "step_waiting", ...step, reason: "?" }).question, { version: 3, at: AT });
});

test("a story that is no longer blocked keeps what was counted for it", () => {
	const story = run.story(
		"A",
		{ event: "stories_added", stories: [storyOf("A")] },
		{ event: "counted", scope: "A", counter: "c" },
		{ event: "story_blocked", scope: "A", by: "B" },
		{ event: "story_unblocked", scope: "A" },
	);
	assert.deepEqual([story.status, story.error, story.scope.counters], ["unclaimed", null, { c: 1 }]);
});

test("D-79 an edit that was taken changes what it is about: a description, a status, an order, and nothing else", () => {
	const edited = (details: object, order = ["step-001", "step-002"]) =>
		run
			.state(planned("work", "read"), { event: "workflow_edited", ...step, details: { reason: "r", ...details } as never, order })
			.root.steps.map(({ id, status, description, skipReason }) => `${id} ${status} ${description} ${skipReason}`);
	const same = ["step-001 pending do work null", "step-002 pending do read null"];
	const on = { target_step_id: "step-002" };
	assert.deepEqual(edited({ operation: "edit_description", ...on, new_description: "x" }), [same[0], "step-002 pending x null"]);
	assert.deepEqual(edited({ operation: "restart", ...on, new_description: "x" }), same, "another event says that it starts over");
	assert.deepEqual(edited({ operation: "edit_description", ...on }), same);
	assert.deepEqual(edited({ operation: "edit_description", new_description: "x" }), same, "nothing is named");
	assert.deepEqual(edited({ operation: "skip", ...on }), [same[0], "step-002 skipped do read r"]);
	assert.deepEqual(edited({ operation: "reorder" }, ["step-002", "step-099", "step-001"]), same.toReversed());
	const added = { operation: "add_after", ...on, new_steps: [{ id: "step-003", type: "work", description: "y" }] };
	assert.deepEqual(edited(added, ["step-001", "step-002", "step-003"]), [...same, "step-003 pending y null"]);
});
