// Counting what a run of pawl does: commits to its store (by a module that is loaded before it), git processes (by a `git` that stands first
// in PATH) and fsyncs (by strace, since SQLite's own are out of reach for anything inside the process). None of them changes what pawl does.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scratch } from "./support.ts";

export interface Counts {
	readonly commits: number | null;
	readonly git: number | null;
	/** Of the journal and whatever else is in `.pawl`; null where there is no strace. */
	readonly fsyncs: number | null;
	/** Of commits, refs and the user's files: what a loss of power must not take (ADR 24). */
	readonly workFsyncs: number | null;
}

const COUNTER = fileURLToPath(new URL("count-commits.ts", import.meta.url));

export const hasStrace = (): boolean => spawnSync("strace", ["-V"], { stdio: "ignore" }).status === 0;

export async function countRun(pawl: string, args: readonly string[], cwd: string): Promise<Counts> {
	const notes = scratch();
	try {
		const [commits, calls, trace] = ["commits", "git-calls", "trace"].map((name) => join(notes.path, name)) as [string, string, string];
		const bin = join(notes.path, "bin");
		mkdirSync(bin);
		const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
		writeFileSync(join(bin, "git"), `#!/bin/sh\necho git >> '${calls}'\nexec '${real}' "$@"\n`);
		chmodSync(join(bin, "git"), 0o755);
		const strace = hasStrace()
			? ["strace", "-f", "-qq", "-y", "--seccomp-bpf", "-e", "trace=fsync,fdatasync,sync_file_range", "-o", trace]
			: [];
		const [command = pawl, ...rest] = [...strace, pawl, ...args];
		await runTo(0, command, rest, cwd, {
			...process.env,
			PATH: `${bin}:${process.env["PATH"] ?? ""}`,
			NODE_OPTIONS: `--import=${COUNTER}`,
			PAWL_BENCH_COMMITS: commits,
		});
		// A call that continues on another line of the trace is counted where it began.
		const syncs = strace.length === 0 ? null : lines(trace).filter((line) => /^\d+ +(fsync|fdatasync|sync_file_range)\(/.test(line));
		const own = syncs?.filter((line) => line.includes("/.pawl/")).length ?? null;
		return {
			commits: Number(readFileSync(commits, "utf8")),
			git: lines(calls).length,
			fsyncs: own,
			workFsyncs: own === null || syncs === null ? null : syncs.length - own,
		};
	} finally {
		notes.remove();
	}
}

/** Streams that this process reads go on meanwhile. */
function runTo(code: number, command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
		let said = "";
		child.stderr.on("data", (part: Buffer) => {
			said = `${said}${part.toString()}`.slice(-2000);
		});
		child.once("error", reject);
		child.once("close", (ended) => (ended === code ? resolve() : reject(new Error(`${command} exited ${ended}\n${said}`))));
	});
}

const lines = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : []);
