// A PostgreSQL server, a shared repository, a person's checkout, and workers, each a process with its own home: what the bench of machines measures on.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { type PostgresServer, startPostgres } from "../scripts/postgres.ts";
import { builtPawl, scratch } from "./support.ts";

export interface Process {
	readonly child: ChildProcess;
	readonly ended: Promise<number | null>;
	said(): string;
}

export class MachinesSite {
	readonly server: PostgresServer;
	readonly path: string;
	readonly me: string;
	readonly shared: string;
	private readonly pawl: string;
	private readonly running = new Set<Process>();

	private constructor(server: PostgresServer, path: string, pawl: string) {
		this.server = server;
		this.path = path;
		this.pawl = pawl;
		this.me = join(path, "me");
		this.shared = join(path, "shared.git");
	}

	/** Everything that it started and made is gone afterwards. */
	static async with<T>(agent: string, work: (site: MachinesSite) => Promise<T>): Promise<T> {
		const { path, remove } = scratch();
		// PostgreSQL does not run as root, and its user has to get in.
		chmodSync(path, 0o711);
		const server = await startPostgres(path);
		const site = new MachinesSite(server, path, await builtPawl());
		try {
			site.make(agent);
			return await work(site);
		} finally {
			for (const { child } of site.running) killGroup(child, "SIGKILL");
			await Promise.all([...site.running].map(({ ended }) => ended));
			await server.stop();
			remove();
		}
	}

	private make(agent: string): void {
		const git = (...args: string[]) => execFileSync("git", args, { cwd: this.me, stdio: "ignore", env: this.env(this.path) });
		mkdirSync(this.me);
		writeFileSync(
			join(this.path, ".gitconfig"),
			"[user]\n\tname = bench\n\temail = bench@example.invalid\n[init]\n\tdefaultBranch = main\n",
		);
		writeFileSync(join(this.me, "README.md"), "# bench\n");
		writeFileSync(join(this.me, "agent.sh"), agent, { mode: 0o755 });
		git("init", "-q");
		git("init", "-q", "--bare", this.shared);
		git("add", "-A");
		git("commit", "-qm", "start");
		git("push", "-q", this.shared, "main");
	}

	/** Ready to take lanes. */
	async worker(name: string, flags: readonly string[]): Promise<Process> {
		const home = join(this.path, name);
		mkdirSync(home);
		execFileSync("cp", [join(this.path, ".gitconfig"), home]);
		const worker = this.start(["worker", "--repo", this.shared, ...flags], home, home);
		while (!worker.said().includes("stop it with Ctrl-C")) {
			if (worker.child.exitCode !== null) throw new Error(`a worker ended: ${worker.said()}`);
			await new Promise((later) => setTimeout(later, 50));
		}
		return worker;
	}

	run(workflow: string, agents: number): Process {
		const flags = ["--agents", String(agents), "--agent-command", join(this.me, "agent.sh")];
		return this.start(["run", workflow, "--prd", "prd.json", ...flags], this.me, this.path);
	}

	async connect(): Promise<Client> {
		const client = new Client({ connectionString: this.server.url });
		await client.connect();
		return client;
	}

	private start(args: readonly string[], cwd: string, home: string): Process {
		const child = spawn(this.pawl, args, { cwd, env: this.env(home), stdio: ["ignore", "pipe", "pipe"], detached: true });
		let text = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (piece: Buffer) => {
				text = `${text}${piece}`.slice(-20_000);
			});
		const ended = new Promise<number | null>((done) => {
			child.once("close", (code) => {
				this.running.delete(started);
				done(code);
			});
		});
		const started: Process = { child, ended, said: () => text };
		this.running.add(started);
		return started;
	}

	private env(home: string): NodeJS.ProcessEnv {
		return { ...process.env, HOME: home, XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined, NO_COLOR: "1", PAWL_DB: this.server.url };
	}
}

export function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
	try {
		process.kill(-(pid ?? 0), signal);
	} catch {
		// It has ended.
	}
}
