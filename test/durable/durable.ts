// The pass over all points of all workflows: in slices, so that a short one sees every workflow, and it goes on where the last one stopped. What was never tried
// comes first: each point killed once, and each that needs room with a full disk once, many of them in one life; then the other calls and errors one by one.

import { Coverage } from "./coverage.ts";
import { attempt, makePlace, nameOf, type Place, type Trial, trialsOf } from "./crash.ts";
import { type Life, live } from "./life.ts";
import { Memory } from "./memory.ts";
import { WORKFLOWS, type Workflow } from "./site.ts";
import { makeTracer, type Tracer } from "./tracer.ts";

export interface DurableOptions {
	readonly seed: number;
	readonly minutes: number;
	readonly workflows?: readonly Workflow[];
	/** Begins with the first point again, whatever was tried before. */
	readonly afresh?: boolean;
	/** Only those with one of these texts in their name, whatever was tried before. */
	readonly only?: readonly string[];
	/** So many workflows at a time. */
	readonly lanes?: number;
	readonly onProgress?: (text: string) => void;
}

/** In this pass and in earlier ones that it goes on from. */
export interface PointFigures {
	/** Distinct points (call, role of the file, program). */
	readonly kinds: number;
	readonly killed: number;
	/** Points whose call needs room on the disk. */
	readonly roomy: number;
	readonly filled: number;
	/** Points that have had what there is for them: a kill, and a full disk if they need room. */
	readonly covered: number;
	readonly trials: number;
	readonly tried: number;
}

export interface DurableFigures {
	readonly what: string;
	readonly seed: number;
	/** Of the workflows that were looked at. */
	readonly points: Record<string, PointFigures>;
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

/** Trials of their own before another workflow has its turn. */
const SLICE = 10;
const MOST_KILLS = 10;
/** Errors leave more behind than kills: a story that failed, a question to a person. */
const MOST_ERRORS = 10;

export async function durable(options: DurableOptions): Promise<DurableFigures> {
	const { seed, minutes, workflows = WORKFLOWS, afresh = false, only = [], lanes = 1, onProgress = () => {} } = options;
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
	const pass = new Pass({ tracer, seed, only, figures, hasTime, onProgress }, new Memory("crash", afresh));
	const waiting = [...pass.memory.order(workflows)];
	const lane = async (): Promise<void> => {
		for (let workflow = waiting.shift(); workflow !== undefined && hasTime(); workflow = waiting.shift()) {
			const hasMore = await pass.turn(workflow);
			figures.seconds = Math.round((performance.now() - start) / 1000);
			onProgress(line(figures));
			if (hasMore) waiting.push(workflow);
		}
	};
	try {
		await Promise.all(Array.from({ length: Math.min(lanes, waiting.length) }, lane));
	} finally {
		pass.close();
		tracer.remove();
	}
	figures.seconds = Math.round((performance.now() - start) / 1000);
	return figures;
}

export const line = ({ seed, trials, kills, errors, missed, seconds, violations, points }: DurableFigures): string => {
	const all = Object.entries(points).map(
		([workflow, p]) => `${workflow} ${p.killed}/${p.kinds} killed, ${p.filled}/${p.roomy} full, ${p.tried}/${p.trials} trials`,
	);
	return `durable seed ${seed}: ${trials} trials (${all.join("; ")}), ${kills} kills, ${errors} errors, ${missed} missed, ${violations.length} violations, ${seconds} s`;
};

interface PassOptions {
	readonly tracer: Tracer;
	readonly seed: number;
	readonly only: readonly string[];
	readonly figures: DurableFigures;
	readonly hasTime: () => boolean;
	readonly onProgress: (text: string) => void;
}

class Pass {
	readonly memory: Memory;
	private readonly options: PassOptions;
	private readonly open = new Map<Workflow, { readonly place: Place; readonly coverage: Coverage }>();

	constructor(options: PassOptions, memory: Memory) {
		this.options = options;
		this.memory = memory;
	}

	/** One life of kills, one of errors, or some trials of their own. False when nothing is left. */
	async turn(workflow: Workflow): Promise<boolean> {
		const { tracer, seed, only, figures, hasTime } = this.options;
		let found = this.open.get(workflow);
		if (found === undefined) {
			const place = await makePlace(workflow);
			const trials = await trialsOf(tracer, place, seed).catch((error: unknown) => {
				place.remove();
				throw error;
			});
			found = { place, coverage: new Coverage(workflow, trials, this.memory, { seed, only }) };
			this.open.set(workflow, found);
		}
		const { place, coverage } = found;
		this.memory.at(workflow);
		for (let trial = coverage.first(), n = 0; trial !== undefined && n < SLICE && hasTime(); trial = coverage.first(), n++)
			await this.alone(place, coverage, trial);
		const [kills, fulls] = [coverage.wanted("kill"), coverage.wanted("full")];
		await this.life(place, coverage, "kill", kills);
		await this.life(place, coverage, "full", fulls);
		if (kills.size + fulls.size === 0) {
			for (let n = 0; n < SLICE && hasTime(); n++) {
				const trial = coverage.next();
				if (trial !== undefined) await this.alone(place, coverage, trial);
			}
			// Other calls of the same kinds, in other company.
			if (coverage.hasMore()) await this.life(place, coverage, "kill", coverage.some());
		}
		figures.points[workflow] = coverage.figures();
		return coverage.hasMore();
	}

	private async life(place: Place, coverage: Coverage, fault: "kill" | "full", wanted: ReadonlySet<string>): Promise<void> {
		const { tracer, figures, hasTime } = this.options;
		if (wanted.size === 0 || !hasTime()) return;
		const most = fault === "kill" ? MOST_KILLS : MOST_ERRORS;
		const { hits, wrong } = await live(tracer, place, { fault, wanted, most, isOver: () => !hasTime() }).catch(
			(error: unknown): Life => ({ hits: [], wrong: [`the life itself: ${error instanceof Error ? error.stack : error}`] }),
		);
		figures.trials += hits.length;
		figures[fault === "kill" ? "kills" : "errors"] += hits.length;
		if (hits.length === 0 && wrong.length === 0) figures.missed += coverage.missed(fault, wanted);
		if (wrong.length === 0) return coverage.hit(fault, hits);
		// Which of them it was shows when each is tried alone; if none, it takes all of them.
		const before = figures.violations.length;
		for (const { point, nth } of hits) await this.alone(place, coverage, { workflow: place.site.workflow, point, nth, fault });
		// Several errors may use up what a workflow allows a step, and then it fails for a reason of its own: that is said, and each alone counts.
		const text = `${place.site.workflow}: ${wrong.join("; ")}`;
		if (figures.violations.length === before && fault === "full") this.options.onProgress(`ONLY TOGETHER ${text}`);
		else if (figures.violations.length === before) this.violated(text);
		coverage.hit(fault, hits);
	}

	private async alone(place: Place, coverage: Coverage, trial: Trial): Promise<void> {
		const { tracer, figures } = this.options;
		const result = await attempt(tracer, place, trial).catch((error: unknown) => ({
			...{ reached: true, killed: false },
			wrong: [`the trial itself: ${error instanceof Error ? error.stack : error}`],
		}));
		figures.trials++;
		if (!result.reached) figures.missed++;
		else if (trial.fault === "kill" || trial.fault === "torn") figures.kills++;
		else figures.errors++;
		coverage.tried(trial, result.wrong.length === 0);
		if (result.wrong.length > 0) this.violated(`${nameOf(trial)}: ${result.wrong.join("; ")}`);
	}

	private violated(text: string): void {
		this.options.figures.violations.push(text);
		this.options.onProgress(`VIOLATION ${text}`);
	}

	close(): void {
		for (const { place } of this.open.values()) place.remove();
	}
}
