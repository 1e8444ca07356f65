// pawl lock take | release | list: files that an agent has to itself, in locks.json. Who takes a lock is known by the environment that pawl
// gives to agents; a lock whose owner is gone is cleared whenever one is taken or given back.
import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { fold } from "../core/fold/apply.ts";
import type { RunState } from "../core/model.ts";
import { attemptOf, findStep } from "../core/query.ts";
import { writeWhole } from "../files/write.ts";
import {
	type FileLock,
	livingLocks,
	type Owner,
	ownerIn,
	ownerName,
	readLocks,
	releaseLocks,
	renderLocks,
	takeLock,
} from "../format/agent-state/locks.ts";
import { LOCKS_FILE, STATE_FOLDER } from "../format/agent-state/names.ts";
import { databaseOf, findRepository } from "../runs/repository.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { duration } from "./flags.ts";
import { document } from "./text/document.ts";
import { fitted } from "./text/fit.ts";

const POLL_MS = 100;
const RUN_SCOPE = "run";

interface Flags {
	readonly wait?: number;
	readonly json?: boolean;
}

interface Here {
	readonly root: string;
	readonly tree: string;
	readonly file: string;
}

export function command(c: Context): Command {
	const lock = new Command("pawl lock").description("locks on files, for agents that work side by side");
	lock
		.command("take")
		.description("take the lock of a file; exit code 1 where another has it")
		.argument("<path>", "a file of the tree")
		.option("--wait <duration>", "wait for it so long", duration)
		.option("--json", "the outcome as JSON")
		.action((path: string, flags: Flags) => take(c, path, flags));
	lock
		.command("release")
		.description("give the lock of a file back, or all of one's own")
		.argument("[path]", "a file of the tree")
		.action((path?: string) => release(c, path));
	lock
		.command("list")
		.description("list the locks whose owners are still there; writes nothing")
		.option("--json", "as one JSON document")
		.action((flags: Flags) => list(c, flags.json ?? false));
	return lock;
}

async function hereIn(c: Context): Promise<Here> {
	const repository = await findRepository(c);
	const tree = repository.tree().path;
	return { root: repository.root, tree, file: join(tree, STATE_FOLDER, LOCKS_FILE) };
}

async function take(c: Context, path: string, { wait = 0, json = false }: Flags): Promise<void> {
	const here = await hereIn(c);
	const wanted = {
		path: pathIn(c, here, path),
		agent: me(c),
		task: c.env["PAWL_STORY_ID"] || "none",
		acquired: new Date(c.now()).toISOString(),
	};
	for (const end = c.now() + wait; ; await sleep(POLL_MS)) {
		const result = await change(c, here, (locks) => takeLock(locks, wanted));
		if (!("holder" in result)) return c.out(json ? document({ taken: true, ...wanted }) : `${wanted.path} is yours\n`);
		if (c.now() < end) continue;
		if (json) c.out(document({ taken: false, holder: result.holder }));
		throw new CliError(
			`${wanted.path} is locked by ${result.holder.agent} (task ${result.holder.task}) since ${result.holder.acquired}`,
			EXIT.failed,
		);
	}
}

async function release(c: Context, path: string | undefined): Promise<void> {
	const here = await hereIn(c);
	const name = path === undefined ? null : pathIn(c, here, path);
	await change(c, here, (locks) => ({ locks: releaseLocks(locks, me(c), name) }));
}

async function list(c: Context, json: boolean): Promise<void> {
	// Only looks: locks whose owners are gone are left out here, and cleared by whoever takes or releases one.
	const here = await hereIn(c);
	const all = locksIn(here);
	const locks = livingLocks(all, await livesIn(c, here, all));
	if (json) return c.out(document(locks));
	c.out(
		locks.length === 0
			? "there are no locks\n"
			: `${fitted(
					locks.map((one) => [one.path, one.task, one.acquired, one.agent]),
					c.width,
				)}\n`,
	);
}

/** Who asks, as pawl's own variables say; anybody else is a person. */
function me({ env }: Context): string {
	const { PAWL_RUN_ID: run, PAWL_STORY_ID: story, PAWL_STEP_ID: step, PAWL_ROLE: role, PAWL_ATTEMPT: attempt } = env;
	if (!run || !step || !role || !attempt) return "person";
	return ownerName({ role, run, scope: story || RUN_SCOPE, step, attempt: Number(attempt) });
}

function pathIn(c: Context, { tree }: Here, path: string): string {
	const inside = relative(tree, resolve(c.cwd, path));
	if (inside === "" || inside === ".." || inside.startsWith("../") || isAbsolute(inside))
		throw new CliError(`${path} is no file of the tree ${tree}`);
	return inside;
}

const textOf = ({ file }: Here): string => (lstatSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, "utf8") : "");

const locksIn = (here: Here): FileLock[] => readLocks(textOf(here));

/** One at a time: read, without those that are gone, changed, written whole. */
async function change<R extends { readonly locks: FileLock[] } | { readonly holder: FileLock }>(
	c: Context,
	here: Here,
	how: (locks: readonly FileLock[]) => R,
): Promise<R> {
	mkdirSync(join(here.tree, STATE_FOLDER), { recursive: true });
	const lock = await locked(c, `${here.file}.lock`);
	try {
		const text = textOf(here);
		const locks = readLocks(text);
		const lives = await livesIn(c, here, locks);
		const result = how(livingLocks(locks, lives));
		const after = "locks" in result ? renderLocks(result.locks) : text;
		if (after !== text) await writeWhole(here.file, after);
		return result;
	} finally {
		lock.release();
	}
}

async function locked(c: Context, file: string): Promise<{ release(): void }> {
	for (const end = c.now() + 30_000; ; await sleep(POLL_MS)) {
		const lock = c.services.lockFile(file);
		if (lock !== null) return lock;
		if (c.now() > end) throw new CliError(`another process has held ${file} for 30 s`, EXIT.failed);
	}
}

/** Whether the attempt of an owner is under way, by the journal of its run. */
async function livesIn(c: Context, { root }: Here, locks: readonly FileLock[]): Promise<(owner: Owner) => boolean> {
	const runs = new Set(locks.flatMap(({ agent }) => ownerIn(agent)?.run ?? []));
	const store = runs.size === 0 ? null : c.services.openReader(databaseOf(root));
	if (store === null) return () => false;
	try {
		const states = new Map<string, RunState | null>();
		for (const run of runs) states.set(run, fold(await store.events(run)));
		return (owner) => {
			const state = states.get(owner.run);
			const step = state && findStep(state, owner.scope === RUN_SCOPE ? "@run" : owner.scope, owner.step);
			return step ? attemptOf(step, owner.attempt) !== undefined : false;
		};
	} finally {
		await store.close();
	}
}
