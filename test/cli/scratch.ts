// Scratch repositories and the real bin/pawl for tests of commands; removes everything after the file's tests.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PAWL } from "../support/bin.ts";
import { initialise } from "../support/empty-repository.ts";
import { pawl as run } from "../support/pawl.ts";
import { type QuickRepository, quickSite } from "../support/quick-pawl.ts";

export interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface Started {
	readonly ended: Promise<Ended>;
	kill(signal: NodeJS.Signals): void;
}

export interface Scratch {
	readonly root: string;
	readonly git: (...args: string[]) => string;
	readonly write: (files: Readonly<Record<string, unknown>>) => void;
	readonly pawl: (...args: string[]) => Promise<Ended>;
	readonly start: (...args: string[]) => Started;
	readonly pawlWith: (env: Readonly<Record<string, string>>, ...args: string[]) => Promise<Ended>;
	readonly startWith: (env: Readonly<Record<string, string>>, ...args: string[]) => Started;
	/** The one JSON document that a command prints. */
	readonly json: <T>(...args: string[]) => Promise<T>;
}

/** A git repository with one commit on main. */
export function scratch(files: Readonly<Record<string, unknown>> = {}): Scratch {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-cli-")));
	const running = new Set<ReturnType<typeof spawn>>();
	after(async () => {
		for (const child of running) child.kill("SIGKILL");
		await until(() => running.size === 0);
		rmSync(root, { recursive: true, force: true, maxRetries: 3 });
	});
	const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trimEnd();
	const write = (all: Readonly<Record<string, unknown>>) => writeAll(root, all);
	const own = environment(root);
	const start = (...args: string[]): Started => startWith({}, ...args);
	const startWith = (more: Readonly<Record<string, string>>, ...args: string[]): Started => {
		const child = spawn(PAWL, args, { cwd: root, env: { ...process.env, ...own, ...more }, stdio: ["ignore", "pipe", "pipe"] });
		running.add(child);
		let stdout = "";
		let stderr = "";
		child.stdout.on("data", (chunk) => {
			stdout += chunk;
		});
		child.stderr.on("data", (chunk) => {
			stderr += chunk;
		});
		const ended = new Promise<Ended>((resolve, reject) => {
			child.once("error", reject).once("close", (code) => {
				running.delete(child);
				resolve({ code, stdout, stderr });
			});
		});
		return { ended, kill: (signal) => void child.kill(signal) };
	};
	const pawlWith = (more: Readonly<Record<string, string>>, ...args: string[]) => run(args, { cwd: root, env: { ...own, ...more } });
	const pawl = (...args: string[]): Promise<Ended> => pawlWith({}, ...args);
	initialise(root, { name: "Test", email: "test@example.invalid" });
	write({ "README.md": "# scratch\n", ...files });
	git("add", "-A");
	git("commit", "-q", "-m", "start");
	return {
		root,
		git,
		write,
		start,
		startWith,
		pawl,
		pawlWith,
		json: jsonOf(pawl),
	};
}

/** The same in memory, with commands in this process: for what a command decides, prints and writes. */
export interface QuickScratch extends Pick<Scratch, "write" | "pawl" | "json">, QuickRepository {}

export function quickScratch(files: Readonly<Record<string, unknown>> = {}): QuickScratch {
	const { root, memory } = quickSite(Object.fromEntries(Object.entries(files).map(([path, content]) => [path, textOf(content)])));
	const pawl = (...args: string[]): Promise<Ended> => run(args, { cwd: root, env: environment(root) });
	return { root, memory, pawl, write: (all) => writeAll(root, all), json: jsonOf(pawl) };
}

const environment = (root: string) => ({ NO_COLOR: "1", HOME: root, XDG_CONFIG_HOME: join(root, ".none") });

const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content, null, 2));

function writeAll(root: string, all: Readonly<Record<string, unknown>>): void {
	for (const [path, content] of Object.entries(all)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), textOf(content));
	}
}

const jsonOf =
	(pawl: Scratch["pawl"]) =>
	async <T>(...args: string[]): Promise<T> =>
		JSON.parse(ok(await pawl(...args, "--json")).stdout) as T;

export function ok(result: Ended, code = 0): Ended {
	assert.equal(
		result.code,
		code,
		`exit ${result.code}, expected ${code}\nstdout: ${result.stdout.slice(-1500)}\nstderr: ${result.stderr.slice(-1500)}`,
	);
	return result;
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
	for (const end = Date.now() + 30_000; !(await holds()); await sleep(20))
		if (Date.now() > end) throw new Error(`waited 30 s for: ${holds}`);
}

/** Every coding step writes a file named after its story and says what it cost. */
export const WORKS = `steps:
  - on: {type: coding}
    do:
      - write: {path: "work-{story}.txt", content: "{story}\\n"}
      - usage: {input_tokens: 1000, output_tokens: 200, cost_usd: 0.05}
`;

export const prd = (...stories: readonly Record<string, unknown>[]) => ({
	name: "a test",
	userStories: stories.map((story) => ({ title: `Story ${story["id"]}`, ...story })),
});
