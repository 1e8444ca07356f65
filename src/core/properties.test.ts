// What holds for every workflow in every world. Small numbers, so that the whole takes seconds; a failure prints its seed.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Event } from "./event.ts";
import { apply, fold, stepNumber } from "./fold/apply.ts";
import type { Input } from "./input.ts";
import type { RunState, Scope } from "./model.ts";
import { findScope, nextWake, runningAttempts } from "./query.ts";
import { aDefinition, anAnswer, someOperations, someStories } from "./testing/arbitraries.suite.ts";
import { cost, dynamic, outcomeOf, stories, storyOf } from "./testing/builders.suite.ts";
import { isSentOn, STEP_CHANGES, STORY_CHANGES } from "./testing/legal-changes.suite.ts";
import { type Answer, type Job, World } from "./testing/world.suite.ts";
import { transition } from "./transition.ts";

const RUNS = 200;

/** The counterexample itself is a whole workflow: seed and path are enough to see it again. */
function holds<T>(property: fc.IProperty<T>, numRuns: number): void {
	const { failed, seed, counterexamplePath, errorInstance } = fc.check(property, { numRuns });
	if (failed) throw new Error(`seed ${seed}, path "${counterexamplePath}"`, { cause: errorInstance });
}

/** D-43 D-58: walks the journal event by event and looks at every change of status, and at every new id. */
function auditJournal(events: readonly Event[]): void {
	let state: RunState | null = null;
	for (const event of events) {
		const next: RunState | null = apply(state, event);
		if (state && next) {
			compare(state.root, next.root, event);
			for (const story of next.stories) {
				const before = state.stories.find((s) => s.id === story.id);
				if (!before) continue;
				compare(before.scope, story.scope, event);
				if (before.status !== story.status)
					assert.ok(STORY_CHANGES[before.status].includes(story.status), `story ${before.status} → ${story.status} by ${event.event}`);
			}
		}
		state = next;
	}
}

function compare(before: Scope, after: Scope, event: Event): void {
	if (before === after) return;
	const known = new Map(before.steps.map((s) => [s.id, s]));
	assert.equal(new Set(after.steps.map((s) => s.id)).size, after.steps.length, "ids are unique");
	for (const step of after.steps) {
		const old = known.get(step.id);
		if (!old) {
			const number = stepNumber(step.id);
			assert.ok(number >= before.nextNumber, `D-75 ${step.id} is new although ${before.nextNumber} is next`);
			assert.ok(number < after.nextNumber);
		} else if (old.status !== step.status && !isSentOn(old.status, event)) {
			assert.ok(STEP_CHANGES[old.status].includes(step.status), `step ${old.status} → ${step.status} by ${event.event}`);
			const reopened = ["completed", "skipped", "failed", "cancelled"].includes(old.status);
			if (reopened) assert.equal(event.event, "step_reopened", `${old.status} → pending by ${event.event}`);
		}
		if (old) assert.ok(step.attempt >= old.attempt && step.restarts >= old.restarts, "counts never go back");
	}
}

/** A run that runs has something under way, or something that will wake it. */
function assertAlive(state: RunState): void {
	if (state.status !== "running") return;
	assert.ok(runningAttempts(state).length > 0 || nextWake(state) !== null, "it runs, but nothing does");
}

const nth = <T>(list: readonly T[], n: number): T | undefined => (list.length === 0 ? undefined : list[n % list.length]);

test("every run ends: it completes, fails, stops or waits, and never hangs or loops forever", () => {
	holds(
		fc.property(
			aDefinition,
			someStories,
			fc.array(anAnswer, { minLength: 1, maxLength: 12 }),
			fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
			fc.integer({ min: 1, max: 3 }),
			fc.boolean(),
			(definition, seeds, answers, picks, agents, yes) => {
				const w = new World(definition, { stories: seeds, options: { agents, yes } });
				let turns = 0;
				// Rate limits, interruptions and crashes come from outside and have no cap of their own everywhere: the world has only so many.
				let patience = 20;
				for (; w.state.status === "running"; turns++) {
					assert.ok(turns < 2000, "it turns for ever");
					assertAlive(w.state);
					const job = nth(w.jobs, nth(picks, turns) ?? 0);
					if (!job) {
						w.at = Math.max(w.at, nextWake(w.state) ?? 0);
						w.feed({ type: "advance" });
						continue;
					}
					const answer = nth(answers, turns) ?? {};
					const external = typeof answer === "string" || /limited|overloaded/.test(answer.signal ?? "");
					w.end(job, external && patience-- <= 0 ? {} : answer);
				}
				auditJournal(w.events);
				assert.deepEqual(fold(w.events), w.state);
				if (w.state.status === "completed")
					assert.ok(w.state.root.steps.every((s) => s.status !== "pending" && s.status !== "in_progress"));
				if (w.state.status === "waiting")
					assert.deepEqual(
						w.jobs.filter((j) => running(w.state, j)),
						[],
					);
			},
		),
		RUNS,
	);
});

const running = (state: RunState, job: Job): boolean =>
	runningAttempts(state).some((r) => r.scope === job.scope && r.step.id === job.step && r.attempt.number === job.attempt);

const someone = fc.constantFrom("A", "B", "E", "@run", "nobody", "__proto__", "");
const somewhere = fc.constantFrom("step-001", "step-002", "step-005", "merge-1", "s0", "constructor", "");
const aNumber = fc.constantFrom(0, 1, 2, 3, -1, Number.NaN, Number.POSITIVE_INFINITY);
type Anything = Input extends infer I ? (I extends Input ? Omit<I, "at"> : never) : never;
const anyInput: fc.Arbitrary<Anything> = fc.oneof(
	fc.constant({ type: "advance" as const }),
	fc.constant({ type: "resume" as const }),
	fc.record({
		type: fc.constant("stop" as const),
		how: fc.constantFrom("pause" as const, "cancel" as const, "interrupt" as const, "pause" as const),
	}),
	fc.record({
		type: fc.constant("attempt_prepared" as const),
		scope: someone,
		step: somewhere,
		attempt: aNumber,
		commit: fc.constant(null),
		log: fc.constant("l"),
	}),
	fc.record({
		type: fc.constant("attempt_ended" as const),
		scope: someone,
		step: somewhere,
		attempt: aNumber,
		outcome: anAnswer.map((a) => outcomeOf(typeof a === "string" ? { signal: a } : a)),
	}),
	fc.record({ type: fc.constant("attempt_lost" as const), scope: someone, step: somewhere, attempt: aNumber }),
	fc.record({ type: fc.constant("attempt_cancelled" as const), scope: someone, step: somewhere, attempt: aNumber, reason: fc.string() }),
	fc.record({
		type: fc.constant("decide" as const),
		scope: fc.option(someone),
		step: fc.option(somewhere),
		verdict: fc.constantFrom("approve" as const, "reject" as const, "retry" as const),
		reason: fc.constantFrom("", "why"),
	}),
	fc.record({ type: fc.constant("retry_story" as const), story: fc.option(someone) }),
	fc.record({
		type: fc.constant("extend" as const),
		budgets: fc.dictionary(fc.constantFrom("cost", "time", "rework", "__proto__", "constructor"), aNumber),
	}),
	fc.record({
		type: fc.constant("add_stories" as const),
		stories: fc.array(
			someone.map((id) => storyOf(id, { dependsOn: [id] })),
			{ maxLength: 2 },
		),
	}),
	fc.record({ type: fc.constant("steer" as const), text: fc.string() }),
);

test("D-43 D-58 no input makes it throw, in whatever state, order and number; the journal always folds to the state and all changes are legal", () => {
	const something = fc.oneof(
		{ weight: 3, arbitrary: fc.record({ pick: fc.nat(), answer: anAnswer, twice: fc.boolean() }) },
		{ weight: 2, arbitrary: fc.record({ input: anyInput, later: fc.nat(60_000) }) },
	);
	holds(
		fc.property(
			aDefinition,
			someStories,
			fc.array(something, { maxLength: 40 }),
			fc.integer({ min: 0, max: 3 }),
			(definition, seeds, things, agents) => {
				const w = new World(definition, { stories: seeds, options: { agents, budgets: { cost: 6, time: 200_000 } } });
				for (const thing of things) {
					if ("input" in thing) {
						w.at += thing.later;
						w.feed(thing.input);
					} else {
						const job = nth(w.jobs, thing.pick);
						if (!job) continue;
						w.end(job, thing.answer);
						// The same result once more, now of an attempt that is over.
						const before = w.state;
						if (thing.twice && !running(before, job)) {
							w.end(job, thing.answer);
							assert.deepEqual({ ...w.state, version: 0 }, { ...before, version: 0 }, "a late result changes nothing");
						}
					}
					assertAlive(w.state);
				}
				auditJournal(w.events);
				assert.deepEqual(fold(w.events), w.state);
				assert.ok((w.state.budgets["rework"]?.spent ?? 0) <= Math.max(2, w.state.budgets["rework"]?.limit ?? 0));
			},
		),
		RUNS,
	);
});

test("D-96 an edit file is applied whole or not at all, whatever it holds", () => {
	const places = ["planning", "coding", "review", "final_review"].map((type) => new World(dynamic(), { stories: ["A"] }).until(type));
	let applied = 0;
	holds(
		fc.property(fc.constantFrom(...places), fc.oneof(someOperations, goodOperations), (w, operations) => {
			const [job] = w.jobs;
			assert.ok(job);
			const ended = (edits: unknown) =>
				transition(w.state, {
					type: "attempt_ended",
					at: w.at,
					scope: "A",
					step: job.step,
					attempt: job.attempt,
					outcome: outcomeOf({ edits: edits === undefined ? null : { operations: edits } }),
				});
			const result = ended(operations);
			const scope = result.state && findScope(result.state, "A");
			assert.ok(scope);
			const edited = result.events.filter((e) => e.event === "workflow_edited").length;
			if (result.events.some((e) => e.event === "edit_rejected")) {
				assert.equal(edited, 0);
				const without = ended(undefined).state;
				const asked = (s: Scope | null | undefined) => s?.steps.map(({ id, type, description }) => ({ id, type, description }));
				// A last step runs again and is told why (T-19); for all others it is as if there had been no edit file.
				if (job.type === "final_review") assert.deepEqual(asked(scope), asked(without && findScope(without, "A")));
				else
					assert.deepEqual(
						{ ...scope, steps: scope.steps.map(({ doubts: _, ...step }) => step) },
						without && findScope(without, "A"),
						"as if there had been no edit file",
					);
			} else if (operations !== undefined) {
				applied++;
				assert.equal(edited, Array.isArray(operations) ? operations.length : 1);
				assert.ok(scope.steps.filter((s) => s.type !== "merge").length <= 30);
				assert.deepEqual(
					scope.steps.slice(-2).map((s) => s.type),
					["final_review", "merge"],
					"final_review stays last",
				);
				for (const before of w.scope("A").steps.filter((s) => s.id !== job.step && s.status !== "pending"))
					assert.deepEqual(
						scope.steps.find((s) => s.id === before.id),
						before,
						"what has ended is not touched",
					);
				assert.ok(scope.steps.every((s) => s.status !== "skipped" || (s.type !== "linting" && s.type !== "final_review")));
			}
		}),
		600,
	);
	assert.ok(applied > 20, `only ${applied} of them were accepted: the generator proves little`);
});

const goodTarget = fc.integer({ min: 1, max: 10 }).map((n) => `step-${String(n).padStart(3, "0")}`);
const goodSteps = fc.array(fc.record({ type: fc.constantFrom("coding", "linting", "review"), description: fc.constant("more") }), {
	minLength: 1,
	maxLength: 8,
});
const goodOperations = fc.array(
	fc.oneof(
		fc.record({ operation: fc.constant("add_after"), target_step_id: goodTarget, reason: fc.constant("r"), new_steps: goodSteps }),
		fc.record({ operation: fc.constant("split"), target_step_id: goodTarget, reason: fc.constant("r"), replacement_steps: goodSteps }),
		fc.record({ operation: fc.constant("skip"), target_step_id: goodTarget, reason: fc.constant("r") }),
		fc.record({
			operation: fc.constantFrom("edit_description", "restart"),
			target_step_id: goodTarget,
			reason: fc.constant("r"),
			new_description: fc.constant("n"),
		}),
	),
	{ minLength: 1, maxLength: 4 },
);

test("a cost budget holds: nothing starts once it is spent, and attempts of one price never pass it by more than one of them", () => {
	holds(
		fc.property(
			fc.integer({ min: 1, max: 20 }),
			fc.integer({ min: 1, max: 9 }),
			fc.integer({ min: 1, max: 5 }),
			fc.array(fc.nat(), { minLength: 1, maxLength: 10 }),
			fc.array(fc.constantFrom<Answer>({}, { signal: "unreadable" }, { signal: "agent_error" }), { minLength: 1, maxLength: 5 }),
			(limit, price, agents, picks, answers) => {
				const retry = { on: { unreadable: { action: "retry" as const, max: 2 } } };
				const definition = stories({ a: retry, b: retry, merge: { kind: "action", action: "merge" } });
				const w = new World(definition, { stories: ["A", "B", "C", "D", "E"], options: { agents, budgets: { cost: limit } } });
				for (let turn = 0; w.state.status === "running"; turn++) {
					const job = nth(w.jobs, nth(picks, turn) ?? 0);
					assert.ok(job, "it runs, but nothing does");
					const spent = w.state.budgets["cost"]?.spent ?? 0;
					if (job.type === "merge") w.end(job);
					else {
						const answer = nth(answers, turn);
						w.end(job, { ...(typeof answer === "object" ? answer : {}), usage: cost(price) });
					}
					const now = w.state.budgets["cost"]?.spent ?? 0;
					assert.ok(now <= limit + price, `${now} of ${limit} were spent at ${price} each`);
					if (spent >= limit) assert.ok(w.jobs.every((j) => j.type === "merge" || running(w.state, j)));
				}
				const starts = w.events.map((e, i) => ({ e, i })).filter(({ e }) => e.event === "step_started" && e.role === "agent");
				for (const { i } of starts)
					assert.ok((fold(w.events.slice(0, i))?.budgets["cost"]?.spent ?? 0) < limit, "it started with nothing left");
			},
		),
		100,
	);
});

test("a counted budget never passes its limit, and capped routes are never taken more often than their cap", () => {
	holds(
		fc.property(aDefinition, someStories, fc.array(anAnswer, { minLength: 1, maxLength: 12 }), (definition, seeds, answers) => {
			const w = new World(definition, { stories: seeds, options: { agents: 2, yes: true } });
			for (let turn = 0; w.state.status === "running" && turn < 120 && w.jobs[0]; turn++) {
				w.end(w.jobs[0], nth(answers, turn) ?? {});
				const budget = w.state.budgets["rework"];
				assert.ok((budget?.spent ?? 0) <= (budget?.limit ?? 0));
				for (const scope of [w.state.root, ...w.state.stories.map((s) => s.scope)])
					for (const [key, value] of Object.entries(scope.counters)) assert.ok(value <= 3, `${key} was taken ${value} times`);
			}
		}),
		RUNS,
	);
});
