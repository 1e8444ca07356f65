// What a pass of the simulation reports, and how passes are added up.

/** One thing that did not hold, with what it takes to see it again. */
export interface Violation {
	/** `npm run simulate -- --layer LAYER --seed SEED --runs 1` shows it again. */
	readonly seed: number;
	readonly layer: Layer;
	readonly message: string;
	/** The shortest history found that still fails, one line for each thing that happened. */
	readonly trace: readonly string[];
}

/** `core`: decisions and store alone, at a high rate; `engine`: the whole engine with workspaces, agents, files and the application; `shared`: the same
 * with several machines that work on one run. */
export type Layer = "core" | "engine" | "shared";
export const LAYERS: readonly Layer[] = ["core", "engine", "shared"];

export interface LayerFigures {
	readonly runs: number;
	readonly events: number;
	/** What was done to the runs: crashes, lost answers, persons, … */
	readonly faults: Readonly<Record<string, number>>;
	/** How the runs ended. */
	readonly ended: Readonly<Record<string, number>>;
}

export interface Pass {
	readonly what: string;
	/** The first seed; run n of a layer has seed + n. */
	readonly seed: number;
	readonly runs: number;
	readonly events: number;
	readonly seconds: number;
	readonly layers: Readonly<Record<Layer, LayerFigures>>;
	readonly violations: readonly Violation[];
}

/** One simulated run. */
export interface History {
	readonly events: number;
	readonly wrong: readonly string[];
	/** What happened, in words. */
	readonly trace: readonly string[];
	readonly faults: Readonly<Record<string, number>>;
	/** The run's last status. */
	readonly ended: string;
	/** The journal as text, without what differs from machine to machine. */
	readonly journal: () => string;
}

/** The same for each layer. */
export const perLayer = <T>(of: (layer: Layer) => T): Record<Layer, T> => ({
	core: of("core"),
	engine: of("engine"),
	shared: of("shared"),
});

export const NO_FIGURES: LayerFigures = { runs: 0, events: 0, faults: {}, ended: {} };

const added = (a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> => {
	const sum: Record<string, number> = { ...a };
	for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
	return sum;
};

export const plus = (a: LayerFigures, b: LayerFigures): LayerFigures => ({
	runs: a.runs + b.runs,
	events: a.events + b.events,
	faults: added(a.faults, b.faults),
	ended: added(a.ended, b.ended),
});

export const figuresOf = ({ events, faults, ended }: History): LayerFigures => ({ runs: 1, events, faults, ended: { [ended]: 1 } });

const counts = (of: Readonly<Record<string, number>>): string =>
	Object.entries(of)
		.sort(([, a], [, b]) => b - a)
		.map(([name, count]) => `${name} ${count}`)
		.join(", ");

/** For a person. */
export function textOf({ seed, runs, events, seconds, layers, violations }: Pass): string {
	const rate = Math.round((events / Math.max(seconds, 0.001)) * 60);
	return [
		`seed ${seed}: ${runs} runs, ${events} events in ${Math.round(seconds)} s (${rate} a minute), ${violations.length} violations`,
		...LAYERS.filter((layer) => layers[layer].runs > 0).flatMap((layer) => [
			`  ${layer}: ${layers[layer].runs} runs, ${layers[layer].events} events`,
			`    happened: ${counts(layers[layer].faults)}`,
			`    ended as: ${counts(layers[layer].ended)}`,
		]),
		...violations.flatMap((one) => [
			"",
			`${one.layer} ${one.seed}: ${one.message}`,
			...one.trace.map((line) => `    ${line}`),
			`  again: npm run simulate -- --layer ${one.layer} --seed ${one.seed} --runs 1`,
		]),
	].join("\n");
}
