// Random workflows, written in the language that users write and loaded like theirs, so that every guarantee that loading adds is in them.
// A number names a workflow. Those that the language refuses are drawn again.

import type { Definition } from "../../src/core/definition.ts";
import { parseDefinition } from "../../src/definition/parse.ts";
import { services } from "../../src/wiring.ts";
import { type Luck, luckOf, mixed } from "./luck.ts";

type Route = string | Readonly<Record<string, unknown>>;
type Type = Record<string, unknown>;

export const PROMPT = "Do it: {{step_description}}\n";
const STATUS = { keys: ["NOTE"], signals: { done: { STATUS: "done" }, again: { STATUS: "again" }, more: { STATUS: "more" } } };
const VERDICT = {
	findings: "FINDINGS",
	earlier: "EARLIER",
	signals: { fine: { VERDICT: "FINE" }, bad: { VERDICT: "BAD" }, awful: { VERDICT: "AWFUL" } },
};

export const ROLES = {
	worker: { description: "Works", can: ["run", "commit"], report: { notes: "summary" } },
	teller: { description: "Works and says how it went", can: ["run", "commit"], report: STATUS },
	check: { description: "Judges", can: [], report: VERDICT },
	advise: { description: "Advises", can: [], report: VERDICT },
	looper: { description: "Works in a loop", can: ["run", "commit"], report: { notes: "text", promise: "ALL DONE" } },
	reviewer: { description: "Reviews the loop", can: [], report: { signals: { fine: { VERDICT: "FINE" }, steer: { VERDICT: "BAD" } } } },
};

const FAILING = "agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error";

/** What a scope of the workflow offers to its routes. */
interface ScopeOf {
	readonly kind: "story" | "run";
	readonly listed: readonly string[];
	readonly abort: boolean;
}

const capOf = (luck: Luck, { kind }: ScopeOf, ...more: readonly string[]): string =>
	`${luck.between(1, 3)}/${luck.pick([kind, "step", ...more])}`;

function ending(luck: Luck, { kind, abort }: ScopeOf): Route {
	const ends: [string, ...string[]] = ["next", `fail ${kind}`, "fail run", "skip", "wait person", "complete", "stop"];
	return luck.pick(abort ? [...ends, "abort"] : ends);
}

/** What happens on a signal that is no failure. Every way back has a cap. */
function route(luck: Luck, scope: ScopeOf): Route {
	const exhausted = ending(luck, scope);
	switch (luck.between(1, 8)) {
		case 1:
			return { retry: true, max: capOf(luck, scope), exhausted };
		case 2:
		case 3:
			return { goto: luck.some(scope.listed) ?? "back", max: capOf(luck, scope), exhausted };
		case 4:
			return { goto: "aside", max: capOf(luck, scope, "entry"), exhausted };
		case 5:
			return { goto: luck.some(scope.listed) ?? "back", fresh: true, spend: "rework", exhausted };
		case 6:
			return { insert: [luck.some(scope.listed) ?? "same"], before: luck.some(scope.listed), max: `2/${scope.kind}`, exhausted };
		default:
			return ending(luck, scope);
	}
}

const member = (authority: string): object => ({ authority, prompt: "prompts/step.md" });

const undo = (luck: Luck): object => (luck.happens(0.7) ? { rollback: "failures" } : {});

/** A step by an agent, a gate, a command or a person. */
function step(luck: Luck, scope: ScopeOf): Type {
	const common = { description: "A step", timeout: "10m" };
	const agent = { ...common, writes: luck.pick(["any", "any", "none"]), ...(scope.kind === "story" ? { edits: luck.happens(0.5) } : {}) };
	const checks = luck.happens(0.3) ? { checks: [luck.pick(["lint", "test", "*"])] } : {};
	const mend = { checks_failed: { retry: true, max: capOf(luck, scope), exhausted: `fail ${scope.kind}` } };
	const told = { again: route(luck, scope), more: route(luck, scope) };
	const failed: object = scope.kind === "story" && luck.happens(0.6) ? { [FAILING]: { rollback: "failures", fail: "story" } } : {};
	const when = luck.happens(0.15) ? { when: "changed is not true" } : {};
	switch (luck.between(1, 10)) {
		case 1:
			return {
				...common,
				gate: { members: { check: member("blocking"), advise: member(luck.pick(["advisory", "blocking"])) } },
				on: { fine: "next", bad: route(luck, scope), awful: route(luck, scope) },
			};
		case 2:
			return { description: "A person agrees", approval: "person", on: { approved: "next", rejected: ending(luck, scope) } };
		case 3:
			return { ...common, command: "lint", on: { done: "next", checks_failed: route(luck, scope) } };
		case 4:
		case 5:
		case 6:
			return {
				...agent,
				...checks,
				role: "teller",
				prompt: "prompts/step.md",
				...when,
				on: { done: "next", ...told, ...failed, ...("checks" in checks ? mend : {}) },
			};
		default:
			return {
				...agent,
				...checks,
				role: "worker",
				prompt: "prompts/step.md",
				...when,
				on: { ...failed, ...("checks" in checks ? mend : {}) },
			};
	}
}

function loop(luck: Luck): Type {
	return {
		description: "A loop",
		timeout: "10m",
		loop: {
			schedule: luck.pick(["W", "WR", "W2R"]),
			roles: { W: { role: "looper", prompt: "prompts/step.md" }, R: { role: "reviewer", prompt: "prompts/step.md" } },
			max: luck.between(2, 8),
			inject: { steer: "R" },
			...(luck.happens(0.3) ? { delay: luck.between(0, 90_000) } : {}),
		},
		on: { promise: luck.pick(["next", "complete"]), "done|fine": "retry", max_iterations: luck.pick(["next", "stop", "fail run"]) },
	};
}

const merge = (luck: Luck): Type => ({
	...{ description: "Merge", action: "merge", internal: true, by: "engine", timeout: "1h", when: "changed is true" },
	signals: ["merged", "empty", "conflict", "checks_failed", "dirty"],
	on: {
		merged: "next",
		empty: "fail story",
		conflict: { goto: "s0", max: `${luck.between(1, 3)}/story`, exhausted: "fail story" },
		checks_failed: { goto: "s0", max: `${luck.between(1, 3)}/story`, exhausted: "fail story" },
		dirty: "wait time",
	},
});

/** Names of the built-in workflows that the simulation runs beside its own. */
export const BUILT_INS = ["dynamic", "feature-dev", "bug-fix", "security-audit", "phased", "ralph", "gated"] as const;

export function workflowText(number: number, draw: number): string {
	const luck = luckOf(mixed("workflow", number, draw));
	const worktree = luck.happens(0.6);
	const abort = luck.happens(0.3);
	const names = Array.from({ length: luck.between(1, 4) }, (_, n) => `s${n}`);
	const inStory: ScopeOf = { kind: "story", listed: names, abort };
	const around = luck.pick([
		["stories"],
		["first", "stories"],
		["stories", "last"],
		["first", "stories", "last"],
		["turns"],
		["first", "turns", "last"],
		["stories", "turns"],
	]);
	const inRun: ScopeOf = { kind: "run", listed: around.filter((name) => name === "first" || name === "last"), abort };
	const finale = luck.happens(0.4);
	const own = Object.fromEntries(names.map((name) => [name, step(luck, inStory)]));
	// The first step of a story does the work, or the routes back to it would mend nothing.
	own["s0"] = { description: "Work", role: "worker", prompt: "prompts/step.md", timeout: "10m", writes: "any", edits: luck.happens(0.5) };
	const fail = around.includes("stories") ? "story" : "run";
	const types: Record<string, Type> = {
		...own,
		...(finale ? { finale: { ...own["s0"], description: "The last look", last: true, mandatory: true } } : {}),
		...(worktree && around.includes("stories") ? { merge: merge(luck) } : {}),
		stories: {
			description: "The stories",
			each: {
				concurrency: luck.happens(0.5) ? "$agents" : 1,
				order: luck.pick(["dependencies", "list"]),
				on_failure: luck.pick(["block", "fail_run"]),
				expects_change: luck.happens(0.5),
				steps: [...names, ...(finale ? ["finale"] : []), ...(worktree ? ["merge"] : [])],
			},
		},
		first: step(luck, inRun),
		last: step(luck, inRun),
		turns: loop(luck),
		aside: {
			description: "A detour",
			role: "teller",
			prompt: "prompts/step.md",
			timeout: "10m",
			writes: luck.pick(["any", "none"]),
			detour: true,
			on: { done: "goto back", again: "next", more: "next" },
		},
		tell: { description: "Tell", role: "worker", prompt: "prompts/step.md", timeout: "10m", writes: "none" },
	};
	const used = new Set([
		"aside",
		...around,
		...(around.includes("stories") ? [...names, "finale", "merge"] : []),
		...(abort ? ["tell"] : []),
	]);
	const withdraw = luck.between(1, 3);
	return JSON.stringify({
		...{ name: `random-${number}`, title: "Random", description: "Random", resume: luck.happens(0.92) ? "yes" : "never" },
		inputs: { prd: { reader: "prd", workspace: worktree ? "worktree" : "tree" } },
		limits: { steps: luck.between(6, 12), restarts: luck.between(0, 3) },
		budgets: { rework: `${luck.between(1, 4)}/run`, ...(luck.happens(0.2) ? { cost: `$${luck.between(2, 30)}/run` } : {}) },
		roles: ROLES,
		types: Object.fromEntries(Object.entries(types).filter(([name]) => used.has(name))),
		steps: around,
		...(abort ? { abort: ["tell"] } : {}),
		on: {
			done: "next",
			[FAILING]: {
				...undo(luck),
				retry: true,
				max: `${withdraw}/step`,
				exhausted: { ...undo(luck), fail: around.includes("stories") ? "run" : fail },
			},
			lost: luck.pick([
				{ rollback: "failures", insert: ["same"], max: "3/step", exhausted: { rollback: "failures", fail: "run" } },
				{ rollback: "failures", retry: true, max: "3/step", exhausted: "fail run" },
			]),
			"rate_limited|overloaded": { ...undo(luck), wait: "time" },
			"auth|out_of_credit": "fail run",
		},
	});
}

/** So many seeds share their random workflows: loading one takes as long as a short history. */
const SEEDS_TOGETHER = 20_000;

/** The number of a random workflow for this seed, one of so many. Other seeds far away have other workflows. */
export const workflowNumber = (seed: number, luck: Luck, count: number): number =>
	Math.floor(seed / SEEDS_TOGETHER) * count + luck.between(1, count);

const known = new Map<number, { readonly text: string; readonly definition: Definition }>();

/** The workflow of this number, as text and loaded. */
export function randomWorkflow(number: number): { readonly text: string; readonly definition: Definition } {
	const before = known.get(number);
	if (before !== undefined) return before;
	const problems: string[] = [];
	for (let draw = 0; draw < 50; draw++) {
		const text = workflowText(number, draw);
		const loaded = parseDefinition(text, { file: "workflow.yml", names: services.names, readPrompt: () => ({ text: PROMPT }) });
		if (!loaded.ok) {
			problems.push(...loaded.problems.map((one) => one.message));
			continue;
		}
		const made = { text, definition: loaded.definition };
		known.set(number, made);
		return made;
	}
	throw new Error(`no workflow of number ${number} loads: ${[...new Set(problems)].join("; ")}`);
}
