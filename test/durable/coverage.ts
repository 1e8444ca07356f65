// What of one workflow was tried, in this pass and in earlier ones, and what comes next.
import { createHash } from "node:crypto";
import { type Chance, chance } from "../support/soak-chance.ts";
import { nameOf, type Trial } from "./crash.ts";
import type { PointFigures } from "./durable.ts";
import type { Hit } from "./life.ts";
import type { Memory } from "./memory.ts";
import type { Workflow } from "./site.ts";

type Basic = "kill" | "full";

/** A point that a run did not come by this often is left to the trials of their own. */
const MOST_MISSES = 2;

/** As sparse as to leave a run alone for a while. */
const SOME = 0.1;

export class Coverage {
	private readonly workflow: Workflow;
	private readonly trials: readonly Trial[];
	private readonly memory: Memory;
	/** What the last pass found, or what was asked for: tried before everything else. */
	private readonly ahead: Trial[];
	private readonly rest: Trial[];
	private readonly done: Record<Basic, Set<string>>;
	private readonly misses = new Map<string, number>();
	private readonly isAsked: boolean;
	private readonly luck: Chance;

	constructor(
		workflow: Workflow,
		trials: readonly Trial[],
		memory: Memory,
		{ seed, only }: { readonly seed: number; readonly only: readonly string[] },
	) {
		this.workflow = workflow;
		this.trials = trials;
		this.memory = memory;
		this.isAsked = only.length > 0;
		this.luck = chance(seed);
		const ranked = trials.map((trial) => [rank(trial, seed), trial] as const).sort(([a], [b]) => (a < b ? -1 : 1));
		const ordered = ranked.map(([, trial]) => trial);
		const { again, left } = memory.left(ordered, nameOf);
		this.ahead = this.isAsked ? ordered.filter((trial) => only.some((text) => nameOf(trial).includes(text))) : [...again];
		this.rest = this.isAsked ? [] : [...left];
		const done = (fault: Basic): Set<string> =>
			new Set(this.pointsOf(fault).filter((point) => memory.hasAny(stemOf({ workflow, fault, point }))));
		this.done = { kill: done("kill"), full: done("full") };
	}

	/** Points that this fault was never tried at. */
	wanted(fault: Basic): ReadonlySet<string> {
		if (this.isAsked) return new Set();
		return new Set(
			this.pointsOf(fault).filter((point) => !this.done[fault].has(point) && (this.misses.get(`${fault} ${point}`) ?? 0) < MOST_MISSES),
		);
	}

	/** Some points, others each time. */
	some(): ReadonlySet<string> {
		return new Set(this.pointsOf("kill").filter(() => this.luck.happens(SOME)));
	}

	first(): Trial | undefined {
		return this.ahead.shift();
	}

	next(): Trial | undefined {
		return this.rest.shift();
	}

	hasMore(): boolean {
		return this.ahead.length + this.rest.length + this.wanted("kill").size + this.wanted("full").size > 0;
	}

	/** A life had them. One that is not in the first start is no trial of the list, and counts for its point. */
	hit(fault: Basic, hits: readonly Hit[]): void {
		for (const { point, nth, first } of hits) {
			this.done[fault].add(point);
			const name = first
				? nameOf({ workflow: this.workflow, point, nth, fault })
				: `${stemOf({ workflow: this.workflow, fault, point })}later`;
			this.memory.tried(name, true);
			const at = this.rest.findIndex((trial) => nameOf(trial) === name);
			if (at >= 0) this.rest.splice(at, 1);
		}
	}

	tried(trial: Trial, holds: boolean): void {
		if (trial.fault === "kill" || trial.fault === "full") this.done[trial.fault].add(trial.point);
		this.memory.tried(nameOf(trial), holds);
	}

	/** A run that came by none of them. */
	missed(fault: Basic, points: ReadonlySet<string>): number {
		for (const point of points) this.misses.set(`${fault} ${point}`, (this.misses.get(`${fault} ${point}`) ?? 0) + 1);
		return points.size;
	}

	figures(): PointFigures {
		const [kinds, roomy] = [this.pointsOf("kill"), this.pointsOf("full")];
		const { kill, full } = this.done;
		return {
			...{ kinds: kinds.length, killed: kill.size, roomy: roomy.length, filled: full.size },
			covered: kinds.filter((point) => kill.has(point) && (full.has(point) || !roomy.includes(point))).length,
			trials: this.trials.length,
			tried: this.trials.filter((trial) => this.memory.has(nameOf(trial))).length,
		};
	}

	private pointsOf(fault: Basic): string[] {
		return [...new Set(this.trials.filter((trial) => trial.fault === fault).map(({ point }) => point))];
	}
}

const stemOf = ({ workflow, fault, point }: Omit<Trial, "nth">): string => nameOf({ workflow, fault, point, nth: 0 }).slice(0, -1);

/** The same order for the same seed; the list of trials has the first of every kind in front of its others. */
const rank = (trial: Trial, seed: number): string =>
	createHash("sha256")
		.update(`${seed} ${nameOf(trial)}`)
		.digest("hex");
