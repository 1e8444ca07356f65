// A history of the shared layer as data: one of the engine layer whose run several machines share, and what happens to those machines.
import { whyNotShared } from "../../src/core/assign/shareable.ts";
import { type EngineScenario, engineScenario } from "./engine-scenario.ts";
import { luckOf, mixed } from "./luck.ts";
import { randomWorkflow, workflowNumber } from "./workflows.ts";

/** `kill`: kill -9; `partition`: it loses a lane and goes on there for a while; `stop`: as by SIGSTOP, perhaps for longer than its leases last; `drain`: it finishes
 * what it has and leaves. */
export type Blow = "kill" | "partition" | "stop" | "drain";

export interface SharedScenario extends EngineScenario {
	/** How many at once, each on a machine of its own. */
	readonly workers: number;
	/** How many lanes each of them works on at once. */
	readonly lanes: number;
	/** So many milliseconds after the workers of a life began. */
	readonly blows: readonly { readonly life: number; readonly after: number; readonly blow: Blow; readonly x: number }[];
}

const WORKFLOWS = 400;
const MINUTE = 60_000;

export function sharedScenario(seed: number): SharedScenario {
	const luck = luckOf(mixed("shared", seed));
	const several = <T>(most: number, make: () => T): T[] => Array.from({ length: luck.between(0, most) }, make);
	const life = (): number => luck.between(0, luck.between(0, 3));
	const { persons, faults, clocks, ...common } = engineScenario(luck.seed());
	const early = <T extends { readonly life: number }>(all: readonly T[]): T[] =>
		all.map((one) => ({ ...one, life: Math.floor(one.life / 2) }));
	return {
		...common,
		workflow: luck.happens(0.4) ? "dynamic" : shareable(seed, luck.seed()),
		pulled: false,
		// Those of another process than the first come later in its life.
		...{
			persons: early(persons),
			clocks: early(clocks),
			faults: early(faults).map((one) => ({ ...one, at: one.at * luck.between(1, 4) })),
		},
		commits: several(4, () => ({ nth: luck.between(1, 200), how: luck.pick<"fail" | "lose">(["fail", "lose", "lose"]) })),
		workers: luck.between(2, 3),
		lanes: luck.between(1, 3),
		blows: several(10, () => ({
			...{ life: life(), after: luck.between(0, luck.between(1, 90) * MINUTE), x: luck.seed() },
			blow: luck.pick<Blow>(["kill", "kill", "partition", "partition", "partition", "stop", "stop", "drain"]),
		})),
	};
}

/** The number of a random workflow that machines can share. */
function shareable(seed: number, x: number): number {
	const luck = luckOf(x);
	for (;;) {
		const number = workflowNumber(seed, luck, WORKFLOWS);
		if (whyNotShared(randomWorkflow(number).definition, "prd") === null) return number;
	}
}
