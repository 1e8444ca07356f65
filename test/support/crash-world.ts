// A scratch repository with a user's own work in it, an agent made of shell snippets, and the real `bin/pawl` as a process that
// can be killed. Shared by the crash tests and the soak.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { PAWL } from "./bin.ts";
import { initialise } from "./empty-repository.ts";

export { PAWL };

export interface StoryPlan {
	readonly id: string;
	readonly depends_on?: readonly string[];
	readonly priority?: number;
	readonly title?: string;
	readonly passes?: boolean;
	readonly expects_change?: boolean;
}

export interface Ended {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly out: string;
	readonly err: string;
}

export interface Started {
	readonly child: ChildProcess;
	readonly pid: number;
	/** What it has printed so far on both streams. */
	text(): string;
	readonly ended: Promise<Ended>;
}

export interface WorldOptions {
	readonly stories: readonly StoryPlan[];
	/** `story.type`, `any.type` or `any.any` → a snippet of sh that the agent runs in that step; the first that is there wins. */
	readonly agent?: Readonly<Record<string, string>>;
	/** What the user has before anything starts; git commands and files are theirs to make. */
	readonly user?: (world: World) => void;
	/** The text of pawl.yml, committed. */
	readonly config?: string;
}

export interface World {
	/** Holds everything of the test; outside of the repository. */
	readonly folder: string;
	readonly root: string;
	readonly prd: string;
	/** What base was at before any run. */
	readonly first: string;
	git(args: readonly string[], cwd?: string): string;
	write(path: string, text: string): void;
	read(path: string): string | null;
	agent(name: string, snippet: string): void;
	stories(stories: readonly StoryPlan[]): void;
	/** Lines of a file in which agents note things: calls, wrote, overlaps. */
	noted(name: string): string[];
	/** Lets an agent that waits with `hold NAME` go on. */
	release(name: string): void;
	start(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
	pawl(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
	/** The arguments of the usual run. */
	runArgs(agents: number, more?: readonly string[]): string[];
	/** Kills what still runs. */
	stop(): void;
	remove(): void;
}

// Skips what only costs time: five agent sessions a story are left, and every run has an accepted edit in it.
const SHORT =
	'[{"operation":"skip","target_step_id":"step-003","reason":"short"},{"operation":"skip","target_step_id":"step-004","reason":"short"},' +
	'{"operation":"skip","target_step_id":"step-007","reason":"short"},{"operation":"skip","target_step_id":"step-008","reason":"short"},' +
	'{"operation":"skip","target_step_id":"step-009","reason":"short"}]';

// Half of the work is committed by the agent, half is left to the engine. Every attempt of it changes something that is part of the work: a log would be put aside.
const CODING =
	'echo "$S" > "$S.txt"; git add -A; git commit -qm "$S"; mkdir -p more; echo "$S" > "more/$S.txt"; echo "$PAWL_STEP_ID" >> "more/$S.steps"; wrote';

const AGENT = `#!/bin/sh
W=$1 S=$PAWL_STORY_ID
cat > /dev/null
# The lock goes when the last process of this agent does: who finds it taken runs beside an older agent of the same story.
exec 9> "$W/notes/lock-$S"
flock -n 9 || echo "$S $PAWL_STEP_ID" >> "$W/notes/overlaps"
note() { echo "$S $PAWL_STEP_ID $PAWL_STEP_TYPE $PAWL_ATTEMPT" >> "$W/notes/$1"; }
wrote() { note wrote; }
edit() { cat > "$PAWL_SHARED_DIR/workflow_edits/$S.json.new"; mv "$PAWL_SHARED_DIR/workflow_edits/$S.json.new" "$PAWL_SHARED_DIR/workflow_edits/$S.json"; }
once() { mkdir "$W/notes/once-$S-$1" 2> /dev/null; }
hold() { note "at-$1"; while [ ! -e "$W/notes/go-$1" ]; do sleep 0.05; done; }
note calls
for f in "$S.$PAWL_STEP_TYPE" "any.$PAWL_STEP_TYPE" "any.any"; do
	if [ -e "$W/do/$f" ]; then . "$W/do/$f"; break; fi
done
echo "## SUMMARY"
echo "- $S $PAWL_STEP_TYPE"
`;

export function makeWorld(options: WorldOptions): World {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-crash-")));
	const root = join(folder, "project");
	const running = new Set<ChildProcess>();
	for (const name of ["project", "do", "notes"]) mkdirSync(join(folder, name));
	writeFileSync(join(folder, "agent.sh"), AGENT);
	chmodSync(join(folder, "agent.sh"), 0o755);
	const git = (args: readonly string[], cwd = root): string =>
		execFileSync("git", [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: cleanEnv() }).trimEnd();
	const world: World = {
		folder,
		root,
		prd: join(root, "prd.json"),
		first: "",
		git,
		write: (path, text) => {
			mkdirSync(dirname(join(root, path)), { recursive: true });
			writeFileSync(join(root, path), text);
		},
		read: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : null),
		agent: (name, snippet) => writeFileSync(join(folder, "do", name), `${snippet}\n`),
		stories: (stories) => writeFileSync(world.prd, prdText(stories)),
		noted: (name) => {
			const file = join(folder, "notes", name);
			return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
		},
		release: (name) => writeFileSync(join(folder, "notes", `go-${name}`), ""),
		start: (args, env = {}) => {
			const started = launch(args, root, env);
			running.add(started.child);
			void started.ended.then(() => running.delete(started.child));
			return started;
		},
		pawl: (args, env = {}) => world.start(args, env).ended,
		runArgs: (agents, more = []) => {
			const agent = ["--agent-command", `${join(folder, "agent.sh")} ${folder}`];
			return ["run", "dynamic", "--prd", "prd.json", "--agents", String(agents), ...agent, ...more];
		},
		stop: () => {
			for (const child of running) if (child.pid !== undefined) killGroup(child.pid);
		},
		remove: () => {
			world.stop();
			rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
		},
	};
	initialise(root, { name: "Ada", email: "ada@example.org" });
	world.write("README.md", "a project\n");
	world.write("shared.txt", "1\n2\n3\n4\n5\n");
	if (options.config !== undefined) world.write("pawl.yml", options.config);
	git(["add", "-A"]);
	git(["commit", "-qm", "first"]);
	world.stories(options.stories);
	world.agent("any.planning", `edit <<'END'\n${SHORT}\nEND`);
	world.agent("any.coding", CODING);
	for (const [name, snippet] of Object.entries(options.agent ?? {})) world.agent(name, snippet);
	options.user?.(world);
	return Object.assign(world, { first: git(["rev-parse", "refs/heads/main"]) });
}

/** For a test: gone when it ends. */
export function worldFor(t: TestContext, options: WorldOptions): World {
	const world = makeWorld(options);
	t.after(() => world.remove());
	return world;
}

export const prdText = (stories: readonly StoryPlan[]): string =>
	`${JSON.stringify(
		{
			name: "crash",
			userStories: stories.map((s, i) => ({
				id: s.id,
				title: s.title ?? `the story ${s.id}`,
				description: `write ${s.id}.txt`,
				acceptanceCriteria: ["it is there"],
				priority: s.priority ?? i + 1,
				passes: s.passes ?? false,
				notes: "",
				...(s.depends_on === undefined ? {} : { depends_on: s.depends_on }),
				...(s.expects_change === undefined ? {} : { expects_change: s.expects_change }),
			})),
		},
		null,
		2,
	)}\n`;

function cleanEnv(): NodeJS.ProcessEnv {
	const env: NodeJS.ProcessEnv = {};
	for (const [name, value] of Object.entries(process.env)) if (!/^(GIT_|PAWL_|NODE_)/.test(name)) env[name] = value;
	return { ...env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
}

function launch(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Started {
	const child = spawn(PAWL, [...args], { cwd, env: { ...cleanEnv(), ...env }, detached: true, stdio: ["ignore", "pipe", "pipe"] });
	let out = "";
	let err = "";
	child.stdout.on("data", (chunk: Buffer) => {
		out += chunk.toString("utf8");
	});
	child.stderr.on("data", (chunk: Buffer) => {
		err += chunk.toString("utf8");
	});
	const ended = new Promise<Ended>((done, fail) => {
		child.once("error", fail);
		// A git that outlives its pawl holds the pipes: what counts is that pawl itself is gone.
		child.once("exit", (code, signal) => setImmediate(() => done({ code, signal, out, err })));
	});
	return { child, pid: child.pid ?? 0, text: () => out + err, ended };
}

export function killGroup(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// It is gone already.
	}
}

/** Waits for a condition; what it waited for stands in the error. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
	const end = performance.now() + ms;
	while (!(await holds())) {
		if (performance.now() > end) throw new Error(`this did not come true in ${ms / 1000} s: ${what}`);
		await wait(20);
	}
}

/** Everything of the user's checkout that is not pawl's: files, index, stash, branch. */
export function snapshot(world: World): Record<string, string> {
	const seen: Record<string, string> = {
		stash: world.git(["stash", "list", "--format=%H %s"]),
		staged: world.git(["diff", "--cached", "--raw", "--no-abbrev"]),
		head: world.git(["symbolic-ref", "HEAD"]),
		hooks: readdirSync(join(world.root, ".git", "hooks"))
			.sort()
			.join(" "),
		config: readFileSync(join(world.root, ".git", "config"), "utf8"),
	};
	const listed = world.git(["ls-files", "-z", "--others", "--modified", "--exclude-standard"]);
	for (const path of listed.split("\0")) if (path !== "" && path !== "prd.json") seen[`file ${path}`] = world.read(path) ?? "(gone)";
	return seen;
}
