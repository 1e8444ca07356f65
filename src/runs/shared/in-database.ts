// For commands about the database that machines share, not about one run.
import type { SharedStore } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";

/** The address of the database; a refusal if none is named. */
export function addressOf(c: RunsContext): string {
	if (c.db === undefined) throw new Refusal("invalid", "name the database: --db postgres://…, or PAWL_DB in the environment");
	return c.db;
}

export async function inDatabase<T>(c: RunsContext, work: (store: SharedStore) => Promise<T>): Promise<T> {
	const store = await c.services.openShared(addressOf(c), c.warn);
	try {
		return await work(store);
	} finally {
		await store.close();
	}
}
