// Runs whose steps agents come for: how one is opened for a moment, with its lock, and put away again.
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import type { RunState } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import type { EngineParts } from "../engine/parts.ts";
import { Pull } from "../engine/pull.ts";
import { Run } from "../engine/run.ts";
import { hold } from "../runs/hold.ts";
import { rows } from "../runs/rows.ts";
import type { Lease, Store } from "../store.ts";
import type { Repository } from "../workspace.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { commonParts, crashHook } from "./drive.ts";

const TURN_MS = 120_000;
const RETRY_MS = 20;

export interface PullPlace {
	readonly store: Store;
	readonly repository: Repository;
	readonly config: Config;
}

/** Agents come for its steps; pawl starts none. */
export const isPulled = (state: RunState): boolean => startedWith(state).pull;

/** Waits for its turn: whoever has the run holds it for a moment only. */
export async function withPull<T>(c: Context, place: PullPlace, run: string, work: (pull: Pull) => Promise<T>): Promise<T> {
	const lease = await turn(c, place.store, run);
	try {
		const opened = await Run.open({ store: place.store, rows, ...crashHook(c) }, run, lease);
		if (opened === null) throw new CliError(`there is no run ${run}`);
		const pull = new Pull(partsOf(c, place, opened.run.state), opened);
		try {
			return await work(pull);
		} finally {
			await pull.close();
		}
	} finally {
		await lease.release();
	}
}

async function turn(c: Context, store: Store, run: string): Promise<Lease> {
	for (const end = c.now() + TURN_MS; ; await sleep(RETRY_MS)) {
		const lease = await hold(store, run);
		if (lease !== null) return lease;
		if (c.now() > end) throw new CliError(`run ${run} is held by another pawl; try again`, EXIT.failed);
	}
}

function partsOf(c: Context, { repository, config }: PullPlace, state: RunState): EngineParts {
	return {
		...commonParts(c, { repository, config }, state),
		agentsFor: () => {
			throw new Error("agents come by themselves to this run");
		},
		onWarning: (text) => c.err(`pawl: ${text}\n`),
	};
}
