// A repository in which pipelines run: the agent `scripted` or a fake one, a home of its own, and a look at the tables while it goes on.
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { quote } from "./fake-agent.ts";
import { type Ended, pawl } from "./pawl.ts";
import { quickSite } from "./quick-pawl.ts";
import { exists, git, put, repository, scratchFolder } from "./scratch.ts";

export interface Site {
	readonly repo: string;
	readonly home: string;
	readonly env: Readonly<Record<string, string>>;
	pawl(...args: string[]): Promise<Ended>;
	/** With this on stdin. */
	feed(input: string, ...args: string[]): Promise<Ended>;
	rows(sql: string): Record<string, unknown>[];
	/** Step → status. */
	steps(): Record<string, string>;
	/** `US-001 done 0` for each. */
	stories(): string[];
	/** File → text of the programs that stand first in PATH. */
	program(name: string, text: string): void;
	/** In the process of the test: its agents are no processes. */
	readonly quick: boolean;
	/** Of the commits that a branch has and main has not, oldest first; or what is checked out in a folder. */
	subjects(branch: string): string[];
	subjectsIn(checkout: string): string[];
	branches(): string[];
	/** Everything in a checkout, as an agent does it. */
	commit(checkout: string, message: string): void;
	git(...args: string[]): string;
}

/** In the process of the test, without git (quick-pawl.ts). */
export const quickPipes = (): Site => {
	const { root, memory } = quickSite();
	const main = (): string => memory.git.refs.get("refs/heads/main") ?? "";
	return {
		...site(root),
		quick: true,
		subjects: (branch) => memory.subjects(branch, main()),
		subjectsIn: (checkout) => memory.subjects(memory.at(checkout).commit ?? "", main()),
		branches: () => memory.branches(),
		commit: (checkout, message) => void memory.at(checkout).commitAll(message),
	};
};

export function site(repo = repository()): Site {
	const home = scratchFolder("home");
	const bin = scratchFolder("bin");
	const env = { HOME: home, PATH: `${bin}:${process.env["PATH"] ?? ""}`, GH_TOKEN: "", GITHUB_TOKEN: "" };
	const rows = (sql: string): Record<string, unknown>[] => {
		if (!exists(repo, ".pawl", "pawl.db")) return [];
		const db = new DatabaseSync(join(repo, ".pawl", "pawl.db"), { readOnly: true });
		try {
			return db
				.prepare(sql)
				.all()
				.map((row) => ({ ...row }));
		} finally {
			db.close();
		}
	};
	return {
		repo,
		home,
		env,
		rows,
		pawl: (...args) => pawl(args, { cwd: repo, env }),
		feed: (input, ...args) => pawl(args, { cwd: repo, env }, input),
		steps: () => Object.fromEntries(rows("select step_id, status from steps").map((r) => [String(r["step_id"]), String(r["status"])])),
		stories: () => rows("select * from stories order by story_index").map((r) => `${r["story_id"]} ${r["status"]} ${r["retry_count"]}`),
		program: (name, text) => {
			put(bin, { [name]: text });
			chmodSync(join(bin, name), 0o755);
		},
		quick: false,
		subjects: (branch) => lines(git(repo, "log", "--reverse", "--format=%s", `main..${branch}`)),
		subjectsIn: (checkout) => lines(git(checkout, "log", "--reverse", "--format=%s", "main..HEAD")),
		branches: () => lines(git(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads")),
		commit: (checkout, message) => {
			git(checkout, "add", "-A");
			git(checkout, "commit", "-q", "-m", message);
		},
		git: (...args) => git(repo, ...args),
	};
}

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

export const story = (n: number, more: object = {}): object => ({
	id: `US-00${n}`,
	title: `Title ${n}`,
	description: `Do mark-${n}`,
	acceptanceCriteria: [`criterion ${n}`, "Typecheck passes"],
	...more,
});

/** A script for the agent `scripted`, as JSON, which is YAML too; its path. */
export function script(steps: readonly object[]): string {
	const folder = scratchFolder("script");
	put(folder, { "script.yml": JSON.stringify({ steps, default: { do: [{ say: "STATUS: done\n" }] } }) });
	return join(folder, "script.yml");
}

export const says = (on: object, text: string): object => ({ on, do: [{ say: text }] });
/** One file and one commit a call. */
export const develops = (on: object, message = "feat: {story} of attempt {attempt}"): object => ({
	on,
	do: [
		{ write: { path: "work/{story}-{step}-{attempt}-{nth}.txt", content: "work\n" } },
		{ commit: message },
		{ say: "STATUS: done\nCHANGES: changed {story}\nTESTS: none\n" },
	],
});
export const plans = (on: object, stories: readonly object[], branch = "feature/status"): object =>
	says(on, `STATUS: done\nREPO: /somewhere\nBRANCH: ${branch}\nSTORIES_JSON: ${JSON.stringify(stories)}\n`);

/** Lines of shell for a fake agent that test and agent wait for each other with. */
export const touch = (file: string): string => `: > ${quote(file)}`;
export const waitFor = (file: string): string => `while [ ! -e ${quote(file)} ]; do sleep 0.05; done`;
