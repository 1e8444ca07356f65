// Whether a role may do what pawl needs, and as whom it counts (roles.ts).
import type { Client } from "pg";
import type { DatabaseFinding } from "../../store.ts";
import { ok, one, problem, warning } from "./finding.ts";
import { neededOn, PERSON, WORKER } from "./roles.ts";

const TABLES = `
	SELECT n.nspname AS schema, c.relname AS name, array(
		SELECT p FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p WHERE NOT has_table_privilege(c.oid, p)) AS missing
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname IN ('pawl', 'pawl_boss') AND c.relkind IN ('r', 'p') ORDER BY 1, 2`;

export async function rights(client: Client): Promise<DatabaseFinding[]> {
	const found: DatabaseFinding[] = [];
	const database = (await one<string>(client, "SELECT quote_ident(current_database())")) ?? "";
	const role = (await one<string>(client, "SELECT quote_ident(session_user)")) ?? "";
	const mayCreate = await one<boolean>(client, "SELECT has_database_privilege(current_database(), 'CREATE')");
	for (const name of ["pawl", "pawl_boss"]) {
		const may = await one<boolean | null>(client, "SELECT has_schema_privilege(to_regnamespace($1)::oid, 'USAGE')", [name]);
		if (may === null && mayCreate !== true)
			found.push(
				problem(
					"rights",
					`there is no schema ${name}, and ${role} may not make it: GRANT CREATE ON DATABASE ${database} TO ${role}, or run pawl database setup as the owner of the database`,
				),
			);
		if (may === false) found.push(problem("rights", `${role} may not use the schema ${name}: ${membership(role)}`));
	}
	if (found.length > 0) return found;
	const { rows } = await client.query<{ schema: string; name: string; missing: string[] }>(TABLES);
	const missing = rows.flatMap(({ schema: of, name, missing: lacks }) => {
		const needed: readonly string[] = of === "pawl" ? neededOn(name) : neededOn("");
		const lacking = lacks.filter((privilege) => needed.includes(privilege));
		return lacking.length === 0 ? [] : [`${lacking.join(", ")} on ${of}.${name}`];
	});
	if (missing.length > 0)
		return [
			problem(
				"rights",
				`${role} lacks ${missing.slice(0, 5).join("; ")}${missing.length > 5 ? `; and ${missing.length - 5} more` : ""}: ${membership(role)}`,
			),
		];
	return [await roleOf(client, role)];
}

const membership = (role: string): string =>
	`run pawl database setup as the owner, then GRANT ${WORKER} TO ${role} (a worker) or GRANT ${PERSON} TO ${role} (a person)`;

async function roleOf(client: Client, role: string): Promise<DatabaseFinding> {
	const is = (of: string) => one<boolean | null>(client, "SELECT pg_has_role(session_user, to_regrole($1), 'MEMBER')", [of]);
	const [worker, person] = [await is(WORKER), await is(PERSON)];
	if (worker === null || person === null)
		return warning(
			"rights",
			`${role} may do everything, and there are no roles: a worker can decide in a person's place. pawl database setup makes them`,
		);
	if (worker && !person) return ok("rights", `${role} is a worker: it works, and decides nothing that is a person's`);
	return ok("rights", `${role} may decide as a person; workers should have a role of ${WORKER} of their own`);
}
