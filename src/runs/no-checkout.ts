// Somebody who looks at runs of a database that machines share, and is in no checkout: the runs are there, their code is not. Files that are brought here go into
// a folder of the user's cache.
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { History } from "../workspace.ts";
import { Refusal } from "./refusal.ts";

/** `db`: the address of the database. */
export function noCheckout(db: string, env: NodeJS.ProcessEnv): History {
	const root = join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pawl", "databases", nameOf(db));
	const refuse = async (): Promise<never> => {
		throw new Refusal("unavailable", "this needs the code of the run: call it in a checkout of its repository");
	};
	return {
		root,
		checkout: root,
		branch: null,
		hasBranch: async () => false,
		commitOf: refuse,
		commits: refuse,
		commitsOfOthers: async () => [],
		subjects: async () => [],
		diff: refuse,
		changedPaths: refuse,
		holds: refuse,
	};
}

/** The same for the same database, whoever logs in there. */
function nameOf(db: string): string {
	const { host, pathname } = URL.canParse(db) ? new URL(db) : { host: db, pathname: "" };
	return createHash("sha256").update(`${host}${pathname}`).digest("hex").slice(0, 16);
}
