// Events → `agent-state.json`. The view folds events itself, so that a snapshot shows the run as it was at that event and the same
// journal always gives the same text.

import { countOf } from "../../core/counter.ts";
import { readCriteria } from "../../core/criterion.ts";
import type { Event, EventOf } from "../../core/event.ts";
import { apply } from "../../core/fold/apply.ts";
import type { RunState, Story } from "../../core/model.ts";
import { elapsed, findStep, typeOf } from "../../core/query.ts";
import { ALL_TASKS, activeAgents } from "./active-agents.ts";
import type { AgentState, Checkpoint, Learning, Milestone } from "./document.ts";
import { groupsOf, positionOf } from "./phases.ts";
import { Supervision } from "./supervision.ts";
import { cents, elapsedTime, iso, limit, readLearning, taskTime, timeLimit } from "./values.ts";

/** The field of an adopted run that holds the file that was adopted. */
export const ADOPTED = "agent_state";
/** The name under which reports are kept that contain learnings. */
export const LEARNINGS = "learnings";
/** Fields of a story: the commit of its checkpoint, the files that it changed (a JSON list), milestones (a JSON list), a commit before a change of plan. */
export const CHECKPOINT = "checkpoint";
export const FILES = "files";
export const MILESTONES = "milestones";
export const SAVE_POINT = "save_point";
/** The budget that counts iterations. */
export const ITERATIONS = "iterations";

export interface Snapshot {
	readonly name: string;
	readonly text: string;
}

export class AgentStateView {
	/** Snapshots not written yet, oldest first; the writer removes them. */
	snapshots: Snapshot[] = [];
	private state: RunState | null = null;
	private at = 0;
	/** What was adopted, until the run has newer values. */
	private adopted: AgentState | null = null;
	private supervision = new Supervision();
	private completed: AgentState["completed_tasks"] = [];
	private learnings: Learning[] = [];
	private milestones: Milestone[] = [];
	private checkpoints: Checkpoint[] = [];
	private warnings: string[] = [];
	private current: string | null = null;
	private readonly costs = new Map<string, number>();
	/** When a task began, in running time of the run. */
	private readonly began = new Map<string, number>();

	get run(): RunState | null {
		return this.state;
	}

	get learned(): readonly Learning[] {
		return this.learnings;
	}

	/** The name of the newest snapshot. */
	get latest(): string | null {
		return this.checkpoints.at(-1)?.state_snapshot ?? null;
	}

	apply(event: Event): void {
		const before = this.state;
		const state = apply(before, event);
		if (state === null) return;
		this.state = state;
		this.at = event.at;
		if (before !== null) this.supervision.apply(event, state);
		switch (event.event) {
			case "run_adopted":
				return this.adopt(event);
			case "story_claimed":
				this.current = event.scope;
				this.began.set(event.scope, elapsed(state, event.at));
				return;
			case "usage_recorded":
				this.costs.set(event.scope, (this.costs.get(event.scope) ?? 0) + (event.usage.costUsd ?? 0));
				return;
			case "kept":
				return this.learn(event, state);
			case "fields_set":
				return this.facts(event, state);
			case "story_completed":
				return this.complete(event, state);
			case "budget_warned":
				this.warn(`${event.budget[0]?.toUpperCase()}${event.budget.slice(1)} at ${Math.round(event.share * 100)}% of limit`);
				return;
			case "run_status_changed":
				if ((event.status === "stopped" || event.status === "failed") && event.reason !== null) this.warn(sentence(event.reason));
				return;
		}
	}

	private adopt(event: EventOf<"run_adopted">): void {
		const state = adoptedState(event.fields[ADOPTED]);
		if (state === null) return;
		this.adopted = state;
		this.supervision = new Supervision(state.supervisor);
		this.completed = state.completed_tasks;
		this.learnings = [...state.learnings];
		this.milestones = [...state.milestones];
		this.checkpoints = [...state.checkpoints];
		this.warnings = [...state.safety_bounds.warnings];
		this.current = null;
		this.costs.clear();
		// Snapshots of a state that was given up.
		this.snapshots = [];
	}

	private learn(event: EventOf<"kept">, state: RunState): void {
		const learning = event.name === LEARNINGS ? readLearning(event.text) : null;
		if (learning === null) return;
		const story = state.stories.find((s) => s.id === event.scope);
		const step = findStep(state, event.scope, event.step);
		const iteration = story ? iterationsOf(story, state) : (step?.attempt ?? 1);
		this.learnings.push({ timestamp: iso(event.at), task: story?.id ?? ALL_TASKS, iteration: Math.max(1, iteration), ...learning });
	}

	private facts(event: EventOf<"fields_set">, state: RunState): void {
		const story = state.stories.find((s) => s.id === event.scope);
		if (!story) return;
		for (const { name, url, phase } of listIn<{ phase: number; name: string; url: string }>(event.fields[MILESTONES]))
			this.milestones.push({ phase, name, completed: iso(event.at), issue_url: url });
		const sha = event.fields[SAVE_POINT];
		if (sha) this.snapshot(story, sha);
	}

	private complete(event: EventOf<"story_completed">, state: RunState): void {
		const story = state.stories.find((s) => s.id === event.scope);
		if (!story) return;
		const { fields } = story.scope;
		const took = elapsed(state, event.at) - (this.began.get(story.id) ?? elapsed(state, event.at));
		this.completed = [
			...this.completed,
			{
				task: story.id,
				name: story.title,
				completed: iso(event.at),
				iterations: Math.max(1, iterationsOf(story, state)),
				time_elapsed: taskTime(took),
				cost: cents(this.costs.get(story.id) ?? 0),
				files_modified: listIn<string>(fields[FILES]),
				success_criteria_met: Object.fromEntries(readCriteria(story.criteria).map(({ slug }) => [slug, true])),
			},
		];
		const sha = fields[CHECKPOINT];
		if (sha) this.snapshot(story, sha);
	}

	private snapshot(story: Story, sha: string): void {
		if (this.state === null) return;
		const last = Math.max(0, ...this.checkpoints.map((c) => Number(/\d+/.exec(c.state_snapshot)?.[0] ?? 0)));
		const name = `checkpoint-${String(last + 1).padStart(3, "0")}.json`;
		const { phase } = positionOf(this.state, story);
		this.checkpoints.push({ timestamp: iso(this.at), phase, task: story.id, git_sha: sha, state_snapshot: name });
		this.snapshots.push({ name, text: this.render() });
	}

	private warn(text: string): void {
		if (!this.warnings.includes(text)) this.warnings.push(text);
	}

	render(): string {
		return `${JSON.stringify(this.document(), null, 2)}\n`;
	}

	document(): AgentState {
		const { state } = this;
		if (state === null) throw new Error("there is no run to show");
		const status = statusOf(state);
		const over = status === "completed" || status === "failed";
		const story = this.current === null ? undefined : state.stories.find((s) => s.id === this.current);
		const { cost, time, iterations } = {
			cost: state.budgets["cost"],
			time: state.budgets["time"],
			iterations: state.budgets[ITERATIONS],
		};
		return {
			orchestrator: {
				status,
				task_doc: state.input["task_doc"] ?? "/",
				...this.where(state, story),
				outer_ralph: outerLoop(state),
				start_time: this.adopted?.orchestrator.start_time ?? iso(state.createdAt),
				end_time: over ? iso(state.endedAt ?? this.at) : null,
			},
			supervisor: { enabled: state.root.fields["supervisor"] !== "false", ...this.supervision.document() },
			active_agents: activeAgents(state, this.at, iterationOf),
			completed_tasks: this.completed,
			pending_tasks: state.stories
				.filter((s) => s.status === "unclaimed" || s.status === "blocked")
				.map((s) => ({ phase: positionOf(state, s).phase, task: s.id, name: s.title })),
			safety_bounds: {
				max_iterations_per_task: iterations?.limit ?? 30,
				max_cost: limit(cost?.limit ?? 0),
				max_time: timeLimit(time?.limit ?? 0),
				cost_so_far: cents(cost?.spent ?? 0),
				elapsed_time: elapsedTime(elapsed(state, this.at)),
				warnings: this.warnings,
			},
			learnings: this.learnings,
			milestones: this.milestones,
			checkpoints: this.checkpoints,
		};
	}

	/** Before the first task begins: nothing, or what was adopted. */
	private where(
		state: RunState,
		story: Story | undefined,
	): Pick<AgentState["orchestrator"], "current_phase" | "total_phases" | "current_task" | "ralph_iteration"> {
		const total_phases = groupsOf(state).length;
		if (story) {
			const { phase, number, count } = positionOf(state, story);
			return { current_phase: phase, total_phases, current_task: `${number}/${count}`, ralph_iteration: iterationOf(story, state) };
		}
		const { current_phase = 0, current_task = "0/0", ralph_iteration = 0 } = this.adopted?.orchestrator ?? {};
		return { current_phase, total_phases, current_task, ralph_iteration };
	}
}

function statusOf(state: RunState): AgentState["orchestrator"]["status"] {
	if (state.status === "completed") return "completed";
	if (["failed", "cancelled", "refused", "stopped"].includes(state.status)) return "failed";
	const tasks = state.root.steps.find((s) => typeOf(state, s)?.kind === "each");
	if (tasks?.status === "completed") return "reviewing";
	return tasks?.status === "in_progress" ? "executing" : "planning";
}

/** Whether agents work on tasks, or are about to. */
function outerLoop(state: RunState): boolean {
	if (statusOf(state) !== "reviewing" || state.status !== "running") return false;
	return state.root.steps.some((s) => typeOf(state, s)?.kind === "agent" && (s.status === "pending" || s.status === "in_progress"));
}

/** Those before the task was planned anew count too. */
const iterationsOf = (story: Story, { replaced = [] }: RunState): number =>
	[...replaced.filter((s) => s.id === story.id), story].reduce(
		(sum, s) => sum + countOf(s.scope, { kind: "budget", budget: ITERATIONS, step: null }),
		0,
	);

/** The one that runs, or the last one that ran. */
function iterationOf(story: Story, state: RunState): number {
	const runs = story.scope.steps.some((s) => s.running.length > 0 && typeOf(state, s)?.spend === ITERATIONS);
	return iterationsOf(story, state) + (runs ? 1 : 0);
}

const sentence = (text: string): string => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;

/** The adopted state, which was checked before it entered the journal. */
export function adoptedState(text: string | undefined): AgentState | null {
	return text === undefined ? null : (JSON.parse(text) as AgentState);
}

/** A list that pawl's own code wrote; anything else reads as an empty list. */
export function listIn<T>(text: string | undefined): T[] {
	if (text === undefined || text === "") return [];
	try {
		const value: unknown = JSON.parse(text);
		return Array.isArray(value) ? (value as T[]) : [];
	} catch {
		return [];
	}
}
