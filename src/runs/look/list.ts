// The runs of a repository, newest first.
import type { RunStatus } from "../../core/model.ts";
import type { RunsContext } from "../context.ts";
import { isDriven } from "../hold.ts";
import { openReader } from "../open.ts";
import { findRepository } from "../repository.ts";
import { iso } from "./json-values.ts";

export interface ListedRun {
	readonly run: string;
	readonly workflow: string;
	readonly title: string;
	readonly status: RunStatus;
	/** false for a run that should be running and that no process drives. */
	readonly driven: boolean;
	readonly created_at: string | null;
	readonly updated_at: string | null;
}

export async function listRuns(c: RunsContext): Promise<ListedRun[]> {
	const store = await openReader(c, (await findRepository(c)).root);
	if (store === null) return [];
	try {
		const listed: ListedRun[] = [];
		for (const { id, workflow, title, status, createdAt, updatedAt } of await store.runs()) {
			const driven = await isDriven(store, id, status);
			listed.push({ run: id, workflow, title, status, driven, created_at: iso(createdAt), updated_at: iso(updatedAt) });
		}
		return listed;
	} finally {
		await store.close();
	}
}
