// The first commit of a run, and the folders that it needs. In an order in which a crash leaves nothing that looks like more than it is.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { StartedWith } from "../../core/started-with.ts";
import { type Committed, Run } from "../../engine/run.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { pointLatest, runFolder } from "../place.ts";
import { runPlace } from "../run-place.ts";
import { progressFile } from "./agent-home.ts";
import { createInput, newRunId } from "./create-input.ts";
import type { Prepared } from "./prepare.ts";
import { freeSlots } from "./slots.ts";

/** A run that keeps its state in `.pawl/`. `pull`: agents come for its steps. */
export async function createInPlace(c: RunsContext, p: Prepared, store: Store, pull: boolean): Promise<Committed> {
	const { root } = p.repository;
	const id = newRunId(c.now());
	const { sharedDir: wanted } = p.options;
	const sharedDir = wanted === undefined ? runFolder(root, id) : resolve(c.cwd, wanted);
	if (p.exclude.length > 0) await p.repository.exclude(p.exclude);
	mkdirSync(runFolder(root, id), { recursive: true });
	mkdirSync(sharedDir, { recursive: true });
	const created = await create(c, p, store, { id, sharedDir, pull });
	pointLatest(root, id);
	return created;
}

export async function create(
	c: RunsContext,
	p: Prepared,
	store: Store,
	{ id, sharedDir, pull }: { readonly id: string; readonly sharedDir: string; readonly pull: boolean },
): Promise<Committed> {
	const agents = p.options.agents ?? p.config.parallel ?? 1;
	const place = p.definition.inputs[p.mode]?.workspace;
	// A run with a branch has a place of its own beside those of the stories that run side by side.
	const wanted = place === "worktree" ? agents : place === "branch" && agents > 1 ? agents + 1 : 1;
	const started: StartedWith = {
		agent: p.agent,
		roles: p.roles,
		fallback: p.fallback,
		sharedDir,
		checks: p.checks,
		unchecked: p.options.checks === false,
		startCommit: await p.repository.commitOf(p.base),
		push: p.options.push ?? p.config.push,
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
	return (await Run.create(runPlace(c, store), input)).committed;
}
