// Reads the journal of a run event by event, as it is committed, and says what does not hold (docs/reliability.md). It folds by itself, so
// that it also notices an engine whose state is not that of its journal.
import type { Event, EventOf } from "../../src/core/event.ts";
import { apply, stepNumber } from "../../src/core/fold/apply.ts";
import type { RunState, Scope, Step } from "../../src/core/model.ts";
import { attemptOf, findStep, isOver, runningAttempts, typeOf, waitingSteps } from "../../src/core/query.ts";
import { isSentOn, STEP_CHANGES, STORY_CHANGES } from "../../src/core/testing/legal-changes.suite.ts";
import { MoneyWatch } from "./money-watch.ts";

/** Nobody but a person causes these (I23). */
const OF_PERSONS: ReadonlySet<Event["event"]> = new Set([
	"decided",
	"story_retried",
	"budget_extended",
	"unknown_cost_allowed",
	"loop_extended",
	"settings_accepted",
	"run_steered",
]);

export class JournalWatch {
	state: RunState | null = null;
	readonly wrong: string[] = [];
	readonly events: Event[] = [];
	private readonly money = new MoneyWatch();
	/** The commit that is looked at answers an input of a person. */
	private byPerson = false;

	/** What one commit added. `byPerson`: it answers an input of a person. */
	take(events: readonly Event[], byPerson: boolean): void {
		this.byPerson = byPerson;
		for (const event of events) {
			const before = this.state;
			this.state = apply(before, event);
			this.events.push(event);
			if (OF_PERSONS.has(event.event) && !byPerson) this.say(`I23 ${event.event} without a person`);
			if (before !== null && this.state !== null) this.compare(before, this.state, event);
		}
		if (this.state !== null && events.length > 0) this.afterCommit(this.state);
	}

	private say(text: string): void {
		if (this.wrong.length < 20) this.wrong.push(`event ${this.events.length}: ${text}`);
	}

	private compare(before: RunState, after: RunState, event: Event): void {
		if (after.version !== before.version + 1) this.say(`I4 version ${before.version} → ${after.version}`);
		this.scope(before.root, after.root, event, after);
		for (const [at, story] of after.stories.entries()) {
			const old = before.stories[at]?.id === story.id ? before.stories[at] : before.stories.find((one) => one.id === story.id);
			if (old === undefined || old === story) continue;
			this.scope(old.scope, story.scope, event, after);
			const again = event.event === "stories_replaced" || event.event === "run_adopted";
			if (old.status !== story.status && !again && !STORY_CHANGES[old.status].includes(story.status))
				this.say(`I4 story ${story.id}: ${old.status} → ${story.status} by ${event.event}`);
		}
		if (event.event === "step_started") this.started(before, event);
		if (event.event === "story_claimed") this.claimed(before, event);
		if (event.event === "run_status_changed" && event.status === "completed") this.completed(before);
		for (const text of this.money.see(before, event)) this.say(text);
	}

	private scope(before: Scope, after: Scope, event: Event, state: RunState): void {
		if (before === after || before.steps === after.steps) return;
		const old = new Map(before.steps.map((step) => [step.id, step]));
		const ids = new Set<string>();
		let under = 0;
		for (const step of after.steps) {
			if (ids.has(step.id)) this.say(`I4 ${after.id}: two steps are called ${step.id}`);
			ids.add(step.id);
			if (step.status === "in_progress" || step.status === "waiting") under++;
			const was = old.get(step.id);
			if (was === step) continue;
			if (was === undefined) this.newStep(before, after, step);
			else this.step(was, step, event);
			if (step.restarts > state.definition.limits.restarts) this.say(`I6 ${step.id} was restarted ${step.restarts} times`);
		}
		if (under > 1) this.say(`I2 ${after.id}: ${under} steps are under way at once`);
		if (event.event === "workflow_edited" || event.event === "steps_inserted") this.list(before, after, event, state);
	}

	private newStep(before: Scope, after: Scope, { id }: Step): void {
		const number = stepNumber(id);
		if (number === 0) return;
		if (number < before.nextNumber) this.say(`I4 ${after.id}: ${id} is used again`);
		if (number >= after.nextNumber) this.say(`I4 ${after.id}: ${id} is beyond the next number ${after.nextNumber}`);
	}

	private step(was: Step, is: Step, event: Event): void {
		// A person may skip what failed.
		if (event.event === "step_skipped" && (was.status === "failed" || was.status === "cancelled")) return;
		if (isSentOn(was.status, event) && this.byPerson) return;
		if (is.attempt < was.attempt || is.restarts < was.restarts) this.say(`I4 ${is.id}: its counts went back`);
		if (was.status === is.status || event.event === "run_adopted") return;
		if (!STEP_CHANGES[was.status].includes(is.status)) this.say(`I4 ${is.id}: ${was.status} → ${is.status} by ${event.event}`);
		const ended = ["completed", "skipped", "failed", "cancelled"].includes(was.status);
		if (ended && event.event !== "step_reopened") this.say(`I4 ${is.id}: ${was.status} → ${is.status} by ${event.event}`);
	}

	/** What agents see of a list keeps within the limit, and its last step stays last. */
	private list(before: Scope, after: Scope, event: Event, { definition }: RunState): void {
		const seen = (scope: Scope): Step[] => scope.steps.filter((step) => definition.types[step.type]?.internal !== true);
		const [was, is] = [seen(before), seen(after)];
		if (event.event === "workflow_edited" && is.length > was.length && is.length > definition.limits.steps)
			this.say(`I6 ${after.id}: edits made a list of ${is.length} steps, and ${definition.limits.steps} are allowed`);
		const last = is.findLastIndex((step) => definition.types[step.type]?.last === true);
		const behind = last < 0 ? undefined : is.slice(last + 1).find((step) => isOrdinary(definition, step));
		if (behind !== undefined) this.say(`I6 ${after.id}: ${behind.id} (${behind.type}) comes after the last step, by ${event.event}`);
	}

	private started(before: RunState, { scope, step: id, attempt, role }: EventOf<"step_started">): void {
		const step = findStep(before, scope, id);
		if (step === undefined) return this.say(`I4 ${scope} ${id} was started and does not exist`);
		const kind = typeOf(before, step)?.kind;
		const others = step.running.filter((one) => one.role !== "");
		if (others.length > 0 && kind !== "gate") this.say(`I2 ${scope} ${id} was started while attempt ${others[0]?.number} runs`);
		if (others.some((one) => one.role === role)) this.say(`I2 ${scope} ${id}: ${role} was started twice at once`);
		if (attempt <= step.attempt) this.say(`I3 ${scope} ${id}: attempt ${attempt} after attempt ${step.attempt}`);
		if (before.status !== "running") this.say(`I4 ${scope} ${id} was started in a run that is ${before.status}`);
		if (before.stopping !== null) this.say(`I4 ${scope} ${id} was started although a person asked to ${before.stopping}`);
	}

	private claimed(before: RunState, { scope, slot }: EventOf<"story_claimed">): void {
		const story = before.stories.find((one) => one.id === scope);
		const done = new Set(before.stories.filter((one) => one.status === "completed").map((one) => one.id));
		const missing = story?.dependsOn.find((id) => !done.has(id));
		if (missing !== undefined) this.say(`I4 ${scope} was claimed before ${missing} was done`);
		if (!before.options.slots.includes(slot)) this.say(`I4 ${scope} got slot ${slot}, which the run does not have`);
		const other = before.stories.find((one) => one.status === "in_progress" && one.slot === slot);
		if (other !== undefined) this.say(`I2 ${scope} got slot ${slot}, which ${other.id} works in`);
	}

	private completed(before: RunState): void {
		const { types } = before.definition;
		// A route that completes the run skips its stories.
		const each = before.root.steps.some((step) => types[step.type]?.each !== undefined && step.status === "completed");
		const open = each ? before.stories.find((story) => story.status !== "completed") : undefined;
		if (open !== undefined) this.say(`I21 the run completed and ${open.id} is ${open.status}`);
		const left = before.root.steps.find((step) => ["pending", "in_progress", "waiting"].includes(step.status));
		if (left !== undefined) this.say(`I21 the run completed and ${left.id} (${left.type}) is ${left.status}`);
	}

	private afterCommit(state: RunState): void {
		if (state.status === "waiting" && waitingSteps(state).length === 0) this.say("I17 the run waits, and no step says for what");
		if (state.status !== "running" && state.status !== "completed" && !state.reason)
			this.say(`I17 the run is ${state.status} and does not say why`);
		if (isOver(state.status) || state.status !== "running") return;
		for (const { scope, step, attempt } of runningAttempts(state))
			if (attemptOf(findStep(state, scope, step.id), attempt.number) === undefined) this.say(`I2 ${scope} ${step.id} is lost`);
	}
}

/** Copies of a step that was lost and what a route of the engine puts in may stand behind it; detours stand behind their sender. */
const isOrdinary = ({ types }: RunState["definition"], step: Step): boolean =>
	types[step.type]?.detour !== true && types[step.type]?.last !== true && step.origin === step.id;
