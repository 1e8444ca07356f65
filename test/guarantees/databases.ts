// Over which store a row is walked. Of the runs that machines share those of a user's own workflow, which are the shorter ones, are in PostgreSQL; with
// `PAWL_TEST_STORE=postgres` all rows are. `scripts/test.ts` starts a server; without one the rows are walked in memory, and `table.test.ts` says so.
import type { HarnessDatabase } from "../../src/engine/testing/harness.suite.ts";
import type { Driver, Path } from "./paths.ts";

const isWanted = process.env["PAWL_TEST_STORE"] === "postgres";
if (isWanted && process.env["PAWL_TEST_DB"] === undefined)
	throw new Error("PAWL_TEST_STORE=postgres needs a server: use npx node scripts/test.ts, or name one with PAWL_TEST_DB");

/** Loaded before the first test: what it does after the last one belongs to the whole file. */
const postgres = process.env["PAWL_TEST_DB"] === undefined ? null : await import("../support/postgres-database.ts");

export async function databaseFor({ builtIn }: Pick<Path, "builtIn">, driver: Driver): Promise<{ readonly database?: HarnessDatabase }> {
	const isThere = isWanted || (driver === "shared" && builtIn === null);
	return postgres !== null && isThere ? { database: await postgres.emptyDatabase() } : {};
}
