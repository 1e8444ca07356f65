// Starting a run: the first things that are written, in an order in which a crash leaves nothing that looks like more.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fold } from "../core/fold/apply.ts";
import { iterationsBefore } from "../core/mark.ts";
import type { RunState } from "../core/model.ts";
import { isOver } from "../core/query.ts";
import type { StartedWith } from "../core/started-with.ts";
import { Run } from "../engine/run.ts";
import type { Standing } from "../format.ts";
import { progressFile } from "../runs/agent-home.ts";
import { createInput, newRunId } from "../runs/create-input.ts";
import { deliver } from "../runs/deliver.ts";
import { databaseOf, makePlace, pointLatest, runFolder } from "../runs/place.ts";
import type { Prepared } from "../runs/prepare/prepare.ts";
import { rows } from "../runs/rows.ts";
import { freeSlots } from "../runs/slots.ts";
import type { RunSummary, Store } from "../store.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { type Drive, drive, shellOf } from "./drive.ts";
import { jsonReporter, lineReporter } from "./progress.ts";

export async function startRun(c: Context, p: Prepared): Promise<number> {
	const { root } = p.repository;
	const aside = await standingIn(c, p);
	makePlace(root);
	const store = c.services.openStore(databaseOf(root));
	try {
		const unfinished = p.flags.fresh ? null : ((await unfinishedRun(store, p)) ?? (await restoredRun(c, p, store)));
		if (unfinished) return await goOn(c, p, store, unfinished);
		await aside?.();
		const id = newRunId(c.now());
		const sharedDir = p.flags.sharedDir === undefined ? runFolder(root, id) : resolve(c.cwd, p.flags.sharedDir);
		if (p.exclude.length > 0) await p.repository.exclude(p.exclude);
		mkdirSync(runFolder(root, id), { recursive: true });
		mkdirSync(sharedDir, { recursive: true });
		await create(c, p, store, id, sharedDir);
		pointLatest(root, id);
		if (p.flags.detach) return detach(c, p, id);
		return await drive(c, { store, run: id, repository: p.repository, config: p.config, json: p.flags.json ?? false });
	} finally {
		await store.close();
	}
}

/** A run that nobody drives: agents come for its steps. Its id. */
export async function createPulled(c: Context, p: Prepared): Promise<string> {
	const { root } = p.repository;
	makePlace(root);
	const store = c.services.openStore(databaseOf(root));
	try {
		const id = newRunId(c.now());
		const sharedDir = runFolder(root, id);
		if (p.exclude.length > 0) await p.repository.exclude(p.exclude);
		mkdirSync(sharedDir, { recursive: true });
		await create(c, p, store, id, sharedDir, true);
		pointLatest(root, id);
		await deliver(c, store, id, { type: "advance", at: c.now() });
		return id;
	} finally {
		await store.close();
	}
}

/** What a run can be about that a later one goes on with. */
const SOURCES = ["prd", "folder", "task_doc"];

/** The work went on elsewhere: what lies there now is ahead of what is known here. */
const isBehind = (state: RunState, p: Prepared): boolean =>
	iterationsBefore(state.definition, p.fields) > Math.max(0, ...state.root.steps.map((s) => s.iteration));

/** A run on the same file that was stopped or killed; what it has done is not done again. Where a later one came to its end
 * (`--fresh`), it has taken the place of all before. */
async function unfinishedRun(store: Store, p: Prepared): Promise<RunState | null> {
	const [source] = SOURCES.filter((key) => p.input[key] !== undefined);
	if (source === undefined) return null;
	let later = false;
	for (const { id, status, workflow } of await store.runs()) {
		if (workflow !== p.definition.name) continue;
		const events = await store.events(id);
		const [first] = events;
		if (first?.event !== "run_created" || ![source, "state_dir"].every((key) => first.input[key] === p.input[key])) continue;
		if (isOver(status)) {
			later = true;
			continue;
		}
		const state = fold(events);
		if (state === null || isBehind(state, p)) continue;
		return later ? null : state;
	}
	return null;
}

/** A run on the same file that was over until a person put an earlier state back: it goes on from there. */
async function restoredRun(c: Context, p: Prepared, store: Store): Promise<RunState | null> {
	if (!p.standing?.unfinished || !p.standing.same) return null;
	const folder = p.input["state_dir"];
	for (const { id, status, workflow } of await store.runs()) {
		if (workflow !== p.definition.name || !isOver(status)) continue;
		const events = await store.events(id);
		const [first] = events;
		if (folder === undefined || first?.event !== "run_created" || first.input["state_dir"] !== folder) continue;
		const state = fold(events);
		const changed = state && (await c.services.changedByHand(shellOf(state).sharedDir, p.repository.root, events));
		// Only the newest one has its state there.
		return changed && "adopted" in changed && SOURCES.some((key) => first.input[key] !== undefined && first.input[key] === p.input[key])
			? state
			: null;
	}
	return null;
}

/** What the source or the user says otherwise now; the rest is as the run was started. */
function changed({ fields, flags }: Prepared): Record<string, string> {
	const names = [
		...["scheme", "error_retries"],
		...(flags.maxIterations === undefined ? [] : ["max_iterations"]),
		...(flags.promise === undefined ? [] : ["promise"]),
		...(flags.delay === undefined ? [] : ["delay"]),
	];
	return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
}

async function goOn(c: Context, p: Prepared, store: Store, state: RunState): Promise<number> {
	const known = new Set(state.stories.map((s) => s.id));
	// A plan that was approved is not added to.
	const open = p.input["prd"] !== undefined;
	const added = open ? p.stories.filter((s) => !known.has(s.id)) : [];
	const vanished = open ? state.stories.filter((s) => !p.stories.some((now) => now.id === s.id)).map((s) => s.id) : [];
	c.err(`pawl: going on with run ${state.id}, which is not finished (--fresh starts a new one)\n`);
	if (added.length > 0) c.err(`pawl: new in ${p.flags.prd}: ${added.map((s) => s.id).join(", ")}\n`);
	if (vanished.length > 0) c.err(`pawl: no longer in ${p.flags.prd}, but still part of the run: ${vanished.join(", ")}\n`);
	const at = c.now();
	return drive(c, {
		store,
		run: state.id,
		repository: p.repository,
		config: p.config,
		json: p.flags.json ?? false,
		first: [
			{ type: "add_stories", at, stories: added },
			{ type: "extend", at, budgets: {}, fields: changed(p) },
			{ type: "resume", at },
			...(p.flags.yes ? [{ type: "decide", at, scope: null, step: null, verdict: "approve", reason: "--yes" } as const] : []),
			{ type: "advance", at },
		],
	});
}

/** What becomes of a state that lies in the tree: refused, or taken over when the run begins (null), or put away by what comes back. */
async function standingIn(c: Context, p: Prepared): Promise<(() => Promise<void>) | null> {
	const { standing } = p;
	if (standing === null) return null;
	if (!standing.unfinished || p.flags.fresh) return () => standing.archive();
	const store = c.services.openReader(databaseOf(p.repository.root));
	try {
		const runs = ((await store?.runs()) ?? []).filter((run) => run.workflow === p.definition.name);
		const writer = await writerOf(store, runs, standing);
		if (store !== null && ((await unfinishedRun(store, p)) || (await restoredRun(c, p, store)))) return null;
		if (writer && isOver(writer.status)) return () => standing.archive();
		if (writer || !standing.same)
			throw new CliError(
				`${standing.file} is the state of a run on ${standing.about} that is not finished: go on with it by pawl resume${writer ? ` ${writer.id}` : ""}, or put it away with --fresh`,
			);
	} finally {
		await store?.close();
	}
	const adoption = standing.adopt(p.definition);
	if (!adoption.ok)
		throw new CliError(`${standing.file} cannot be taken over: ${adoption.problems.join("; ")}. --fresh puts it away and starts anew`);
	return null;
}

async function writerOf(store: Store | null, runs: readonly RunSummary[], standing: Standing): Promise<RunSummary | undefined> {
	for (const run of runs) if (store !== null && standing.isOf(await store.events(run.id))) return run;
	return undefined;
}

/** State in a temporary folder: gone when it succeeds, kept and named when it does not. */
export async function startOneShot(c: Context, p: Prepared): Promise<number> {
	if (p.flags.detach) throw new CliError('--detach needs a run that keeps its state: pawl run dynamic "REQUEST" --detach');
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-one-shot-")));
	const database = join(folder, "pawl.db");
	const store = c.services.openStore(database);
	let done = false;
	try {
		const id = newRunId(c.now());
		await create(c, p, store, id, folder);
		const finish = (state: RunState): boolean => {
			done = state.status === "completed";
			return !done;
		};
		const one: Drive = { store, run: id, repository: p.repository, config: p.config, json: p.flags.json ?? false, database, finish };
		return await drive(c, one);
	} finally {
		await store.close();
		if (done) rmSync(folder, { recursive: true, force: true });
		else c.err(`pawl: the state of this run is kept in ${folder}\n`);
	}
}

async function create(c: Context, p: Prepared, store: Store, id: string, sharedDir: string, pull = false): Promise<void> {
	const agents = p.flags.agents ?? p.config.parallel ?? 1;
	const place = p.definition.inputs[p.mode]?.workspace;
	// A run with a branch has a place of its own beside those of stories that run side by side.
	const wanted = place === "worktree" ? agents : place === "branch" && agents > 1 ? agents + 1 : 1;
	const started: StartedWith = {
		agent: p.agent,
		roles: p.roles,
		fallback: p.fallback,
		sharedDir,
		checks: p.config.checks,
		startCommit: await p.repository.commitOf(p.base),
		push: p.flags.push ?? p.config.push,
		exclude: p.exclude,
		pull,
	};
	const log = await progressFile(store, p.definition, id, sharedDir);
	const input = createInput(
		log === null ? p : { ...p, input: { ...p.input, progress_file: log } },
		id,
		c.now(),
		await freeSlots(store, wanted),
		started,
		place === "branch" ? agents : wanted,
	);
	const { committed } = await Run.create({ store, rows }, input);
	if (!pull) (p.flags.json ? jsonReporter(c) : lineReporter(c))(committed.events, committed.state);
}

function detach(c: Context, p: Prepared, id: string): number {
	const { repository } = p;
	const log = openSync(join(runFolder(repository.root, id), "pawl.log"), "a");
	const [command = "", ...args] = c.self;
	// What works in the user's tree goes on in that tree, which may be another than the main checkout; and takes it over from here.
	const inTree = p.definition.inputs[p.mode]?.workspace === "tree";
	const cwd = inTree ? repository.tree().path : repository.root;
	repository.freeTree();
	spawn(command, [...args, "resume", id], { cwd, detached: true, stdio: ["ignore", log, log] }).unref();
	c.out(`${id}\n`);
	return EXIT.ok;
}
