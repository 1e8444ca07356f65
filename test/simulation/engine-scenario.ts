// A history of the engine layer as data: a workflow, stories, persons, faults, and sessions that go wrong. Each of them can be left out.
import type { StorySeed } from "../../src/core/input.ts";
import { storyOf } from "../../src/core/testing/builders.suite.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { luckOf, mixed } from "./luck.ts";
import { workflowNumber } from "./workflows.ts";

/** What goes wrong with a session. */
export type Mood =
	| "fails"
	| "limited"
	| "overloaded"
	| "hangs"
	| "mute"
	| "breaks"
	| "edits"
	| "sneaks"
	| "clashes"
	| "judges"
	| "dies"
	| "decides";
/** What happens at a boundary between the engine and the world. */
export type Fate = "die" | "slow" | "disk full" | "bug";
export type Act = "pause" | "interrupt" | "steer" | "extend" | "retry" | "resume" | "add story" | "commit" | "edit" | "dirty" | "skip";

export interface EngineScenario {
	/** One of BUILT_IN, or the number of a random workflow. */
	readonly workflow: string | number;
	readonly pulled: boolean;
	readonly agents: number;
	readonly yes: boolean;
	readonly budget: number | null;
	readonly stories: readonly StorySeed[];
	/** The nth session of the history, from 0. */
	readonly sessions: readonly { readonly nth: number; readonly mood: Mood; readonly x: number }[];
	/** At the nth boundary of a process, from 0. */
	readonly faults: readonly { readonly life: number; readonly at: number; readonly fate: Fate; readonly x: number }[];
	/** The nth commit of the history. */
	readonly commits: readonly { readonly nth: number; readonly how: "fail" | "lose" }[];
	/** So many milliseconds after a process began. */
	readonly persons: readonly {
		readonly life: number;
		readonly after: number;
		readonly act: Act;
		readonly x: number;
		/** They type a command before the process begins, instead of while it runs. */
		readonly before: boolean;
	}[];
	/** No merge is checked ahead of its turn. */
	readonly serial: boolean;
	readonly clocks: readonly { readonly life: number; readonly after: number; readonly by: number }[];
}

const MINUTE = 60_000;
const MOODS: readonly [Mood, ...Mood[]] = [
	"fails",
	"limited",
	"overloaded",
	"hangs",
	"mute",
	"breaks",
	"breaks",
	"edits",
	"edits",
	"sneaks",
	"clashes",
	"clashes",
	"judges",
	"judges",
	"dies",
	"decides",
];
const ACTS: readonly [Act, ...Act[]] = [
	"pause",
	"interrupt",
	"steer",
	"steer",
	"extend",
	"retry",
	"resume",
	"add story",
	"commit",
	"commit",
	"edit",
	"dirty",
	"skip",
];
const WORKFLOWS = 300;
/** Processes that may have faults. */
export const BAD_LIVES = 8;

export function engineScenario(seed: number): EngineScenario {
	const luck = luckOf(mixed("engine", seed));
	const several = <T>(most: number, make: () => T): T[] => Array.from({ length: luck.between(0, most) }, make);
	const ids = Array.from({ length: luck.between(1, 4) }, (_, n) => `US-${n + 1}`);
	// Most of them early: a run may be over before the later processes.
	const life = (): number => luck.between(0, luck.between(0, BAD_LIVES - 1));
	const minutes = (most: number): number => luck.between(0, most * 60) * 1000;
	return {
		workflow: luck.happens(0.55) ? luck.pick(Object.keys(BUILT_IN) as [string, ...string[]]) : workflowNumber(seed, luck, WORKFLOWS),
		pulled: luck.happens(0.2),
		agents: luck.between(1, 3),
		yes: luck.happens(0.8),
		budget: luck.happens(0.15) ? luck.between(2, 40) : null,
		stories: ids.map((id, n) => storyOf(id, { priority: luck.between(1, 3), dependsOn: ids.slice(0, n).filter(() => luck.happens(0.25)) })),
		sessions: several(10, () => ({ nth: luck.between(0, 25), mood: luck.pick(MOODS), x: luck.seed() })),
		faults: several(12, () => ({
			life: life(),
			at: luck.between(0, 130),
			fate: luck.pick<Fate>(["die", "die", "die", "slow", "disk full", "bug"]),
			x: luck.seed(),
		})),
		commits: several(2, () => ({ nth: luck.between(1, 150), how: luck.pick<"fail" | "lose">(["fail", "lose"]) })),
		persons: several(6, () => ({ life: life(), after: minutes(40), act: luck.pick(ACTS), x: luck.seed(), before: luck.happens(0.3) })),
		clocks: several(2, () => ({ life: life(), after: minutes(40), by: luck.between(-60, 60) * MINUTE })),
		serial: luck.happens(0.2),
	};
}
