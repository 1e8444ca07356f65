// One of each kind of event, on a run in the middle of its work, and what it changes there.
import type { Event } from "../event.ts";
import { definitionOf, plan, storyOf } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { apply, fold } from "./apply.ts";

const AT = 2_000_000;
const NOTHING = { costUsd: null, inputTokens: null, outputTokens: null };
const loop = { schedule: "WR", roles: { W: { role: "worker" }, R: { role: "reviewer" } }, max: "9", inject: {} };

/** Stories A (a writer at work), B (members of a gate at work), C (needs A), and a loop that comes after them. It is recorded once: what is decided may change. */
export function midway(): readonly Event[] {
	const definition = definitionOf({
		steps: ["all", "loop"],
		types: {
			all: { scope: "run", each: { steps: plan("gate", "work", "check"), concurrency: 2 } },
			loop: { scope: "run", kind: "loop", loop },
			work: { on: { bad: { action: "fail", target: "story" } } },
			check: { writes: "none", checks: ["test"] },
			gate: {
				kind: "gate",
				writes: "none",
				verdicts: ["fine"],
				members: ["x", "y"].map((role) => ({ role, blocking: true })),
				on: { fine: { action: "next" } },
			},
		},
		budgets: { plans: { unit: "count", limit: 3, scope: "run", warnAt: [0.5] } },
	});
	const w = new World(definition, {
		stories: [storyOf("A"), storyOf("B"), storyOf("C", { dependsOn: ["A"] })],
		options: { agents: 2, budgets: { cost: 10, time: 60_000 } },
		fields: { given: "1" },
	});
	for (const role of ["x", "y"])
		w.end(w.jobs.find((job) => job.scope === "A" && job.role === role) ?? "gate", { signal: "fine", usage: { ...NOTHING, costUsd: 1 } });
	const job = w.job("A work");
	w.prepare(job);
	return w.events;
}

type Part = Event extends infer E ? (E extends Event ? Omit<E, "at"> : never) : never;
const A = { scope: "A", step: "step-002", attempt: 1 };
const failed = { name: "test", command: "npm test", exitCode: 1, output: "boom", tree: "t1" };
const seed = storyOf("D", { title: "New", criteria: ["c"], dependsOn: ["A"], priority: 3, group: "g" });

/** Each is applied to the run of the journal, after those in front of it in its own list. */
export const HISTORIES: readonly (readonly Part[])[] = [
	[{ event: "stories_added", stories: [seed, storyOf("A")] }],
	[{ event: "story_changed", scope: "C", title: "T", description: "D", criteria: ["x"] }],
	[{ event: "stories_replaced", stories: [seed], keep: "completed" }],
	[{ event: "story_completed", scope: "A" }],
	[
		{ event: "story_failed", scope: "A", error: "broken" },
		{ event: "story_blocked", scope: "C", by: "A" },
		{ event: "story_retried", scope: "A" },
		{ event: "story_unblocked", scope: "C" },
		{ event: "story_claimed", scope: "A", slot: 2 },
	],
	[{ event: "step_prepared", ...A, commit: "c1", log: "l", branch: "b", agent: "claude", model: "m" }],
	[{ event: "step_completed", ...A, signal: "done", notes: "fine", unchanged: true }],
	[{ event: "step_failed", ...A, signal: "bad", error: "broken" }],
	[{ event: "step_cancelled", ...A, error: "stopped" }],
	[{ event: "step_skipped", scope: "A", step: "step-003", reason: "not needed" }],
	[
		{ event: "step_completed", ...A, signal: "done", notes: "fine" },
		{ event: "step_reopened", scope: "A", step: "step-002", reason: "again", report: "half", putBack: true, retried: true },
		{ event: "step_started", ...A, attempt: 2, role: "agent" },
	],
	[{ event: "step_restarted", ...A, description: "other", reason: "wrong" }],
	[{ event: "step_postponed", ...A, until: AT + 5, reason: "limit" }],
	[
		{ event: "step_waiting", scope: "A", step: "step-002", reason: "who?", signal: "unclear" },
		{ event: "decided", scope: "A", step: "step-002", id: "d", verdict: "approve", reason: "ok" },
	],
	[
		{
			event: "attempt_reported",
			scope: "B",
			step: "step-001",
			attempt: 1,
			role: "x",
			signal: "fine",
			findings: [{ key: "k", class: "c", text: "t" }],
			earlier: [],
			said: { error: null, notes: null, fields: {}, retryAt: null },
		},
	],
	[
		{
			event: "report_asked",
			scope: "A",
			step: "step-002",
			role: "agent",
			agent: "claude",
			session: "s",
			since: 1,
			lacks: ["STATUS"],
			problem: "p",
		} as never,
	],
	[
		{
			event: "steps_inserted",
			scope: "A",
			steps: [{ id: "step-004", type: "work", description: "copy", origin: "step-002" }],
			after: "step-002",
			reason: "lost",
		},
	],
	[
		{
			event: "steps_inserted",
			scope: "A",
			steps: [{ id: "step-004", type: "check", description: "first", sender: "step-002" }],
			after: null,
			reason: "first",
		},
	],
	[
		{
			event: "workflow_edited",
			scope: "A",
			step: "step-002",
			details: { operation: "skip", reason: "r", target_step_id: "step-003" },
			order: ["step-001", "step-002", "step-003"],
		},
	],
	[
		{
			event: "workflow_edited",
			scope: "A",
			step: "step-002",
			details: { operation: "edit_description", reason: "r", target_step_id: "step-003", new_description: "better" },
			order: ["step-001", "step-002", "step-003"],
		},
	],
	[
		{
			event: "workflow_edited",
			scope: "A",
			step: "step-002",
			details: {
				operation: "add_after",
				reason: "r",
				target_step_id: "step-002",
				new_steps: [{ id: "step-004", type: "work", description: "more" }],
			},
			order: ["step-001", "step-002", "step-004", "step-003"],
		},
	],
	[{ event: "edit_rejected", scope: "A", step: "step-002", reasons: ["no"] }],
	[
		{ event: "usage_recorded", ...A, usage: { costUsd: 3, inputTokens: 10, outputTokens: 2 }, model: "m" },
		{ event: "usage_recorded", ...A, usage: NOTHING },
	],
	[
		{ event: "checks_recorded", ...A, checks: [failed, { ...failed, name: "lint", exitCode: 0 }] },
		{ event: "step_completed", ...A, signal: "done", notes: null },
		{ event: "checks_recorded", ...A, step: "step-003", checks: [{ ...failed, exitCode: 0, tree: "t2" }] },
	],
	[
		{ event: "merge_announced", ...A, commit: "m1" },
		{ event: "merges_sought" },
		{ event: "merges_looked_for", missing: [{ story: "A", commit: "m1" }] },
	],
	[
		{ event: "change_recorded", scope: "A" },
		{ event: "story_excused", scope: "B", reason: "none" },
	],
	[{ event: "session_recorded", scope: "A", role: "agent", session: "s1" }],
	[
		{ event: "counted", scope: "A", counter: "work:bad" },
		{ event: "counted", scope: "A", counter: "work:bad" },
		{ event: "counters_reset", scope: "A", counters: ["work:bad"] },
	],
	[
		{ event: "fields_set", scope: "A", fields: { a: "1" } },
		{ event: "fields_set", scope: "@run", fields: { given: "2" }, limits: ["given"] },
	],
	[{ event: "kept", scope: "A", step: "step-002", name: "learnings", text: "x" }],
	[{ event: "cost_unknown", ...A, role: "agent" }, { event: "unknown_cost_allowed" }],
	[
		{ event: "budget_spent", budget: "cost", amount: 2 },
		{ event: "budget_warned", budget: "cost", share: 0.75 },
		{ event: "budget_extended", budget: "cost", limit: 20 },
		{ event: "budget_spent", budget: "plans", amount: 1 },
	],
	[
		{ event: "stop_requested", how: "pause" },
		{ event: "run_status_changed", status: "paused", reason: "paused" },
		{ event: "run_resumed" },
	],
	[{ event: "run_status_changed", status: "failed", reason: "broken" }],
	[
		{ event: "run_aborting", reason: "gave up", ends: "stopped" },
		{ event: "run_steered", text: "faster" },
		{ event: "run_held", reason: "wait" },
		{ event: "message_taken", inbox: "control", id: "m1", text: "t" },
		{ event: "run_held", reason: null },
	],
	[
		{ event: "step_started", scope: "@run", step: "step-002", attempt: 1, role: "worker", letter: "W" },
		{
			event: "step_extended",
			scope: "@run",
			step: "step-002",
			attempt: 1,
			iteration: 1,
			cursor: 1,
			queue: ["R"],
			until: AT + 9,
			reason: "broken",
		},
		{ event: "loop_asked", scope: "@run", step: "step-002", queue: ["R", "W"], skips: 2, asked: { signal: "halt", reason: "r" } },
		{ event: "loop_extended", scope: "@run", step: "step-002", max: 12 },
	],
	[
		{ event: "engine_missed", ms: 500 },
		{ event: "settings_accepted", settings: "abc" },
		{ event: "attempt_ignored", ...A, reason: "late" },
	],
	[
		{
			event: "run_adopted",
			reason: "restored",
			stories: [storyOf("A"), seed],
			done: ["A"],
			fields: { x: "y" },
			budgets: { cost: { limit: 5, spent: 1 } },
			elapsedMs: 9,
		} as never,
	],
	[{ event: "work_undone", scope: "A", commits: [{ scope: "A", commit: "c1", by: "r1" }] }],
	[
		{ event: "step_waiting", scope: "A", step: "step-002", reason: "which?", signal: "questions", asks: true },
		{ event: "decided", scope: "A", step: "step-002", id: "d", verdict: "answer", reason: "the second" },
		{ event: "step_reopened", scope: "A", step: "step-002", reason: "You asked" },
	],
	[{ event: "pull_request_opened", url: "https://forge.invalid/1", branch: "pawl/r", base: "main" }],
	[{ event: "issue_commented", issue: 7, about: "started", url: "https://forge.invalid/7#1" }],
];

export type Changes = Readonly<Record<string, unknown>>;

/** What each event of a history changed: path → new value, `(gone)` for what is no longer there. */
export function meaningOf(journal: readonly Event[], history: readonly Part[]): { readonly event: string; readonly changes: Changes }[] {
	let state = fold(journal);
	return history.map((part) => {
		const next = apply(state, { at: AT, ...part } as Event);
		const changes: Record<string, unknown> = {};
		compare(state, next, "", changes);
		state = next;
		return { event: part.event, changes };
	});
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function compare(before: unknown, after: unknown, path: string, changes: Record<string, unknown>): void {
	if (before === after) return;
	if (!isRecord(before) || !isRecord(after) || Array.isArray(before) !== Array.isArray(after)) {
		changes[path] = after === undefined ? "(gone)" : after;
		return;
	}
	for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
		compare(before[key], after[key], path === "" ? key : `${path}.${key}`, changes);
}
