// Several machines for tests: a shared repository, a person with a checkout of it, and workers, each a process with its own home and its own clone. Runs are in a
// PostgreSQL database of their own.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { type Started, startPawl } from "./pawl.ts";
import { asked, type FreshDatabase, freshDatabase } from "./postgres.ts";
import { scratchFolder } from "./scratch.ts";

const AGENT = `#!/bin/sh
cat > /dev/null
if env | grep -q PAWL_DB; then exit 9; fi
echo "$PAWL_STORY_ID begins"
if [ "$PAWL_STEP_TYPE" = context_gathering ]; then echo "$PAWL_STORY_ID was here" | tee -a "$PAWL_SHARED_DIR/scratch.md" >> "$PAWL_SHARED_DIR/scratch_$PAWL_STORY_ID.md"; fi
if [ -e "$WAIT" ] && [ "$PAWL_STEP_TYPE" = coding ]; then echo "$PAWL_STORY_ID" >> "$WAIT/at"; while [ ! -e "$WAIT/go" ]; do sleep 0.05; done; fi
if [ "$PAWL_STEP_TYPE$PAWL_STORY_ID" = codingBAD ]; then echo half > half.txt; exit 1; fi
if [ "$PAWL_STEP_TYPE" = coding ]; then echo "$PAWL_STORY_ID" > "$PAWL_STORY_ID.txt"; git add . && git commit -qm "feat: $PAWL_STORY_ID"; fi
printf 'SUMMARY\\n- done\\n- done\\n- done\\n'
`;

const databases: FreshDatabase[] = [];
after(async () => {
	for (const database of databases) await database.remove();
});

export const git = (cwd: string, ...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" }).trim();

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
	for (const end = Date.now() + 90_000; !(await holds()); await new Promise((later) => setTimeout(later, 50)))
		if (Date.now() > end) throw new Error(`${what} did not come`);
}

/** A shared repository, a person with a checkout of it, and as many machines as are wanted. */
export class Site {
	readonly folder = scratchFolder();
	readonly me = join(this.folder, "me");
	readonly wait = join(this.folder, "wait");
	readonly shared = join(this.folder, "shared.git");
	readonly stories: readonly string[];
	readonly url: string;
	/** More variables, for workers and for the person. */
	more: Readonly<Record<string, string>> = {};
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
		this.plan(stories);
	}

	/** A new list of stories for the next run. */
	plan(stories: readonly string[]): void {
		const userStories = stories.map((id) => ({ id, title: id, description: "", acceptanceCriteria: ["it is there"], depends_on: [] }));
		writeFileSync(join(this.me, "prd.json"), JSON.stringify({ project: "x", userStories }));
	}

	worker(name: string, flags: readonly string[] = [], program?: string): Started {
		const home = join(this.folder, name);
		mkdirSync(home, { recursive: true });
		const env = { PAWL_DB: this.addresses.worker ?? this.url, XDG_CACHE_HOME: home, WAIT: this.wait, ...this.more };
		const worker = startPawl(["worker", "--repo", this.shared, "--lanes", "2", "--lease", "10s", ...flags], {
			cwd: home,
			env,
			...(program === undefined ? {} : { program }),
		});
		this.workers.set(name, worker);
		return worker;
	}

	pawl(...args: string[]): Started {
		return startPawl(args, { cwd: this.me, env: this.env });
	}

	/** A command of somebody else, who has a clone of their own. */
	elsewhere(...args: string[]): Started {
		return startPawl(args, { cwd: this.other(), env: this.env });
	}

	other(): string {
		const clone = join(this.folder, "other");
		if (!existsSync(clone)) git(this.folder, "clone", "-q", this.shared, clone);
		return clone;
	}

	run(program?: string): Started {
		const agent = ["--agent", "command", "--agent-command", join(this.me, "agent.sh")];
		const args = ["run", "dynamic", "--prd", "prd.json", "--agents", "4", ...agent];
		return startPawl(args, { cwd: this.me, env: this.env, ...(program === undefined ? {} : { program }) });
	}

	/** Adds a line to pawl.yml, on every machine. */
	configure(line: string): void {
		git(this.me, "pull", "-q", this.shared, "main");
		appendFileSync(join(this.me, "pawl.yml"), `${line}\n`);
		git(this.me, "commit", "-qam", "configure");
		git(this.me, "push", "-q", this.shared, "main");
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

	/** What the database knows of who works on what, for the message of a test that waited in vain. */
	async table(): Promise<string> {
		const told = async (text: string): Promise<string> => (await asked(this.url, text)).map((row) => JSON.stringify(row)).join("\n");
		return [
			await told("SELECT scope, epoch, worker, since, until, clock_timestamp() AS now FROM pawl.lanes ORDER BY scope"),
			await told(
				"SELECT data, state, retry_count, started_on, start_after, heartbeat_on, heartbeat_seconds FROM pawl_boss.job ORDER BY created_on",
			),
			await told("SELECT name, monitor_on, monitor_claim_on, maintain_on FROM pawl_boss.queue"),
			await told(
				"SELECT pid, application_name, state, wait_event_type, wait_event, state_change, left(query, 120) AS query FROM pg_stat_activity WHERE datname = current_database()",
			),
		].join("\n\n");
	}

	passing(): string[] {
		const { userStories } = JSON.parse(readFileSync(join(this.me, "prd.json"), "utf8")) as {
			userStories: { id: string; passes?: boolean }[];
		};
		return userStories.flatMap(({ id, passes }) => (passes ? [id] : []));
	}

	/** From here on workers and the person have roles of their own in the database. */
	async useRoles(): Promise<void> {
		const { code, all } = await this.pawl("database", "setup").done;
		if (code !== 0) throw new Error(all);
		const name = new URL(this.url).pathname.slice(1);
		const made = { worker: `${name}_worker`, person: `${name}_person` };
		for (const [kind, role] of Object.entries(made)) {
			await asked(this.url, `CREATE ROLE ${role} LOGIN PASSWORD 'x' IN ROLE pawl_${kind}`);
			const server = Object.assign(new URL(this.url), { pathname: "/postgres" }).href;
			databases.push({ url: async () => server, remove: async () => void (await asked(server, `DROP ROLE ${role}`)) });
			this.addresses = { ...this.addresses, [kind]: Object.assign(new URL(this.url), { username: role, password: "x" }).href };
		}
	}

	private addresses: { readonly worker?: string; readonly person?: string } = {};

	private get env(): Record<string, string> {
		return { PAWL_DB: this.addresses.person ?? this.url, ...this.more };
	}
}

export async function site(...stories: string[]): Promise<Site> {
	const database = freshDatabase();
	databases.push(database);
	return new Site(await database.url(), stories);
}
