// One process of the simulation: plays its share of the seeds and says every second how far it is.
import { playSeed } from "./play.ts";
import { type Layer, type LayerFigures, NO_FIGURES, perLayer, plus, type Violation } from "./report.ts";
import { MOST_VIOLATIONS, type Order, type Progress } from "./simulate.ts";

/** The share of the time that goes to each layer, if several are played by the clock. */
const SHARES: Readonly<Record<Layer, number>> = { core: 0.5, engine: 0.25, shared: 0.25 };

process.once("message", (order: Order) => {
	void work(order).then(() => process.disconnect());
});

async function work({ seed, first, every, runs, until, layers }: Order): Promise<void> {
	const figures = perLayer<LayerFigures>(() => NO_FIGURES);
	const violations: Violation[] = [];
	const next = perLayer(() => first);
	const spent = perLayer(() => 0);
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
	const had = (layer: Layer): number => spent[layer] / SHARES[layer];
	return open.toSorted((a, b) => had(a) - had(b))[0] ?? null;
}
