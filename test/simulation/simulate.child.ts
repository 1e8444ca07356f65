// One process of the simulation: plays its share of the seeds and says every second how far it is.
import { playSeed } from "./play.ts";
import { type Layer, type LayerFigures, NO_FIGURES, plus, type Violation } from "./report.ts";
import { MOST_VIOLATIONS, type Order, type Progress } from "./simulate.ts";

/** The share of the time that goes to the engine layer, if both are played by the clock. */
const ENGINE_SHARE = 0.3;

process.once("message", (order: Order) => {
	void work(order).then(() => process.disconnect());
});

async function work({ seed, first, every, runs, until, layers }: Order): Promise<void> {
	const figures: Record<Layer, LayerFigures> = { core: NO_FIGURES, engine: NO_FIGURES };
	const violations: Violation[] = [];
	const next: Record<Layer, number> = { core: first, engine: first };
	const spent: Record<Layer, number> = { core: 0, engine: 0 };
	const tell = (done: boolean): void => void process.send?.({ figures, violations, done } satisfies Progress);
	let told = Date.now();
	for (let layer = choose(layers, next, runs, spent); layer !== null; layer = choose(layers, next, runs, spent)) {
		const begun = Date.now();
		if ((until !== null && begun >= until) || violations.length >= MOST_VIOLATIONS) break;
		const { figures: more, violation } = await playSeed(layer, seed + next[layer]);
		next[layer] += every;
		spent[layer] += Date.now() - begun;
		figures[layer] = plus(figures[layer], more);
		if (violation !== null) violations.push(violation);
		if (Date.now() - told < 1000) continue;
		told = Date.now();
		tell(false);
	}
	tell(true);
}

/** The layer that has had less than its share. */
function choose(
	layers: readonly Layer[],
	next: Readonly<Record<Layer, number>>,
	runs: Order["runs"],
	spent: Readonly<Record<Layer, number>>,
): Layer | null {
	const open = layers.filter((layer) => next[layer] < runs[layer]);
	if (open.length < 2) return open[0] ?? null;
	return spent.engine < (spent.engine + spent.core) * ENGINE_SHARE ? "engine" : "core";
}
