// Random small workflows, all of which terminate, and random worlds: attempts with any outcome, people who decide anything, results
// that come twice, late or for an unknown attempt.
import fc from "fast-check";
import type { CapScope, Definition, Route } from "../definition.ts";
import { FAILURES } from "../definition.ts";
import type { StorySeed } from "../input.ts";
import { cost, definitionOf, failedCheck, findings, plan, storyOf, type TypePart } from "./builders.suite.ts";
import type { Answer } from "./world.suite.ts";

const STEPS = ["s0", "s1", "s2", "s3"];
const SIGNALS = ["done", "retry", "more", "block"];

const end = (scope: "story" | "run"): fc.Arbitrary<Route> =>
	fc.constantFrom<Route>(
		{ action: "next" },
		{ action: "next", record: "blockers" },
		{ action: "fail", target: scope },
		{ action: "fail", target: "run" },
		{ action: "skip" },
		{ action: "complete" },
		{ action: "wait", target: "person" },
		{ action: "abort" },
		{ action: "refuse" },
	);

/** Every way back carries a cap that lasts. An insert is capped in the whole story: the steps that it puts in are new. */
function route(scope: "story" | "run", targets: readonly string[]): fc.Arbitrary<Route> {
	const max = fc.integer({ min: 0, max: 2 });
	const lasting = fc.constantFrom<CapScope>("story", "run", "step");
	const any = fc.constantFrom<CapScope>("story", "run", "step", "entry");
	const target = fc.constantFrom(...targets);
	const rest = { exhausted: end(scope) };
	return fc.oneof(
		{ weight: 2, arbitrary: end(scope) },
		fc.record({ action: fc.constant("retry" as const), max, per: lasting, ...rest }),
		fc.record({ action: fc.constant("goto" as const), target, max, per: any, ...rest }),
		fc.record({ action: fc.constant("goto" as const), target: fc.constant("detour"), max, per: any, converged: end(scope), ...rest }),
		fc.record({ action: fc.constant("goto" as const), target, fresh: fc.constant(true), spend: fc.constant("rework"), ...rest }),
		fc.record({
			action: fc.constant("insert" as const),
			steps: target.map((t) => plan(t)),
			reopen: fc.subarray([...targets], { maxLength: 1 }),
			before: target,
			max,
			per: fc.constantFrom<CapScope>("story", "run"),
			...rest,
		}),
	);
}

const stepType = (scope: "story" | "run", targets: readonly string[]): fc.Arbitrary<TypePart> =>
	fc
		.record({
			kind: fc.constantFrom("agent" as const, "agent" as const, "agent" as const, "action" as const, "gate" as const, "approval" as const),
			edits: fc.boolean(),
			mandatory: fc.boolean(),
			conditional: fc.boolean(),
			retry: route(scope, targets),
			more: route(scope, targets),
			block: route(scope, targets),
			unreadable: route(scope, targets),
			checks_failed: route(scope, targets),
			rejected: end(scope),
		})
		.map(({ kind, edits, mandatory, conditional, ...on }) => ({
			kind,
			edits,
			mandatory,
			scope,
			when: conditional ? [{ field: "changed", op: "is_not" as const, value: "true" }] : [],
			members: [
				{ role: "check", blocking: true },
				{ role: "simplify", blocking: false },
			],
			verdicts: SIGNALS,
			on: { ...on, approved: { action: "next" as const } },
		}));

const loop: fc.Arbitrary<TypePart> = fc
	.record({ schedule: fc.constantFrom("W", "W2R", "WR", "X"), max: fc.constantFrom("0", "1", "4") })
	.map(({ schedule, max }) => ({
		kind: "loop",
		scope: "run",
		loop: { schedule, max, roles: { W: { role: "worker" }, R: { role: "reviewer" } }, inject: { more: "R" } },
		on: {
			done: { action: "retry" },
			more: { action: "retry" },
			retry: { action: "retry", max: 2 },
			block: { action: "next" },
			max_iterations: { action: "next" },
			checks_failed: { action: "retry", max: 1 },
		},
	}));

const back: TypePart = {
	detour: true,
	on: {
		done: { action: "goto", target: "back" },
		...Object.fromEntries(["retry", "more", "block", "checks_failed"].map((s) => [s, { action: "next" as const }])),
	},
};

export const aDefinition: fc.Arbitrary<Definition> = fc
	.record({
		types: fc.tuple(...STEPS.map(() => stepType("story", STEPS))),
		inStory: fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 4 }),
		first: stepType("run", ["first", "last"]),
		last: stepType("run", ["first", "last"]),
		loop,
		root: fc.constantFrom(["stories"], ["first", "stories", "last"], ["loop", "stories"], ["first", "last"], ["stories", "loop", "last"]),
		each: fc.record({
			concurrency: fc.constantFrom(0, 1),
			order: fc.constantFrom("list" as const, "dependencies" as const),
			onFailure: fc.constantFrom("fail_run" as const, "block" as const),
			expectsChange: fc.boolean(),
		}),
		finale: fc.boolean(),
		abort: fc.boolean(),
		rework: fc.integer({ min: 0, max: 2 }),
		resume: fc.constantFrom("yes" as const, "yes" as const, "never" as const),
	})
	.map(({ types, inStory, first, last, loop, root, each, finale, abort, rework, resume }) =>
		definitionOf({
			resume,
			steps: root,
			abort: abort ? ["tell"] : [],
			limits: { steps: 8, restarts: 2 },
			budgets: { rework: { unit: "count", limit: rework, scope: "run", warnAt: [] } },
			types: {
				...Object.fromEntries(STEPS.map((name, i) => [name, types[i] ?? {}])),
				finale: {
					last: true,
					mandatory: true,
					edits: true,
					on: { checks_failed: { action: "next" }, retry: { action: "next" }, more: { action: "next" }, block: { action: "next" } },
				},
				stories: { each: { ...each, steps: plan(...inStory, ...(finale ? ["finale"] : [])) } },
				first,
				last,
				loop,
				detour: back,
				tell: { scope: "run" },
			},
		}),
	);

const IDS = ["A", "B", "C", "D"];
export const someStories: fc.Arbitrary<StorySeed[]> = fc
	.array(
		fc.record({
			id: fc.constantFrom(...IDS),
			priority: fc.integer({ min: 1, max: 3 }),
			dependsOn: fc.subarray([...IDS, "nobody"], { maxLength: 2 }),
			needy: fc.integer({ min: 0, max: 2 }),
			expectsChange: fc.boolean(),
			passes: fc.constantFrom(false, false, true),
		}),
		{ minLength: 1, maxLength: 4 },
	)
	.map((seeds) => seeds.map(({ id, needy, dependsOn, ...rest }) => storyOf(id, { ...rest, dependsOn: needy === 0 ? dependsOn : [] })));

const id = fc.oneof(
	fc.integer({ min: 1, max: 14 }).map((n) => `step-${String(n).padStart(3, "0")}`),
	fc.constantFrom("merge-1", "step-1", "__proto__", ""),
);
const newSteps = fc.array(
	fc.record({ type: fc.constantFrom(...STEPS, "finale", "detour", "stories", "constructor"), description: fc.constantFrom("x", "") }),
	{ maxLength: 3 },
);
const operation = fc.record(
	{
		operation: fc.constantFrom("add_after", "split", "skip", "reorder", "edit_description", "restart", "nonsense"),
		target_step_id: id,
		reason: fc.constantFrom("because", "because", "because", ""),
		new_steps: newSteps,
		replacement_steps: newSteps,
		new_description: fc.constantFrom("anew", "anew", ""),
		new_order: fc.uniqueArray(id, { maxLength: 6 }),
	},
	{ noNullPrototype: true },
);
/** What agents write into an edit file: nearly right, or anything at all. */
export const someOperations: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 4, arbitrary: fc.array(operation, { minLength: 1, maxLength: 3 }) },
	fc.anything(),
	fc.jsonValue(),
	fc.array(fc.anything(), { maxLength: 3 }),
);

export const anAnswer: fc.Arbitrary<Answer> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			signal: fc.constantFrom(...SIGNALS, "done", "done", "done"),
			changed: fc.boolean(),
			findings: fc.constantFrom(findings(), findings("F1"), findings("F2")),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ signal: fc.constant("done"), edits: someOperations.map((operations) => ({ operations })) }) },
	fc.record({
		signal: fc.constantFrom<string>(...FAILURES),
		retryAt: fc.constantFrom(null, 0, 1_000_050),
		edits: fc.constantFrom(null, { problem: "no JSON" }),
	}),
	fc.constant({ signal: "unreadable", resumable: { agent: "claude", session: "s-1" } }),
	fc.record({ signal: fc.constantFrom("nonsense", "constructor", "__proto__"), usage: fc.constantFrom(cost(1), cost(null)) }),
	fc.constant({ checks: [failedCheck()] }),
	fc.constant({ usage: cost(2), stories: [storyOf("E"), storyOf("A")] }),
	fc.constant("lost" as const),
	fc.constant("cancelled" as const),
);
