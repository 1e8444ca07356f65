// A history of the core layer as data: a workflow, stories, and a list of things that happen one after the other. Each of them means something
// wherever it stands, so that a shorter list is a history too.
import type { StorySeed } from "../../src/core/input.ts";
import { storyOf } from "../../src/core/testing/builders.suite.ts";
import { luckOf, mixed } from "./luck.ts";
import { BUILT_INS, workflowNumber } from "./workflows.ts";

const DEEDS = {
	/** An attempt begins, or ends with some result. */
	begin: 6,
	end: 40,
	/** A result comes again, or too late. */
	late: 4,
	/** A person asks for something; the engine reads its inbox. */
	person: 10,
	inbox: 4,
	/** The process is killed; the store takes no commit; the store takes it, and its answer is lost. */
	crash: 2,
	refused: 1,
	unanswered: 1,
	/** Another process takes the run over while this one lives on. */
	takeover: 1,
	/** The clock jumps by up to an hour. */
	clock: 2,
	/** Time passes until something is due. */
	wait: 3,
} as const;

export type Deed = keyof typeof DEEDS;
const BAG: readonly Deed[] = Object.entries(DEEDS).flatMap(([deed, share]) => Array<Deed>(share).fill(deed as Deed));

export interface Turn {
	readonly deed: Deed;
	/** What exactly is done follows from this number and from what there is at that moment. */
	readonly x: number;
}

export interface CoreScenario {
	/** The number of a random workflow, or the name of one that comes with pawl. */
	readonly workflow: number | string;
	readonly stories: readonly StorySeed[];
	readonly agents: number;
	readonly yes: boolean;
	readonly budgets: Readonly<Record<string, number>>;
	readonly maxWaitMs: number | null;
	readonly turns: readonly Turn[];
}

/** How many random workflows neighbouring seeds share. */
const WORKFLOWS = 500;

export function coreScenario(seed: number): CoreScenario {
	const luck = luckOf(mixed("core", seed));
	const ids = Array.from({ length: luck.between(1, 5) }, (_, n) => `US-${n + 1}`);
	return {
		workflow: luck.happens(0.25) ? luck.pick(BUILT_INS) : workflowNumber(seed, luck, WORKFLOWS),
		stories: ids.map((id, n) =>
			storyOf(id, {
				priority: luck.between(1, 3),
				dependsOn: ids.slice(0, n).filter(() => luck.happens(0.25)),
				expectsChange: luck.happens(0.8),
				passes: luck.happens(0.05),
			}),
		),
		agents: luck.between(1, 4),
		yes: luck.happens(0.6),
		budgets: {
			...(luck.happens(0.3) ? { cost: luck.between(1, 40) } : {}),
			...(luck.happens(0.1) ? { time: luck.between(1, 12) * 3_600_000 } : {}),
		},
		maxWaitMs: luck.happens(0.1) ? luck.between(1, 60) * 60_000 : null,
		turns: Array.from({ length: luck.between(5, 90) }, () => ({ deed: luck.some(BAG) ?? "end", x: luck.seed() })),
	};
}
