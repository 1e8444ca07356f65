// Sets up a database that machines share: its tables, and the roles of workers and people. For its owner.
import type { RunsContext } from "../context.ts";
import { personFor } from "../person.ts";
import { Refusal } from "../refusal.ts";
import { addressOf } from "./in-database.ts";

/** Can be done again at any time, for example after an update of pawl. */
export async function setUpDatabase(c: RunsContext): Promise<void> {
	personFor(c, null);
	const db = addressOf(c);
	const store = await c.services.openShared(db, c.warn);
	await store.close();
	const dispatch = await c.services.openDispatch(db, c.warn);
	await dispatch.close();
	const problem = await c.services.makeRoles(db);
	if (problem !== null)
		throw new Refusal(
			"unavailable",
			`the tables are there, and the roles cannot be made: ${problem}. Let somebody who may do that run this: pawl database setup --print`,
		);
}
