// pawl lock take | release | list: files that an agent has locked, in locks.json. The owner of a lock comes from the environment that pawl
// gives to agents; taking or releasing a lock clears locks whose owners are gone.
import { isAbsolute, join, relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import type { CommandContext } from "../../../command.ts";
import { fold } from "../../../core/fold/apply.ts";
import type { RunState } from "../../../core/model.ts";
import { attemptOf, findStep } from "../../../core/query.ts";
import { textIn } from "../../../files/read.ts";
import { clearWay } from "../../../files/way.ts";
import { writeWhole } from "../../../files/write.ts";
import { type FileLock, livingLocks, type Owner, ownerIn, ownerName, readLocks, releaseLocks, renderLocks, takeLock } from "../locks.ts";
import { LOCKS_FILE, STATE_FOLDER } from "../names.ts";

const POLL_MS = 100;
const READING = { max: 4 * 1024 * 1024 };
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

export function command(c: CommandContext): Command {
	const lock = new Command("pawl lock").description("locks on files, for agents that work side by side");
	lock
		.command("take")
		.description("take the lock of a file; exit code 1 if another agent holds it")
		.argument("<path>", "a file of the tree")
		.option("--wait <duration>", "wait for it this long", c.parse.duration)
		.option("--json", "the outcome as JSON")
		.action((path: string, flags: Flags) => take(c, path, flags));
	lock
		.command("release")
		.description("release the lock of a file, or all of your locks")
		.argument("[path]", "a file of the tree")
		.action((path?: string) => release(c, path));
	lock
		.command("list")
		.description("list the locks of owners that still run; writes nothing")
		.option("--json", "as one JSON document")
		.action((flags: Flags) => list(c, flags.json ?? false));
	return lock;
}

async function hereIn(c: CommandContext): Promise<Here> {
	const repository = await c.repository();
	const tree = repository.tree().path;
	return { root: repository.root, tree, file: join(tree, STATE_FOLDER, LOCKS_FILE) };
}

async function take(c: CommandContext, path: string, { wait = 0, json = false }: Flags): Promise<void> {
	const here = await hereIn(c);
	const wanted = {
		path: pathIn(c, here, path),
		agent: me(c),
		task: c.env["PAWL_STORY_ID"] || "none",
		acquired: new Date(c.now()).toISOString(),
	};
	for (const end = c.now() + wait; ; await sleep(POLL_MS)) {
		const result = await change(c, here, (locks) => takeLock(locks, wanted));
		if (!("holder" in result)) return c.out(json ? c.json({ taken: true, ...wanted }) : `${wanted.path} is yours\n`);
		if (c.now() < end) continue;
		if (json) c.out(c.json({ taken: false, holder: result.holder }));
		throw c.refusal(
			`${wanted.path} is locked by ${result.holder.agent} (task ${result.holder.task}) since ${result.holder.acquired}`,
			"conflict",
		);
	}
}

async function release(c: CommandContext, path: string | undefined): Promise<void> {
	const here = await hereIn(c);
	const name = path === undefined ? null : pathIn(c, here, path);
	await change(c, here, (locks) => ({ locks: releaseLocks(locks, me(c), name) }));
}

async function list(c: CommandContext, json: boolean): Promise<void> {
	const here = await hereIn(c);
	const all = readLocks(textIn(here.file, READING) ?? "");
	const locks = livingLocks(all, await livesIn(c, here, all));
	if (json) return c.out(c.json(locks));
	c.out(locks.length === 0 ? "there are no locks\n" : `${c.table(locks.map((one) => [one.path, one.task, one.acquired, one.agent]))}\n`);
}

/** The caller, from pawl's own variables; without them it is a person. */
function me({ env }: CommandContext): string {
	const { PAWL_RUN_ID: run, PAWL_STORY_ID: story, PAWL_STEP_ID: step, PAWL_ROLE: role, PAWL_ATTEMPT: attempt } = env;
	if (!run || !step || !role || !attempt) return "person";
	return ownerName({ role, run, scope: story || RUN_SCOPE, step, attempt: Number(attempt) });
}

function pathIn(c: CommandContext, { tree }: Here, path: string): string {
	const inside = relative(tree, resolve(c.cwd, path));
	if (inside === "" || inside === ".." || inside.startsWith("../") || isAbsolute(inside))
		throw c.refusal(`${path} is not a file of the tree ${tree}`);
	return inside;
}

/** One change at a time: reads the list, drops locks of owners that are gone, applies the change, writes it whole. */
async function change<R extends { readonly locks: FileLock[] } | { readonly holder: FileLock }>(
	c: CommandContext,
	here: Here,
	how: (locks: readonly FileLock[]) => R,
): Promise<R> {
	clearWay(here.tree, here.file);
	const lock = await locked(c, `${here.file}.lock`);
	try {
		const text = textIn(here.file, READING) ?? "";
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

async function locked(c: CommandContext, file: string): Promise<{ release(): void }> {
	for (const end = c.now() + 30_000; ; await sleep(POLL_MS)) {
		const lock = c.lock(file);
		if (lock !== null) return lock;
		if (c.now() > end) throw c.refusal(`another process has held ${file} for 30 s`, "conflict");
	}
}

/** Whether the attempt of an owner is running, by the journal of its run. */
async function livesIn(c: CommandContext, { root }: Here, locks: readonly FileLock[]): Promise<(owner: Owner) => boolean> {
	const runs = new Set(locks.flatMap(({ agent }) => ownerIn(agent)?.run ?? []));
	const store = runs.size === 0 ? null : await c.runs(root);
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
