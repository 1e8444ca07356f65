// Runs the simulation in several processes, by a number of runs or by time, and adds up what they say. `npm run simulate` and `npm run prove`
// use it.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { LAYERS, type Layer, type LayerFigures, NO_FIGURES, type Pass, perLayer, plus, type Violation } from "./report.ts";

export interface SimulateOptions {
	readonly seed: number;
	/** How many runs of the core layer. Without it and without minutes: 1000. */
	readonly runs?: number;
	readonly minutes?: number;
	/** All by default; then each process spends part of its time on each. */
	readonly layers?: readonly Layer[];
	readonly processes?: number;
	readonly onProgress?: (pass: Pass) => void;
}

/** What a process is told to do. */
export interface Order {
	readonly seed: number;
	/** It plays every nth seed, beginning with its own. */
	readonly first: number;
	readonly every: number;
	readonly runs: Readonly<Record<Layer, number>>;
	/** When to stop, by the clock of the machine; null: when the runs are played. */
	readonly until: number | null;
	readonly layers: readonly Layer[];
}

export interface Progress {
	readonly figures: Readonly<Record<Layer, LayerFigures>>;
	readonly violations: readonly Violation[];
	readonly done: boolean;
}

/** For each run of another layer there are as many of the core layer, which is that much cheaper. */
const CORE_PER_OTHER = 40;
/** A pass that finds more than this many stops early. */
export const MOST_VIOLATIONS = 10;

export async function simulate({
	seed,
	runs,
	minutes,
	layers = LAYERS,
	processes = availableParallelism(),
	onProgress,
}: SimulateOptions): Promise<Pass> {
	const begun = Date.now();
	const wanted = runs ?? (minutes === undefined ? 1000 : Number.MAX_SAFE_INTEGER);
	const others = layers.includes("core") ? Math.ceil(wanted / CORE_PER_OTHER) : wanted;
	const said = new Map<number, Progress>();
	const pass = (): Pass => {
		const all = [...said.values()];
		const sum = (layer: Layer): LayerFigures => all.reduce((total, one) => plus(total, one.figures[layer]), NO_FIGURES);
		const figures = perLayer(sum);
		return {
			what: "simulated runs",
			seed,
			runs: LAYERS.reduce((total, layer) => total + figures[layer].runs, 0),
			events: LAYERS.reduce((total, layer) => total + figures[layer].events, 0),
			seconds: (Date.now() - begun) / 1000,
			layers: figures,
			violations: all.flatMap((one) => one.violations),
		};
	};
	const folder = mkdtempSync(join(tmpdir(), "pawl-simulate-"));
	try {
		await Promise.all(
			Array.from({ length: Math.min(processes, wanted) }, (_, first) => {
				const until = minutes === undefined ? null : begun + minutes * 60_000;
				const order: Order = {
					seed,
					first,
					every: Math.min(processes, wanted),
					runs: perLayer((layer) => (layer === "core" ? wanted : others)),
					until,
					layers,
				};
				return inProcess(order, folder, (progress) => {
					said.set(first, progress);
					onProgress?.(pass());
				});
			}),
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	return pass();
}

function inProcess(order: Order, folder: string, hear: (progress: Progress) => void): Promise<void> {
	return new Promise((done, fail) => {
		const child = fork(join(import.meta.dirname, "simulate.child.ts"), { env: { ...process.env, TMPDIR: folder } });
		child.on("message", (progress: Progress) => hear(progress));
		child.once("error", fail);
		child.once("exit", (code) => (code === 0 ? done() : fail(new Error(`a process of the simulation ended with code ${code}`))));
		child.send(order);
	});
}
