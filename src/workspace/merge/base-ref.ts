// Base as a merge sees it: where it is, what moves with it, and how it moves. The merge itself (merge.ts) does not know whether base is a branch of
// this repository or of a remote that many machines share, so its guarantee is written once: no tree gets onto base that was not checked on top of
// what base was, and none whose commit was not announced.
import { join } from "node:path";
import type { StoryWork } from "../../workspace.ts";
import { tryGit } from "../git/git.ts";
import { withMergeLock } from "../git/lock.ts";
import { type Checkout, checkoutsOf, type RepositoryPaths } from "../refs/base-checkouts.ts";
import { finishMove, MERGE, type MoveHow, type MoveResult, moveBase } from "../refs/move-base.ts";
import { movesIn } from "../refs/reflog.ts";

/** Where base is. */
export interface BaseLook {
	/** By which this repository's git finds its commit: the full name of a ref, or the commit. */
	readonly name: string;
	/** The file in which git logs its moves, as far as this repository saw them. */
	readonly log: string;
	/** A commit that this step announced and that got onto base for certain, although a person may have taken it off since; null if none is known. */
	readonly merged: string | null;
}

/** `Refused`: why it may not move, beside what can be in the way of any move. */
export interface BaseRef<Refused = never> {
	/** One merge into it at a time. */
	exclusively<T>(work: () => Promise<T>): Promise<T>;
	/** Finishes a move that a crash cut short; returns the checkouts that move with base, or what prevents it. */
	settle(announced: readonly string[] | undefined): Promise<readonly Checkout[] | { readonly dirty: readonly string[] }>;
	look(work: Pick<StoryWork, "run" | "story" | "announced">): Promise<BaseLook>;
	/** Compare and swap: only if it is still at `from`. `how.refs` are refs of this repository, and move after base or together with it. */
	move(from: string, to: string, how: MoveHow): Promise<MoveResult | Refused>;
}

/** A branch of this repository. */
export class LocalBase implements BaseRef {
	private readonly repository: RepositoryPaths;
	private readonly base: string;
	private readonly ref: string;

	constructor(repository: RepositoryPaths, base: string) {
		this.repository = repository;
		this.base = base;
		this.ref = `refs/heads/${base}`;
	}

	exclusively<T>(work: () => Promise<T>): Promise<T> {
		return withMergeLock(this.repository.commonDir, this.base, work);
	}

	async settle(announced: readonly string[] | undefined): Promise<readonly Checkout[] | { readonly dirty: readonly string[] }> {
		const checkouts = await checkoutsOf(this.repository, this.ref);
		const unfinished = await finishMove(this.repository, this.ref, checkouts, announced);
		return unfinished === null ? checkouts : { dirty: unfinished };
	}

	/** A person may take a story off base right after it got there, while pawl is down and the journal does not know yet: base's own log does. */
	async look({ announced = [] }: Pick<StoryWork, "announced">): Promise<BaseLook> {
		const log = join(this.repository.commonDir, "logs", this.ref);
		if (announced.length === 0) return { name: this.ref, log, merged: null };
		const moves = movesIn(log);
		const now = (await tryGit(this.repository.root, ["rev-parse", "--verify", "-q", this.ref])).stdout.toString("utf8").trim();
		// The last one may have failed when it was in the log already.
		if (moves.at(-1)?.to !== now) moves.pop();
		const merged = announced.find((commit) => moves.some(({ to, why }) => why === MERGE && to === commit));
		return { name: this.ref, log, merged: merged ?? null };
	}

	move(from: string, to: string, how: MoveHow): Promise<MoveResult> {
		return moveBase(this.repository, { ref: this.ref, from, to }, how);
	}
}
