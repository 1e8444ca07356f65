// The commits that a session made on its own branch. A branch also gets commits that others made: by a rebase onto base, or a merge of it,
// while another story lands or a person commits there.
import { join } from "node:path";
import type { Noted } from "../../workspace.ts";
import type { Site } from "./noted.ts";
import { type Move, movesIn } from "./reflog.ts";
import type { Git } from "./remaining.ts";
import { secondOf } from "./who.ts";

/** The commits that a branch has at its tip and had not at the start. */
export interface Added {
	readonly commits: readonly string[];
	/** The start is still among its commits: none was taken away. */
	readonly onTop: boolean;
}

export async function addedSince(git: Git, start: string, tip: string): Promise<Added> {
	if (start === tip) return { commits: [], onTop: true };
	// Where the listed commits end, the one that they were put on is marked with a `-`: the start, if it is below them.
	const listed = (await git.run(["rev-list", "--boundary", tip, `^${start}`])).split("\n");
	return { commits: listed.filter((id) => id !== "" && !id.startsWith("-")), onTop: listed.includes(`-${start}`) };
}

export function madeOn(site: Site, noted: Noted, start: string, tip: string, added: readonly string[]): Set<string> {
	if (start === tip) return new Set();
	const moves = movesIn(join(site.gitDir, "logs", "HEAD")).filter(({ at }) => at >= secondOf(noted.at));
	const first = moves.findLastIndex(({ from }) => from === start);
	const since = moves.slice(Math.max(0, first));
	// With a gap in the log, all of them may be its own.
	if (first === -1 || since.at(-1)?.to !== tip || !follow(since)) return new Set(added);
	const made = new Set(firstMoves(since).flatMap((move) => (isArrival(move) ? [] : [move.to])));
	return new Set(added.filter((id) => made.has(id)));
}

/** The moves by which HEAD came to each commit for the first time: later it may return to a commit that it made. */
function firstMoves(moves: readonly Move[]): Move[] {
	const seen = new Set<string>();
	return moves.filter(({ to }) => !seen.has(to) && seen.add(to));
}

/** HEAD came to a commit that was there already. */
const isArrival = ({ why }: Move): boolean => /^(?:[^:]*\(start\)|checkout|reset): |: Fast-forward$/.test(why);

export const follow = (moves: readonly Move[]): boolean => moves.every((move, at) => at === 0 || moves[at - 1]?.to === move.from);
