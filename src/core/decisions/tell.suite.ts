// What the core decided in a run, as lines: `>` an input, `+` an event, `!` an effect. What every attempt has in common is left out.
import type { Event, NewStep } from "../event.ts";
import type { Input, Outcome, StorySeed } from "../input.ts";
import { NO_USAGE, outcomeOf, storyOf } from "../testing/builders.suite.ts";
import type { Turn, World } from "../testing/world.suite.ts";

export type Scenarios = Readonly<Record<string, () => World>>;

/** What led to this point is not told. */
export function untold(w: World): World {
	w.turns.length = 0;
	return w;
}

export const tell = ({ turns }: World): string =>
	turns
		.filter((turn) => !isUsual(turn))
		.flatMap(linesOf)
		.join("\n");

const linesOf = ({ input, events, effects }: Turn): string[] => [
	input.type === "create_run" ? "> create_run" : line(">", input),
	...events.filter((event) => !saysNothing(event)).map((event) => line("+", event)),
	...effects.map((effect) => line("!", effect)),
];

/** A run's creation, and the use of a session that did not say it. */
const saysNothing = (event: Event): boolean =>
	event.event === "run_created" ||
	(event.event === "usage_recorded" && event.model === undefined && Object.values(event.usage).every((value) => value === null));

/** The beginning of an attempt, of which nothing follows. */
const isUsual = ({ input, events, effects }: Turn): boolean =>
	input.type === "attempt_prepared" && events.length === 1 && effects.length === 0 && input.branch === undefined;

function line(mark: string, of: Input | Event | object): string {
	const { at: _, type, event, effect, scope, step, attempt, outcome, ...rest } = of as Readonly<Record<string, unknown>>;
	const where = [scope, step].filter((part) => part !== undefined).join("/");
	const number = attempt === undefined ? "" : `#${String(attempt)}`;
	const said = outcome === undefined ? rest : { ...rest, ...unusual(outcome as Outcome) };
	const fields = Object.entries(said).map(([key, value]) => ` ${key}=${brief(SHORT[key]?.(value) ?? value)}`);
	return `${mark} ${[event ?? effect ?? type, `${where}${number}`].filter((part) => part !== "").join(" ")}${fields.join("")}`;
}

const unusual = (outcome: Outcome): object => ({
	signal: outcome.signal,
	...without(outcome, outcomeOf({ signal: outcome.signal, changed: true })),
});

const without = (one: object, usual: object): object =>
	Object.fromEntries(
		Object.entries(one).filter(([key, value]) => brief(value) !== brief((usual as Readonly<Record<string, unknown>>)[key])),
	);
const listOf = (value: unknown, short: (one: never) => object): unknown =>
	Array.isArray(value) ? value.map((one) => short(one as never)) : value;

/** Only what a test of the core gives otherwise than its builders do. */
const SHORT: Readonly<Record<string, (value: unknown) => unknown>> = {
	usage: (value) => without(value as object, NO_USAGE),
	steps: (value) => listOf(value, (step: NewStep) => without(step, { description: `do ${step.type}` })),
	stories: (value) => listOf(value, (story: StorySeed) => without(story, { ...storyOf(story.id), id: "" })),
};

function brief(value: unknown): string {
	if (typeof value === "string") return /^[\w@./:*-]+$/.test(value) ? value : JSON.stringify(value);
	if (Array.isArray(value)) return `[${value.map(brief).join(", ")}]`;
	if (typeof value !== "object" || value === null) return String(value);
	return `{${Object.entries(value)
		.map(([key, one]) => `${key}: ${brief(one)}`)
		.join(", ")}}`;
}
