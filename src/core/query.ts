// Questions about a state that several files ask.

import {
	type Condition,
	type Definition,
	type Each,
	type InputMode,
	isOfTheAccount,
	type LoopRole,
	type ReportGrammar,
	type StepType,
} from "./definition.ts";
import { type Attempt, RUN_SCOPE, type RunState, type RunStatus, type Scope, type Step, type Story, type Time } from "./model.ts";

export const findStory = (state: RunState, id: string): Story | undefined => state.stories.find((s) => s.id === id);

export const findScope = (state: RunState, id: string): Scope | undefined => (id === RUN_SCOPE ? state.root : findStory(state, id)?.scope);

/** The commit that the first step of the scope started from, however often it ran: a story that failed and is retried continues its own work. */
export const startOfWork = ({ steps }: Scope): string | null => {
	const first = steps.find((step) => (step.firstCommit ?? step.commit) !== null);
	return first?.firstCommit ?? first?.commit ?? null;
};

/** Whether something has to come out of the run: a completed story changed something, or a completed step of the run had to. */
export const expectsWork = (state: RunState): boolean =>
	state.stories.some((story) => story.status === "completed" && story.changed) ||
	state.root.steps.some((step) => step.status === "completed" && typeOf(state, step)?.expectsChange === true);

/** Where the last step was found: whoever asks for one asks for it again, or for the one after it, and a story may have thousands. */
let lastFound = 0;

/** -1: there is none. */
export function indexOfStep(steps: readonly Step[], id: string): number {
	if (steps[lastFound]?.id === id) return lastFound;
	const at = steps[lastFound + 1]?.id === id ? lastFound + 1 : steps.findIndex((s) => s.id === id);
	if (at >= 0) lastFound = at;
	return at;
}

export function findStep(state: RunState, scope: string, id: string): Step | undefined {
	const steps = findScope(state, scope)?.steps ?? [];
	return steps[indexOfStep(steps, id)];
}

/** The fields that a scope reads: its own, and those of the run. What a story's report said is also a field of the run, for the steps after the
 * stories; another story must not take it for its own. */
export function fieldsFor(state: RunState, scope: Scope): Readonly<Record<string, string>> {
	if (scope === state.root) return scope.fields;
	const { types, steps } = state.definition;
	const keysOf = (names: readonly string[]): string[] => names.flatMap((name) => own(types, name)?.report?.keys ?? []);
	const ofRun = new Set(keysOf(steps.map(({ type }) => type)));
	const ofStories = keysOf(steps.flatMap(({ type }) => (own(types, type)?.each?.steps ?? []).map((step) => step.type)));
	const foreign = new Set(ofStories.filter((key) => !ofRun.has(key)).map((key) => key.toLowerCase()));
	const shared = Object.entries(state.root.fields).filter(([name]) => !foreign.has(name.toLowerCase()));
	return { ...Object.fromEntries(shared), ...scope.fields };
}

/** For people: a step whose id is its type is named once. */
export const nameOfStep = ({ id, type }: Pick<Step, "id" | "type">): string => (id === type ? id : `${id} (${type})`);

/** Undefined for a type that the definition does not have, as in a journal of a newer pawl. */
export const typeOf = (state: RunState, step: Step): StepType | undefined => own(state.definition.types, step.type);

/** The loop role (letter) of the running attempt. */
export function loopRoleOf(type: StepType | undefined, step: Step, role: string): LoopRole | undefined {
	const roles = type?.loop?.roles ?? {};
	const letter = step.running.find((a) => a.role === role)?.letter;
	return (letter === undefined ? undefined : own(roles, letter)) ?? Object.values(roles).find((r) => r.role === role);
}

/** How the report of an attempt is read: by the grammar of the loop's letter, or else of the step, or else of the role. Without a
 * grammar every message is `done`. */
export function grammarOf({ types, roles }: Definition, step: Step, role: string): ReportGrammar {
	const type = own(types, step.type);
	return loopRoleOf(type, step, role)?.report ?? type?.report ?? own(roles, role)?.report ?? { notes: "text", keys: [], signals: [] };
}

export interface Running {
	readonly scope: string;
	readonly step: Step;
	readonly attempt: Attempt;
}

/** Attempts that somebody works on. The step that opens stories has an attempt too, but nobody works on that. */
export function runningAttempts(state: RunState): Running[] {
	const running: Running[] = [];
	for (const { id: scope, steps } of allScopes(state))
		for (const step of steps) {
			// Hardly any of thousands runs.
			if (step.running.length === 0) continue;
			for (const attempt of step.running) if (attempt.role !== "") running.push({ scope, step, attempt });
		}
	return running;
}

/** The attempt of that number, if somebody is working on it. */
export const attemptOf = (step: Step | undefined, number: number): Attempt | undefined =>
	step?.running.find((a) => a.number === number && a.role !== "");

const OVER: readonly RunStatus[] = ["completed", "failed", "cancelled", "refused"];

/** Only a person's retry brings the run back: its workspaces and its claims can be given up. */
export const isOver = (status: RunStatus): boolean => OVER.includes(status);

/** A story that has ended takes no more results. The run's own scope is always open. */
export const isOpen = (state: RunState, scope: string): boolean => scope === RUN_SCOPE || findStory(state, scope)?.status === "in_progress";

/** False for a lost step that has a copy: it stays as a record and does not run again. */
export const isLastOfLine = (steps: readonly Step[], step: Step): boolean =>
	steps.findLast((s) => s.origin === step.origin)?.id === step.id;

/** The step of the run itself that made it fail. */
export const failedStep = (state: RunState): Step | undefined =>
	state.root.steps.findLast((s) => (s.status === "failed" || s.status === "cancelled") && isLastOfLine(state.root.steps, s));

/** Steps that failed because a person has to log in or pay, and that continue once they have. None in a run that cannot be resumed. */
export function failedByAccount(state: RunState): { readonly stories: readonly Story[]; readonly root: Step | null } {
	if (state.status !== "failed" || state.definition.resume === "never" || state.aborting) return { stories: [], root: null };
	const byAccount = (step: Step | undefined): step is Step => step?.status === "failed" && isOfTheAccount(step.failedBy ?? "");
	const root = failedStep(state);
	return {
		stories: state.stories.filter(
			({ status, scope }) =>
				status === "failed" && byAccount(scope.steps.findLast((s) => s.status === "failed" && isLastOfLine(scope.steps, s))),
		),
		root: byAccount(root) ? root : null,
	};
}

/** The scopes that can have running steps: the run's and those of claimed stories. */
export const allScopes = (state: RunState): Scope[] => [
	state.root,
	...state.stories.flatMap((s) => (s.status === "in_progress" ? [s.scope] : [])),
];

/** Stories that a new plan left out, each once. One that it only gave another id is still there. */
export const droppedStories = ({ stories, replaced = [] }: RunState): readonly Story[] =>
	replaced.filter((s, at) => !stories.some((now) => isSameStory(s, now)) && replaced.findIndex((one) => one.id === s.id) === at);

type Described = Pick<Story, "id" | "title" | "description" | "criteria">;

/** By its id or, if a new plan moved it, by its words. A title alone is not enough: several stories may be called "Tests". */
export const isSameStory = (one: Described, other: Described): boolean =>
	one.id === other.id ||
	(one.title.trim() === other.title.trim() &&
		(one.description.trim() === other.description.trim() || JSON.stringify(one.criteria) === JSON.stringify(other.criteria)));

/** The field of a scope that names, line by line, the criteria that its judges look at where they do not judge all of them. */
export const JUDGED = "judged_criteria";

/** The step that opens stories, while it runs. */
export const eachStep = (state: RunState): Step | undefined =>
	state.root.steps.find((s) => s.status === "in_progress" && typeOf(state, s)?.kind === "each");

export const eachOf = (state: RunState): Each | undefined => {
	const step = eachStep(state);
	return step && typeOf(state, step)?.each;
};

/** Whether stories may run in parallel: they say what they depend on, or each of them that it needs none, and there are several agents. */
export const sideBySide = ({ options, stories }: RunState): boolean =>
	options.agents > 1 &&
	(stories.some((s) => s.dependsOn.length > 0) || (stories.length > 1 && stories.every((s) => s.independent === true)));

/** The worktrees for stories. The first one belongs to the run itself if it has a branch and stories get worktrees too. */
export const storySlots = (state: RunState): readonly number[] =>
	workspaceOf(state) === "branch" && state.options.slots.length > 1 ? state.options.slots.slice(1) : state.options.slots;

export const workspaceOf = (state: RunState): InputMode["workspace"] | undefined => state.definition.inputs[state.options.mode]?.workspace;

/** Stories have their own worktrees. */
export const hasStoryTrees = (state: RunState): boolean =>
	workspaceOf(state) === "worktree" || (workspaceOf(state) === "branch" && sideBySide(state));

/** What of a run one machine has to do by itself: everything that works in one checkout is one lane. The lane that a scope belongs to has the name of a scope. */
export const laneOf = (state: RunState, scope: string): string => (isOneLane(state) ? RUN_SCOPE : scope);

/** A run with a branch of its own merges its stories in its own checkout. */
export const isOneLane = (state: RunState): boolean => workspaceOf(state) !== "worktree";

/** The step that goes on or starts next in a scope; none while another one is under way or waits for a person, whatever is to come behind it. */
export function nextStepOf(state: RunState, { steps }: Scope): Step | undefined {
	const under = steps.find(({ status }) => status === "in_progress" || status === "waiting");
	if (under === undefined) return steps.find(({ status }) => status === "pending");
	return betweenIterations(state, under) ? under : undefined;
}

/** Steps that start when their time has come. */
const sleepers = (state: RunState): { scope: string; step: Step; notBefore: Time }[] =>
	allScopes(state).flatMap((scope) => {
		const step = nextStepOf(state, scope);
		return step === undefined || step.notBefore === null ? [] : [{ scope: scope.id, step, notBefore: step.notBefore }];
	});

/** The earliest time at which a postponed step may start. */
export function nextWake(state: RunState, after = Number.NEGATIVE_INFINITY): Time | null {
	let wake: Time | null = null;
	for (const { notBefore } of sleepers(state)) if (notBefore > after && (wake === null || notBefore < wake)) wake = notBefore;
	return wake;
}

/** Steps whose time to start has come. */
export const dueSteps = (state: RunState, at: Time): { scope: string; step: Step }[] =>
	sleepers(state).flatMap(({ scope, step, notBefore }) => (notBefore <= at ? [{ scope, step }] : []));

/** A loop that continues, between two iterations. */
export const betweenIterations = (state: RunState, step: Step): boolean =>
	step.status === "in_progress" && step.running.length === 0 && typeOf(state, step)?.kind === "loop";

/** How often the step was tried. The members of a gate try together, and a loop goes on within one try. */
export const triesOf = ({ attempt, beside = 0 }: Step): number => attempt - beside;

/** The loop that messages go to. */
export const openLoop = (state: RunState): Step | undefined =>
	state.root.steps.find((s) => (s.status === "in_progress" || s.status === "pending") && typeOf(state, s)?.kind === "loop");

export const waitingSteps = (state: RunState): { scope: string; step: Step }[] =>
	allScopes(state).flatMap((scope) => scope.steps.filter((s) => s.status === "waiting").map((step) => ({ scope: scope.id, step })));

/** How long the run has been working: what a time budget counts. */
export const workedMs = ({ busy }: RunState, at: Time): number => busy.ms + (busy.since === null ? 0 : Math.max(0, at - busy.since));

/** How long the run has been running, without pauses. */
export const elapsed = (state: RunState, at: Time): number => Math.max(0, (state.idleSince ?? at) - state.createdAt - state.idleMs);

/** The value of a field in a condition: the engine's own fields first, then the scope's, then the run's. */
export function fieldOf(state: RunState, scope: Scope, name: string): string | undefined {
	const story = findStory(state, scope.id);
	switch (name) {
		case "workspace":
			return workspaceOf(state);
		case "story_trees":
			return String(hasStoryTrees(state));
		case "mode":
			return state.options.mode;
		case "agents":
			return String(state.options.agents);
		case "stories":
			return String(state.stories.length);
		case "changed":
			return story ? String(story.changed) : undefined;
		case "expects_change":
			return story ? String(story.expectsChange) : undefined;
		default:
			return own(scope.fields, name) ?? own(state.root.fields, name);
	}
}

/** Property lookup without the prototype: names come from agents and files, and one may be `constructor`. */
export const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
	Object.hasOwn(record, name) ? record[name] : undefined;

export const holds = (state: RunState, scope: Scope, conditions: readonly Condition[]): boolean =>
	conditions.every((c) => holdsOne(fieldOf(state, scope, c.field), c));

function holdsOne(value: string | undefined, condition: Condition): boolean {
	switch (condition.op) {
		case "set":
			return value !== undefined && value !== "";
		case "unset":
			return value === undefined || value === "";
		case "is":
			return value === String(condition.value);
		case "is_not":
			return value !== String(condition.value);
		case "above":
			return Number(value) > Number(condition.value);
		case "below":
			return Number(value) < Number(condition.value);
	}
}

/** The name that a claim has for people and for the agent; the token is its secret. */
export const claimHandle = (run: string, scope: string, step: string, attempt: number): string => `${run}:${scope}:${step}:${attempt}`;
