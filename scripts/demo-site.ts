// The machines of `npm run demo:machines`: a shared repository, a person with a checkout, and workers, each a process with its own home.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PAWL = join(import.meta.dirname, "..", "bin", "pawl");
/** Takes a moment for each step, so that there is something to see. */
const AGENT = `#!/bin/sh
cat > /dev/null
sleep 0.4
if [ "$PAWL_STEP_TYPE" = coding ]; then
	echo "what $PAWL_STORY_ID asked for" > "$PAWL_STORY_ID.txt"
	git add . && git commit -qm "feat: $PAWL_STORY_ID"
fi
printf 'SUMMARY\\n- looked at it\\n- did it\\n- tried it\\n'
`;
const GIT_CONFIG = "[user]\n\tname = pawl demo\n\temail = demo@pawl.invalid\n";

export interface DemoWorker {
	readonly name: string;
	/** Resolves when it takes stories. */
	readonly ready: Promise<void>;
	/** The stories that it ever worked on. */
	readonly began: readonly string[];
	/** Those that it works on now. */
	readonly atWork: ReadonlySet<string>;
	/** kill -9. */
	kill(): void;
	/** Lets it finish. */
	stop(): Promise<void>;
}

export class DemoSite {
	private readonly folder: string;
	private readonly env: NodeJS.ProcessEnv;
	private readonly lanes: number;
	private readonly children = new Set<ChildProcess>();

	constructor(folder: string, url: string, stories: readonly string[], lanes: number) {
		this.folder = folder;
		this.lanes = lanes;
		const home = join(folder, "home");
		// Nothing of the person's own: no agent, no settings of git, no pawl.yml.
		this.env = { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", NO_COLOR: "1", PAWL_DB: url };
		for (const made of [home, this.me]) mkdirSync(made);
		writeFileSync(join(home, ".gitconfig"), GIT_CONFIG);
		this.git(folder, "init", "-q", "--bare", "-b", "main", this.shared);
		this.git(this.me, "init", "-q", "-b", "main");
		writeFileSync(join(this.me, "README.md"), "# a project\n");
		writeFileSync(join(this.me, "pawl.yml"), "checks:\n  there: test -e README.md\n");
		writeFileSync(join(folder, "agent.sh"), AGENT, { mode: 0o755 });
		this.git(this.me, "add", ".");
		this.git(this.me, "commit", "-qm", "start");
		this.git(this.me, "push", "-q", this.shared, "main");
		const userStories = stories.map((id) => ({
			id,
			title: `A file for ${id}`,
			description: "",
			acceptanceCriteria: [`${id}.txt is there`],
		}));
		writeFileSync(join(this.me, "prd.json"), JSON.stringify({ project: "demo", userStories }, null, 2));
	}

	worker(name: string, say: (text: string) => void): DemoWorker {
		const cache = join(this.folder, name);
		mkdirSync(cache);
		const child = this.start(["worker", "--repo", this.shared, "--lanes", String(this.lanes), "--lease", "10s"], cache, {
			XDG_CACHE_HOME: cache,
		});
		const ready = Promise.withResolvers<void>();
		const began: string[] = [];
		const atWork = new Set<string>();
		child.once("exit", () => ready.resolve());
		createInterface({ input: child.stderr as NodeJS.ReadableStream }).on("line", (line) => {
			if (line.startsWith("worker ")) ready.resolve();
			const [, begins, ends] = /: works on (US-\d+)$|: (US-\d+) has nothing left to do$/.exec(line) ?? [];
			if (begins !== undefined) {
				if (!began.includes(begins)) began.push(begins);
				atWork.add(begins);
				say(`works on ${begins}`);
			}
			if (ends !== undefined && atWork.delete(ends))
				say(
					this.landed().some(({ story }) => story === ends) ? `has merged ${ends}` : `has done ${ends}, which waits for its turn to merge`,
				);
		});
		const end = (signal: NodeJS.Signals): void => {
			atWork.clear();
			endGroup(child, signal);
		};
		return {
			name,
			ready: ready.promise,
			began,
			atWork,
			kill: () => end("SIGKILL"),
			stop: () => this.ended(child, () => child.kill("SIGTERM")),
		};
	}

	run(): { readonly ended: Promise<number | null>; said(): string } {
		const agent = ["--agent", "command", "--agent-command", join(this.folder, "agent.sh")];
		const child = this.start(["run", "dynamic", "--prd", "prd.json", "--agents", "6", ...agent], this.me);
		const said: string[] = [];
		for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => said.push(chunk.toString("utf8")));
		return { ended: new Promise((resolve) => child.once("exit", (code) => resolve(code))), said: () => said.join("") };
	}

	/** What base has got, oldest first. */
	landed(): { readonly story: string; readonly commit: string }[] {
		const format = "--format=%h %(trailers:key=Pawl-Story,valueonly,separator=%x2C)";
		const lines = this.git(this.shared, "log", "--reverse", format, "main").split("\n");
		return lines.map((line) => line.split(" ")).flatMap(([commit = "", story = ""]) => (story === "" ? [] : [{ story, commit }]));
	}

	async endAll(): Promise<void> {
		await Promise.all([...this.children].map((child) => this.ended(child, () => endGroup(child, "SIGKILL"))));
	}

	private get me(): string {
		return join(this.folder, "me");
	}

	private get shared(): string {
		return join(this.folder, "shared.git");
	}

	private start(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
		const child = spawn(PAWL, args, { cwd, env: { ...this.env, ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true });
		this.children.add(child);
		child.once("exit", () => this.children.delete(child));
		return child;
	}

	private ended(child: ChildProcess, end: () => void): Promise<void> {
		if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
		return new Promise((resolve) => {
			child.once("exit", () => resolve());
			end();
		});
	}

	private git(cwd: string, ...args: string[]): string {
		return execFileSync("git", args, { cwd, env: this.env, encoding: "utf8" }).trim();
	}
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
	try {
		if (pid !== undefined) process.kill(-pid, signal);
	} catch {
		// It has ended.
	}
}
