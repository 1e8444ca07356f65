// The world of the storm: a server of PostgreSQL behind a network that loses answers, a shared repository, a person with a checkout, and workers, each a
// process with its own home. Nothing in it belongs to a test: the storm says when it goes.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { type Proxy as Network, startProxy } from "../../src/store/postgres/proxy.suite.ts";
import { PAWL } from "../support/bin.ts";
import type { StormServer } from "./storm-server.ts";

// Takes its time where it writes, so that most faults hit a session; skips the steps that only cost time.
const AGENT = `#!/bin/sh
cat > /dev/null
case "$PAWL_STEP_TYPE" in
planning)
	e="$PAWL_SHARED_DIR/workflow_edits/$PAWL_STORY_ID.json"
	printf '[%s]' "$(for n in 003 004 007 008 009; do printf '{"operation":"skip","target_step_id":"step-%s","reason":"short"}' $n; done | sed 's/}{/},{/g')" > "$e.new"
	mv "$e.new" "$e";;
coding) sleep "$NAP"; echo "$PAWL_STORY_ID" > "$PAWL_STORY_ID.txt"; git add . && git commit -qm "feat: $PAWL_STORY_ID";;
rebase_resolve) git merge -q -X ours main -m merge;;
*) sleep 0.1;;
esac
printf '## SUMMARY\\n- %s %s\\n' "$PAWL_STORY_ID" "$PAWL_STEP_TYPE"
`;

export interface Process {
	readonly child: ChildProcess;
	readonly pid: number;
	/** What it said last. */
	said(): string;
	readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Characters. */
const KEPT = 20_000;

export class StormWorld {
	readonly folder: string;
	readonly shared: string;
	readonly me: string;
	readonly stories: readonly string[];
	readonly server: StormServer;
	readonly network: Network;
	/** How many answers to COMMIT are still to be lost. */
	toLose = 0;
	private readonly database: string;
	private readonly running = new Set<Process>();

	static async make(server: StormServer, database: string, stories: readonly string[], nap: string): Promise<StormWorld> {
		await query(server.url, `CREATE DATABASE ${database}`);
		return new StormWorld(server, database, await startProxy(within(server.url, database)), stories, nap);
	}

	private constructor(server: StormServer, database: string, network: Network, stories: readonly string[], nap: string) {
		this.server = server;
		this.database = database;
		this.network = network;
		this.stories = stories;
		this.folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-storm-")));
		this.shared = join(this.folder, "shared.git");
		this.me = join(this.folder, "me");
		network.lose = (sent) => {
			if (this.toLose === 0 || !sent.includes("COMMIT")) return null;
			this.toLose--;
			return "answer";
		};
		mkdirSync(this.me);
		writeFileSync(
			join(this.folder, ".gitconfig"),
			"[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n",
		);
		this.git(["init", "-q", "--bare", this.shared]);
		this.git(["init", "-q", this.me]);
		writeFileSync(join(this.me, "README.md"), "a project\n");
		writeFileSync(join(this.me, "agent.sh"), AGENT.replace("$NAP", nap));
		chmodSync(join(this.me, "agent.sh"), 0o755);
		writeFileSync(join(this.me, "pawl.yml"), "checks:\n  test: test -e README.md\n");
		this.git(["add", "."]);
		this.git(["commit", "-qm", "first"]);
		this.git(["push", "-q", this.shared, "main"]);
		const userStories = stories.map((id) => ({ id, title: id, description: "", acceptanceCriteria: ["it is there"], depends_on: [] }));
		writeFileSync(join(this.me, "prd.json"), JSON.stringify({ project: "storm", userStories }));
	}

	git(args: readonly string[], cwd = this.me): string {
		return execFileSync("git", [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: this.env() }).trimEnd();
	}

	worker(name: string, lease = "10s"): Process {
		const home = join(this.folder, name);
		mkdirSync(home, { recursive: true });
		writeFileSync(join(home, ".gitconfig"), readFileSync(join(this.folder, ".gitconfig")));
		return this.start(["worker", "--repo", this.shared, "--lanes", "2", "--lease", lease], home, { HOME: home });
	}

	pawl(...args: string[]): Process {
		return this.start(args, this.me, {});
	}

	/** From here on to the server that took the place of the lost one. */
	redirect(): void {
		this.network.redirect(this.server.url);
	}

	/** In the database itself, not over the network. */
	query(sql: string): Promise<Record<string, unknown>[]> {
		return query(within(this.server.url, this.database), sql);
	}

	async remove(keep: boolean): Promise<void> {
		for (const { pid } of this.running) killGroup(pid);
		await Promise.all([...this.running].map((process) => process.ended));
		await this.network.close();
		if (keep) return;
		await query(this.server.url, `DROP DATABASE IF EXISTS ${this.database} WITH (FORCE)`);
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}

	private start(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Process {
		const child = spawn(PAWL, args, { cwd, env: { ...this.env(), ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true });
		let text = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (piece: Buffer) => {
				text = `${text}${piece}`.slice(-KEPT);
			});
		const ended: Process["ended"] = new Promise((done) => {
			child.once("close", (code, signal) => {
				this.running.delete(process_);
				done({ code, signal });
			});
		});
		const process_: Process = { child, pid: child.pid ?? 0, said: () => text, ended };
		this.running.add(process_);
		return process_;
	}

	private env(): NodeJS.ProcessEnv {
		const { GIT_DIR: _, ...rest } = process.env;
		return {
			...rest,
			HOME: this.folder,
			XDG_CACHE_HOME: undefined,
			XDG_CONFIG_HOME: undefined,
			GIT_CONFIG_NOSYSTEM: "1",
			NO_COLOR: "1",
			PAWL_DB: this.network.url,
		};
	}
}

export function killGroup(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
	try {
		process.kill(-pid, signal);
	} catch {
		// It has ended.
	}
}

function within(url: string, database: string): string {
	const named = new URL(url);
	named.pathname = `/${database}`;
	return named.href;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
	const client = new Client({ connectionString: url });
	// The server may end it at any time: a fault of the storm.
	client.on("error", () => {});
	await client.connect();
	try {
		return (await client.query(sql)).rows;
	} finally {
		await client.end();
	}
}
