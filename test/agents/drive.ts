// One run of pawl with a real CLI against the stub: a repository, a home and a temporary folder of their own, and what was left afterwards.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { PROJECT } from "../support/pawl.ts";
import { git, processesNaming, put, repository, scratchFolder, until } from "../support/scratch.ts";
import { type Cli, searchPath } from "./clis.ts";
import { cacheFolder } from "./install.ts";
import { type Fault, type ModelServer, startModelServer } from "./model/server.ts";

/** Longer than any run here takes; it only keeps a hanging pawl from holding up the rest. */
const LONGEST_MS = 240_000;

export interface AttemptEnd {
	readonly step: string;
	readonly result: string;
	readonly error: string | null;
	readonly exitCode: number | null;
	readonly usage: { readonly costUsd: number | null; readonly inputTokens: number | null; readonly outputTokens: number | null };
	readonly cachedTokens: number | null;
	readonly costFrom: string;
	readonly turns: number | null;
	readonly toolCalls: number;
}

export interface Driven {
	readonly repo: string;
	readonly code: number | null;
	readonly said: string;
	/** The journal. */
	readonly events: readonly { readonly event: string; readonly [key: string]: unknown }[];
	/** How the attempts of agents ended, in their order. */
	readonly attempts: readonly AttemptEnd[];
	readonly asked: ModelServer["asked"];
	/** Processes and files that outlived it. */
	readonly left: readonly string[];
	readonly ms: number;
}

export interface Drive {
	readonly cli: Cli;
	/** After `pawl run`; `--agent` and `--model` are added. */
	readonly args: readonly string[];
	readonly files?: Readonly<Record<string, string>>;
	readonly config?: Readonly<Record<string, unknown>>;
	readonly fault?: Fault;
	/** The agent is given pawl's own tools. */
	readonly mcp?: boolean;
	/** What the tiers stand for. */
	readonly tiers?: Readonly<Record<string, unknown>>;
	/** It is told to end (Ctrl-C) as soon as a process with these words on its command line runs in it. */
	readonly interruptAt?: string;
}

export async function drive({ cli, args, files = {}, config = {}, fault, mcp = false, tiers, interruptAt }: Drive): Promise<Driven> {
	const server = await startModelServer(fault ?? null);
	try {
		const own = cli.config(server.url);
		const agent = { ...own, ...(mcp ? { mcp } : {}), ...(tiers === undefined ? {} : { tiers }) };
		const yml = { ...config, ...(Object.keys(agent).length === 0 ? {} : { agents: { [cli.name]: agent } }) };
		const repo = repository({ ...files, "pawl.yml": stringify(yml) });
		const home = scratchFolder("home");
		const temporary = scratchFolder("tmp");
		put(home, cli.files(server.url));
		const before = namesIn(home);
		const env = {
			PATH: searchPath(cacheFolder()),
			HOME: home,
			TMPDIR: temporary,
			LANG: "C.UTF-8",
			NO_COLOR: "1",
			...cli.env(server.url, home),
		};
		const model = cli.model === null ? [] : ["--model", cli.model];
		const from = performance.now();
		const running = run(["run", ...args, "--agent", cli.name, ...model, "--json"], repo, env);
		if (interruptAt !== undefined) {
			const there = () => processesNaming(temporary).some((pid) => commandOf(pid).includes(interruptAt));
			await until(`a process ${interruptAt}`, there, LONGEST_MS);
			running.child.kill("SIGINT");
		}
		const ended = await running.done;
		const ms = Math.round(performance.now() - from);
		// What was told to end may take a moment to be gone.
		await until("processes to be gone", () => processesNaming(temporary).length === 0, 2000).catch(() => {});
		const left = [
			...processesNaming(temporary).map((pid) => `process ${pid}: ${commandOf(pid)}`),
			// The folder of all attempts stays; in it, nothing may.
			...readdirSync(temporary, { recursive: true, encoding: "utf8" }).filter(
				(name) => !/^(pawl-agents-\d+|node-compile-cache.*)$/.test(name),
			),
			...namesIn(home).filter((name) => !before.includes(name)),
			...git(repo, "status", "--porcelain").split("\n").filter(Boolean),
		];
		return { repo, ...ended, events: linesOf(ended.stdout), attempts: attemptsIn(repo), asked: server.asked, left, ms };
	} finally {
		await server.close();
	}
}

function run(
	args: readonly string[],
	cwd: string,
	env: Readonly<Record<string, string>>,
): {
	readonly child: ChildProcess;
	readonly done: Promise<{ readonly code: number | null; readonly stdout: string; readonly said: string }>;
} {
	const child = spawn(join(PROJECT, "bin", "pawl"), args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
	const done = new Promise<{ readonly code: number | null; readonly stdout: string; readonly said: string }>((resolve, fail) => {
		const parts: { readonly out: Buffer[]; readonly err: Buffer[] } = { out: [], err: [] };
		child.stdout.on("data", (chunk: Buffer) => parts.out.push(chunk));
		child.stderr.on("data", (chunk: Buffer) => parts.err.push(chunk));
		// Asked to end first, so that it ends its agents.
		const timer = setTimeout(() => child.kill("SIGTERM"), LONGEST_MS);
		child.once("error", fail);
		child.once("close", (code) => {
			clearTimeout(timer);
			resolve({ code, stdout: Buffer.concat(parts.out).toString("utf8"), said: Buffer.concat(parts.err).toString("utf8") });
		});
	});
	return { child, done };
}

const namesIn = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" });

const linesOf = (text: string): { readonly event: string }[] =>
	text
		.split("\n")
		.filter((line) => line.startsWith("{"))
		.map((line) => JSON.parse(line) as { readonly event: string });

function attemptsIn(repo: string): AttemptEnd[] {
	const folder = join(repo, ".pawl", "latest", "logs");
	const ends = readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".jsonl"))
		.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean))
		.map((line) => JSON.parse(line) as { readonly type?: string; readonly at: string; readonly step?: string });
	let step = "";
	const found: (AttemptEnd & { readonly at: string })[] = [];
	for (const line of ends) {
		if (line.type === "attempt") step = line.step ?? "";
		if (line.type === "end") found.push({ ...(line as unknown as AttemptEnd & { readonly at: string }), step });
	}
	return found.sort((a, b) => a.at.localeCompare(b.at));
}

function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
	} catch {
		return "(gone)";
	}
}
