// pawl checkpoint list | restore NAME | validate FILE: the checkpoints of the run in this tree.
import { join, resolve } from "node:path";
import { Command } from "commander";
import type { CommandContext } from "../../../command.ts";
import { fold } from "../../../core/fold/apply.ts";
import type { RunState } from "../../../core/model.ts";
import { runningAttempts } from "../../../core/query.ts";
import { readGiven } from "../../../files/given.ts";
import type { Repository } from "../../../workspace.ts";
import { findSnapshot, listCheckpoints, restoreSnapshot } from "../checkpoints.ts";
import { readAgentState } from "../document.ts";
import { ARCHIVE, OWN_FILES, STATE_FOLDER } from "../names.ts";

const MOST_BYTES = 64 * 1024 * 1024;

interface Flags {
	readonly json?: boolean;
}

export function command(c: CommandContext): Command {
	const checkpoint = new Command("pawl checkpoint").description("list, restore and validate the checkpoints of the run in this tree");
	checkpoint
		.command("list")
		.description("list the checkpoints: name, task, commit")
		.option("--json", "as one JSON document")
		.action((flags: Flags) => list(c, flags.json ?? false));
	checkpoint
		.command("restore")
		.description("restore tree and state to a checkpoint, together; pawl resume continues from there")
		.argument("<name>", "checkpoint-002, or latest")
		.option("--json", "the outcome as JSON")
		.action((name: string, flags: Flags) => restore(c, name, flags.json ?? false));
	checkpoint
		.command("validate")
		.description("list every mistake in a state file or a checkpoint")
		.argument("<file>", "an agent-state.json, or a checkpoint")
		.option("--json", "as one JSON document")
		.action((file: string, flags: Flags) => validate(c, file, flags.json ?? false));
	return checkpoint;
}

const folderOf = (repository: Repository): string => join(repository.tree().path, STATE_FOLDER);

async function list(c: CommandContext, json: boolean): Promise<void> {
	const repository = await c.repository();
	const known = await Promise.all(
		listCheckpoints(folderOf(repository)).map(async (one) => ({ ...one, commit_exists: await exists(repository, one.git_sha) })),
	);
	if (json) return c.out(c.json(known));
	if (known.length === 0) return c.out(`there is no checkpoint in ${folderOf(repository)}\n`);
	const problem = (one: (typeof known)[number]): string =>
		!one.usable ? "its file is missing or broken" : one.commit_exists ? "" : "its commit is gone";
	c.out(
		`${c.table(
			known.map((one) => [
				one.state_snapshot.replace(".json", ""),
				one.task,
				one.git_sha.slice(0, 12),
				c.clock(Date.parse(one.timestamp)),
				`phase ${one.phase}`,
				problem(one),
			]),
		)}\n`,
	);
}

const exists = (repository: Repository, sha: string): Promise<boolean> =>
	repository.commitOf(sha).then(
		() => true,
		() => false,
	);

async function restore(c: CommandContext, wanted: string, json: boolean): Promise<void> {
	const repository = await c.repository();
	try {
		await restoreIn(c, repository, wanted, json);
	} finally {
		// The check for changes holds the tree, so that no run begins in it meanwhile.
		repository.freeTree();
	}
}

async function restoreIn(c: CommandContext, repository: Repository, wanted: string, json: boolean): Promise<void> {
	const folder = folderOf(repository);
	const found = findSnapshot(folder, wanted);
	if ("problem" in found) throw c.refusal(found.problem);
	const { git_sha: sha, task, state_snapshot } = found.entry;
	if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha) || !(await exists(repository, sha)))
		throw c.refusal(`the commit ${sha} of ${state_snapshot} is not in this repository: pawl cannot restore the tree`);
	const runs = await runsIn(c, repository, folder);
	for (const run of runs.length > 0 ? runs : [null]) c.person(run);
	// The leftovers of a killed session belong to the run, and are kept as a diff below.
	if (!(await wasKilled(c, repository, runs))) await c.refuseDirty(repository, OWN_FILES);
	const mark = new Date(c.now()).toISOString().replace(/[^0-9TZ]/g, "");
	const tree = repository.tree();
	const to = { commit: sha, tree: `${sha}^{tree}` };
	const diff = join(folder, ARCHIVE, `before-${state_snapshot.replace(".json", "")}-${mark}.diff`);
	const saved = await tree.saveDiff(to, diff);
	await tree.rollback(to);
	restoreSnapshot(folder, found, mark);
	if (json) return c.out(c.json({ checkpoint: state_snapshot, task, git_sha: sha, diff: saved ? diff : null }));
	c.out(`tree and state are as they were at ${state_snapshot.replace(".json", "")} (task ${task}, commit ${sha.slice(0, 12)})\n`);
	if (saved) c.out(`what came after it is kept as ${diff}\n`);
	c.out("continue with: pawl resume\n");
}

/** The runs that keep their state in this folder. */
async function runsIn(c: CommandContext, repository: Repository, folder: string): Promise<readonly RunState[]> {
	const store = await c.runs(repository.root);
	if (store === null) return [];
	try {
		// A run of an earlier version does not say what it was started with.
		const runs = (await store.runs()).filter(({ input }) => input === undefined || input["state_dir"] === folder);
		const states = await Promise.all(runs.map(async ({ id }) => fold(await store.events(id))));
		return states.flatMap((state) => (state?.input["state_dir"] === folder ? [state] : []));
	} finally {
		await store.close();
	}
}

/** Refuses while a run is running, which would overwrite the restored state. Returns whether a run was killed during a session. */
async function wasKilled(c: CommandContext, repository: Repository, runs: readonly RunState[]): Promise<boolean> {
	if (runs.length === 0) return false;
	const [live] = await c.live(
		repository.root,
		runs.map(({ id }) => id),
	);
	if (live !== undefined) throw c.refusal(`run ${live} is under way: stop it first with pawl pause ${live}`);
	return runs.some((state) => runningAttempts(state).length > 0);
}

async function validate(c: CommandContext, file: string, json: boolean): Promise<void> {
	const found = await readGiven(resolve(c.cwd, file), { max: MOST_BYTES });
	if (!("text" in found)) throw c.refusal(`${file} cannot be read: ${"missing" in found ? "there is no such file" : found.problem}`);
	const read = readAgentState(found.text);
	if (json) c.out(c.json(read.ok ? { ok: true } : { ok: false, kind: read.kind, problems: read.problems }));
	if (!read.ok)
		throw c.refusal(`${read.problems.length} problem${read.problems.length === 1 ? "" : "s"} in ${file}\n${read.problems.join("\n")}`);
	if (!json)
		c.out(
			`${file} is fine: ${read.state.completed_tasks.length} completed, ${read.state.pending_tasks.length} pending, ${read.state.orchestrator.status}\n`,
		);
}
