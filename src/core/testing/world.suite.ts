// A run in a scripted world: an attempt that the core starts runs until the test, or `play`, ends it. After every input the fold
// of the events is compared with the state.
import assert from "node:assert/strict";
import type { Definition } from "../definition.ts";
import type { Effect } from "../effect.ts";
import type { Event, EventOf } from "../event.ts";
import { fold } from "../fold/apply.ts";
import type { Input, Outcome, StorySeed } from "../input.ts";
import { RUN_SCOPE, type RunOptions, type RunState, type Scope, type Step, type Story } from "../model.ts";
import { findScope, findStep, nextWake } from "../query.ts";
import { transition } from "../transition.ts";
import { optionsOf, outcomeOf, storyOf } from "./builders.suite.ts";
import { assertWhole } from "./shapes.suite.ts";

type Of<E extends Effect["effect"]> = Extract<Effect, { effect: E }>;
type WithoutTime<I> = I extends Input ? Omit<I, "at"> : never;

export interface Job extends Of<"start_attempt"> {
	readonly type: string;
}
export type Answer = Partial<Outcome> | "lost" | "cancelled";
/** By "SCOPE type" or type: how its attempts end, in order; the last entry repeats. null: leave it running. */
export type Script = Readonly<Record<string, Answer | null | readonly (Answer | null)[]>>;

export interface Setup {
	readonly stories?: readonly (string | StorySeed)[];
	readonly options?: Partial<RunOptions>;
	readonly fields?: Readonly<Record<string, string>>;
}

export interface Turn {
	readonly input: Input;
	readonly events: readonly Event[];
	readonly effects: readonly Effect[];
}

export class World {
	state: RunState;
	at = 1_000_000;
	readonly events: Event[] = [];
	readonly effects: Effect[] = [];
	/** Each input, and what it brought about. */
	readonly turns: Turn[] = [];
	/** Started and not ended, in the order of their start. */
	jobs: Job[] = [];
	/** Everything that was ever started, as "SCOPE type" or, in the run's own scope, "type". */
	readonly started: string[] = [];
	private readonly used = new Map<string, number>();

	constructor(definition: Definition, { stories = [], options = {}, fields = {} }: Setup = {}) {
		const input: Input = {
			type: "create_run",
			at: this.at,
			id: "run-1",
			title: "A run",
			definition,
			options: optionsOf(options),
			input: {},
			fields,
			stories: stories.map((s) => (typeof s === "string" ? storyOf(s) : s)),
		};
		const made = transition(null, input);
		assert.ok(made.state);
		this.state = made.state;
		this.turns.push({ input, events: made.events, effects: made.effects });
		this.events.push(...made.events);
		this.feed({ type: "advance" });
	}

	feed(input: WithoutTime<Input>): readonly Event[] {
		const before = this.state;
		const whole = { at: this.at, ...input } as Input;
		const next = transition(before, whole);
		assert.ok(next.state);
		this.turns.push({ input: whole, events: next.events, effects: next.effects });
		this.events.push(...next.events);
		this.effects.push(...next.effects);
		this.state = next.state;
		assert.deepEqual(fold(next.events, before), next.state, "the fold of the events is the state");
		assertWhole(next.events, next.effects);
		for (const effect of next.effects) {
			if (effect.effect !== "start_attempt") continue;
			const type = this.step(effect.scope, effect.step).type;
			this.jobs.push({ ...effect, type });
			this.started.push(effect.scope === RUN_SCOPE ? type : `${effect.scope} ${type}`);
		}
		return next.events;
	}

	/** Ends one attempt that runs. */
	end(job: Job | string, answer: Answer = {}): readonly Event[] {
		const found = typeof job === "string" ? this.job(job) : job;
		this.jobs = this.jobs.filter((j) => j !== found);
		const { scope, step, attempt } = found;
		this.prepare(found);
		if (answer === "lost") return this.feed({ type: "attempt_lost", scope, step, attempt });
		if (answer === "cancelled") return this.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "interrupted" });
		const outcome = outcomeOf({ changed: true, ...answer });
		return this.feed({ type: "attempt_ended", scope, step, attempt, outcome });
	}

	prepare({ scope, step, attempt }: Job): void {
		const log = `logs/${scope}/${step}.jsonl`;
		this.feed({ type: "attempt_prepared", scope, step, attempt, commit: `commit-of-${step}-${attempt}`, log });
	}

	/** Ends attempts as the script says, until nothing runs or only what the script leaves running. Skips waiting times. */
	play(script: Script = {}, limit = 2_000): this {
		for (let turn = 0; turn < limit; turn++) {
			const next = this.jobs.map((job) => ({ job, answer: this.answer(job, script) })).find((n) => n.answer !== null);
			if (next?.answer) {
				this.count(next.job, script);
				this.end(next.job, next.answer);
				continue;
			}
			const wake = this.jobs.length === 0 && this.state.status === "running" ? nextWake(this.state) : null;
			if (wake === null) return this;
			this.at = Math.max(this.at, wake);
			this.feed({ type: "advance" });
		}
		throw new Error(`the run did not come to a halt within ${limit} attempts`);
	}

	/** Plays until this step runs, and leaves it running. */
	until(name: string, script: Script = {}): this {
		this.play({ ...script, [name]: null });
		assert.ok(
			this.jobs.some((j) => named(j, name)),
			`${name} never ran; the run is ${this.state.status} (${this.state.reason ?? ""})`,
		);
		return this;
	}

	job(name: string): Job {
		const found = this.jobs.find((j) => named(j, name));
		assert.ok(found, `${name} does not run; there are ${this.jobs.map((j) => `${j.scope} ${j.type} ${j.role}`).join(", ") || "none"}`);
		return found;
	}

	scope(id: string = RUN_SCOPE): Scope {
		const scope = findScope(this.state, id);
		assert.ok(scope, `there is no scope ${id}`);
		return scope;
	}

	step(scope: string, id: string): Step {
		const step = findStep(this.state, scope, id);
		assert.ok(step, `there is no step ${id} in ${scope}`);
		return step;
	}

	/** The newest step of a type. */
	find(scope: string, type: string): Step {
		const step = this.scope(scope).steps.findLast((s) => s.type === type);
		assert.ok(step, `there is no step of type ${type} in ${scope}`);
		return step;
	}

	story(id: string): Story {
		const story = this.state.stories.find((s) => s.id === id);
		assert.ok(story, `there is no story ${id}`);
		return story;
	}

	/** "type status" of every step of a scope, in order. */
	list(scope: string = RUN_SCOPE): string[] {
		return this.scope(scope).steps.map((s) => `${s.type} ${s.status}`);
	}

	/** What does not run in a story's list: "type id" in order. */
	ids(scope: string): string[] {
		return this.scope(scope).steps.map((s) => s.id);
	}

	stories(): Record<string, string> {
		return Object.fromEntries(this.state.stories.map((s) => [s.id, s.status]));
	}

	all<N extends Event["event"]>(name: N): EventOf<N>[] {
		return this.events.filter((e): e is EventOf<N> => e.event === name);
	}

	asked<E extends Effect["effect"]>(name: E): Of<E>[] {
		return this.effects.filter((e): e is Of<E> => e.effect === name);
	}

	private answer(job: Job, script: Script): Answer | null {
		const said = said1(job, script);
		if (said === undefined) return {};
		if (!isList(said.value)) return said.value;
		const nth = this.used.get(said.key) ?? 0;
		return said.value[Math.min(nth, said.value.length - 1)] ?? null;
	}

	private count(job: Job, script: Script): void {
		const key = said1(job, script)?.key;
		if (key !== undefined) this.used.set(key, (this.used.get(key) ?? 0) + 1);
	}
}

const isList = (value: Script[string]): value is readonly (Answer | null)[] => Array.isArray(value);
const named = (job: Job, name: string): boolean => namesOf(job).includes(name);
const namesOf = (job: Job): string[] => [`${job.scope} ${job.type}`, `${job.type} ${job.role}`, job.type];

function said1(job: Job, script: Script): { key: string; value: Script[string] } | undefined {
	const key = namesOf(job).find((name) => Object.hasOwn(script, name));
	const value = key === undefined ? undefined : script[key];
	return key === undefined || value === undefined ? undefined : { key, value };
}
