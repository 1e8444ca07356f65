// The pass over all points of all workflows: in slices, so that a short one sees every workflow, and it goes on where the last one stopped.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeWholeSync } from "../../src/files/write.ts";
import { PROJECT } from "../support/bin.ts";
import { attempt, makePlace, nameOf, type Place, type Trial, trialsOf } from "./crash.ts";
import { WORKFLOWS, type Workflow } from "./site.ts";
import { makeTracer, type Tracer } from "./tracer.ts";

export interface DurableOptions {
	readonly seed: number;
	readonly minutes: number;
	readonly workflows?: readonly Workflow[];
	/** Begins with the first point again, whatever was tried before. */
	readonly afresh?: boolean;
	readonly onProgress?: (text: string) => void;
}

export interface DurableFigures {
	readonly what: string;
	readonly seed: number;
	/** Distinct (call, role of the file, program) of the workflows that were looked at, and how many of their classes there are to try. */
	readonly points: Record<string, { readonly kinds: number; readonly trials: number; tried: number }>;
	trials: number;
	kills: number;
	errors: number;
	/** The run did not come by the point this time. */
	missed: number;
	seconds: number;
	/** Why nothing was tried here. */
	skipped: string | null;
	readonly violations: string[];
}

/** Where the next pass goes on. */
const MEMORY = join(PROJECT, "node_modules", ".cache", "pawl-durable.json");
const SLICE = 20;

export async function durable(options: DurableOptions): Promise<DurableFigures> {
	const { seed, minutes, workflows = WORKFLOWS, afresh = false, onProgress = () => {} } = options;
	const figures: DurableFigures = {
		...{ what: "crash at every durable call", seed, points: {}, trials: 0, kills: 0, errors: 0, missed: 0, seconds: 0, skipped: null },
		violations: [],
	};
	const tracer = makeTracer();
	if ("problem" in tracer) {
		figures.skipped = tracer.problem;
		onProgress(`SKIPPED: ${tracer.problem}`);
		return figures;
	}
	const start = performance.now();
	const hasTime = () => performance.now() - start < minutes * 60_000;
	const memory = new Memory(afresh);
	const open = new Map<Workflow, { readonly place: Place; readonly left: Trial[] }>();
	try {
		const order = memory.order(workflows);
		for (let turn = 0; hasTime(); turn++) {
			const workflow = order[turn % order.length];
			if (workflow === undefined) break;
			const found = open.get(workflow) ?? (await opened(tracer, workflow, seed, memory, figures));
			open.set(workflow, found);
			if ([...open.values()].every(({ left }) => left.length === 0) && open.size === order.length) break;
			memory.at(workflow);
			for (let n = 0; n < SLICE && hasTime(); n++) {
				const trial = found.left.shift();
				if (trial === undefined) break;
				const wrong = await tried(tracer, found.place, trial, figures);
				for (const text of wrong) onProgress(`VIOLATION ${text}`);
				memory.tried(trial);
				figures.seconds = Math.round((performance.now() - start) / 1000);
				if (figures.trials % 20 === 0) onProgress(line(figures));
			}
		}
	} finally {
		for (const { place } of open.values()) place.remove();
		tracer.remove();
	}
	figures.seconds = Math.round((performance.now() - start) / 1000);
	return figures;
}

export const line = ({ seed, trials, kills, errors, missed, seconds, violations, points }: DurableFigures): string => {
	const all = Object.entries(points).map(([workflow, { tried, trials: of }]) => `${workflow} ${tried}/${of}`);
	return `durable seed ${seed}: ${trials} trials (${all.join(", ")}), ${kills} kills, ${errors} errors, ${missed} missed, ${violations.length} violations, ${seconds} s`;
};

async function opened(tracer: Tracer, workflow: Workflow, seed: number, memory: Memory, figures: DurableFigures) {
	const place = await makePlace(workflow);
	const trials = await trialsOf(tracer, place, seed);
	// The first call of every kind comes before the second of any.
	const rank = (trial: Trial): string =>
		`${trials.find((one) => one.point === trial.point)?.nth === trial.nth ? 0 : 1} ${createHash("sha256")
			.update(`${seed} ${nameOf(trial)}`)
			.digest("hex")}`;
	const ordered = trials.map((trial) => [rank(trial), trial] as const).sort(([a], [b]) => (a < b ? -1 : 1));
	const left = ordered.map(([, trial]) => trial).filter((trial) => !memory.has(trial));
	figures.points[workflow] = {
		kinds: new Set(trials.map(({ point }) => point)).size,
		trials: trials.length,
		tried: trials.length - left.length,
	};
	return { place, left };
}

async function tried(tracer: Tracer, place: Place, trial: Trial, figures: DurableFigures): Promise<string[]> {
	const result = await attempt(tracer, place, trial).catch((error: unknown) => ({
		...{ reached: true, killed: false },
		wrong: [`the trial itself: ${error instanceof Error ? error.stack : error}`],
	}));
	const figure = figures.points[trial.workflow];
	if (figure) figure.tried++;
	figures.trials++;
	if (!result.reached) figures.missed++;
	else if (trial.fault === "kill" || trial.fault === "torn") figures.kills++;
	else figures.errors++;
	const wrong = result.wrong.length === 0 ? [] : [`${nameOf(trial)}: ${result.wrong.join("; ")}`];
	figures.violations.push(...wrong);
	return wrong;
}

/** What was tried since the last full pass. */
class Memory {
	private readonly names: Set<string>;
	private last: string;

	constructor(afresh: boolean) {
		const kept = afresh ? null : readMemory();
		this.names = new Set(kept?.tried ?? []);
		this.last = kept?.last ?? "";
	}

	has(trial: Trial): boolean {
		return this.names.has(nameOf(trial));
	}

	/** Those that come after the last one first. */
	order(workflows: readonly Workflow[]): readonly Workflow[] {
		const at = workflows.indexOf(this.last as Workflow) + 1;
		return [...workflows.slice(at), ...workflows.slice(0, at)];
	}

	at(workflow: Workflow): void {
		this.last = workflow;
	}

	tried(trial: Trial): void {
		this.names.add(nameOf(trial));
		mkdirSync(dirname(MEMORY), { recursive: true });
		writeWholeSync(MEMORY, JSON.stringify({ last: this.last, tried: [...this.names] }));
	}
}

function readMemory(): { readonly last: string; readonly tried: readonly string[] } | null {
	try {
		return JSON.parse(readFileSync(MEMORY, "utf8")) as { last: string; tried: string[] };
	} catch {
		return null;
	}
}
