// Many faults in one life: a run is killed (or finds the disk full) at the first call of a kind that was never tried, is resumed, meets the next fault, and so
// on; then it is left alone and has to come to its end. A fault costs a start of pawl instead of two whole runs, and many of them hit a run that recovers.
import { setTimeout as wait } from "node:timers/promises";
import type { Scope } from "../../src/core/model.ts";
import { alive, atEnd, journalOf, midway } from "./checks.ts";
import { answerOf, endAll, type Fault, isError, ofError, type Place } from "./crash.ts";
import { GRACE_MS, next } from "./heal.ts";
import { callOf, pointOf } from "./role.ts";
import { command, type Ended, LONGEST_MS, pawl, type Site } from "./site.ts";
import type { Answer, Call, TracedEnd, Tracer } from "./tracer.ts";

export interface Hit {
	readonly point: string;
	/** The how-manieth of its kind in that start of pawl. */
	readonly nth: number;
	/** It came in the first start, as in a trial of its own. */
	readonly first: boolean;
}

export interface Life {
	readonly hits: readonly Hit[];
	readonly wrong: readonly string[];
}

export interface LifePlan {
	readonly fault: Fault;
	/** Points of which any is hit when the run comes by. */
	readonly wanted: ReadonlySet<string>;
	/** Faults at most. */
	readonly most: number;
	/** True when no further fault may begin: the run is brought to its end. */
	isOver(): boolean;
}

/** After so many recoveries of one step pawl gives up (three), so no more are provoked until it is done. */
const MOST_LOST = 2;
/** `pawl status` is asked after the first error of a life and some of the others. */
const STATUS_EVERY = 4;
const MOST_IN_ONE_START = 3;
/** Calls of wanted kinds that are let through after an error, so that pawl, or a program that it started, can react to it. */
const QUIET_CALLS = 5;
/** Starts that are needed after the last fault. */
const ROUNDS_TO_HEAL = 6;

export async function live(tracer: Tracer, place: Place, { fault, wanted, most, isOver }: LifePlan): Promise<Life> {
	const { site, expected } = place;
	const mayAsk = isError(fault);
	place.restore();
	const hits: Hit[] = [];
	const left = new Set(wanted);
	const wrong: string[] = [];
	let last: Ended | null = null;
	const told: string[] = [];
	for (let round = 0, alone = 0; wrong.length === 0 && alone < ROUNDS_TO_HEAL; round++) {
		const args = round === 0 ? site.args : next(site, last, mayAsk);
		if (args === null) break;
		if (hits.length >= most || left.size === 0 || (round > 0 && isOver())) {
			alone++;
			last = await pawl(site, args);
			if (last.late) wrong.push(`I17: pawl ${args.join(" ")} did not end`);
		} else {
			const { ended, met } = await start(tracer, site, args, fault, left);
			for (const { point, nth } of met) {
				// Only the first fault of the first start is a trial as one alone is.
				hits.push({ point, nth, first: round === 0 && met[0]?.point === point });
				left.delete(point);
				told.push(`${point} #${nth} (pawl ${args[0] === "resume" || args[0] === "retry" ? args[0] : "run"})`);
			}
			alone = met.length > 0 ? 0 : alone + 1;
			if (met.length > 0 && mayAsk) wrong.push(...(await ofError(site, fault, ended, round % STATUS_EVERY === 0)));
			if (ended.late) wrong.push(`I17: pawl ${args.join(" ")} did not end`);
			last = ended.killed ? null : ended;
			if (ended.killed) wrong.push(...(await allGone(site)));
		}
		// S-52: it names the checkpoint or says to move the file away, which comes next.
		if (last === null || !last.err.includes("agent-state.json cannot be used")) wrong.push(...midway(site));
	}
	if (wrong.length === 0) wrong.push(...atEnd(site, expected, mayAsk));
	endAll(site);
	if (wrong.length > 0)
		wrong.push(`after ${fault} at ${told.join(", then ")}`, `the last pawl (${last?.code}) said: ${last?.err.slice(-1200)}`);
	return { hits, wrong };
}

/** One start of pawl, with a fault at the first call that is wanted; if it goes on after an error, it meets a few more. */
async function start(
	tracer: Tracer,
	site: Site,
	args: readonly string[],
	fault: Fault,
	wanted: ReadonlySet<string>,
): Promise<{ readonly ended: TracedEnd; readonly met: readonly Omit<Hit, "first">[] }> {
	const counts = new Map<string, number>();
	const met: Omit<Hit, "first">[] = [];
	let quiet = 0;
	let isDelicate = mostLost(site) >= MOST_LOST;
	const answer = (call: Call): Answer => {
		if (met.length >= MOST_IN_ONE_START) return "rest";
		const point = pointOf(site.root, call);
		if (point === null || !wanted.has(point) || met.some((hit) => hit.point === point)) return "go";
		if (quiet-- > 0) return "go";
		const nth = (counts.get(point) ?? 0) + 1;
		counts.set(point, nth);
		if (isDelicate) isDelicate = mostLost(site, 0) >= MOST_LOST;
		if (isDelicate) return "go";
		met.push({ point, nth });
		quiet = QUIET_CALLS;
		return answerOf(fault, call);
	};
	const calls = [...new Set([...wanted].map(callOf))];
	const ended = await tracer.run({
		...{ folder: site.root, calls, command: command(args), cwd: site.cwd, env: site.env, ms: LONGEST_MS },
		answer,
	});
	return { ended, met };
}

/** How often the step that was lost most often, and is not done, was lost. While pawl is stopped with the journal in its hands, nobody can know. */
function mostLost(site: Site, timeout?: number): number {
	try {
		const state = journalOf(site, timeout)?.state;
		const scopes = state === undefined ? [] : [state.root, ...state.stories.map((story) => story.scope)];
		return Math.max(0, ...scopes.flatMap(lostOf));
	} catch {
		return MOST_LOST;
	}
}

const lostOf = ({ steps, counters }: Scope): number[] =>
	Object.entries(counters).flatMap(([key, times]) => {
		const owner = /^(.*):lost$/.exec(key)?.[1];
		const isDone = steps.findLast(({ origin, type }) => origin === owner || type === owner)?.status === "completed";
		return owner === undefined || isDone ? [] : [times];
	});

/** I11: what a killed pawl started may take a moment to be gone. */
async function allGone(site: Site): Promise<string[]> {
	for (const end = performance.now() + GRACE_MS; alive(site).length > 0 && performance.now() < end; ) await wait(20);
	return alive(site).map(({ command: what }) => `I11: alive after pawl was killed: ${what}`);
}
