// Runs git: without a shell, without the user's hooks, filters or environment, with limits on time and output.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { WorkspaceError } from "../../workspace.ts";
import { gitEnvironment } from "./environment.ts";
import { raw, textOf } from "./file-names.ts";
import { pinned } from "./pins.ts";
import { durableArgs } from "./sync-setting.ts";

export interface GitOptions {
	/** Our own index instead of the checkout's. */
	readonly index?: string;
	readonly input?: string | Buffer;
	readonly env?: Readonly<Record<string, string>>;
	readonly timeoutMs?: number;
	/** The most output that it may print; more is an error. */
	readonly maxBytes?: number;
	/** Where the output goes instead of into memory. */
	readonly onStdout?: (chunk: Buffer) => void;
}

export interface GitResult {
	readonly code: number;
	readonly stdout: Buffer;
	readonly stderr: string;
}

// Settings of a repository or an agent must not run anything inside our own calls, nor sign, nor collect garbage
// during parallel work.
const CONFIG = [
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.untrackedCache=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"commit.gpgsign=false",
	"tag.gpgsign=false",
	"diff.external=",
	"core.pager=cat",
	"advice.detachedHead=false",
	"advice.graftFileDeprecated=false",
	"rerere.enabled=false",
	"submodule.recurse=false",
	"core.quotepath=false",
].flatMap((setting) => ["-c", setting]);

const TIMEOUT_MS = 10 * 60_000;
/** Each ref of a call may have a lock that was left behind. */
const TURNS = 5;
const MAX_BYTES = 256 * 1024 * 1024;

/** Runs git to its end, whatever its exit code; throws WorkspaceError only if it could not run or not end. */
export async function tryGit(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
	for (let turn = 1; ; turn++) {
		const { args: settings, env } = await pinned(cwd);
		const own = [...CONFIG, ...durableArgs(options.index?.includes("/pawl/") === true), ...settings, ...excludes(cwd)];
		const result = await runGit(cwd, args, own, { ...environment(options), ...env }, options);
		if (result.code === 0 || turn === TURNS) return result;
		const { clearStaleLock } = await import("./stale-lock.ts");
		if (!(await clearStaleLock(result.stderr))) return result;
	}
}

function runGit(
	cwd: string,
	args: readonly string[],
	settings: readonly string[],
	env: Readonly<Record<string, string>>,
	options: GitOptions,
): Promise<GitResult> {
	return new Promise((resolve, reject) => {
		const child = spawn("git", [...settings, ...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
		const out: Buffer[] = [];
		let kept = 0;
		let stderr = "";
		let problem: string | null = null;
		const timer = setTimeout(() => {
			problem = `git ${args[0]} did not end in time`;
			child.kill("SIGKILL");
		}, options.timeoutMs ?? TIMEOUT_MS);
		child.on("error", (error) => {
			clearTimeout(timer);
			reject(
				new WorkspaceError(
					(error as NodeJS.ErrnoException).code === "ENOENT" ? `git cannot be started in ${cwd}` : `git: ${error.message}`,
				),
			);
		});
		child.stdout.on("data", (chunk: Buffer) => {
			if (options.onStdout) return options.onStdout(chunk);
			kept += chunk.length;
			if (kept > (options.maxBytes ?? MAX_BYTES)) {
				problem = `git ${args[0]} printed too much`;
				child.kill("SIGKILL");
			} else out.push(chunk);
		});
		child.stderr.on("data", (chunk: Buffer) => {
			if (stderr.length < 65_536) stderr += chunk.toString("utf8");
		});
		child.stdin.on("error", () => {});
		child.stdin.end(typeof options.input === "string" ? raw(options.input) : options.input);
		child.on("close", (code, signal) => {
			clearTimeout(timer);
			if (problem !== null) return reject(new WorkspaceError(problem));
			if (code === null) return reject(new WorkspaceError(`git ${args[0]} was ended by ${signal}`));
			resolve({ code, stdout: Buffer.concat(out), stderr });
		});
	});
}

/** What git printed, without the newline at its end; throws if its exit code is not 0. */
export async function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
	const result = await tryGit(cwd, args, options);
	if (result.code !== 0) throw gitError(args, result);
	// Lists of names; anything else is for people to read.
	const text = args.includes("-z") ? textOf(result.stdout) : result.stdout.toString("utf8");
	return text.replace(/\n$/, "");
}

export function gitError(args: readonly string[], result: GitResult): WorkspaceError {
	const said = result.stderr.trim() || result.stdout.toString("utf8").trim();
	return new WorkspaceError(
		`git ${args.slice(0, 2).join(" ")} failed (exit ${result.code})${said === "" ? "" : `: ${said.slice(0, 2000)}`}`,
	);
}

/** Lists what setup put into a story's worktree although git does not ignore it; beside the worktree, since git has no
 * exclude file per worktree. */
export const excludeFileOf = (worktree: string): string => `${worktree}.exclude`;

function excludes(cwd: string): string[] {
	if (!/\/\.pawl\/worktrees\/agent-\d+$/.test(cwd) || !existsSync(excludeFileOf(cwd))) return [];
	return ["-c", `core.excludesFile=${excludeFileOf(cwd)}`];
}

function environment(options: GitOptions): Record<string, string> {
	return { ...gitEnvironment(), ...(options.index === undefined ? {} : { GIT_INDEX_FILE: options.index }), ...options.env };
}
