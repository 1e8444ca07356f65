// Runs whose steps agents come for: how one is opened for a moment, with its lock, and put away again.
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import type { RunState } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import type { EngineParts } from "../engine/parts.ts";
import { Pull } from "../engine/pull.ts";
import type { Store } from "../store.ts";
import type { Repository } from "../workspace.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { commonParts } from "./drive.ts";

const LOCK_MS = 120_000;
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
	const lock = await turn(c, place.store, run);
	try {
		const pull = Pull.load(partsOf(c, place, run));
		if (pull === null) throw new CliError(`there is no run ${run}`);
		try {
			return await work(pull);
		} finally {
			await pull.close();
		}
	} finally {
		lock.release();
	}
}

async function turn(c: Context, store: Store, run: string) {
	for (const end = c.now() + LOCK_MS; ; await sleep(RETRY_MS)) {
		const lock = store.lock(run);
		if (lock !== null) return lock;
		if (c.now() > end) throw new CliError(`run ${run} is held by another pawl; try again`, EXIT.failed);
	}
}

function partsOf(c: Context, { store, repository, config }: PullPlace, run: string): EngineParts {
	return {
		...commonParts(c, { store, run, repository, config }),
		agentsFor: () => {
			throw new Error("agents come by themselves to this run");
		},
		onWarning: (text) => c.err(`pawl: ${text}\n`),
	};
}
