import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition, StepType } from "../../core/definition.ts";
import type { Event, NewStep } from "../../core/event.ts";
import { apply } from "../../core/fold/apply.ts";
import type { StorySeed } from "../../core/input.ts";
import type { RunOptions, RunState } from "../../core/model.ts";
import { parseWorkflowState, renderWorkflowState, type WorkflowState } from "./document.ts";
import { applyToView, emptyView, isoTime, renderView, type WorkflowStateView } from "./view.ts";

const START = Date.UTC(2025, 0, 15, 10);
const types = Object.fromEntries(
	["planning", "coding", "final_review", "rebase_resolve", "merge"].map((name) => [name, { name, internal: name === "merge" } as StepType]),
);
const definition = { name: "dynamic", types, budgets: {} } as Partial<Definition> as Definition;
const options = { budgets: {} } as Partial<RunOptions> as RunOptions;
const seed = (id: string, more: Partial<StorySeed> = {}): StorySeed => ({
	id,
	title: `Story ${id}`,
	description: "",
	criteria: [],
	priority: 1,
	dependsOn: [],
	...more,
});
const PLAN: readonly NewStep[] = ["planning", "coding", "final_review", "merge"].map((type, i) => ({
	id: `step-00${i + 1}`,
	type,
	description: `do ${type}`,
}));

type Happened = Event extends infer E ? (E extends Event ? Omit<E, "at"> : never) : never;

/** A run to which things happen, a second apart, and its view. */
function running(stories: readonly StorySeed[], prdFile: string | null = "prd.json") {
	let state: RunState | null = null;
	let at = START;
	const view: WorkflowStateView = emptyView({ createdAt: START, prdFile });
	const happen = (...events: Happened[]) => {
		for (const happened of events) {
			const event = { ...happened, at } as Event;
			at += 1000;
			state = apply(state, event);
			applyToView(view, event, state!);
		}
	};
	happen({ event: "run_created", id: "r1", title: "t", definition, options, input: {}, fields: {} }, { event: "stories_added", stories });
	const file = (): WorkflowState => {
		const text = renderView(view);
		const parsed = parseWorkflowState(text);
		assert.ok(parsed.ok, JSON.stringify(parsed));
		assert.equal(text, renderWorkflowState(parsed.state), "two spaces of indent, a line end, and the order that JSON readers make");
		return parsed.state;
	};
	return {
		happen,
		view,
		file,
		story: (id: string) => file().stories[id]!,
		actions: (id: string) => file().stories[id]!.history.map((h) => [h.action, h.step_id]),
	};
}

const claimed = (id: string, slot = 1): Happened[] => [
	{ event: "story_claimed", scope: id, slot },
	{ event: "steps_planned", scope: id, steps: PLAN },
];
const started = (scope: string, step: string, attempt = 1): Happened[] => [
	{ event: "step_started", scope, step, attempt, role: "agent" },
	{ event: "step_prepared", scope, step, attempt, commit: "a1b2c3d4", log: `logs/${scope}/${step}.jsonl` },
];

test("a story of very many steps: every change is in the file, and internal steps are not, wherever they are", () => {
	const run = running([seed("US-001")]);
	const steps = Array.from({ length: 200 }, (_, i) => ({
		id: `step-${String(i).padStart(3, "0")}`,
		type: i < 64 || i % 50 === 0 ? "merge" : "coding",
		description: `do ${i}`,
	}));
	run.happen({ event: "story_claimed", scope: "US-001", slot: 1 }, { event: "steps_planned", scope: "US-001", steps });
	const shown = steps.filter(({ type }) => type !== "merge").map(({ id }) => id);
	const statuses = () => run.story("US-001").steps.map(({ id, status }) => [id, status]);
	assert.deepEqual(
		statuses(),
		shown.map((id) => [id, "pending"]),
	);
	for (const id of ["step-064", "step-127", "step-128", "step-199"]) run.happen(...started("US-001", id));
	run.happen({
		event: "steps_inserted",
		scope: "US-001",
		after: "step-064",
		steps: [{ id: "step-200", type: "coding", description: "x" }],
		reason: "why",
	});
	const begun = ["step-064", "step-127", "step-128", "step-199"];
	assert.deepEqual(
		statuses(),
		shown.flatMap((id) => [[id, begun.includes(id) ? "in_progress" : "pending"], ...(id === "step-064" ? [["step-200", "pending"]] : [])]),
	);
});

test("D-67 D-68 D-69 D-77 the keys, and their order, are those of the document", () => {
	const run = running([seed("US-001", { dependsOn: [] }), seed("US-002", { dependsOn: ["US-001"] })]);
	run.happen(...claimed("US-001"));
	const file = run.file();
	assert.deepEqual(Object.keys(file), ["version", "created_at", "prd_file", "stories"]);
	assert.deepEqual([file.version, file.created_at, file.prd_file], [1, "2025-01-15T10:00:00Z", "prd.json"]);
	assert.deepEqual(Object.keys(file.stories["US-001"]!), [
		"story_id",
		"title",
		"status",
		"agent_id",
		"claimed_at",
		"completed_at",
		"depends_on",
		"steps",
		"history",
	]);
	assert.equal(
		Object.keys(file.stories["US-001"]!.steps[0]!).join(" "),
		"id type status description started_at completed_at git_sha_at_start notes error skip_reason restart_count cost_usd input_tokens output_tokens log_file",
	);
	assert.deepEqual(file.stories["US-001"]!.history, [
		{ timestamp: "2025-01-15T10:00:02Z", action: "story_claimed", agent_id: 1, step_id: null, details: {} },
	]);
	assert.equal(Object.keys(file.stories["US-001"]!.history[0]!).join(" "), "timestamp action agent_id step_id details");
	assert.deepEqual(file.stories["US-002"], {
		story_id: "US-002",
		title: "Story US-002",
		status: "unclaimed",
		agent_id: null,
		claimed_at: null,
		completed_at: null,
		depends_on: ["US-001"],
		steps: [],
		history: [],
	});
});

test("D-67 D-110 a request has no PRD file, and a run without stories is a valid file", () => {
	assert.equal(running([seed("one-shot")], null).file().prd_file, null);
	assert.deepEqual(running([]).file().stories, {});
});

test("D-71 D-73 D-74 a step shows commit and log while it runs, notes and usage when it has ended, nothing before", () => {
	const run = running([seed("A")]);
	run.happen(...claimed("A"), ...started("A", "step-001"));
	const { steps } = run.story("A");
	assert.deepEqual(
		[steps[0]!.status, steps[0]!.git_sha_at_start, steps[0]!.log_file, steps[0]!.cost_usd],
		["in_progress", "a1b2c3d4", "logs/A/step-001.jsonl", null],
	);
	assert.deepEqual([steps[1]!.status, steps[1]!.started_at, steps[1]!.log_file, steps[1]!.restart_count], ["pending", null, null, 0]);
	run.happen(
		{ event: "usage_recorded", scope: "A", step: "step-001", attempt: 1, usage: { costUsd: 0.25, inputTokens: 120, outputTokens: 34 } },
		{ event: "step_completed", scope: "A", step: "step-001", attempt: 1, signal: "done", notes: "- line 1\n- line 2" },
	);
	const done = run.story("A").steps[0]!;
	assert.deepEqual(
		[done.status, done.notes, done.cost_usd, done.input_tokens, done.output_tokens],
		["completed", "- line 1\n- line 2", 0.25, 120, 34],
	);
	assert.deepEqual([done.started_at, done.completed_at, done.error], ["2025-01-15T10:00:04Z", "2025-01-15T10:00:07Z", null]);
});

test("D-72 error and skip_reason appear only where they belong; waiting is shown in the document's words", () => {
	const run = running([seed("A")]);
	run.happen(...claimed("A"), ...started("A", "step-001"), {
		event: "step_failed",
		scope: "A",
		step: "step-001",
		attempt: 1,
		signal: "agent_error",
		error: "exit 3",
	});
	assert.deepEqual([run.story("A").steps[0]!.status, run.story("A").steps[0]!.error], ["failed", "exit 3"]);
	run.happen({ event: "step_reopened", scope: "A", step: "step-001", reason: "a person's retry" });
	const reopened = run.story("A").steps[0]!;
	assert.deepEqual(
		[reopened.status, reopened.error, reopened.started_at, reopened.git_sha_at_start, reopened.log_file],
		["pending", null, null, null, null],
	);
	run.happen(...started("A", "step-001", 2), {
		event: "step_cancelled",
		scope: "A",
		step: "step-001",
		attempt: 2,
		error: "timed out after 15m",
	});
	assert.deepEqual([run.story("A").steps[0]!.status, run.story("A").steps[0]!.error], ["cancelled", "timed out after 15m"]);
	run.happen(
		{ event: "step_skipped", scope: "A", step: "step-002", reason: "not needed" },
		{ event: "step_waiting", scope: "A", step: "step-003", reason: "a person" },
	);
	assert.deepEqual([run.story("A").steps[1]!.status, run.story("A").steps[1]!.skip_reason], ["skipped", "not needed"]);
	assert.equal(run.story("A").steps[2]!.status, "pending");
	run.happen(...started("A", "step-003"), { event: "step_waiting", scope: "A", step: "step-003", reason: "a person" });
	assert.equal(run.story("A").steps[2]!.status, "in_progress");
});

test("D-76 D-79 D-80 edits: array order, the new ids, and all that the operation changed", () => {
	const run = running([seed("A")]);
	const added = { id: "step-005", type: "coding", description: "fix", origin: "step-005" };
	run.happen(
		...claimed("A", 3),
		...started("A", "step-001"),
		{
			event: "workflow_edited",
			scope: "A",
			step: "step-001",
			details: { operation: "add_after", reason: "more", target_step_id: "step-002", new_steps: [added] },
			order: ["step-001", "step-002", "step-005", "step-003", "step-004"],
		},
		{
			event: "workflow_edited",
			scope: "A",
			step: "step-001",
			details: {
				operation: "edit_description",
				reason: "clearer",
				target_step_id: "step-003",
				old_description: "old",
				new_description: "new",
			},
			order: ["step-001", "step-002", "step-005", "step-003", "step-004"],
		},
		{
			event: "workflow_edited",
			scope: "A",
			step: "step-001",
			details: { operation: "skip", reason: "few tests", target_step_id: "step-005", before: "pending", after: "skipped" },
			order: ["step-001", "step-002", "step-005", "step-003", "step-004"],
		},
	);
	const story = run.story("A");
	assert.deepEqual(
		story.steps.map((s) => [s.id, s.status]),
		[
			["step-001", "in_progress"],
			["step-002", "pending"],
			["step-005", "skipped"],
			["step-003", "pending"],
		],
	);
	const [add, edit, skip, skipped] = story.history.slice(-4);
	assert.deepEqual([add!.action, add!.agent_id, add!.step_id], ["workflow_edit", 3, "step-001"]);
	assert.equal(
		JSON.stringify(add!.details),
		'{"operation":"add_after","target_step_id":"step-002","reason":"more","new_steps":[{"id":"step-005","type":"coding","description":"fix"}]}',
	);
	assert.deepEqual(edit!.details, {
		operation: "edit_description",
		target_step_id: "step-003",
		reason: "clearer",
		old_description: "old",
		new_description: "new",
	});
	assert.deepEqual(skip!.details, {
		operation: "skip",
		target_step_id: "step-005",
		reason: "few tests",
		before: "pending",
		after: "skipped",
	});
	assert.deepEqual([skipped!.action, skipped!.step_id, skipped!.details], ["step_skipped", "step-005", { reason: "few tests" }]);
});

test("D-78 D-81 D-82 exactly nine actions: what the engine inserts and reopens is a workflow_edit, internal steps and other happenings are absent", () => {
	const run = running([seed("A"), seed("B", { dependsOn: ["C"] }), seed("C")]);
	run.happen(
		...claimed("A"),
		...started("A", "step-001"),
		{ event: "attempt_ignored", scope: "A", step: "step-001", attempt: 0, reason: "late" },
		{ event: "edit_rejected", scope: "A", step: "step-001", reasons: ["no"] },
		{ event: "step_restarted", scope: "A", step: "step-001", attempt: 1, description: "again" },
		...started("A", "step-001", 2),
		{ event: "step_completed", scope: "A", step: "step-001", attempt: 2, signal: "done", notes: null },
		{ event: "step_skipped", scope: "A", step: "step-002", reason: "r" },
		...started("A", "step-003"),
		{ event: "step_completed", scope: "A", step: "step-003", attempt: 1, signal: "done", notes: null },
		...started("A", "step-004"),
		{ event: "step_reopened", scope: "A", step: "step-004", reason: "conflict" },
		{
			event: "steps_inserted",
			scope: "A",
			steps: [{ id: "step-005", type: "rebase_resolve", description: "rebase" }],
			after: "step-002",
			reason: "conflict",
		},
		{
			event: "steps_inserted",
			scope: "A",
			steps: [{ id: "step-006", type: "merge", description: "again" }],
			after: "step-004",
			reason: "lost",
		},
		{ event: "step_reopened", scope: "A", step: "step-003", reason: "conflict" },
		...started("A", "step-004", 2),
		{ event: "step_completed", scope: "A", step: "step-004", attempt: 2, signal: "merged", notes: null },
		{ event: "story_completed", scope: "A" },
		...claimed("C", 2),
		...started("C", "step-001"),
		{ event: "step_failed", scope: "C", step: "step-001", attempt: 1, signal: "agent_error", error: "exit 1" },
		{ event: "story_failed", scope: "C", error: "planning failed" },
		{ event: "story_blocked", scope: "B", by: "C" },
		{ event: "run_status_changed", status: "failed", reason: null },
	);
	assert.deepEqual(run.actions("A"), [
		["story_claimed", null],
		["step_started", "step-001"],
		["step_started", "step-001"],
		["step_completed", "step-001"],
		["step_skipped", "step-002"],
		["step_started", "step-003"],
		["step_completed", "step-003"],
		["workflow_edit", null],
		["workflow_edit", "step-003"],
		["story_completed", null],
	]);
	const [inserted, reopened] = run.story("A").history.slice(-3, -1);
	assert.deepEqual(inserted!.details, {
		operation: "add_after",
		target_step_id: "step-002",
		reason: "conflict",
		new_steps: [{ id: "step-005", type: "rebase_resolve", description: "rebase" }],
	});
	assert.deepEqual(reopened!.details, { operation: "reopen", target_step_id: "step-003", reason: "conflict" });
	assert.deepEqual(
		run.story("A").steps.map((s) => s.id),
		["step-001", "step-002", "step-005", "step-003"],
	);
	assert.equal(run.story("A").steps[0]!.restart_count, 1);
	assert.deepEqual([run.story("A").status, run.story("A").agent_id, run.story("C").agent_id], ["completed", 1, 2]);
	assert.deepEqual(run.actions("C").at(-1), ["story_failed", null]);
	assert.deepEqual([run.story("B").status, run.story("B").agent_id, run.story("B").history.length], ["blocked", null, 0]);
});

test("D-65 a story that is to be retried belongs to nobody until it is claimed again", () => {
	const run = running([seed("A")]);
	run.happen(...claimed("A"), { event: "story_failed", scope: "A", error: "x" }, { event: "story_retried", scope: "A" });
	assert.deepEqual([run.story("A").status, run.story("A").agent_id, run.story("A").claimed_at], ["unclaimed", null, null]);
	run.happen({ event: "story_claimed", scope: "A", slot: 2 });
	assert.deepEqual([run.story("A").status, run.story("A").agent_id], ["in_progress", 2]);
});

test("D-11 D-70 a story that passed before is completed without steps; times are UTC with Z", () => {
	const run = running([seed("A", { passes: true })]);
	assert.deepEqual([run.story("A").status, run.story("A").completed_at, run.story("A").steps], ["completed", "2025-01-15T10:00:01Z", []]);
	assert.equal(isoTime(START + 7), "2025-01-15T10:00:00.007Z");
});

test("D-110 the file can be rendered at any time, and shows what came after; numeric ids and odd texts do no harm", () => {
	const run = running([seed("10"), seed("9"), seed("constructor", { title: 'a "quote"\n    and \u2028 lines' })]);
	for (const id of ["10", "constructor", "9"]) {
		run.happen(...claimed(id));
		assert.equal(run.story(id).status, "in_progress");
		run.happen({ event: "story_completed", scope: id });
		assert.equal(run.story(id).status, "completed");
	}
	run.happen({ event: "stories_added", stories: [seed("late")] }, ...claimed("late"));
	assert.equal(run.story("late").steps.length, 3);
	assert.equal(run.story("9").history.length, 2);
});

test("an event touches its own story only: the long history of one that has ended is neither copied nor written again", () => {
	const run = running([seed("A"), seed("B")]);
	run.happen(...claimed("A"), ...claimed("B", 2), { event: "story_failed", scope: "A", error: "broken" });
	renderView(run.view);
	const before = run.view.stories["A"]!.text;
	run.happen(...started("B", "step-001"));
	assert.equal(run.view.stories["B"]!.text, null);
	assert.notEqual(before, null);
	assert.equal(run.view.stories["A"]!.text, before);
});

test("a view made again from the whole journal, after a crash, says of each entry who had the story at that time", () => {
	const events: Event[] = [
		{ at: START, event: "run_created", id: "r1", title: "t", definition, options, input: {}, fields: {} },
		{ at: START, event: "stories_added", stories: [seed("US-1")] },
		{ at: START, event: "story_claimed", scope: "US-1", slot: 2 },
		{ at: START, event: "story_failed", scope: "US-1", error: "broken" },
		{ at: START, event: "story_retried", scope: "US-1" },
		{ at: START, event: "story_claimed", scope: "US-1", slot: 1 },
	];
	const last = events.reduce<RunState | null>(apply, null);
	const view = emptyView({ createdAt: START, prdFile: null });
	for (const event of events) applyToView(view, event, last!);
	const parsed = parseWorkflowState(renderView(view));
	assert.ok(parsed.ok);
	assert.deepEqual(
		parsed.state.stories["US-1"]?.history.map((entry) => entry.agent_id),
		[2, 2, 1],
	);
});
