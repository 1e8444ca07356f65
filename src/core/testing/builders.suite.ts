// Small definitions, stories and outcomes for the tests of the core: everything has a default, and a test names only what it
// is about. A `.suite.ts` file is neither run as a test nor published.
import type { Definition, Each, PlannedStep, Route, StepType } from "../definition.ts";
import { FAILURES } from "../definition.ts";
import type { Outcome, StorySeed } from "../input.ts";
import type { RunOptions, Usage } from "../model.ts";

export const NO_USAGE: Usage = { costUsd: null, inputTokens: null, outputTokens: null };

export const outcomeOf = (more: Partial<Outcome> = {}): Outcome => ({
	signal: "done",
	error: null,
	notes: null,
	fields: {},
	findings: [],
	stories: null,
	usage: NO_USAGE,
	edits: null,
	checks: [],
	changed: false,
	retryAt: null,
	...more,
});

export const cost = (costUsd: number | null): Usage => ({ ...NO_USAGE, costUsd });
export const failedCheck = (name = "test") => ({ name, command: `npm run ${name}`, exitCode: 1, output: "boom" });
export const edits = (...operations: unknown[]) => ({ operations });
export const findings = (...keys: string[]) => keys.map((key) => ({ key, class: "plan", text: `about ${key}` }));

/** The routes that every step of a story has; `scope` is what fails. */
export function routesFor(scope: "story" | "run", more: Record<string, Route> = {}): Record<string, Route> {
	const fail: Route = { action: "fail", target: scope, rollback: "failures" };
	return {
		done: { action: "next" },
		...Object.fromEntries(FAILURES.map((signal) => [signal, fail])),
		lost: { action: "insert", steps: [{ type: "same" }], rollback: "failures", max: 3, per: "step", exhausted: fail },
		rate_limited: { action: "wait", target: "time" },
		overloaded: { action: "wait", target: "time" },
		auth: { action: "fail", target: "run" },
		out_of_credit: { action: "fail", target: "run" },
		...more,
	};
}

export type TypePart = Partial<Omit<StepType, "name" | "routes" | "each">> & {
	on?: Record<string, Route>;
	scope?: "story" | "run";
	each?: Partial<Each>;
};

export function typeOf(name: string, part: TypePart = {}): StepType {
	const { on, scope = "story", each, ...rest } = part;
	return {
		name,
		kind: "agent",
		description: `do ${name}`,
		...((part.kind ?? "agent") === "agent" ? { role: "agent" } : {}),
		timeoutMs: 60_000,
		writes: "any",
		edits: false,
		mandatory: false,
		last: false,
		byEngine: false,
		internal: false,
		detour: false,
		checks: [],
		when: [],
		session: "fresh",
		...rest,
		...(each
			? {
					kind: "each" as const,
					each: { steps: [], concurrency: 0, order: "dependencies", onFailure: "block", expectsChange: false, ...each },
				}
			: {}),
		routes: routesFor(scope, on),
	};
}

export interface DefinitionPart extends Partial<Omit<Definition, "types" | "steps" | "abort">> {
	steps?: readonly string[];
	abort?: readonly string[];
	types: Record<string, TypePart>;
}

export const plan = (...types: string[]): PlannedStep[] => types.map((type) => ({ type }));

export function definitionOf({ types, steps = [], abort = [], ...more }: DefinitionPart): Definition {
	return {
		name: "tiny",
		title: "Tiny",
		description: "",
		hash: "0",
		resume: "yes",
		inputs: { request: { reader: "request", workspace: "tree" }, prd: { reader: "prd", workspace: "worktree" } },
		roles: {},
		types: Object.fromEntries(Object.entries(types).map(([name, part]) => [name, typeOf(name, part)])),
		steps: plan(...steps),
		abort: plan(...abort),
		budgets: {},
		limits: { steps: 30, restarts: 3 },
		prompts: {},
		projections: [],
		...more,
	};
}

/** Steps of the run itself, one after the other. */
export const linear = (types: Record<string, TypePart>, more: Partial<DefinitionPart> = {}): Definition =>
	definitionOf({
		steps: Object.keys(types).filter((name) => !types[name]?.detour),
		types: Object.fromEntries(Object.entries(types).map(([name, part]) => [name, { scope: "run", ...part }])),
		...more,
	});

/** Stories, each with these steps. */
export const stories = (types: Record<string, TypePart>, each: Partial<Each> = {}, more: Partial<DefinitionPart> = {}): Definition =>
	definitionOf({
		steps: ["stories"],
		types: {
			stories: { each: { steps: plan(...Object.keys(types).filter((name) => !types[name]?.detour && !types[name]?.byEngine)), ...each } },
			...types,
			...more.types,
		},
		...Object.fromEntries(Object.entries(more).filter(([key]) => key !== "types")),
	});

/** The workflow of document 000, with its merge as an internal step behind `final_review`. */
export function dynamic(): Definition {
	const fail: Route = { action: "fail", target: "story" };
	const mend = (...types: string[]): Route => ({ action: "insert", steps: plan(...types), max: 3, per: "story", exhausted: fail });
	const again: Route = { ...mend("coding", "linting"), before: "final_review" };
	const steps = {
		context_gathering: { writes: "none" },
		planning: { writes: "none", edits: true },
		architecture: { writes: "none", edits: true },
		test_architecture: { writes: "none", edits: true },
		coding: { edits: true },
		linting: { mandatory: true, checks: ["lint"], on: { checks_failed: mend("coding", "linting") } },
		initial_testing: { edits: true, checks: ["test"], on: { checks_failed: mend("coding", "linting", "initial_testing") } },
		review: { edits: true },
		prune_tests: {},
		final_review: {
			edits: true,
			mandatory: true,
			last: true,
			checks: ["lint", "test"],
			on: { checks_failed: { ...again, reopen: ["final_review"] } },
		},
		rebase_resolve: { byEngine: true },
		merge: {
			kind: "action",
			action: "merge",
			internal: true,
			on: {
				merged: { action: "next" },
				empty: fail,
				dirty: { action: "wait", target: "time" },
				conflict: {
					action: "insert",
					steps: plan("rebase_resolve"),
					before: "final_review",
					reopen: ["final_review", "merge"],
					max: 3,
					per: "story",
					exhausted: fail,
				},
				checks_failed: { ...again, reopen: ["final_review", "merge"] },
			},
		},
	} satisfies Record<string, TypePart>;
	return stories(steps, { expectsChange: true });
}

export const storyOf = (id: string, more: Partial<StorySeed> = {}): StorySeed => ({
	id,
	title: `Story ${id}`,
	description: "",
	criteria: [],
	priority: 1,
	dependsOn: [],
	...more,
});

export const optionsOf = (more: Partial<RunOptions> = {}): RunOptions => {
	const agents = more.agents ?? 1;
	return {
		mode: "prd",
		agents,
		slots: Array.from({ length: agents }, (_, i) => i + 1),
		base: null,
		yes: false,
		maxWaitMs: null,
		timeouts: {},
		budgets: {},
		shell: {},
		...more,
	};
};
