// Several machines: each worker is a process with its own home and its own clone of a shared repository; runs are in PostgreSQL. A person starts, stops and
// follows a run from elsewhere.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type Started, startPawl } from "../support/pawl.ts";
import { type FreshDatabase, freshDatabase, withoutPostgres } from "../support/postgres.ts";
import { scratchFolder } from "../support/scratch.ts";

const AGENT = `#!/bin/sh
cat > /dev/null
if env | grep -q PAWL_DB; then exit 9; fi
if [ -e "$WAIT" ] && [ "$PAWL_STEP_TYPE" = coding ]; then echo "$PAWL_STORY_ID" >> "$WAIT/at"; while [ ! -e "$WAIT/go" ]; do sleep 0.05; done; fi
if [ "$PAWL_STEP_TYPE" = coding ]; then echo "$PAWL_STORY_ID" > "$PAWL_STORY_ID.txt"; git add . && git commit -qm "feat: $PAWL_STORY_ID"; fi
printf 'SUMMARY\\n- done\\n- done\\n- done\\n'
`;

const databases: FreshDatabase[] = [];
after(async () => {
	for (const database of databases) await database.remove();
});

const git = (cwd: string, ...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" }).trim();

async function until(what: string, holds: () => boolean): Promise<void> {
	for (const end = Date.now() + 90_000; !holds(); await new Promise((later) => setTimeout(later, 50)))
		if (Date.now() > end) throw new Error(`${what} did not come`);
}

/** A shared repository, a person with a checkout of it, and as many machines as are wanted. */
class Site {
	readonly folder = scratchFolder();
	readonly me = join(this.folder, "me");
	readonly wait = join(this.folder, "wait");
	readonly shared = join(this.folder, "shared.git");
	readonly stories: readonly string[];
	private readonly url: string;
	private readonly workers = new Map<string, Started>();

	constructor(url: string, stories: readonly string[]) {
		this.url = url;
		this.stories = stories;
		git(this.folder, "init", "-q", "--bare", "-b", "main", this.shared);
		git(this.folder, "init", "-q", "-b", "main", this.me);
		for (const [key, value] of Object.entries({ "user.name": "A Person", "user.email": "person@example.com" }))
			git(this.me, "config", key, value);
		writeFileSync(join(this.me, "README.md"), "a project\n");
		writeFileSync(join(this.me, "agent.sh"), AGENT, { mode: 0o755 });
		writeFileSync(join(this.me, "pawl.yml"), "env: [WAIT]\nsetup: 'if env | grep -q PAWL_DB; then exit 1; fi'\n");
		git(this.me, "add", ".");
		git(this.me, "commit", "-qm", "first");
		git(this.me, "push", "-q", this.shared, "main");
		const userStories = stories.map((id) => ({ id, title: id, description: "", acceptanceCriteria: ["it is there"], depends_on: [] }));
		writeFileSync(join(this.me, "prd.json"), JSON.stringify({ project: "x", userStories }));
	}

	worker(name: string): Started {
		const home = join(this.folder, name);
		mkdirSync(home, { recursive: true });
		const env = { ...this.env, XDG_CACHE_HOME: home, WAIT: this.wait };
		const worker = startPawl(["worker", "--repo", this.shared, "--lanes", "2", "--lease", "10s"], { cwd: home, env });
		this.workers.set(name, worker);
		return worker;
	}

	pawl(...args: string[]): Started {
		return startPawl(args, { cwd: this.me, env: this.env });
	}

	run(): Started {
		return this.pawl(
			"run",
			"dynamic",
			"--prd",
			"prd.json",
			"--agents",
			"4",
			"--agent-command",
			join(this.me, "agent.sh"),
			"--agent",
			"command",
		);
	}

	/** The stories whose coding has begun. */
	begun(): string[] {
		try {
			return readFileSync(join(this.wait, "at"), "utf8").trim().split("\n");
		} catch {
			return [];
		}
	}

	/** What base has got, oldest first. */
	landed(): string[] {
		const messages = git(this.shared, "log", "--reverse", "--format=%(trailers:key=Pawl-Story,valueonly,separator=%x2C)", "main");
		return messages.split("\n").filter((id) => id !== "");
	}

	passing(): string[] {
		const { userStories } = JSON.parse(readFileSync(join(this.me, "prd.json"), "utf8")) as {
			userStories: { id: string; passes?: boolean }[];
		};
		return userStories.flatMap(({ id, passes }) => (passes ? [id] : []));
	}

	private get env(): Record<string, string> {
		return { PAWL_DB: this.url };
	}
}

async function site(...stories: string[]): Promise<Site> {
	const database = freshDatabase();
	databases.push(database);
	return new Site(await database.url(), stories);
}

describe("workers", { skip: withoutPostgres, concurrency: 2 }, () => {
	test("M2 A1 A8 a worker that is killed leaves its stories to the others, each story lands once, and a worker that is told to stop finishes", async () => {
		const s = await site("US-1", "US-2", "US-3", "US-4");
		mkdirSync(s.wait);
		const [first, second] = [s.worker("a"), s.worker("b")];
		const run = s.run();
		await until("coding of all four", () => new Set(s.begun()).size === 4);
		process.kill(-(first.child.pid ?? 0), "SIGKILL");
		writeFileSync(join(s.wait, "go"), "");
		const { code, all } = await run.done;
		assert.equal(code, 0, `${all}\n${second.said()}`);
		assert.deepEqual(s.landed().sort(), s.stories);
		assert.deepEqual(s.passing(), s.stories, "the file is kept up to date where the person is");
		assert.equal(git(s.shared, "fsck", "--strict").includes("error"), false);
		assert.equal(s.begun().length > 4, true, "what the dead worker had begun was begun again");
		second.child.kill("SIGTERM");
		assert.equal((await second.done).code, 0);
	});

	test("M3 a person stops a run from their own machine, looks at it, and lets it go on", async () => {
		const s = await site("US-1", "US-2");
		mkdirSync(s.wait);
		const worker = s.worker("a");
		const run = s.run();
		await until("coding of both", () => new Set(s.begun()).size === 2);
		const paused = await s.pawl("pause").done;
		assert.equal(paused.code, 0, paused.all);
		assert.equal((await run.done).code, 3, "whoever follows it is told");
		const status = JSON.parse((await s.pawl("status", "--json").done).stdout) as { status: string };
		assert.equal(status.status, "paused");
		writeFileSync(join(s.wait, "go"), "");
		const resumed = await s.pawl("resume").done;
		assert.equal(resumed.code, 0, `${resumed.all}\n${worker.said()}`);
		assert.deepEqual(s.landed().sort(), s.stories);
		worker.child.kill("SIGTERM");
		assert.equal((await worker.done).code, 0);
	});

	test("what machines cannot share is refused before anything is written", async () => {
		const s = await site("US-1");
		const noDatabase = await startPawl(["worker", "--repo", s.shared], { cwd: s.me }).done;
		assert.equal(noDatabase.code, 2);
		assert.match(noDatabase.stderr, /name the database/);
		for (const [args, why] of [
			[["run", "dynamic", "do it", "--agent", "command", "--agent-command", "true"], /worktrees of their own/],
			[["worker", "--repo", "ext::sh -c true"], /ext::/],
			[["worker", "--repo", s.shared, "--lease", "1s"], /at least 10s/],
		] as const) {
			const refused = await s.pawl(...args).done;
			assert.equal(refused.code, 2, refused.all);
			assert.match(refused.stderr, why);
		}
	});
});
