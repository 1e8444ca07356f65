// The process of a PostgreSQL server: a data folder, a free port of 127.0.0.1, and somebody who cleans up after it if this process is killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Programs } from "./postgres-programs.ts";

const READY = /ready to accept (read-only )?connections/;
const TRIES = 3;
/** For a run that is killed: ends the server and removes its data when nobody is there any more to do it. */
const GUARD = 'cat > /dev/null; kill -QUIT "$0"; while kill -0 "$0" 2> /dev/null; do sleep 0.1; done; rm -rf "$1"';
// A loss of power is not what tests of processes are about, and waiting for the disk is most of what a small server does. A standby connects again at once.
const SETTINGS = [
	"fsync=off",
	"unix_socket_directories=",
	"listen_addresses=127.0.0.1",
	"max_connections=250",
	"shared_buffers=32MB",
	"wal_keep_size=256MB",
	"wal_retrieve_retry_interval=100ms",
];

/** Nothing of the environment: what the tests left there is none of the server's business, and the check for leaks looks at it. */
export const serverEnv = (): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8", TZ: "UTC" });

export class ServerProcess {
	port = 0;
	private readonly programs: Programs;
	private readonly folder: string;
	private readonly data: string;
	private server: ChildProcess | null = null;
	private guard: ChildProcess | null = null;

	/** `folder` is removed by whoever cleans up; `data` is in it. */
	constructor(programs: Programs, folder: string, data: string) {
		this.programs = programs;
		this.folder = folder;
		this.data = data;
	}

	/** For the first time: somebody else may take the port before the server does. */
	async startAnywhere(): Promise<void> {
		for (let left = TRIES; ; left--) {
			this.port = await freePort();
			try {
				return await this.start();
			} catch (error) {
				if (left === 0) throw error;
			}
		}
	}

	async start(): Promise<void> {
		const settings = [...SETTINGS, `port=${this.port}`].flatMap((setting) => ["-c", setting]);
		const started = spawn(this.programs.postgres, ["-D", this.data, ...settings], {
			cwd: this.folder,
			env: serverEnv(),
			...this.programs.user,
			stdio: ["ignore", "ignore", "pipe"],
		});
		const said: string[] = [];
		await new Promise<void>((ready, fail) => {
			started.once("error", fail);
			started.once("exit", () => fail(new Error(`PostgreSQL did not start: ${said.join("\n")}`)));
			createInterface({ input: started.stderr }).on("line", (line) => {
				if (READY.test(line)) ready();
				else if (said.length < 50) said.push(line);
			});
		});
		this.server = started;
		// Outlives this process if that is killed, which closes its input.
		const arguments_ = ["-c", GUARD, String(started.pid), this.folder];
		this.guard = spawn("sh", arguments_, { env: serverEnv(), stdio: ["pipe", "ignore", "ignore"], detached: true });
		this.guard.unref();
		(this.guard.stdin as Socket | null)?.unref();
	}

	/** SIGINT: in order. SIGQUIT: as a crash would. */
	async end(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
		const ended = this.server;
		this.server = null;
		this.guard?.kill("SIGKILL");
		if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return;
		const exited = once(ended, "exit");
		ended.kill(signal);
		await exited;
	}
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
