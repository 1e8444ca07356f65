// The folder that a recording is made in: a repository, beside it the agent's script, and perhaps a worktree of the user's own. Nothing of
// this machine gets in: no configuration of git, no identity, no environment but PATH.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PERSON } from "./fixture.ts";
import type { Recording } from "./recordings.ts";

export type Files = Readonly<Record<string, string>>;
export type Ends = { readonly exit: number } | { readonly killed: true };

export interface RecordingSite {
	readonly root: string;
	/** Where commands are given, below the root. */
	readonly cwd: string;
	readonly cutAt: string | undefined;
	/** Runs pawl and expects this end; its stdout. */
	pawl(args: readonly string[], ends: Ends & { readonly stdin?: string }): string;
	write(folder: string, files: Files): void;
}

export interface PawlResult {
	readonly exit: number | null;
	readonly signal: string | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** The real bin/pawl, in an environment that every machine has. */
export function pawlIn(installed: string, root: string, cwd: string, args: readonly string[], env: Files = {}, stdin = ""): PawlResult {
	const { status, signal, stdout, stderr } = spawnSync(join(installed, "bin", "pawl"), args, {
		cwd: join(root, cwd),
		encoding: "utf8",
		input: stdin,
		timeout: 120_000,
		env: { ...cleanEnv(root), ...env },
	});
	return { exit: status, signal, stdout, stderr };
}

const cleanEnv = (root: string): Files => ({
	PATH: process.env["PATH"] ?? "",
	HOME: join(root, "home"),
	XDG_CONFIG_HOME: join(root, "home"),
	TMPDIR: process.env["TMPDIR"] ?? "/tmp",
	NO_COLOR: "1",
	LANG: "C.UTF-8",
	GIT_CONFIG_GLOBAL: "/dev/null",
	GIT_CONFIG_SYSTEM: "/dev/null",
});

export function makeRecordingSite(recording: Recording, root: string, installed: string): RecordingSite {
	const repo = join(root, "project");
	const git = (...args: string[]) => execFileSync("git", args, { cwd: repo, env: cleanEnv(root), stdio: ["ignore", "ignore", "inherit"] });
	const write = (folder: string, files: Files): void => {
		for (const [path, text] of Object.entries(files)) {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), text);
		}
	};
	for (const folder of ["project", "home"]) mkdirSync(join(root, folder));
	write(repo, recording.files);
	// JSON is YAML too.
	if (recording.script !== undefined) write(root, { "script.yml": `${JSON.stringify(recording.script, null, 1)}\n` });
	if (recording.agent !== undefined) write(root, { "agent.sh": recording.agent });
	git("init", "-q", "-b", "main", "--template=");
	git("config", "user.name", PERSON.name);
	git("config", "user.email", PERSON.email);
	git("config", "gc.auto", "0");
	git("add", "-A");
	git("commit", "-q", "-m", "start");
	if (recording.branch !== undefined) git("worktree", "add", "-q", "--no-track", "-b", recording.branch, join(root, "worktree"), "main");
	const cwd = recording.branch === undefined ? "project" : "worktree";
	return {
		root,
		cwd,
		cutAt: recording.cutAt,
		write,
		pawl: (args, ends) => {
			const env: Files = "killed" in ends && recording.cutAt !== undefined ? { PAWL_CRASH_AT: recording.cutAt } : {};
			const said = pawlIn(installed, root, cwd, args, env, ends.stdin);
			const asExpected = "killed" in ends ? said.signal === "SIGKILL" : said.exit === ends.exit;
			if (!asExpected)
				throw new Error(`${recording.name}: pawl ${args.join(" ")} ended with ${said.exit ?? said.signal}\n${said.stdout}\n${said.stderr}`);
			return said.stdout;
		},
	};
}
