// The runs of a repository, newest first.
import type { RunStatus } from "../../core/model.ts";
import { type Overview, overviewOf } from "../../core/overview.ts";
import { isOver } from "../../core/query.ts";
import type { RunSummary, Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { isDriven } from "../hold.ts";
import { current, openReader } from "../open.ts";
import { findHistory } from "../repository.ts";
import { iso, usd } from "./json-values.ts";
import { progressJson } from "./run-view.ts";

export interface ListedRun {
	readonly run: string;
	readonly workflow: string;
	readonly title: string;
	readonly status: RunStatus;
	/** false for a run that should be running and that no process drives. */
	readonly driven: boolean;
	readonly created_at: string | null;
	readonly updated_at: string | null;
	/** null: unknown. */
	readonly cost_usd: number | null;
	/** null: it has no limit. */
	readonly max_cost_usd: number | null;
	/** null: it has no stories. */
	readonly progress: ReturnType<typeof progressJson>;
	/** Its address; null: none was opened. */
	readonly pull_request: string | null;
	/** How many steps wait for a person; none once the run is over. */
	readonly waiting: number;
}

/** Newest first; all of them, or so many. */
export async function listRuns(c: RunsContext, limit?: number): Promise<ListedRun[]> {
	const store = await openReader(c, (await findHistory(c)).root);
	if (store === null) return [];
	try {
		const listed: ListedRun[] = [];
		for (const summary of await store.runs(limit === undefined ? {} : { limit })) {
			const driven = await isDriven(store, summary.id, summary.status);
			listed.push(listedRun(summary, summary.overview ?? (await foldedOverview(store, summary)), driven));
		}
		return listed;
	} finally {
		await store.close();
	}
}

export const listedRun = (summary: RunSummary, overview: Overview, driven: boolean): ListedRun => ({
	run: summary.id,
	workflow: summary.workflow,
	title: summary.title,
	status: summary.status,
	driven,
	created_at: iso(summary.createdAt),
	updated_at: iso(summary.updatedAt),
	cost_usd: usd(overview.costUsd),
	max_cost_usd: overview.maxCostUsd ?? null,
	progress: progressJson(overview.progress),
	pull_request: overview.pullRequest ?? null,
	waiting: isOver(summary.status) ? 0 : overview.waiting,
});

/** For a run of an earlier version. */
export async function foldedOverview(store: Store, { id, updatedAt }: RunSummary): Promise<Overview> {
	return overviewOf(await current(store, id), updatedAt);
}
