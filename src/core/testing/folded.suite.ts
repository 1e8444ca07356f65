// States that are folded from events which a test writes itself, without asking the core what it decides.
import type { Definition } from "../definition.ts";
import type { Event } from "../event.ts";
import { fold } from "../fold/apply.ts";
import { RUN_SCOPE, type RunOptions, type RunState, type Step, type Story } from "../model.ts";
import { optionsOf } from "./builders.suite.ts";

/** The time of the start, and of every later event that names none. */
export const [CREATED, AT] = [1_000, 5_000];

/** An event whose time does not matter, or is named. */
export type Part = Event extends infer E ? (E extends Event ? Omit<E, "at"> & { readonly at?: number } : never) : never;

export class Folded {
	readonly #definition: Definition;
	readonly #options: Partial<RunOptions>;

	constructor(definition: Definition, options: Partial<RunOptions> = {}) {
		this.#definition = definition;
		this.#options = options;
	}

	events(...parts: readonly Part[]): readonly Event[] {
		const created: Event = {
			event: "run_created",
			at: CREATED,
			id: "r",
			title: "A run",
			definition: this.#definition,
			options: optionsOf(this.#options),
			input: { request: "do it" },
			fields: { given: "1" },
		};
		return [created, ...parts.map((part) => ({ at: AT, ...part }) as Event)];
	}

	state(...parts: readonly Part[]): RunState {
		const state = fold(this.events(...parts));
		if (state === null) throw new Error("no run was created");
		return state;
	}

	/** A step of the run's own, after these events. */
	step(id: string, ...parts: readonly Part[]): Step {
		const step = this.state(...parts).root.steps.find((one) => one.id === id);
		if (step === undefined) throw new Error(`there is no step ${id}`);
		return step;
	}

	story(id: string, ...parts: readonly Part[]): Story {
		const story = this.state(...parts).stories.find((one) => one.id === id);
		if (story === undefined) throw new Error(`there is no story ${id}`);
		return story;
	}
}

/** Steps of the run, by their types: step-001, step-002, … */
export const planned = (...types: readonly string[]): Part => ({
	event: "steps_planned",
	scope: RUN_SCOPE,
	steps: types.map((type, i) => ({ id: `step-00${i + 1}`, type, description: `do ${type}` })),
});
