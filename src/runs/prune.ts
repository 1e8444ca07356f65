// Old runs and what they left: journals, folders with logs and diffs, refs that keep abandoned work, worktrees, and what workers published on the repository that
// machines share. Only runs that are over, and nothing that an unfinished run may still need.
import { rm } from "node:fs/promises";
import { isOver } from "../core/query.ts";
import type { Remote, RunRef } from "../remote.ts";
import type { RunSummary, Store } from "../store.ts";
import type { KeptRef, Repository } from "../workspace.ts";
import type { RunsContext } from "./context.ts";
import { type Stray, straysOf } from "./doctor/doctor.ts";
import { sizeOf } from "./doctor/machine.ts";
import { hold } from "./hold.ts";
import { openExisting } from "./open.ts";
import { Refusal } from "./refusal.ts";
import { findRepository, runFolder } from "./repository.ts";
import { checkoutOf } from "./shared-code.ts";
import { isShared } from "./shared-files.ts";
import { oneStartAtATime } from "./taken.ts";

export interface PruneRule {
	/** Runs that ended, and work that was kept, longer ago than this. */
	readonly olderThanMs: number | null;
	/** The oldest runs, until the folders of all runs together are no larger. */
	readonly keepBytes: number | null;
}

export interface OldRun extends Pick<RunSummary, "id" | "workflow" | "title" | "status" | "updatedAt"> {
	readonly bytes: number;
}

export interface Pruned {
	readonly runs: readonly OldRun[];
	readonly refs: readonly KeptRef[];
	readonly worktrees: readonly Stray[];
	/** Of these runs, on the repository that machines share. */
	readonly published: readonly RunRef[];
	/** Runs that stay. */
	readonly kept: number;
	/** Of the folders and worktrees. */
	readonly bytes: number;
	/** Runs that a process took up again meanwhile; always empty if nothing was to be removed. */
	readonly busy: readonly string[];
}

/** `remove: false` only says what it would remove. */
export async function prune(c: RunsContext, rule: PruneRule, { remove }: { readonly remove: boolean }): Promise<Pruned> {
	const repository = await findRepository(c);
	const store = await openExisting(c, repository.root);
	try {
		const remote = isShared(store) ? (await checkoutOf(c, repository.tree().branch ?? "")).remote : null;
		const look = (): Promise<Pruned> => find({ repository, store, remote }, rule, c.now());
		if (!remove) return await look();
		// A run that starts meanwhile could get a worktree that is about to go.
		return await oneStartAtATime(c, store, async () => removeAll({ repository, store, remote }, await look()));
	} finally {
		await store.close();
	}
}

interface From {
	readonly repository: Repository;
	readonly store: Store;
	/** Of the repository that machines share; null where none do. */
	readonly remote: Remote | null;
}

async function find({ repository, store, remote }: From, rule: PruneRule, now: number): Promise<Pruned> {
	const all = await store.runs();
	const unfinished = all.filter((run) => !isOver(run.status));
	const sized = all.map((run) => ({ run, bytes: sizeOf(runFolder(repository.root, run.id)) }));
	const runs = oldRuns(sized, rule, now);
	const ids = new Set(runs.map(({ id }) => id));
	// What was kept since the oldest unfinished run began may be its own. git counts whole seconds.
	const until = Math.min(rule.olderThanMs === null ? 0 : now - rule.olderThanMs, ...unfinished.map((run) => run.createdAt));
	const known = new Set(all.map(({ id }) => id));
	const refs = (await repository.keptRefs()).filter(({ run, at }) => (run !== null && known.has(run) ? ids.has(run) : at + 1000 <= until));
	const worktrees = (await straysOf(repository.root, store, unfinished)).filter(({ slot }) => slot !== null);
	const bytes = [...runs, ...worktrees].reduce((sum, one) => sum + one.bytes, 0);
	// What runs of other databases published there is none of our business.
	const published = remote === null || runs.length === 0 ? [] : (await publishedOn(remote)).filter(({ run }) => ids.has(run));
	return { runs, refs, worktrees, published, kept: all.length - runs.length, bytes, busy: [] };
}

async function publishedOn(remote: Remote): Promise<readonly RunRef[]> {
	const listed = await remote.runRefs();
	if (listed.result === "found") return listed.refs;
	throw new Refusal("unavailable", `${remote.shown} cannot be reached, so nothing was removed: ${listed.message}`);
}

function oldRuns(all: readonly { readonly run: RunSummary; readonly bytes: number }[], rule: PruneRule, now: number): OldRun[] {
	let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
	const over = all.filter(({ run }) => isOver(run.status)).sort((a, b) => a.run.updatedAt - b.run.updatedAt);
	return over.flatMap(({ run: { id, workflow, title, status, updatedAt }, bytes }) => {
		const isOld = rule.olderThanMs !== null && updatedAt < now - rule.olderThanMs;
		if (!isOld && (rule.keepBytes === null || total <= rule.keepBytes)) return [];
		total -= bytes;
		return [{ id, workflow, title, status, updatedAt, bytes }];
	});
}

/** The journal goes last: whatever ends this in the middle, the next one finds the run again and goes on. */
async function removeAll({ repository, store, remote }: From, found: Pruned): Promise<Pruned> {
	const slots = found.worktrees.flatMap(({ slot }) => slot ?? []);
	if (slots.length > 0) await repository.close(slots, null);
	const busy: string[] = [];
	for (const { id } of found.runs) {
		const clearRemote = async (): Promise<void> => {
			if (remote !== null)
				await unpublish(
					remote,
					found.published.filter(({ run }) => run === id),
				);
		};
		if (!(await removeRun(repository.root, store, id, clearRemote))) busy.push(id);
	}
	const runs = found.runs.filter(({ id }) => !busy.includes(id));
	const refs = found.refs.filter(({ run }) => run === null || !busy.includes(run));
	await repository.removeKeptRefs(refs);
	const bytes = [...runs, ...found.worktrees].reduce((sum, one) => sum + one.bytes, 0);
	const published = found.published.filter(({ run }) => !busy.includes(run));
	return { runs, refs, worktrees: found.worktrees, published, kept: found.kept + busy.length, bytes, busy };
}

async function unpublish(remote: Remote, refs: readonly RunRef[]): Promise<void> {
	const removed = await remote.removeRefs(refs);
	if (removed.result === "removed") return;
	throw new Refusal("unavailable", `the refs of run ${refs[0]?.run} stay on ${remote.shown}, and so does the run: ${removed.message}`);
}

/** False if somebody has taken it up again since we looked (`pawl retry`); nobody can while we hold it. */
async function removeRun(root: string, store: Store, id: string, clearRemote: () => Promise<void>): Promise<boolean> {
	const lease = await hold(store, id);
	if (lease === null) return false;
	try {
		const summary = await store.summary(id);
		if (summary === null || !isOver(summary.status)) return false;
		await clearRemote();
		await rm(runFolder(root, id), { recursive: true, force: true });
		return await store.remove(id, lease);
	} finally {
		await lease.release();
	}
}
