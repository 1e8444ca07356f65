// For the tests of several machines: a bare repository that they share, the clones of machines, and a person with a clone of their own.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Clone, Release } from "../../remote.ts";
import type { MergeRequest, MergeResult } from "../../workspace.ts";
import { Worktrees } from "../slot/worktrees.ts";
import type { GitTree } from "../tree/tree.ts";
import { openClone } from "./clone.ts";
import { GitRemote } from "./remote.ts";
import { mergeOverRemote, type RefusedMerge } from "./remote-base.ts";

const ENV = {
	...process.env,
	GIT_AUTHOR_NAME: "Ann",
	GIT_AUTHOR_EMAIL: "ann@example.org",
	GIT_COMMITTER_NAME: "Ann",
	GIT_COMMITTER_EMAIL: "ann@example.org",
};

export function run(cwd: string, ...args: string[]): string {
	return execFileSync("git", args, { cwd, encoding: "utf8", env: ENV, stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
}

/** Commits everything in a checkout; returns the commit. */
export function commit(folder: string, files: Readonly<Record<string, string>>, message = "work"): string {
	write(folder, files);
	run(folder, "add", "-A");
	run(folder, "commit", "-q", "--allow-empty", "-m", message);
	return run(folder, "rev-parse", "HEAD");
}

export class Site {
	readonly home = realpathSync(mkdtempSync(join(tmpdir(), "pawl-remote-")));
	/** The shared repository. */
	readonly shared = join(this.home, "shared.git");
	readonly address = `file://${this.shared}`;
	/** A person's own clone. */
	readonly person = join(this.home, "person");
	private readonly machines: Machine[] = [];

	constructor(files: Readonly<Record<string, string>> = { "a.txt": "one\n", "b.txt": "two\n" }) {
		run(this.home, "init", "-q", "--bare", "-b", "main", this.shared);
		run(this.home, "init", "-q", "-b", "main", this.person);
		run(this.person, "remote", "add", "origin", this.shared);
		commit(this.person, { ".pawl/.gitignore": "/*\n", ...files }, "first");
		run(this.person, "push", "-q", "origin", "main");
	}

	git(...args: string[]): string {
		return run(this.shared, ...args);
	}

	base(): string {
		return this.git("rev-parse", "main");
	}

	log(): string[] {
		return this.git("log", "--format=%s", "main").split("\n");
	}

	/** What a person does: a commit on top of base. */
	pushes(files: Readonly<Record<string, string>>, message: string): string {
		run(this.person, "fetch", "-q", "origin");
		run(this.person, "reset", "-q", "--hard", "origin/main");
		const made = commit(this.person, files, message);
		run(this.person, "push", "-q", "origin", "main");
		return made;
	}

	rewinds(to: string): void {
		run(this.person, "fetch", "-q", "origin");
		run(this.person, "push", "-q", "--force", "origin", `${to}:refs/heads/main`);
	}

	/** A program that the server runs at each push. */
	hook(name: "pre-receive" | "post-receive" | "update", script: string | null): void {
		const file = join(this.shared, "hooks", name);
		rmSync(file, { force: true });
		if (script !== null) write(dirname(file), { [name]: `#!/bin/sh\n${script}\n` });
		if (script !== null) execFileSync("chmod", ["+x", file]);
	}

	async machine(name: string, address = this.address): Promise<Machine> {
		const opened = await openClone(address, join(this.home, name), { waitsMs: [0, 0] });
		if ("problem" in opened) throw new Error(`${opened.code}: ${opened.problem}`);
		const machine = new Machine(this, opened);
		this.machines.push(machine);
		return machine;
	}

	/** A file stands for the journal: what a story announced. */
	announced(story: string): string[] {
		const file = join(this.home, `announced-${story}`);
		return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
	}

	announce(story: string, made: string): void {
		appendFileSync(join(this.home, `announced-${story}`), `${made}\n`);
	}

	remove(): void {
		for (const machine of this.machines) machine.clone.close();
		rmSync(this.home, { recursive: true, force: true });
	}
}

export class Machine {
	readonly clone: Clone & { readonly remote: GitRemote };
	readonly root: string;
	readonly commonDir: string;
	readonly worktrees: Worktrees;
	private readonly site: Site;

	constructor(site: Site, clone: Clone & { readonly remote: GitRemote }) {
		this.site = site;
		this.clone = clone;
		this.root = clone.root;
		this.commonDir = join(clone.root, ".git");
		this.worktrees = new Worktrees({ root: this.root, commonDir: this.commonDir, setup: null, copy: [], link: [] });
	}

	get remote(): GitRemote {
		return this.clone.remote;
	}

	git(...args: string[]): string {
		return run(this.root, ...args);
	}

	/** A story that has written and committed these files, on top of base as it is now. */
	async story(slot: number, id: string, files: Readonly<Record<string, string>>): Promise<GitTree> {
		const found = await this.clone.bringUp("main");
		if (found.result !== "found") throw new Error(found.result);
		const tree = await this.worktrees.claim(slot, id, "main", "run-1");
		commit(tree.path, files);
		return tree;
	}

	merge(
		worktree: GitTree,
		request: Partial<MergeRequest> = {},
		turn: () => Promise<Release> = async () => () => {},
		remote: GitRemote = this.remote,
	): Promise<MergeResult | RefusedMerge> {
		const story = worktree.branch.slice("ralph/".length);
		const whole: MergeRequest = { ...requestFor(this.site, story), ...request };
		return mergeOverRemote({ root: this.root, commonDir: this.commonDir, worktree, request: whole, remote, turn });
	}

	/** The same clone over another address of the same repository. */
	over(address: string): GitRemote {
		return new GitRemote({ root: this.root, commonDir: this.commonDir }, address, { waitsMs: [0, 0] });
	}
}

export function requestFor(site: Pick<Site, "announced" | "announce">, story: string): MergeRequest {
	return {
		run: "run-1",
		story,
		title: `Story ${story}`,
		base: "main",
		ignore: [],
		check: async () => [],
		announced: site.announced(story),
		announce: async (made) => site.announce(story, made),
	};
}

/** Turns in the order in which they were asked for. */
export function turns(): () => Promise<Release> {
	let last: Promise<void> = Promise.resolve();
	return async () => {
		const before = last;
		let end = (): void => {};
		last = new Promise((done) => {
			end = done;
		});
		await before;
		return end;
	};
}
