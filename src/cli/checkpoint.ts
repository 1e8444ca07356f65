// pawl checkpoint list | restore NAME | validate FILE: the checkpoints of the run in this tree.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { fold } from "../core/fold/apply.ts";
import { runningAttempts } from "../core/query.ts";
import { findSnapshot, listCheckpoints, restoreSnapshot } from "../format/agent-state/checkpoints.ts";
import { readAgentState } from "../format/agent-state/document.ts";
import { ARCHIVE, OWN_FILES, STATE_FOLDER } from "../format/agent-state/names.ts";
import { isLive } from "../runs/hold.ts";
import { databaseOf, findRepository } from "../runs/repository.ts";
import { refuseDirty } from "../runs/start/tree.ts";
import type { Repository } from "../workspace.ts";
import { CliError, type Context } from "./context.ts";
import { document } from "./text/document.ts";
import { fitted } from "./text/fit.ts";
import { clock } from "./text/text.ts";

interface Flags {
	readonly json?: boolean;
}

export function command(c: Context): Command {
	const checkpoint = new Command("pawl checkpoint").description("list, restore and validate the checkpoints of the run in this tree");
	checkpoint
		.command("list")
		.description("list the checkpoints: name, task, commit")
		.option("--json", "as one JSON document")
		.action((flags: Flags) => list(c, flags.json ?? false));
	checkpoint
		.command("restore")
		.description("put tree and state back to a checkpoint, together; pawl resume goes on from there")
		.argument("<name>", "checkpoint-002, or latest")
		.option("--json", "the outcome as JSON")
		.action((name: string, flags: Flags) => restore(c, name, flags.json ?? false));
	checkpoint
		.command("validate")
		.description("say everything that is wrong with a state file or a checkpoint")
		.argument("<file>", "an agent-state.json, or a snapshot of one")
		.option("--json", "as one JSON document")
		.action((file: string, flags: Flags) => validate(c, file, flags.json ?? false));
	return checkpoint;
}

const folderOf = (repository: Repository): string => join(repository.tree().path, STATE_FOLDER);

async function list(c: Context, json: boolean): Promise<void> {
	const repository = await findRepository(c);
	const known = await Promise.all(
		listCheckpoints(folderOf(repository)).map(async (one) => ({ ...one, commit_exists: await exists(repository, one.git_sha) })),
	);
	if (json) return c.out(document(known));
	if (known.length === 0) return c.out(`there is no checkpoint in ${folderOf(repository)}\n`);
	const problem = (one: (typeof known)[number]): string =>
		!one.usable ? "its file is missing or broken" : one.commit_exists ? "" : "its commit is gone";
	c.out(
		`${fitted(
			known.map((one) => [
				one.state_snapshot.replace(".json", ""),
				one.task,
				one.git_sha.slice(0, 12),
				clock(Date.parse(one.timestamp)),
				`phase ${one.phase}`,
				problem(one),
			]),
			c.width,
		)}\n`,
	);
}

const exists = (repository: Repository, sha: string): Promise<boolean> =>
	repository.commitOf(sha).then(
		() => true,
		() => false,
	);

async function restore(c: Context, wanted: string, json: boolean): Promise<void> {
	const repository = await findRepository(c);
	const folder = folderOf(repository);
	const found = findSnapshot(folder, wanted);
	if ("problem" in found) throw new CliError(found.problem);
	const { git_sha: sha, task, state_snapshot } = found.entry;
	if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha) || !(await exists(repository, sha)))
		throw new CliError(`the commit ${sha} of ${state_snapshot} is not in this repository: the tree cannot be put back`);
	// What a session that was killed left is the run's own, and is kept as a diff below.
	if (!(await wasKilled(c, repository, folder))) await refuseDirty(repository, OWN_FILES);
	const mark = new Date(c.now()).toISOString().replace(/[^0-9TZ]/g, "");
	const tree = repository.tree();
	const to = { commit: sha, tree: `${sha}^{tree}` };
	const diff = join(folder, ARCHIVE, `before-${state_snapshot.replace(".json", "")}-${mark}.diff`);
	const saved = await tree.saveDiff(to, diff);
	await tree.rollback(to);
	restoreSnapshot(folder, found, mark);
	if (json) return c.out(document({ checkpoint: state_snapshot, task, git_sha: sha, diff: saved ? diff : null }));
	c.out(`tree and state are as they were at ${state_snapshot.replace(".json", "")} (task ${task}, commit ${sha.slice(0, 12)})\n`);
	if (saved) c.out(`what came after it is kept as ${diff}\n`);
	c.out("go on with: pawl resume\n");
}

/** Refuses while a run is under way: it would write over what is restored. Whether one was killed in the middle of a session. */
async function wasKilled(c: Context, repository: Repository, folder: string): Promise<boolean> {
	const store = c.services.openReader(databaseOf(repository.root));
	if (store === null) return false;
	const states = await Promise.all((await store.runs()).map(async ({ id }) => fold(await store.events(id))));
	const runs = states.flatMap((state) => (state?.input["state_dir"] === folder ? [state] : []));
	await store.close();
	if (runs.length === 0) return false;
	const writer = c.services.openStore(databaseOf(repository.root));
	try {
		for (const { id } of runs)
			if (await isLive(writer, id)) throw new CliError(`run ${id} is under way: stop it first with pawl pause ${id}`);
		return runs.some((state) => runningAttempts(state).length > 0);
	} finally {
		await writer.close();
	}
}

function validate(c: Context, file: string, json: boolean): void {
	let text: string;
	try {
		text = readFileSync(resolve(c.cwd, file), "utf8");
	} catch (error) {
		throw new CliError(`${file} cannot be read: ${(error as Error).message}`);
	}
	const read = readAgentState(text);
	if (json) c.out(document(read.ok ? { ok: true } : { ok: false, kind: read.kind, problems: read.problems }));
	if (!read.ok)
		throw new CliError(`${read.problems.length} problem${read.problems.length === 1 ? "" : "s"} in ${file}\n${read.problems.join("\n")}`);
	if (!json)
		c.out(
			`${file} is fine: ${read.state.completed_tasks.length} completed, ${read.state.pending_tasks.length} pending, ${read.state.orchestrator.status}\n`,
		);
}
