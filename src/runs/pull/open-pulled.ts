// Opens a run whose steps agents fetch: for a moment, with its lease, and closes it again.
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config.ts";
import type { RunState } from "../../core/model.ts";
import { workspaceOf } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { EngineParts } from "../../engine/parts.ts";
import { Pull } from "../../engine/pull.ts";
import { Run } from "../../engine/run.ts";
import type { Lease, Store } from "../../store.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { checkTree } from "../drive/open-run.ts";
import { commonParts } from "../drive/parts.ts";
import { writtenByRuns } from "../drive/written-files.ts";
import { hold } from "../hold.ts";
import { openExisting } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { openRepository } from "../repository.ts";
import { runStorage } from "../run-storage.ts";
import { useSettingsQuietly } from "../settings.ts";

const TURN_MS = 120_000;
const RETRY_MS = 20;

/** The store of a repository, open for writing. */
export interface OpenRuns {
	readonly store: Store;
	readonly repository: Repository;
	readonly config: Config;
}

export async function withRuns<T>(c: RunsContext, work: (runs: OpenRuns) => Promise<T>): Promise<T> {
	const { repository, config } = await openRepository(c);
	const store = await openExisting(c, repository.root);
	try {
		return await work({ store, repository, config });
	} finally {
		await store.close();
	}
}

/** Agents fetch its steps; pawl starts none. */
export const isPulled = (state: RunState): boolean => startedWith(state).pull;

/** Waits for its turn: each process holds such a run only for a moment. */
export async function withPull<T>(c: RunsContext, runs: OpenRuns, run: string, work: (pull: Pull) => Promise<T>): Promise<T> {
	const lease = await turn(c, runs.store, run);
	let hides = false;
	try {
		const opened = await Run.open(runStorage(c, runs.store), run, lease);
		if (opened === null) throw new Refusal("not_found", `there is no run ${run}`);
		checkTree({ run, repository: runs.repository }, opened.run.state);
		await useSettingsQuietly(runs.repository, opened.run.state);
		// What other runs write in the user's tree is no work of this agent's.
		hides = workspaceOf(opened.run.state) === "tree";
		if (hides) await runs.repository.hideOwnWrites(await writtenByRuns(c, runs.store)(opened.run.state));
		const pull = new Pull(await partsOf(c, runs, opened.run.state), opened);
		try {
			return await work(pull);
		} finally {
			await pull.close();
		}
	} finally {
		if (hides) await runs.repository.showOwnWrites();
		runs.repository.freeTree();
		runs.repository.dropSettings();
		await lease.release();
	}
}

async function turn(c: RunsContext, store: Store, run: string): Promise<Lease> {
	for (const end = c.now() + TURN_MS; ; await sleep(RETRY_MS)) {
		const lease = await hold(store, run);
		if (lease !== null) return lease;
		if (c.now() > end) throw new Refusal("unavailable", `run ${run} is held by another pawl; try again`);
	}
}

async function partsOf(c: RunsContext, runs: OpenRuns, state: RunState): Promise<EngineParts> {
	return {
		...(await commonParts(c, runs, state)),
		agentsFor: () => {
			throw new Error("agents fetch the steps of this run");
		},
		onWarning: (text) => c.warn(text),
	};
}
