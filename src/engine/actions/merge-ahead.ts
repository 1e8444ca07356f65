// A merge whose turn has not come: its story is put on top of those in front of it and checked there, again whenever these change. What comes of
// it only saves work; the merge itself decides on its turn (ADR 23).
import type { Turn } from "../../core/merge/queue.ts";
import type { MergePlace } from "../../format.ts";
import type { Repository, Stacked, StackResult, StoryWork } from "../../workspace.ts";

export interface AheadRequest {
	readonly repository: Repository;
	readonly slot: number;
	readonly queue: MergePlace;
	readonly signal: AbortSignal;
	readonly work: Omit<StoryWork, "check">;
	/** As for a merge; `pointless` ends the checks. */
	readonly check: (path: string, tree: string, pointless: AbortSignal) => Promise<readonly string[]>;
}

/** Resolves when its turn has come: with what is checked on top of base as it is, or null. */
export async function mergeAhead(request: AheadRequest): Promise<Stacked | null> {
	const { queue, signal } = request;
	for (;;) {
		const turn = await queue.turn();
		if (turn.turn === "now" || signal.aborted) return null;
		const stacked = await stackOn(request, turn);
		if (stacked !== null) return stacked;
	}
}

/** null: something else is in front of it by now. */
async function stackOn(request: AheadRequest, turn: Turn): Promise<Stacked | null> {
	const { repository, slot, queue, work, check } = request;
	const pointless = new AbortController();
	const behind = turn.turn === "behind" ? turn : null;
	let watched: Promise<boolean> | null = null;
	const result = await repository.stack(slot, {
		...work,
		onto: behind?.commit ?? null,
		stacked: async (commit, onto) => {
			if (!(await queue.stacked(commit, onto, behind?.story ?? null))) return false;
			watched = stands(request, turn, onto);
			void watched.then((still) => still || pointless.abort());
			return true;
		},
		check: (path, tree) => check(path, tree, pointless.signal),
	});
	if (result.result === "unwanted" || pointless.signal.aborted) return null;
	const problem = problemOf(result);
	if (problem !== null) await queue.unstacked(problem);
	if (result.result !== "stacked") {
		await queue.after(turn);
		return null;
	}
	return (await watched) ? result : null;
}

/** True once its turn has come and base is what it was put on top of; false as soon as something else is in front of it. */
async function stands({ repository, queue, signal, work: { base } }: AheadRequest, first: Turn, onto: string): Promise<boolean> {
	for (let turn = first; ; ) {
		turn = await queue.after(turn);
		if (signal.aborted) return false;
		if (turn.turn === "behind" ? turn.commit !== onto : turn.turn === "wait" || (await commitOf(repository, base)) !== onto) return false;
		if (turn.turn === "now") return true;
	}
}

/** A base that is gone is nobody's: the merge itself says so. */
const commitOf = (repository: Repository, base: string): Promise<string | null> => repository.commitOf(base).catch(() => null);

function problemOf(result: StackResult): string | null {
	switch (result.result) {
		case "stacked":
			return result.failures.length === 0 ? null : "its checks fail there";
		case "conflict":
			return `conflict in ${result.paths.join(", ")}`;
		case "empty":
			return "nothing is left to merge";
		case "merged":
			return "it is merged already";
		case "unwanted":
			return null;
	}
}
