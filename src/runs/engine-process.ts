// Lets a run go on in a process of its own, an ordinary `pawl resume RUN`, which continues after this one has ended. It inherits nothing from
// this process but its environment.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunState } from "../core/model.ts";
import { isOver, workspaceOf } from "../core/query.ts";
import { textIn } from "../files/read.ts";
import type { Store } from "../store.ts";
import type { Repository } from "../workspace.ts";
import type { RunsContext } from "./context.ts";
import type { EngineEnd } from "./drive/observer.ts";
import { Refusal } from "./refusal.ts";
import { runFolder } from "./repository.ts";

const START_MS = 30_000;
const POLL_MS = 25;
/** A process that only records a decision has the run for less than this. */
const MOMENT_MS = 250;
const SAID_MAX = 16 * 1024;

export interface SpawnedEngine {
	readonly child: ChildProcess;
	readonly ended: Promise<EngineEnd>;
	/** Where its output begins in the log. */
	readonly log: { readonly file: string; readonly from: number };
}

/** A run in the user's tree continues in that tree, which may not be the main checkout. */
export function spawnEngine(c: RunsContext, repository: Repository, run: string, inTree: boolean): SpawnedEngine {
	const folder = runFolder(repository.root, run);
	mkdirSync(folder, { recursive: true });
	const file = join(folder, "pawl.log");
	const log = openSync(file, "a");
	try {
		const from = fstatSync(log).size;
		const [command = "", ...args] = c.self;
		const cwd = inTree ? repository.tree().path : repository.root;
		const child = spawn(command, [...args, "resume", run], { cwd, env: c.env, detached: true, stdio: ["ignore", log, log] });
		child.unref();
		const ended = new Promise<EngineEnd>((resolve) => {
			child.once("error", (error) => resolve({ code: null, signal: null, problem: error.message }));
			child.once("exit", (code, signal) => resolve({ code, signal, problem: null }));
		});
		return { child, ended, log: { file, from } };
	} finally {
		closeSync(log);
	}
}

/** Returns when the engine has the run, or has already ended again. Refuses with the engine's own words if it would not start. */
export async function startEngine(c: RunsContext, repository: Repository, store: Store, state: RunState): Promise<void> {
	await hasTheRun(c, store, state.id, spawnEngine(c, repository, state.id, workspaceOf(state) === "tree"));
}

export async function hasTheRun(c: RunsContext, store: Store, run: string, { child, log, ended }: SpawnedEngine): Promise<void> {
	let over: EngineEnd | null = null;
	void ended.then((end) => {
		over = end;
	});
	const end = (): EngineEnd | null => over;
	for (const until = c.now() + START_MS; c.now() < until; await sleep(POLL_MS)) {
		const known = end();
		if (known !== null) {
			if (known.code !== REFUSED && known.problem === null) return;
			throw new Refusal("refused", known.problem ?? said(log));
		}
		// Another process may have been faster: then ours will say so.
		if ((await store.holder(run))?.who.includes(`process ${child.pid} `)) return;
	}
	throw new Refusal("unavailable", `a process for run ${run} was started and does not drive it yet; ${log.file} may say why`);
}

const REFUSED = 2;

/** The last thing that it said, which may have several lines. */
function said({ file, from }: SpawnedEngine["log"]): string {
	const bytes = Buffer.from(textIn(file, { max: SAID_MAX, tail: true }) ?? "");
	const text = (from < SAID_MAX ? bytes.subarray(Math.min(from, bytes.length)) : bytes).toString("utf8");
	const last = `\n${text}`.split("\npawl: ").slice(1).at(-1);
	return last?.trimEnd() ?? "the run could not continue";
}

/** Whether a process drives the run, not just records something. */
export async function isDrivenNow(c: RunsContext, store: Store, run: string): Promise<boolean> {
	for (const end = c.now() + MOMENT_MS; ; await sleep(POLL_MS)) {
		if ((await store.holder(run)) === null) return false;
		if (c.now() >= end) return true;
	}
}

/** After a decision: if nobody drives the run and there is something left to do, an engine is started. Whether somebody drives it now. */
export async function letGoOn(c: RunsContext, repository: Repository, store: Store, state: RunState): Promise<boolean> {
	if (await isDrivenNow(c, store, state.id)) return true;
	if (isOver(state.status) && (await store.pending(state.id)).length === 0) return false;
	try {
		await startEngine(c, repository, store, state);
		return true;
	} catch (error) {
		// The decision is recorded in any case. Another process may have been faster, or the workflow forbids to continue.
		if (error instanceof Refusal && error.code !== "internal") return (await store.holder(state.id)) !== null;
		throw error;
	}
}
