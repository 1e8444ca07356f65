// Who may do what in the database. A worker's role may do the work, and not what a person decides: rights keep it from rewriting the journal, a trigger of the schema
// (migrations.ts) from adding a person's decision to it. Roles are optional: with one role for everybody each may do everything.
import { Client } from "pg";
import { said } from "./patience.ts";

export const WORKER = "pawl_worker";
export const PERSON = "pawl_person";

type Privilege = "SELECT" | "INSERT" | "UPDATE" | "DELETE";

const ALL: readonly Privilege[] = ["SELECT", "INSERT", "UPDATE", "DELETE"];

/** What a worker may do, where that is not everything. Columns of `accounts` are below. */
const OF_WORKERS: Readonly<Record<string, readonly Privilege[]>> = {
	events: ["SELECT", "INSERT"],
	commits: ["SELECT", "INSERT"],
	// Runs are started by people.
	runs: ["SELECT", "UPDATE"],
	// What is left there, a person's command takes for a person's word.
	inbox: ["SELECT", "DELETE"],
	accounts: ["SELECT"],
	schema_version: ["SELECT"],
};

/** Nobody changes what has happened; a person removes old runs. */
const OF_PEOPLE: Readonly<Record<string, readonly Privilege[]>> = {
	events: ["SELECT", "INSERT", "DELETE"],
	commits: ["SELECT", "INSERT", "DELETE"],
	schema_version: ["SELECT"],
};

/** What a worker needs on a table of the schema `pawl`. */
export const neededOn = (table: string): readonly Privilege[] => OF_WORKERS[table] ?? ALL;

const made = (role: string): string => `DO $$ BEGIN
	IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} NOLOGIN; END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
	-- Somebody else made it in this moment.
	NULL;
END $$;
`;

const onAll = (schema: string): string => `GRANT USAGE ON SCHEMA ${schema} TO ${WORKER}, ${PERSON};
GRANT ${ALL.join(", ")} ON ALL TABLES IN SCHEMA ${schema} TO ${WORKER}, ${PERSON};
`;

const only = (role: string, rights: Readonly<Record<string, readonly Privilege[]>>): string =>
	Object.entries(rights)
		.map(([table, may]) => `REVOKE ALL ON pawl.${table} FROM ${role};\nGRANT ${may.join(", ")} ON pawl.${table} TO ${role};\n`)
		.join("");

export const GRANTS = `${onAll("pawl")}${only(WORKER, OF_WORKERS)}GRANT INSERT (name, limited_until, limited_by), UPDATE (limited_until, limited_by) ON pawl.accounts TO ${WORKER};
${only(PERSON, OF_PEOPLE)}`;

/** Everything, for whoever may make roles. pg-boss's own tables are in `pawl_boss`: whoever hands out or takes lanes needs all of them. */
export const ROLES_SQL = `${made(WORKER)}${made(PERSON)}${GRANTS}${onAll("pawl_boss")}`;

/** Makes the roles and gives them their rights, all or nothing; returns why it cannot, or null. */
export async function makeRoles(url: string): Promise<string | null> {
	const client = new Client({ connectionString: url, application_name: "pawl" });
	try {
		await client.connect();
		await client.query(`BEGIN; ${ROLES_SQL} COMMIT`);
		return null;
	} catch (error) {
		return said(error);
	} finally {
		await client.end().catch(() => {});
	}
}
