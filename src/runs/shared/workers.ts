// The workers of a database, for people: who they are, what they work on, and how to let one of them go.
import { RUN_SCOPE } from "../../core/model.ts";
import type { ListedWorker, SharedStore } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { iso } from "../look/json-values.ts";
import { Refusal } from "../refusal.ts";
import { inDatabase } from "./in-database.ts";

export interface WorkerView {
	readonly worker: string;
	readonly host: string;
	readonly version: string;
	readonly labels: readonly string[];
	readonly lanes: number;
	readonly repo: string;
	readonly started_at: string | null;
	readonly seen_at: string | null;
	readonly draining: boolean;
	/** It was not seen for longer than its lease: its lanes go to others. */
	readonly gone: boolean;
	/** `story` is null where it works on what belongs to no story. */
	readonly works: readonly { readonly run: string; readonly story: string | null; readonly since: string | null }[];
}

export const listWorkers = (c: RunsContext): Promise<WorkerView[]> => inDatabase(c, workersIn);

export const workersIn = async ({ workers }: Pick<SharedStore, "workers">): Promise<WorkerView[]> => (await workers.list()).map(viewOf);

/** `name`: an id or a unique prefix. */
export function drainWorker(c: RunsContext, name: string): Promise<WorkerView> {
	return inDatabase(c, async ({ workers }) => {
		const all = await workers.list();
		const exact = all.filter(({ id }) => id === name);
		const [worker, ...others] = exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(name));
		if (worker === undefined)
			throw new Refusal("not_found", `there is no worker ${name}; there are ${all.map(({ id }) => id).join(", ") || "none"}`);
		if (others.length > 0) throw new Refusal("invalid", `${name} could be ${[worker, ...others].map(({ id }) => id).join(", ")}`);
		if (worker.gone) throw new Refusal("invalid", `${worker.id} is gone already: its stories go to other workers by themselves`);
		if (!(await workers.drain(worker.id))) throw new Refusal("conflict", `${worker.id} has left in this moment`);
		return viewOf({ ...worker, draining: true });
	});
}

const viewOf = ({ id, host, version, labels, lanes, repo, started, seen, draining, gone, works }: ListedWorker): WorkerView => ({
	...{ worker: id, host, version, labels, lanes, repo },
	...{ started_at: iso(started), seen_at: iso(seen), draining, gone },
	works: works.map(({ run, scope, since }) => ({ run, story: scope === RUN_SCOPE ? null : scope, since: iso(since) })),
});
