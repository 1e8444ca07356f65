// Caps that several routes share, caps on how often routes lead to a step, and what a detour's way back does not change.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../definition.ts";
import { findings, linear } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const go: Route = { action: "next", record: "blockers" };
const shared: Route = { action: "goto", target: "fix", max: 2, per: "entry", count: "rounds", converged: go, exhausted: go };
let round = 0;
const fresh = () => findings(`K${++round}`);

test("O-37 O-51 two signals under one name share one cap per entry, which is reset only when a route leads to the step again", () => {
	const w = new World(
		linear(
			{
				a: {},
				review: { on: { needs_work: shared, block: shared } },
				last: { on: { again: { action: "goto", target: "a", fresh: true, max: 1, per: "run", exhausted: { action: "next" } } } },
				fix: { detour: true, on: { done: { action: "goto", target: "back" } } },
			},
			{ steps: ["a", "review", "last"] },
		),
	);
	w.play({
		review: [0, 1, 2, 3, 4, 5, 6].map((n) => ({ signal: n % 2 ? "block" : "needs_work", findings: fresh() })),
		last: [{ signal: "again" }, { signal: "done" }],
	});
	assert.equal(w.started.filter((s) => s === "review").length, 6, "three reviews in each of two entries");
	assert.equal(w.state.status, "completed");
});

test("O-73 O-85 a detour that goes back before its sender neither resets the sender's cap nor makes it forget findings", () => {
	const far = { ...shared, target: "specify" };
	const types = {
		work: {},
		between: {},
		review: {
			kind: "gate" as const,
			members: [{ role: "check", blocking: true }],
			verdicts: ["good", "bad"],
			on: { good: { action: "next" } as Route, bad: far },
		},
		specify: { detour: true, on: { done: { action: "goto", target: "write" } as Route } },
		write: { detour: true, on: { done: { action: "goto", target: "work" } as Route } },
	};
	const bad = () => ({ signal: "bad", findings: fresh() });
	const w = new World(linear(types, { steps: ["work", "between", "review"] }));
	w.play({ review: [bad(), bad(), bad(), bad()] });
	assert.equal(w.started.filter((s) => s.startsWith("review")).length, 3);
	assert.equal(w.state.status, "completed");
	const same = new World(linear(types, { steps: ["work", "between", "review"] }));
	same.play({ review: { signal: "bad", findings: findings("same") } });
	assert.equal(same.started.filter((s) => s.startsWith("review")).length, 2, "converged");
});

test("O-64 O-85 visits: however many routes lead to a step, together they may do so as often as it says", () => {
	const types = {
		plan: {},
		work: { on: { incomplete: { action: "goto", target: "diagnose" } as Route } },
		review: { on: { bad: { action: "goto", target: "diagnose" } as Route } },
		diagnose: {
			detour: true,
			on: { done: { action: "goto", target: "work" } as Route },
			visits: {
				max: 2,
				per: "entry" as const,
				exhausted: { action: "goto", target: "plan", fresh: true, spend: "rework", exhausted: { action: "fail", target: "run" } } as Route,
			},
		},
	};
	const w = new World(
		linear(types, {
			steps: ["plan", "work", "review"],
			budgets: { rework: { unit: "count", limit: 1, scope: "run", warnAt: [] } },
		}),
	);
	w.play({ work: [{ signal: "incomplete" }], review: { signal: "bad" } });
	assert.equal(w.started.filter((s) => s === "diagnose").length, 4, "two in each of two entries");
	assert.deepEqual([w.started.filter((s) => s === "plan").length, w.state.status], [2, "failed"]);
});
