// A merge into a base that many machines share: base is a branch of the remote, one merge at a time is a turn that comes from outside, and the swap is a push
// that names what base has to be. Everything else is the merge of one machine (merge/merge.ts). The turn saves checks; only the push is safe, so a turn that two
// machines believe to have does no harm.
import { join } from "node:path";
import type { Release, Unreachable } from "../../remote.ts";
import { type MergeResult, PersonNeeded, RemoteAway, type StoryWork, WorkspaceError } from "../../workspace.ts";
import { tryGit } from "../git/git.ts";
import type { BaseLook, BaseRef } from "../merge/base-ref.ts";
import type { StoryTree } from "../merge/compose.ts";
import { type MergeOptions, mergeStory } from "../merge/merge.ts";
import type { MoveHow, MoveResult } from "../refs/move-base.ts";
import { mergedRef, remoteBaseRef } from "./names.ts";
import type { GitRemote } from "./remote.ts";

/** Nothing was changed, except that `unreachable` after the commit was announced leaves open whether base has it: the next try looks. */
export type RefusedMerge = { readonly result: "protected"; readonly message: string } | Unreachable;

interface Shared {
	readonly remote: GitRemote;
	/** Waits until it is this merge's turn. */
	readonly turn: () => Promise<Release>;
}

export type SharedMerge = MergeOptions & Shared;

export async function mergeOverRemote(options: SharedMerge): Promise<MergeResult | RefusedMerge> {
	// Anybody who can push can write trailers: only what was announced counts.
	const shared = { ...options, request: { ...options.request, announced: options.request.announced ?? [] } };
	try {
		return await mergeStory<RefusedMerge>(shared, new RemoteBase(shared));
	} catch (error) {
		if (error instanceof RemoteAway) return { result: "unreachable", message: error.message };
		throw error;
	}
}

export class RemoteBase implements BaseRef<RefusedMerge> {
	private readonly options: StoryTree & Shared;

	constructor(options: StoryTree & Shared) {
		this.options = options;
	}

	async exclusively<T>(work: () => Promise<T>): Promise<T> {
		const release = await this.options.turn();
		try {
			return await work();
		} finally {
			await release();
		}
	}

	/** A push is whole or has not happened, and nobody has base checked out here. */
	async settle(): Promise<readonly []> {
		return [];
	}

	async look({ run, story, announced = [] }: Pick<StoryWork, "run" | "story" | "announced">): Promise<BaseLook> {
		const { remote, commonDir, request } = this.options;
		const found = await remote.baseCommit(request.base);
		if (found.result === "unreachable") throw new RemoteAway(found.message);
		if (found.result === "missing") throw new WorkspaceError(`there is no branch ${request.base} on ${remote.shown}`);
		const refs = announced.map((commit) => mergedRef(run, story, commit));
		const there = refs.length === 0 ? new Map<string, string>() : await remote.at(refs);
		if ("result" in there) throw new RemoteAway(there.message);
		const merged = announced.find((commit) => there.get(mergedRef(run, story, commit)) === commit) ?? null;
		return { name: found.commit, log: join(commonDir, "logs", remoteBaseRef(request.base)), merged };
	}

	async move(from: string, to: string, { refs = [] }: MoveHow): Promise<MoveResult | RefusedMerge> {
		const { remote, root, request } = this.options;
		const moved = await remote.moveBase(request.base, from, to, [{ ref: mergedRef(request.run, request.story, to), commit: to }]);
		if (moved.result === "moved-meanwhile") return "moved";
		if (moved.result !== "moved") return moved;
		// Base has it. If a crash or a lock keeps this clone's own refs from following, the next look finds the merge all the same.
		await tryGit(root, ["update-ref", "-m", "pawl: merge", "--stdin"], { input: [...refs, ""].join("\n") });
		return "done";
	}
}

/** For a repository whose stories are all merged over a remote (`openRepository`). What a merge of one machine does not know is an error there: a person has to say
 * what a protected base means for them. */
export const sharedBase =
	(remote: GitRemote, turn: (base: string) => Promise<Release>): ((tree: StoryTree) => BaseRef) =>
	(tree) => {
		const { base } = tree.request;
		const shared = new RemoteBase({ ...tree, remote, turn: () => turn(base) });
		return {
			exclusively: (work) => shared.exclusively(work),
			settle: () => shared.settle(),
			look: (work) => shared.look(work),
			move: async (from, to, how) => {
				const moved = await shared.move(from, to, how);
				if (typeof moved === "string" || "dirty" in moved) return moved;
				if (moved.result === "protected") throw new PersonNeeded(`${remote.shown} does not let pawl move ${base}: ${moved.message}`);
				throw new RemoteAway(`${remote.shown} cannot be reached: ${moved.message}`);
			},
		};
	};
