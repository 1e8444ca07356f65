// Follows a run that machines share, from any checkout of its repository, as whoever started it does: its files are written here, and base follows. Changes nothing
// in the run.
import type { RunsContext } from "../context.ts";
import { type EndedRun, endedRun } from "../drive/ended.ts";
import type { RunObserver } from "../drive/observer.ts";
import { followShared } from "../drive/shared-run.ts";
import { findRun, openExisting } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { makePawlFolder, openRepository } from "../repository.ts";

/** null: the observer has left it. */
export async function attach(c: RunsContext, name: string | undefined, observer: RunObserver): Promise<EndedRun | null> {
	if (c.db === undefined)
		throw new Refusal(
			"invalid",
			"pawl attach follows a run of a database that machines share: name the database with PAWL_DB or --db URL. pawl watch follows a run of this machine",
		);
	const { repository, config } = await openRepository(c);
	makePawlFolder(repository.root);
	const store = await openExisting(c, repository.root);
	try {
		const { id: run } = await findRun(c, repository, store, name, "repository");
		return await endedRun(repository, store, await followShared(c, { store, repository, config, run, first: [] }, observer));
	} finally {
		await store.close();
	}
}
