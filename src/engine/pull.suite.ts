// A pull run without git: parts for tests, and a pipeline of as many plain steps as wanted.
import type { Definition } from "../core/definition.ts";
import { parse } from "../format/pipeline/pipeline.suite.ts";
import type { Store } from "../store.ts";
import type { Point, Repository, Workspace } from "../workspace.ts";
import { systemClock } from "./clock.ts";
import type { EngineParts } from "./parts.ts";
import { Pull } from "./pull.ts";
import { Run } from "./run.ts";

const POINT: Point = { commit: "c", tree: "t" };

/** One folder that nothing ever changes in. */
export function stillRepository(path: string, otherwise: Partial<Workspace> = {}): Repository {
	const nothing = { point: POINT, paths: [], committed: false, uncommitted: false, tampered: [], refs: [], others: [] };
	const workspace: Workspace = {
		path,
		branch: "pawl/run",
		point: async () => POINT,
		changes: async () => nothing,
		saveDiff: async () => null,
		sessionEnv: () => ({}),
		recall: async () => null,
		commitsOfOthers: async () => [],
		rollback: async () => ({ commit: "c", stayed: [], aside: [], refs: [] }),
		revert: async () => {},
		commitAll: async () => null,
		keepLeftovers: async () => ({ commit: null, committed: [], aside: [] }),
		putLitterAside: async () => [],
		discard: async () => {},
		fold: async () => null,
		markersSince: async () => [],
		read: async () => null,
		...otherwise,
	};
	return {
		root: path,
		branch: "main",
		openBranch: async () => workspace,
		closeBranch: async () => {},
		close: async () => {},
	} as unknown as Repository;
}

export function plainSteps(count: number, agent = "worker"): Definition {
	const steps = Array.from({ length: count }, (_, n) => `  - {id: s${n}, agent: ${agent}, input: "Do ${n}", max_retries: 1}\n`);
	const loaded = parse(`id: plain\nagents:\n  - {id: ${agent}, role: analysis}\nsteps:\n${steps.join("")}`);
	if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
	return loaded.definition;
}

export async function createRun(store: Store, definition: Definition, id: string, at: number): Promise<void> {
	const options = {
		mode: "request",
		agents: 1,
		slots: [1],
		base: "main",
		yes: false,
		maxWaitMs: null,
		timeouts: {},
		budgets: {},
		shell: { pull: true },
	};
	const { run } = await Run.create(
		{ store },
		{ type: "create_run", at, id, title: id, definition, options, input: {}, fields: {}, stories: [] },
	);
	await run.feed({ type: "advance", at });
}

export async function openPull(
	store: Store,
	run: string,
	folder: string,
	now: () => number = Date.now,
	otherwise: Partial<Workspace> = {},
): Promise<Pull> {
	const opened = await Run.open({ store }, run);
	if (opened === null) throw new Error(`there is no run ${run}`);
	return new Pull({ ...pullParts(folder, now), repository: stillRepository(folder, otherwise) }, opened);
}

function pullParts(folder: string, now: () => number): EngineParts {
	return {
		sharedDir: folder,
		repository: stillRepository(folder),
		agentsFor: () => {
			throw new Error("nobody is started");
		},
		actions: {},
		projections: () => [],
		checks: {},
		hints: { lint: null, test: null },
		env: {},
		secrets: [],
		stallMs: null,
		isolate: false,
		clock: systemClock(now),
	};
}
