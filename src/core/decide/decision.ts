// A decision while it is made: each event is applied as soon as it is added, so that the next decision sees its result.

import type { PlannedStep } from "../definition.ts";
import type { Effect } from "../effect.ts";
import type { Event, EventOf, NewStep } from "../event.ts";
import { apply, stepId } from "../fold/apply.ts";
import type { By } from "../input.ts";
import { publishedCommit, publishedFact } from "../mark.ts";
import { type LostMerge, RUN_SCOPE, type RunState, type RunStatus, type Scope, type Step, type Time } from "../model.ts";
import { findScope, findStep, isOver } from "../query.ts";
import { tellEnded } from "../remote/told-issues.ts";

type WithoutTime<E> = E extends Event ? Omit<E, "at"> : never;

/** Events that say which person caused them. */
const OF_PERSONS: readonly Event["event"][] = [
	"decided",
	"stop_requested",
	"run_resumed",
	"settings_accepted",
	"run_steered",
	"work_undone",
	"budget_extended",
	"fields_set",
	"unknown_cost_allowed",
	"loop_extended",
	"story_retried",
	"step_reopened",
	"steps_inserted",
];

const NO_FIELDS = { fields: {} };

export class Decision {
	state: RunState;
	/** Set while the decision handles a person's input; what the engine schedules afterwards is not that person's. */
	by: By | null = null;
	/** The id of a person's request to try again, for the events that say that it counted. */
	id: string | null = null;
	/** The answer to a look for merged commits, if this input brought it: those that are gone. */
	looked: readonly LostMerge[] | null = null;
	readonly events: Event[] = [];
	readonly effects: Effect[] = [];
	readonly at: Time;

	constructor(state: RunState, at: Time) {
		this.state = state;
		this.at = at;
	}

	emit(event: WithoutTime<Event>): void {
		const by = this.by !== null && OF_PERSONS.includes(event.event) ? { by: this.by } : {};
		const id = this.id !== null && (event.event === "story_retried" || event.event === "run_resumed") ? { id: this.id } : {};
		const whole = { at: this.at, ...event, ...by, ...id } as Event;
		this.events.push(whole);
		this.state = apply(this.state, whole) ?? this.state;
	}

	effect(effect: Effect): void {
		this.effects.push(effect);
		if (effect.effect === "rollback") this.unpublish(effect.scope, effect.commit);
	}

	/** Another machine must not go on from work that is put back. */
	private unpublish(scope: string, commit: string): void {
		const published = publishedCommit(this.scope(scope) ?? NO_FIELDS);
		if (published !== null && published !== commit) this.emit({ event: "fields_set", scope, fields: publishedFact(commit) });
	}

	scope(id: string): Scope | undefined {
		return findScope(this.state, id);
	}

	step(scope: string, id: string): Step | undefined {
		return findStep(this.state, scope, id);
	}

	end(status: RunStatus, reason: string | null): void {
		if (this.state.status === status && this.state.reason === reason) return;
		this.emit({ event: "run_status_changed", status, reason });
		if (isOver(status)) tellEnded(this);
		// The person was told when the wait began.
		if (status !== "waiting") this.effect({ effect: "notify", scope: RUN_SCOPE, about: "finished", text: reason ?? status });
	}

	/** The step waits for a person; pawl notifies them once. */
	wait(scope: string, step: string, reason: string, more: Partial<Pick<EventOf<"step_waiting">, "signal" | "held" | "asks">> = {}): void {
		this.emit({ event: "step_waiting", scope, step, reason, ...more });
		this.effect({ effect: "notify", scope, step, about: "waiting", text: reason, ...(more.asks ? { asks: true } : {}) });
	}

	/** Gives planned steps their ids; `origin` for copies, `sender` for detours. Agents see the numbers, so an internal step is named after
	 * its type and uses no number. */
	newSteps(scope: Scope, planned: readonly PlannedStep[], more: { origin?: string; sender?: string } = {}): NewStep[] {
		let number = scope.nextNumber;
		const taken = new Set(scope.steps.map((s) => s.id));
		return planned.map((step) => {
			const type = this.state.definition.types[step.type];
			const named = this.state.definition.ids === "named";
			const id = named ? namedId(step.type, taken) : type?.internal ? internalId(step.type, taken) : stepId(number++);
			taken.add(id);
			return { id, type: step.type, description: step.description ?? type?.description ?? step.type, ...more };
		});
	}

	/** The steps that a scope begins with. Detours are left out: only a route leads to them. */
	planned(scope: Scope, steps: readonly PlannedStep[]): NewStep[] {
		return this.newSteps(
			scope,
			steps.filter((s) => !this.state.definition.types[s.type]?.detour),
		);
	}
}

/** The type; further steps of the same type get a number. */
function namedId(type: string, taken: ReadonlySet<string>): string {
	return taken.has(type) ? numberedFrom(type, taken, 2) : type;
}

function internalId(type: string, taken: ReadonlySet<string>): string {
	return numberedFrom(type, taken, 1);
}

function numberedFrom(type: string, taken: ReadonlySet<string>, first: number): string {
	for (let n = first; ; n++) if (!taken.has(`${type}-${n}`)) return `${type}-${n}`;
}
