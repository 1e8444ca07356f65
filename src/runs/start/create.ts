// The first commit of a run, and the folders that it needs, in an order in which a crash leaves nothing misleading behind.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { requiredLabels } from "../../core/assign/labels.ts";
import { commitStyleOf } from "../../core/commit-style.ts";
import type { StartedWith } from "../../core/started-with.ts";
import { type Committed, Run } from "../../engine/run.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { pointLatest } from "../latest.ts";
import { runFolder } from "../repository.ts";
import { runStorage } from "../run-storage.ts";
import { oneStartAtATime, refuseTakenByOthers } from "../taken.ts";
import { createInput, newRunId } from "./create-input.ts";
import type { Prepared } from "./prepare.ts";
import { freeSlots } from "./slots.ts";
import { startFlags } from "./start-flags.ts";

export interface CreateHow {
	/** Agents fetch its steps. */
	readonly pull?: boolean;
	/** The folder of its files, removed when it succeeds. */
	readonly ephemeral?: string;
	/** What failed before it began. */
	readonly baseline?: string | null;
	/** Its id, if something was named after it before. */
	readonly run?: string;
}

/** The journal is in `.pawl/`, wherever the run's files are. */
export function create(c: RunsContext, p: Prepared, store: Store, how: CreateHow = {}): Promise<Committed> {
	return oneStartAtATime(c, store, async () => {
		await refuseTakenByOthers(store, p, how.pull);
		return createAlone(c, p, store, how);
	});
}

async function createAlone(
	c: RunsContext,
	p: Prepared,
	store: Store,
	{ pull = false, ephemeral, baseline = null, run }: CreateHow,
): Promise<Committed> {
	const { root } = p.repository;
	const id = run ?? newRunId(c.now());
	const { sharedDir: wantedDir } = p.options;
	const sharedDir = wantedDir !== undefined ? resolve(c.cwd, wantedDir) : (ephemeral ?? runFolder(root, id));
	if (p.exclude.length > 0) await p.repository.exclude(p.exclude);
	mkdirSync(runFolder(root, id), { recursive: true });
	mkdirSync(sharedDir, { recursive: true });
	const agents = p.options.agents ?? p.config.parallel ?? 1;
	const workspace = p.definition.inputs[p.mode]?.workspace;
	// A run with its own branch has its own slot besides those of the parallel stories.
	const wanted = workspace === "worktree" ? agents : workspace === "branch" && agents > 1 ? agents + 1 : 1;
	const started: StartedWith = {
		agent: p.agent,
		roles: p.roles,
		steps: p.steps,
		fallback: p.fallback,
		sharedDir,
		root: c.db === undefined ? "" : root,
		checks: p.checks,
		unchecked: p.options.checks === false,
		startCommit: await p.repository.commitOf(p.base),
		push: p.options.pr === true || (p.options.push ?? p.config.push),
		pr: p.options.pr === true,
		target: p.target ?? "",
		exclude: p.exclude,
		ephemeral: ephemeral !== undefined && wantedDir === undefined,
		pull,
		within: c.services.caller().marks,
		settings: await p.repository.noteSettings(),
		commitStyle: commitStyleOf(await p.repository.subjects(p.base)),
		serialMerges: p.config.merge === "serial",
		sandbox: p.sandbox,
		requires: c.db === undefined ? [] : requiredLabels(p.config.requires, p.definition.requires ?? []),
	};
	const more = await c.services.newRunInput({ id, definition: p.definition, sharedDir, store });
	const flags = startFlags(p.options, c.services.flags, c.cwd);
	const input = createInput(
		{
			...p,
			input: { ...p.input, ...more, ...(baseline === null ? {} : { baseline }), ...(flags === "" ? {} : { start_flags: flags }) },
		},
		id,
		c.now(),
		await freeSlots(store, wanted),
		started,
		workspace === "branch" ? agents : wanted,
	);
	const { committed } = await Run.create(runStorage(c, store), input);
	pointLatest(root, p.repository.tree().path, id);
	return committed;
}
