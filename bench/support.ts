// What the benches share: scratch repositories, the pawl that people install, medians.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageIn } from "../scripts/package.ts";

/** The one of this checkout, for a comparison with that of another. */
export const PAWL = fileURLToPath(new URL("../bin/pawl", import.meta.url));

let built: Promise<string> | null = null;

/** The one that people install, built from this checkout: it takes less memory than the checkout itself, which makes processes cheaper to start. */
export function builtPawl(): Promise<string> {
	built ??= (async () => {
		const { path, remove } = scratch();
		process.once("exit", remove);
		return join(await packageIn(path), "bin", "pawl");
	})();
	return built;
}

export function scratch(): { readonly path: string; remove(): void } {
	const path = mkdtempSync(join(tmpdir(), "pawl-bench-"));
	return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function repository(path: string, files: Readonly<Record<string, string>> = { "README.md": "# bench\n" }): void {
	for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
	const git = (...args: string[]) => execFileSync("git", args, { cwd: path, stdio: "ignore" });
	git("init", "-q", "-b", "main");
	git("config", "user.name", "bench");
	git("config", "user.email", "bench@example.invalid");
	git("add", "-A");
	git("commit", "-q", "-m", "start");
}

export interface Ended {
	readonly code: number | null;
	readonly ms: number;
	readonly stdout: string;
	readonly stderr: string;
	/** Peak resident memory of the process and of its Node, in MiB. */
	readonly peakMb: number;
}

export function run(command: string, args: readonly string[], cwd: string, watch = false): Promise<Ended> {
	return new Promise((resolve, reject) => {
		const start = performance.now();
		const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NO_COLOR: "1" } });
		let stdout = "";
		let stderr = "";
		let peakMb = 0;
		child.stdout.on("data", (b) => {
			stdout += b;
		});
		child.stderr.on("data", (b) => {
			stderr += b;
		});
		// bin/pawl becomes Node by exec, so the child's pid is the engine's.
		const timer = watch ? setInterval(() => (peakMb = Math.max(peakMb, peakOf(child.pid ?? 0))), 20) : undefined;
		child.on("error", reject);
		child.on("close", (code) => {
			clearInterval(timer);
			resolve({ code, ms: performance.now() - start, stdout, stderr, peakMb });
		});
	});
}

function peakOf(pid: number): number {
	try {
		return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
	} catch {
		return 0;
	}
}

export function must(ended: Ended, what: string): Ended {
	if (ended.code !== 0) throw new Error(`${what} exited ${ended.code}\n${ended.stdout.slice(-1000)}\n${ended.stderr.slice(-2000)}`);
	return ended;
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** How often each figure is measured; `--times` says otherwise. */
export const repetitions = { times: 5 };

/** What each repetition returns, one after the other. */
export async function repeated<T>(work: (i: number) => Promise<T>, times = repetitions.times): Promise<T[]> {
	const all: T[] = [];
	for (let i = 0; i < times; i++) all.push(await work(i));
	return all;
}

/** The median and how far the repetitions lie apart: `1.23 (1.10–1.41)`. */
export const spreadText = (values: readonly number[], digits = 2): string =>
	`${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;

/** The processor time of a command in milliseconds, that of everything it starts included, over several starts. Unlike the time on the wall it is nearly
 * the same on a busy machine. */
export function cpuOf(command: readonly string[], cwd: string, starts = 10): number {
	const script = `i=0; while [ $i -lt ${starts} ]; do "$@" >/dev/null 2>&1; i=$((i+1)); done; times`;
	const said = execFileSync("sh", ["-c", script, "sh", ...command], { cwd, encoding: "utf8" });
	// The second line is of the children: user and system.
	const [user = 0, system = 0] = [...(said.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)].map(
		([, m, s]) => Number(m) * 60 + Number(s),
	);
	return ((user + system) * 1000) / starts;
}

export interface Figure {
	readonly name: string;
	readonly value: string;
	readonly aim: string;
	readonly met: boolean;
	/** Where it is not met, the bench fails: the figure does not depend on the machine. */
	readonly required?: boolean;
}
