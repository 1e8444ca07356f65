// One seed of one layer: its history, and if something does not hold, the shortest history that still shows it.
import { coreHistory } from "./core-history.ts";
import { coreScenario } from "./core-scenario.ts";
import { engineHistory } from "./engine-history.ts";
import { engineScenario } from "./engine-scenario.ts";
import { type Droppable, minimise } from "./minimise.ts";
import { figuresOf, type History, type Layer, type LayerFigures, type Violation } from "./report.ts";
import { sharedHistory } from "./shared-history.ts";
import { sharedScenario } from "./shared-scenario.ts";

export interface Played {
	readonly figures: LayerFigures;
	readonly violation: Violation | null;
}

export function historyOf(layer: Layer, seed: number): Promise<History> {
	switch (layer) {
		case "core":
			return coreHistory(coreScenario(seed));
		case "engine":
			return engineHistory(engineScenario(seed));
		case "shared":
			return sharedHistory(sharedScenario(seed));
	}
}

export async function playSeed(layer: Layer, seed: number): Promise<Played> {
	const history = await historyOf(layer, seed);
	const figures = figuresOf(history);
	const [message] = history.wrong;
	if (message === undefined) return { figures, violation: null };
	const shorter = await shortestOf(layer, seed, message);
	return {
		figures,
		violation: {
			seed,
			layer,
			message: shorter.wrong[0] ?? message,
			trace: [...shorter.trace, ...shorter.wrong.map((text) => `→ ${text}`)],
		},
	};
}

const PARTS = ["faults", "persons", "sessions", "commits", "clocks", "stories"] as const;

function shortestOf(layer: Layer, seed: number, message: string): Promise<History> {
	switch (layer) {
		case "core":
			return shortest(coreScenario(seed), ["turns", "stories"], coreHistory, message, 300);
		case "engine":
			return shortest(engineScenario(seed), PARTS, engineHistory, message, 60);
		case "shared":
			return shortest(sharedScenario(seed), ["blows", ...PARTS], sharedHistory, message, 80);
	}
}

async function shortest<K extends string, S extends Droppable<K>>(
	scenario: S,
	parts: readonly K[],
	play: (s: S) => Promise<History>,
	message: string,
	tries: number,
): Promise<History> {
	const same = (history: History): boolean => history.wrong.some((text) => shapeOf(text) === shapeOf(message));
	return play(await minimise(scenario, parts, async (shorter) => same(await play(shorter)), tries));
}

/** A violation without the numbers and names that differ from history to history. */
const shapeOf = (text: string): string =>
	(text.split("\n", 1)[0] ?? "").replace(/event \d+: |process \d+/g, "").replace(/[A-Z]+-\d+|step-\d+|\d+(\.\d+)?/g, "#");
