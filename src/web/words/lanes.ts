// The timeline of a run as lanes: one for each slot, one for the run itself; what overlaps in a lane stands in rows below each other.
import type { Attempt } from "../api/types.ts";
import { timeOf } from "./words.ts";

export interface Piece {
	readonly attempt: Attempt;
	/** A wait for a person or a limit, after the attempt that met it. */
	readonly wait: boolean;
	readonly from: number;
	readonly to: number;
	readonly row: number;
}

/** From the first to the last attempt of a story in a lane. */
export interface Stretch {
	readonly story: string;
	readonly from: number;
	readonly to: number;
}

export interface Lane {
	readonly name: string;
	readonly rows: number;
	readonly pieces: readonly Piece[];
	readonly stories: readonly Stretch[];
}

export interface Lanes {
	readonly from: number;
	readonly to: number;
	readonly lanes: readonly Lane[];
}

const WAITS = new Set(["postponed", "waiting", "limited"]);

/** `now`: where what has not ended yet ends in the picture. */
export function lanesOf(all: readonly Attempt[], now: number): Lanes {
	// The step that opens the stories lasts as long as they do and is no work of its own.
	const attempts = all.filter(({ kind }) => kind !== "each");
	const pieces = attempts.flatMap((attempt, index) => piecesOf(attempt, attempts, index, now));
	const from = Math.min(...pieces.map((piece) => piece.from));
	const to = Math.max(...pieces.map((piece) => piece.to), from + 1_000);
	const names = new Map<string, Omit<Piece, "row">[]>();
	for (const piece of pieces) {
		const name = nameOf(piece.attempt);
		names.set(name, [...(names.get(name) ?? []), piece]);
	}
	const lanes = [...names].sort(([a], [b]) => order(a) - order(b)).map(([name, own]) => stacked(name, own));
	return { from, to, lanes };
}

const nameOf = ({ story, slot }: Attempt): string => (story === null ? "run" : slot === null ? "no slot" : `agent ${slot}`);
const order = (name: string): number => (name === "run" ? -1 : Number(/\d+/.exec(name)?.[0] ?? 1e9));

function piecesOf(attempt: Attempt, all: readonly Attempt[], index: number, now: number): Omit<Piece, "row">[] {
	const from = timeOf(attempt.started_at) ?? 0;
	const ended = timeOf(attempt.ended_at);
	const work = { attempt, wait: false, from, to: ended ?? now };
	if (ended === null || attempt.signal === null || !WAITS.has(attempt.signal)) return [work];
	const next = all.find((one, at) => at > index && one.story === attempt.story && one.step === attempt.step);
	return [work, { attempt, wait: true, from: ended, to: timeOf(next?.started_at) ?? now }];
}

function stacked(name: string, own: readonly Omit<Piece, "row">[]): Lane {
	/** Where each row is free again. */
	const ends: number[] = [];
	const pieces = own
		.toSorted((a, b) => a.from - b.from || b.to - a.to)
		.map((piece) => {
			const free = ends.findIndex((end) => end <= piece.from);
			const row = free < 0 ? ends.length : free;
			ends[row] = piece.to;
			return { ...piece, row };
		});
	return { name, rows: Math.max(1, ends.length), pieces, stories: stretches(pieces) };
}

function stretches(pieces: readonly Piece[]): Stretch[] {
	const found = new Map<string, Stretch>();
	for (const { attempt, from, to } of pieces) {
		const story = attempt.story ?? "";
		const known = found.get(story);
		if (story !== "") found.set(story, { story, from: Math.min(known?.from ?? from, from), to: Math.max(known?.to ?? to, to) });
	}
	return [...found.values()];
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map((s) => s * 1000);

/** Moments for the axis, about `wanted` of them, counted from the start. */
export function ticksOf(from: number, to: number, wanted: number): number[] {
	const step = STEPS.find((one) => (to - from) / one <= wanted) ?? (to - from) / wanted;
	const ticks: number[] = [];
	for (let at = from; at <= to; at += step) ticks.push(at);
	return ticks;
}

export interface Sum {
	readonly type: string;
	readonly attempts: number;
	readonly ms: number;
	readonly costUsd: number | null;
}

/** Where the time and the money went, the longest first. */
export function sumsOf(lanes: readonly Lane[]): Sum[] {
	const sums = new Map<string, Sum>();
	for (const { attempt, wait, from, to } of lanes.flatMap((lane) => lane.pieces)) {
		const type = wait ? "waiting" : (attempt.type ?? attempt.step);
		const sum = sums.get(type) ?? { type, attempts: 0, ms: 0, costUsd: null };
		const cost = wait ? null : attempt.cost_usd;
		sums.set(type, {
			type,
			attempts: sum.attempts + 1,
			ms: sum.ms + to - from,
			costUsd: cost === null ? sum.costUsd : (sum.costUsd ?? 0) + cost,
		});
	}
	return [...sums.values()].sort((a, b) => b.ms - a.ms);
}
