// A pull run without git: parts for tests, and a pipeline of as many plain steps as wanted.
import type { Definition } from "../core/definition.ts";
import { transition } from "../core/transition.ts";
import { parse } from "../definition/pipeline/pipeline.suite.ts";
import type { Store } from "../store.ts";
import type { Point, Repository, Workspace } from "../workspace.ts";
import type { EngineParts } from "./parts.ts";

const POINT: Point = { commit: "c", tree: "t" };

/** One folder that nothing ever changes in. */
export function stillRepository(path: string): Repository {
	const nothing = { point: POINT, paths: [], committed: false, uncommitted: false, tampered: [] };
	const workspace: Workspace = {
		path,
		branch: "pawl/run",
		point: async () => POINT,
		changes: async () => nothing,
		saveDiff: async () => false,
		rollback: async () => {},
		revert: async () => {},
		commitAll: async () => null,
		discard: async () => {},
		fold: async () => null,
		read: async () => null,
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

export function createRun(store: Store, definition: Definition, id: string, at: number): void {
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
	const made = transition(null, { type: "create_run", at, id, title: id, definition, options, input: {}, fields: {}, stories: [] });
	const next = transition(made.state, { type: "advance", at });
	store.commit({
		run: id,
		expectedVersion: 0,
		events: [...made.events, ...next.events],
		effects: [...made.effects, ...next.effects],
		done: [],
		taken: [],
		summary: { id, workflow: definition.name, title: id, status: "running", createdAt: at, updatedAt: at },
	});
}

export function pullParts(store: Store, run: string, folder: string, now: () => number = Date.now): EngineParts {
	return {
		store,
		run,
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
		now,
	};
}
