// pawl database setup [--print]
import { Command } from "commander";
import { setUpDatabase } from "../../runs/shared/database.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";

interface Flags {
	readonly print?: boolean;
	readonly json?: boolean;
}

export function command(c: Context): Command {
	const setup = new Command("setup")
		.description("make the tables of a database that machines share, and the roles pawl_worker and pawl_person; again after an update")
		.option("--print", "only print the SQL that makes the roles and gives them their rights")
		.option("--json", "the outcome as JSON")
		.action(async ({ print, json }: Flags) => {
			if (print) return c.out(await c.services.rolesSql());
			await setUpDatabase(c);
			if (json) return c.out(document({ roles: ["pawl_worker", "pawl_person"] }));
			c.out(`the tables are there, and the roles pawl_worker and pawl_person. Make a role for each worker and each person, for example:
  CREATE ROLE build7 LOGIN PASSWORD '…' IN ROLE pawl_worker;
  CREATE ROLE reviewer LOGIN PASSWORD '…' IN ROLE pawl_person;
`);
		});
	return new Command("pawl database").description("set up a database that machines share").addCommand(setup);
}
