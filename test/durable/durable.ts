// The pass over all points of all workflows: in slices, so that a short one sees every workflow, and it goes on where the last one stopped.
import { createHash } from "node:crypto";
import { attempt, makePlace, nameOf, type Place, type Trial, trialsOf } from "./crash.ts";
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
	readonly onProgress?: (text: string) => void;
}

export interface DurableFigures {
	readonly what: string;
	readonly seed: number;
	/** Of the workflows that were looked at: distinct points (call, role of the file, program), and trials there are. `covered`, `tried`: in this pass and in
	 * earlier ones that it goes on from. */
	readonly points: Record<string, { readonly kinds: number; readonly trials: number; tried: number; covered: number }>;
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

const SLICE = 20;

export async function durable(options: DurableOptions): Promise<DurableFigures> {
	const { seed, minutes, workflows = WORKFLOWS, afresh = false, only = [], onProgress = () => {} } = options;
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
	const memory = new Memory("crash", afresh);
	const open = new Map<Workflow, Opened>();
	try {
		const order = memory.order(workflows);
		for (let turn = 0; hasTime(); turn++) {
			const workflow = order[turn % order.length];
			if (workflow === undefined) break;
			const found = open.get(workflow) ?? (await opened(tracer, workflow, { seed, only }, memory, figures));
			open.set(workflow, found);
			if ([...open.values()].every(({ left }) => left.length === 0) && open.size === order.length) break;
			memory.at(workflow);
			for (let n = 0; n < SLICE && hasTime(); n++) {
				const trial = found.left.shift();
				if (trial === undefined) break;
				const wrong = await tried(tracer, found, trial, figures);
				for (const text of wrong) onProgress(`VIOLATION ${text}`);
				memory.tried(nameOf(trial), wrong.length === 0);
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
	const all = Object.entries(points).map(
		([workflow, { tried, trials: of, covered, kinds }]) => `${workflow} ${covered}/${kinds} points, ${tried}/${of} trials`,
	);
	return `durable seed ${seed}: ${trials} trials (${all.join("; ")}), ${kills} kills, ${errors} errors, ${missed} missed, ${violations.length} violations, ${seconds} s`;
};

/** A workflow that is being looked at. */
interface Opened {
	readonly place: Place;
	readonly left: Trial[];
	/** Points with a trial. */
	readonly covered: Set<string>;
}

async function opened(
	tracer: Tracer,
	workflow: Workflow,
	{ seed, only }: { readonly seed: number; readonly only: readonly string[] },
	memory: Memory,
	figures: DurableFigures,
): Promise<Opened> {
	const place = await makePlace(workflow);
	const trials = await trialsOf(tracer, place, seed);
	// The first call of every kind comes before the second of any.
	const rank = (trial: Trial): string =>
		`${trials.find((one) => one.point === trial.point)?.nth === trial.nth ? 0 : 1} ${createHash("sha256")
			.update(`${seed} ${nameOf(trial)}`)
			.digest("hex")}`;
	const ranked = trials.map((trial) => [rank(trial), trial] as const).sort(([a], [b]) => (a < b ? -1 : 1));
	const ordered = ranked.map(([, trial]) => trial);
	const asked = ordered.filter((trial) => only.some((text) => nameOf(trial).includes(text)));
	const { left, tried } = only.length > 0 ? { left: asked, tried: [] } : memory.left(ordered, nameOf);
	const covered = new Set(tried.map(({ point }) => point));
	figures.points[workflow] = {
		kinds: new Set(trials.map(({ point }) => point)).size,
		trials: trials.length,
		tried: tried.length,
		covered: covered.size,
	};
	return { place, left, covered };
}

async function tried(tracer: Tracer, { place, covered }: Opened, trial: Trial, figures: DurableFigures): Promise<string[]> {
	const result = await attempt(tracer, place, trial).catch((error: unknown) => ({
		...{ reached: true, killed: false },
		wrong: [`the trial itself: ${error instanceof Error ? error.stack : error}`],
	}));
	const figure = figures.points[trial.workflow];
	covered.add(trial.point);
	if (figure) Object.assign(figure, { tried: figure.tried + 1, covered: covered.size });
	figures.trials++;
	if (!result.reached) figures.missed++;
	else if (trial.fault === "kill" || trial.fault === "torn") figures.kills++;
	else figures.errors++;
	const wrong = result.wrong.length === 0 ? [] : [`${nameOf(trial)}: ${result.wrong.join("; ")}`];
	figures.violations.push(...wrong);
	return wrong;
}
