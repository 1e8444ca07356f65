import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../definition.ts";
import { publishedCommit, publishedFact } from "../mark.ts";
import { definitionOf, findings, linear, plan, stories, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const FAIL_RUN: Route = { action: "fail", target: "run" };
const back: TypePart = { detour: true, on: { done: { action: "goto", target: "back" } } };

test("a signal without a route fails the run and names both, also one that an object has by birth", () => {
	for (const signal of ["splendid", "constructor", "toString", "__proto__"]) {
		const w = new World(linear({ a: {}, b: {} }));
		w.end("a", { signal });
		assert.equal(w.state.status, "failed", signal);
		assert.ok(w.state.reason?.includes(`a ended in ${signal}`), w.state.reason ?? "");
	}
});

test("retry: the same step again, up to its cap, then the exhausted action", () => {
	const w = new World(linear({ a: { on: { agent_error: { action: "retry", max: 2, exhausted: FAIL_RUN } } }, b: {} }));
	w.play({ a: { signal: "agent_error", error: "exit 3" } });
	assert.deepEqual([w.started, w.state.status, w.state.reason], [["a", "a", "a"], "failed", "a: exit 3"]);
	const without = new World(linear({ a: { on: { agent_error: { action: "retry", max: 1 } } } }));
	without.play({ a: { signal: "agent_error" } });
	assert.deepEqual([without.started.length, without.state.status], [2, "failed"], "a cap without `exhausted` fails");
});

test("caps per story count for each story; caps per run over all of them; caps per step follow the copies of a lost one", () => {
	const retry = (per: "story" | "run" | "step"): Route => ({
		action: "retry",
		max: 2,
		per,
		exhausted: { action: "fail", target: "story" },
	});
	const runs = (per: "story" | "run" | "step") => {
		const w = new World(stories({ work: { on: { unreadable: retry(per) } } }), { stories: ["A", "B"] });
		w.play({ work: { signal: "unreadable" } });
		return [w.started.filter((s) => s === "A work").length, w.started.filter((s) => s === "B work").length];
	};
	assert.deepEqual(runs("story"), [3, 3]);
	assert.deepEqual(runs("run"), [3, 1]);
	assert.deepEqual(runs("step"), [3, 3]);
});

test("A-41 A-43 verify sends back to implement with its feedback, at most so often a story, then the run fails", () => {
	const retry: Route = {
		action: "goto",
		target: "implement",
		set: { verify_feedback: "{{ISSUES}}" },
		max: 1,
		per: "story",
		exhausted: FAIL_RUN,
	};
	const definition = stories({ implement: {}, verify: { on: { retry } } }, { order: "list", onFailure: "fail_run" });
	const w = new World(definition, { stories: ["A", "B"] });
	w.play({ "A verify": [{ signal: "retry", fields: { ISSUES: "no tests" } }, {}], "B implement": null });
	assert.deepEqual(w.started, ["A implement", "A verify", "A implement", "A verify", "B implement"]);
	assert.equal(w.scope("A").fields["verify_feedback"], "no tests");
	assert.equal(w.scope("B").fields["verify_feedback"], undefined, "the fields of a story are its own");
	w.play({ "B verify": { signal: "retry", error: "still no tests" } });
	assert.deepEqual(w.started.slice(5), ["B verify", "B implement", "B verify"]);
	assert.deepEqual([w.stories(), w.state.status], [{ A: "completed", B: "failed" }, "failed"]);
	assert.equal(w.all("run_status_changed").length, 1, "it fails once, for one reason");
});

test("goto back re-opens the target, the steps between and the sender; skipped steps between are considered again", () => {
	const w = new World(
		linear({
			a: {},
			b: { when: [{ field: "again", op: "set" }] },
			c: { on: { retry: { action: "goto", target: "a", set: { again: "yes" }, max: 1 } } },
			d: {},
		}),
	);
	w.end("a");
	assert.deepEqual(w.list(), ["a completed", "b skipped", "c in_progress", "d pending"]);
	w.end("c", { signal: "retry" });
	assert.deepEqual(w.list(), ["a in_progress", "b pending", "c pending", "d pending"]);
	w.play();
	assert.deepEqual(w.started, ["a", "c", "a", "b", "c", "d"]);
});

test("goto forward skips what lies between and says why", () => {
	const w = new World(linear({ a: { on: { not_testable: { action: "goto", target: "d" } } }, b: {}, c: {}, d: {} }));
	w.end("a", { signal: "not_testable" });
	assert.deepEqual(w.list(), ["a completed", "b skipped", "c skipped", "d in_progress"]);
	assert.equal(w.step("@run", "step-002").skipReason, "a: not_testable");
});

test("goto forward to a step that was skipped runs it all the same", () => {
	const w = new World(
		linear({
			a: { on: { once: { action: "goto", target: "c" }, retry: { action: "goto", target: "b" } } },
			b: {},
			c: { on: { retry: { action: "goto", target: "a", max: 1 } } },
		}),
	);
	w.play({ a: [{ signal: "once" }, { signal: "retry" }], c: [{ signal: "retry" }, {}] });
	assert.deepEqual(w.started, ["a", "c", "a", "b", "c"]);
});

test("D-51 goto back leaves the record of a lost step alone and runs its copy", () => {
	const w = new World(linear({ a: {}, b: {}, c: { on: { retry: { action: "goto", target: "a", max: 1 } } } }));
	w.play({ a: ["lost", {}], b: ["lost", {}], c: [{ signal: "retry" }, {}] });
	assert.deepEqual(w.list(), ["a failed", "a completed", "b failed", "b completed", "c completed"]);
	assert.deepEqual(w.started, ["a", "a", "b", "b", "c", "a", "b", "c"]);
});

test("goto a step that the list does not have fails the run and names it", () => {
	const types = { a: { on: { retry: { action: "goto", target: "gone" } as Route } }, gone: {} };
	for (const steps of [["a"], ["a", "b"]]) {
		const w = new World(
			definitionOf({
				steps,
				types: Object.fromEntries(Object.entries({ ...types, b: {} }).map(([k, v]) => [k, { scope: "run" as const, ...v }])),
			}),
		);
		w.end("a", { signal: "retry" });
		assert.equal(w.state.status, "failed", steps.join());
		assert.match(w.state.reason ?? "", /gone/);
	}
});

test("a detour is a step of its own behind its sender, every time; back is the sender", () => {
	const retry: Route = { action: "goto", target: "fix", max: 2, exhausted: { action: "wait", target: "person" } };
	const w = new World(linear({ a: {}, test: { on: { retry } }, review: { on: { retry } }, fix: back }));
	assert.deepEqual(w.list(), ["a in_progress", "test pending", "review pending"], "it is not in the list before a route puts it there");
	w.play({ test: [{ signal: "retry" }, {}], review: [{ signal: "retry" }, { signal: "retry" }, {}] });
	assert.deepEqual(w.started, ["a", "test", "fix", "test", "review", "fix", "review", "fix", "review"]);
	assert.deepEqual(w.list(), ["a completed", "test completed", "fix completed", "review completed", "fix completed", "fix completed"]);
	assert.equal(w.state.status, "completed");
	const escalated = new World(linear({ test: { on: { retry } }, fix: back }));
	escalated.play({ test: { signal: "retry" } });
	assert.deepEqual([escalated.started, escalated.state.status], [["test", "fix", "test", "fix", "test"], "waiting"]);
});

test("back goes to the very step that sent us, where there are several of its type", () => {
	const retry: Route = { action: "goto", target: "fix", max: 1, per: "step" };
	const definition = definitionOf({
		steps: ["test", "a", "test"],
		types: { test: { scope: "run", on: { retry } }, a: { scope: "run" }, fix: { scope: "run", ...back } },
	});
	const w = new World(definition);
	w.play({ test: [{ signal: "retry" }, {}] });
	assert.deepEqual(w.started, ["test", "fix", "test", "a", "test"]);
});

test("a detour from a detour: back twice leads to the first sender", () => {
	const w = new World(
		linear({
			a: { on: { retry: { action: "goto", target: "diagnose", max: 1 } } },
			b: {},
			diagnose: {
				detour: true,
				on: { done: { action: "goto", target: "back" }, redesign: { action: "goto", target: "redesign", max: 1 } },
			},
			redesign: back,
		}),
	);
	w.play({ a: [{ signal: "retry" }, {}], diagnose: [{ signal: "redesign" }, {}] });
	assert.deepEqual(w.started, ["a", "diagnose", "redesign", "diagnose", "a", "b"]);
});

test("a detour that was lost or interrupted still knows its sender", () => {
	for (const answer of ["lost", "cancelled"] as const) {
		const w = new World(linear({ a: { on: { retry: { action: "goto", target: "fix", max: 1 } } }, fix: back }));
		w.play({ a: [{ signal: "retry" }, {}], fix: [answer, {}] });
		assert.deepEqual([w.started, w.state.status], [["a", "fix", "fix", "a"], "completed"], answer);
	}
});

// Rounds of review per entry, one rework of the plan per run.
const reviewedPlan = (rework = 1) => {
	const revise = (target: string, max: number): Route => ({
		action: "goto",
		target,
		max,
		per: "entry",
		converged: { action: "next", record: "blockers" },
		exhausted: { action: "next", record: "blockers" },
	});
	const review = (needs: Route, block: Route): TypePart => ({
		kind: "gate",
		members: [
			{ role: "check", blocking: true },
			{ role: "simplify", blocking: false },
		],
		verdicts: ["acceptable", "needs_work", "block"],
		on: { acceptable: { action: "next" }, needs_work: needs, block },
	});
	const give_up: Route = { action: "abort" };
	const plan_revised = revise("revise_plan", 2);
	return linear(
		{
			plan: {},
			review_plan: review(plan_revised, plan_revised),
			split: {},
			review_split: review(revise("revise_split", 1), { action: "goto", target: "rework_plan", spend: "plan_rework", exhausted: give_up }),
			implement: { on: { incomplete: { action: "goto", target: "diagnose" } } },
			revise_plan: { ...back },
			revise_split: { ...back },
			rework_plan: { detour: true, on: { done: { action: "goto", target: "review_plan", fresh: true } } },
			diagnose: {
				detour: true,
				on: {
					production_logic: {
						action: "goto",
						target: "implement",
						max: 2,
						per: "entry",
						exhausted: { action: "goto", target: "plan", fresh: true, spend: "plan_rework", exhausted: give_up },
					},
					split_needed: give_up,
				},
			},
			comment: {},
		},
		{
			resume: "never",
			steps: ["plan", "review_plan", "split", "review_split", "implement"],
			abort: ["comment"],
			budgets: { plan_rework: { unit: "count", limit: rework, scope: "run", warnAt: [] } },
		},
	);
};
const ok = { signal: "acceptable" };
let round = 0;
/** A finding that was never there before. */
const needs = () => ({ signal: "needs_work", findings: findings(`F${++round}`) });
const count = (w: World, type: string) => w.started.filter((s) => s === type).length;
const reviews = (w: World, type: string) => count(w, type) / 2;

test("O-36 O-40 at most three rounds of review per entry; then the blockers are kept and it continues, the budget untouched (O-41)", () => {
	const w = new World(reviewedPlan());
	w.play({ "review_plan check": [needs(), needs(), needs()], "review_plan simplify": ok, review_split: ok });
	assert.deepEqual([reviews(w, "review_plan"), count(w, "revise_plan")], [3, 2]);
	assert.deepEqual(
		w.scope().kept.map((k) => k.name),
		["blockers"],
	);
	assert.deepEqual([w.state.status, w.state.budgets["plan_rework"]?.spent], ["completed", 0]);
});

// Members share a tree: who wrote in it is known only when they come one after the other.
const wrote = { signal: "boundary_violation", error: "changed evil.txt" };
const strict = () => {
	const definition = reviewedPlan();
	const gate = definition.types["review_plan"];
	const again: Route = { action: "retry", max: 1, per: "row", exhausted: { action: "abort" } };
	if (gate) Object.assign(gate.routes, { boundary_violation: again });
	return definition;
};

test("O-03 a round in which somebody wrote counts for nothing; in the next the members come one after the other", () => {
	const w = new World(strict()).until("review_plan check", { "review_plan simplify": null });
	assert.deepEqual(
		w.jobs.map((job) => job.role),
		["check", "simplify"],
	);
	// Whoever is blamed: the adviser here, though check may have written.
	w.play({ "review_plan simplify": [wrote], "review_plan check": [ok, null], review_split: ok });
	assert.deepEqual(
		w.jobs.map((job) => job.role),
		["check"],
	);
	w.play({ "review_plan check": ok, "review_plan simplify": null });
	assert.deepEqual(
		w.jobs.map((job) => job.role),
		["simplify"],
	);
	w.play({ "review_plan simplify": wrote, review_split: ok });
	assert.equal(w.state.status, "completed", "an adviser that writes alone holds nobody up");
});

test("O-03 a blocking member that writes alone as well is not asked a third time", () => {
	const w = new World(strict());
	w.play({ "review_plan check": wrote, "review_plan simplify": ok });
	assert.deepEqual([w.state.status, count(w, "review_plan"), count(w, "comment")], ["failed", 4, 1]);
});

test("O-39 the same finding twice in a row stops the rounds early; one that was only advice, or two rounds ago, does not", () => {
	const same = { signal: "needs_work", findings: findings("same") };
	const w = new World(reviewedPlan());
	w.play({ "review_plan check": same, "review_plan simplify": ok, review_split: ok });
	assert.deepEqual([reviews(w, "review_plan"), w.scope().kept.map((k) => k.name)], [2, ["converged", "blockers"]]);
	const advice = new World(reviewedPlan());
	advice.play({
		"review_plan simplify": [{ signal: "needs_work", findings: findings("x") }, ok],
		"review_plan check": [needs(), { signal: "needs_work", findings: findings("x") }, ok],
		review_split: ok,
	});
	assert.equal(reviews(advice, "review_plan"), 3);
	const apart = new World(reviewedPlan());
	apart.play({ "review_plan check": [same, needs(), same], "review_plan simplify": ok, review_split: ok });
	assert.equal(reviews(apart, "review_plan"), 3);
});

test("O-48 O-49 O-50 O-51 rework of the plan: the caps per entry start again, the budget of the run does not", () => {
	const w = new World(reviewedPlan());
	w.play({
		"review_plan check": [needs(), needs(), needs(), needs(), needs(), needs()],
		"review_plan simplify": ok,
		"review_split check": { signal: "block", error: "does not cover" },
	});
	assert.equal(reviews(w, "review_plan"), 6, "three rounds, and three again after the rework");
	assert.equal(count(w, "rework_plan"), 1);
	assert.equal(w.state.budgets["plan_rework"]?.spent, 1);
	assert.deepEqual(w.started.slice(-1), ["comment"], "the abort steps run");
	assert.deepEqual([w.state.status, w.state.reason], ["failed", "review_split: does not cover"]);
});

test("O-51 going back further re-enters what lies between: its caps start again too", () => {
	const w = new World(reviewedPlan(2));
	w.play({
		review_plan: ok,
		"review_split check": [needs(), { signal: "block" }, needs(), needs()],
		"review_split simplify": ok,
	});
	assert.equal(count(w, "revise_split"), 2, "one in each entry");
	assert.equal(w.state.status, "completed");
});

test("O-64 O-51 two diagnoses an entry, then back to the plan with both again, then the abort", () => {
	const w = new World(reviewedPlan());
	w.play({
		review_plan: ok,
		review_split: ok,
		implement: { signal: "incomplete" },
		diagnose: { signal: "production_logic", error: "still red" },
	});
	assert.equal(count(w, "plan"), 2);
	assert.equal(count(w, "implement"), 6, "three tries in each of the two entries");
	assert.deepEqual([w.state.status, w.started.at(-1)], ["failed", "comment"]);
	assert.equal(w.state.reason, "diagnose: still red");
});

test("O-63 split_needed aborts at once, the budget untouched", () => {
	const w = new World(reviewedPlan());
	w.play({ review_plan: ok, review_split: ok, implement: { signal: "incomplete" }, diagnose: { signal: "split_needed" } });
	assert.deepEqual([w.state.status, w.state.budgets["plan_rework"]?.spent, w.started.at(-1)], ["failed", 0, "comment"]);
});

test("abort: the remaining steps are skipped, the abort steps run, and whatever they report the run fails for the first reason", () => {
	const aborting = (types: Record<string, TypePart> = {}) =>
		linear(
			{ a: { on: { block: { action: "abort" } } }, b: {}, tell: {}, clean: {}, ...types },
			{ steps: ["a", "b"], abort: ["tell", "clean"] },
		);
	const w = new World(aborting());
	w.end("a", { signal: "block", error: "no way" });
	assert.deepEqual(w.list(), ["a failed", "b skipped", "tell in_progress", "clean pending"]);
	w.play();
	assert.deepEqual([w.started, w.state.status, w.state.reason], [["a", "tell", "clean"], "failed", "a: no way"]);
	const broken = new World(aborting());
	broken.play({ a: { signal: "block", error: "no way" }, tell: { signal: "agent_error", error: "exit 9" } });
	assert.deepEqual([broken.state.status, broken.state.reason], ["failed", "a: no way"]);
	const again = new World(aborting({ tell: { on: { block: { action: "abort" } } } }));
	again.play({ a: { signal: "block" }, tell: { signal: "block" } });
	assert.equal(again.state.status, "failed");
});

test("abort from a story ends the other stories, and their attempts, and the abort steps run", () => {
	for (const onFailure of ["block", "fail_run"] as const) {
		const definition = definitionOf({
			steps: ["stories"],
			abort: ["tell"],
			types: {
				stories: { each: { steps: plan("work"), onFailure } },
				work: { on: { block: { action: "abort" } } },
				tell: { scope: "run" },
			},
		});
		const w = new World(definition, { stories: ["A", "B"], options: { agents: 2 } });
		w.end("A work", { signal: "block", error: "no way" });
		assert.deepEqual(w.stories(), { A: "failed", B: "failed" });
		assert.deepEqual(
			w.asked("cancel_attempt").map((c) => c.scope),
			["B"],
		);
		assert.deepEqual(w.list(), ["stories skipped", "tell in_progress"], onFailure);
		w.end("B work", "cancelled");
		assert.deepEqual(w.list("B"), ["work cancelled"]);
		w.play();
		assert.deepEqual([w.state.status, w.state.reason], ["failed", "work: no way"]);
	}
});

test("refuse: the run ends as refused, with the reason, and what runs elsewhere is ended", () => {
	const w = new World(linear({ a: { on: { missing: { action: "refuse" } } }, b: {} }));
	w.end("a", { signal: "missing", error: "there is no issue 7" });
	assert.deepEqual([w.state.status, w.state.reason, w.jobs.length], ["refused", "there is no issue 7", 0]);
	const two = new World(stories({ work: { on: { missing: { action: "refuse" } } } }), { stories: ["A", "B"], options: { agents: 2 } });
	two.end("A work", { signal: "missing" });
	assert.deepEqual(
		two.asked("cancel_attempt").map((c) => c.scope),
		["B"],
	);
	two.end("B work", { signal: "agent_error" });
	assert.equal(two.state.status, "refused", "a later failure does not change how it ended");
});

test("complete: the scope is finished, the remaining steps are skipped", () => {
	const done: TypePart = { on: { enough: { action: "complete" } } };
	const w = new World(linear({ a: done, b: {} }));
	w.end("a", { signal: "enough" });
	assert.deepEqual([w.list(), w.state.status], [["a completed", "b skipped"], "completed"]);
	const s = new World(stories({ a: done, b: {} }), { stories: ["A", "B"] });
	s.end("A a", { signal: "enough" });
	assert.deepEqual([s.stories(), s.started.at(-1)], [{ A: "completed", B: "in_progress" }, "B a"]);
});

test("skip counts the step as skipped and goes on; a failure with `next` is on record and goes on", () => {
	const w = new World(
		linear({ a: { on: { nothing: { action: "skip" } } }, b: { on: { agent_error: { action: "next", record: "troubles" } } }, c: {} }),
	);
	w.play({ a: { signal: "nothing", error: "nothing to do" }, b: { signal: "agent_error", error: "exit 3" } });
	assert.deepEqual(w.list(), ["a skipped", "b failed", "c completed"]);
	assert.equal(w.step("@run", "step-001").skipReason, "nothing to do");
	assert.deepEqual(w.scope().kept, [{ name: "troubles", step: "step-002", text: "exit 3" }]);
	assert.equal(w.state.status, "completed");
});

test("insert before a type that is not there puts the steps right behind; before the first one, at the front", () => {
	const insert = (before: string): Route => ({ action: "insert", steps: plan("x"), before, max: 1 });
	const types = (before: string) => ({ a: { on: { more: insert(before) } }, b: {}, x: {} });
	const gone = new World(linear(types("nowhere"), { steps: ["a", "b"] }));
	gone.end("a", { signal: "more" });
	assert.deepEqual(gone.list(), ["a completed", "x in_progress", "b pending"]);
	const front = new World(linear(types("a"), { steps: ["a", "b"] }));
	front.end("a", { signal: "more" });
	assert.deepEqual(front.list(), ["x in_progress", "a completed", "b pending"]);
});

test("fail run from a story: the story fails, the run fails, nothing else starts", () => {
	const w = new World(stories({ work: {} }), { stories: ["A", "B"] });
	w.end("A work", { signal: "auth", error: "not logged in" });
	assert.deepEqual([w.stories(), w.state.status, w.state.reason], [{ A: "failed", B: "unclaimed" }, "failed", "work: not logged in"]);
});

test("a spend without money left takes `exhausted`, and a spend with a cap takes neither when one of them is reached", () => {
	const retry: Route = { action: "retry", max: 5, spend: "tries", exhausted: FAIL_RUN };
	const definition = linear(
		{ a: { on: { unreadable: retry } } },
		{ budgets: { tries: { unit: "count", limit: 2, scope: "run", warnAt: [] } } },
	);
	const w = new World(definition);
	w.play({ a: { signal: "unreadable" } });
	assert.deepEqual([w.started.length, w.state.budgets["tries"]?.spent, w.scope().counters], [3, 2, { "a:unreadable": 2 }]);
	assert.match(w.state.reason ?? "", /unreadable, and the budget of 2 tries is used up/);
	const unknown = new World(linear({ a: { on: { unreadable: { ...retry, spend: "nothing" } } } }));
	unknown.play({ a: { signal: "unreadable" } });
	assert.equal(unknown.state.status, "failed");
});

test("G-15 G-16: a verdict without an error is routed with the words of its report, in the journal and for the next attempt", () => {
	const report = { notes: "text", keys: ["SEVERITY", "RESOLUTION"], signals: [{ signal: "redo", when: { ACTION: "redo" } }] } as const;
	const w = new World(linear({ work: {}, judge: { report, on: { done: { action: "next" }, redo: { action: "goto", target: "work" } } } }));
	w.end("work");
	w.end("judge", { signal: "redo", fields: { ACTION: "redo", SEVERITY: "high", RESOLUTION: "the walls cannot stand" } });
	const why = "severity: high, resolution: the walls cannot stand";
	assert.ok(w.events.some((e) => e.event === "route_taken" && e.reason === why));
	assert.equal(w.state.root.steps.find((s) => s.type === "work")?.feedback, `judge: ${why}`);
	w.end("work");
	w.end("judge", { signal: "redo", findings: [{ key: "roof", class: "plan", text: "it leaks" }] });
	assert.ok(w.events.some((e) => e.event === "route_taken" && e.reason === "[roof] plan: it leaks"));
});

test("T-12 an inserted step keeps the name that the route gives it, with the reason behind it", () => {
	const steps = [{ type: "mend", description: "Repair it" }];
	const w = new World(linear({ a: { on: { more: { action: "insert", steps, max: 1 } } }, mend: {} }, { steps: ["a"] }));
	w.end("a", { signal: "more", error: "the roof leaks" });
	assert.equal(w.state.root.steps.find((s) => s.type === "mend")?.description, "Repair it (after: the roof leaks)");
});

test("G-15 T-32 a detour that is done gives no reason for what comes next: the step that it goes back to reads who has worked", () => {
	const detour = { detour: true, on: { done: { action: "goto", target: "note" } } } as const;
	const note = { detour: true, on: { done: { action: "goto", target: "look" } } } as const;
	const w = new World(
		linear({ look: { on: { wrong: { action: "goto", target: "mend", max: 2 } } }, mend: detour, note }, { steps: ["look"] }),
	);
	w.end("look", { signal: "wrong", error: "the roof leaks" });
	w.end("mend");
	const inserted = w.events.filter((e) => e.event === "steps_inserted");
	assert.deepEqual(
		inserted.map(({ reason }) => reason),
		["the roof leaks", ""],
	);
	w.end("note");
	assert.equal(w.state.root.steps.find((s) => s.type === "look")?.feedback, "note has worked on it since");
});

test("complete and goto leave a step alone that a person asked for when the run was started", () => {
	for (const route of [{ action: "complete" }, { action: "goto", target: "last" }] as const) {
		const w = new World(linear({ work: { on: { enough: route } }, deliver: { asked: true }, last: {} }));
		w.play({ work: { signal: "enough" } });
		assert.equal(
			w.all("step_skipped").filter(({ step }) => w.state.root.steps.find(({ id }) => id === step)?.type === "deliver").length,
			0,
		);
		assert.equal(w.state.root.steps.find(({ type }) => type === "deliver")?.status, "completed");
	}
});

test("M4 work that is put back is not where another machine goes on", () => {
	const w = new World(linear({ work: { on: { agent_error: { action: "retry", max: 1, rollback: "failures" } } }, more: {} }));
	w.end("work", { signal: "agent_error", error: "it failed", facts: publishedFact("bad") });
	const [rollback] = w.effects.filter((effect) => effect.effect === "rollback");
	assert.equal(rollback?.effect === "rollback" && rollback.commit, publishedCommit(w.state.root));
	w.end("work", { facts: publishedFact("good") });
	assert.equal(publishedCommit(w.state.root), "good");
});
