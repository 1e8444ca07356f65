// Limits of cost, time and number: what may start, what stops the run, and what a person is told.
import type { Budget, Route } from "../definition.ts";
import { cost, linear, stories } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import type { Scenarios } from "./tell.suite.ts";

const count = (limit: number, scope: Budget["scope"] = "run", warnAt: readonly number[] = []): Budget => ({
	unit: "count",
	limit,
	scope,
	warnAt,
});
const failStory: Route = { action: "fail", target: "story" };
const usd = (n: number | null) => ({ usage: cost(n) });
const three = (limit: number) =>
	new World(stories({ work: {} }), { stories: ["A", "B", "C"], options: { agents: 3, budgets: { cost: limit } } });

/** A step that may be sent back by the route of `again`, which takes a unit of `plans`. */
const spending = (plans: Budget, more: Partial<Route> = {}) =>
	stories(
		{
			work: {},
			look: {
				on: { again: { action: "goto", target: "work", spend: "plans", exhausted: failStory, ...more }, done: { action: "next" } },
			},
		},
		{},
		{ budgets: { plans } },
	);

export const BUDGETS: Scenarios = {
	"cost: the first session runs alone, then as many as the dearest one leaves room for": () => {
		const w = three(6);
		w.end("A work", usd(2));
		w.end("B work", usd(2));
		w.end("C work", usd(1.5));
		return w;
	},
	"cost: one more than there is room for waits, and the run stops when nothing is left": () => {
		const w = three(5.99);
		w.end("A work", usd(2));
		w.end("B work", usd(3.99));
		w.feed({ type: "resume" });
		w.feed({ type: "extend", budgets: { cost: 20, nothing: 3 } });
		w.feed({ type: "resume" });
		w.end("C work", usd(0));
		return w;
	},
	"cost: it stops only when the last session has ended": () => {
		const w = new World(stories({ work: {} }), { stories: ["A", "B", "C", "D"], options: { agents: 3, budgets: { cost: 9 } } });
		w.end("A work", usd(3));
		w.end("C work", usd(7.004));
		w.end("B work", usd(1));
		return w;
	},
	"cost: three times 0.30 of 0.90 is all of it": () => {
		const w = three(0.9);
		for (const story of ["A", "B", "C"]) w.end(`${story} work`, usd(0.3));
		return w;
	},
	"cost: commands and actions need no room": () => {
		const w = new World(stories({ run: { kind: "command", command: "test" }, act: { kind: "action" }, work: {} }), {
			stories: ["A", "B"],
			options: { agents: 2, budgets: { cost: 9 } },
		});
		w.end("A run");
		w.end("A act");
		w.end("B run");
		w.end("A work", usd(5));
		return w;
	},
	"cost: a gate needs room for all of its members": () => {
		const members = [
			{ role: "x", blocking: true },
			{ role: "y", blocking: true },
		];
		const w = new World(stories({ work: {}, gate: { kind: "gate", members, verdicts: ["done"] } }), {
			stories: ["A", "B", "C"],
			options: { agents: 3, budgets: { cost: 6.99 } },
		});
		w.end("A work", usd(1));
		w.end("B work", usd(1));
		w.end("gate x", usd(0));
		return w;
	},
	"cost: where no session says what it costs, the workflow's limit counts what is known and warns once": () => {
		const w = new World(
			stories({ work: {}, look: {} }, {}, { budgets: { cost: { unit: "cost", limit: 5, scope: "run", warnAt: [0.5, 0.9] } } }),
			{ stories: ["A", "B"], options: { agents: 2 } },
		);
		w.end("A work", usd(null));
		w.end("B work", usd(null));
		w.end("A look", usd(2.5));
		return w;
	},
	"cost: a person's limit stops the run after a session of unknown cost; a resume allows one more": () => {
		const w = three(5);
		w.end("A work", usd(null));
		w.feed({ type: "resume" });
		w.end("B work", usd(null));
		w.feed({ type: "extend", budgets: {}, allowUnknownCost: true });
		w.feed({ type: "extend", budgets: {}, allowUnknownCost: true });
		w.feed({ type: "resume" });
		w.end("C work", usd(null));
		return w;
	},
	"cost: a session that was cut off could not say what it cost; one whose report is unreadable could": () => {
		const again = { on: { timeout: { action: "retry" } as Route, unreadable: { action: "retry" } as Route } };
		const w = new World(stories({ work: again }), { stories: ["A"], options: { budgets: { cost: 5 } } });
		w.end("A work", { signal: "timeout" });
		w.end("A work", { signal: "unreadable" });
		return w;
	},
	"cost: so could one that wrote where it may not": () => {
		const w = new World(stories({ work: { on: { boundary_violation: { action: "retry" } } } }), {
			stories: ["A"],
			options: { budgets: { cost: 5 } },
		});
		w.end("A work", { signal: "boundary_violation" });
		return w;
	},
	"cost: an iteration of a loop needs room as well": () => {
		const loop = { schedule: "W", roles: { W: { role: "worker" } }, max: "9", inject: {} };
		const w = new World(stories({ loop: { kind: "loop", loop, on: { done: { action: "retry" } } } }), {
			stories: ["A", "B"],
			options: { agents: 2, budgets: { cost: 5 } },
		});
		w.end("A loop", usd(2));
		w.end("A loop", usd(1));
		return w;
	},
	"cost: without a limit nothing is said about what a session cost": () => {
		const w = new World(stories({ work: {} }), { stories: ["A", "B"], options: { agents: 2 } });
		w.end("A work", { ...usd(null), model: "m" });
		w.end("B work", { ...usd(3), model: "m" });
		return w;
	},
	"cost: what a cancelled session had used counts": () => {
		const w = new World(stories({ work: {} }), { stories: ["A"], options: { budgets: { cost: 5 } } });
		const { scope, step, attempt } = w.job("A work");
		w.feed({ type: "stop", how: "pause" });
		w.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "paused", usage: cost(4) });
		return w;
	},
	"time: counts while somebody works, warns, and stops what comes next": () => {
		const w = new World(stories({ work: {}, look: {} }), { stories: ["A"], options: { budgets: { time: 10_400 } } });
		w.at += 9_000;
		w.end("A work");
		w.at += 1_400;
		w.end("A look");
		return w;
	},
	"time: a step that would start when it is used up does not": () => {
		const w = new World(stories({ work: {}, look: {} }), { stories: ["A"], options: { budgets: { time: 10_400 } } });
		w.at += 10_399;
		w.end("A work");
		w.at += 1;
		w.end("A look");
		const late = new World(stories({ work: {}, look: {} }), { stories: ["A"], options: { budgets: { time: 10_400 } } });
		late.at += 10_400;
		late.end("A work");
		late.feed({ type: "resume" });
		late.feed({ type: "extend", budgets: { time: 20_000 } });
		late.feed({ type: "resume" });
		return late;
	},
	"number of attempts: a run's budget is used by every story, and says when it is nearly used up": () => {
		const w = new World(
			stories({ work: { spend: "big_plans", on: { bad: { action: "retry" } } } }, {}, { budgets: { big_plans: count(3, "run", [0.5]) } }),
			{ stories: ["A", "B"] },
		);
		w.end("A work", { signal: "bad" });
		w.end("A work", { signal: "rate_limited", retryAt: 1 });
		w.at += 5;
		w.feed({ type: "advance" });
		w.end("A work");
		w.end("B work", { signal: "bad" });
		w.feed({ type: "resume" });
		w.feed({ type: "extend", budgets: { big_plans: 4 } });
		w.feed({ type: "resume" });
		return w;
	},
	"number of attempts: a story's budget is its own": () => {
		const w = new World(
			stories({ work: { spend: "tries", on: { bad: { action: "retry" } } } }, {}, { budgets: { tries: count(2, "story", [0.5]) } }),
			{ stories: ["A", "B"], options: { agents: 2 } },
		);
		w.end("B work", { signal: "bad" });
		w.end("B work", { signal: "bad" });
		w.end("A work", { signal: "bad" });
		w.end("A work");
		return w;
	},
	"number of attempts: a story without a unit waits; the others go on, and the run stops when nothing else can": () => {
		const w = new World(
			stories({ work: { spend: "tries", on: { bad: { action: "retry" } } }, look: {} }, {}, { budgets: { tries: count(1, "story") } }),
			{ stories: ["A", "B", "C"], options: { agents: 2 } },
		);
		w.end("A work", { signal: "bad" });
		w.end("B work");
		w.end("B look");
		w.end("C work", { signal: "bad" });
		w.feed({ type: "resume" });
		w.feed({ type: "extend", budgets: { tries: 2 } });
		w.feed({ type: "resume" });
		return w;
	},
	"number of attempts: a step's budget is its own, and its copies share it": () => {
		const type = { spend: "tries", on: { bad: { action: "retry" } as Route } };
		const w = new World(stories({ work: type, more: type }, {}, { budgets: { tries: count(2, "step") } }), { stories: ["A"] });
		w.end("A work", { signal: "bad" });
		w.end("A work", "lost");
		w.end("A work");
		w.end("A more", { signal: "bad" });
		w.end("A more", { signal: "bad" });
		return w;
	},
	"number of attempts: what counts is the step that comes next, not one that is done": () => {
		const types = { work: { spend: "tries" }, look: { spend: "looks", on: { bad: { action: "retry" } as Route } } };
		const w = new World(stories(types, {}, { budgets: { tries: count(1), looks: count(1) } }), { stories: ["A"] });
		w.end("A work");
		w.end("A look", { signal: "bad" });
		w.feed({ type: "extend", budgets: { looks: 2 } });
		w.feed({ type: "resume" });
		return w;
	},
	"number of attempts: the steps of the run itself": () => {
		const w = new World(linear({ work: { spend: "tries", on: { bad: { action: "retry" } } } }, { budgets: { tries: count(1) } }));
		w.end("work", { signal: "bad" });
		return w;
	},
	"number of attempts: a run that cannot be resumed does its abort steps instead": () => {
		const w = new World(
			linear(
				{ work: { spend: "tries", on: { bad: { action: "retry" } } }, tidy: { detour: true } },
				{ budgets: { tries: count(1) }, resume: "never", abort: ["tidy"] },
			),
		);
		w.end("work", { signal: "bad" });
		w.end("tidy");
		return w;
	},
	"number of times back: a run's budget": () => {
		const w = new World(spending(count(1)), { stories: ["A", "B"] });
		w.end("A work");
		w.end("A look", { signal: "again" });
		w.end("A work");
		w.end("A look", { signal: "again", notes: "no" });
		return w;
	},
	"number of times back: a story's budget, with another error than the budget": () => {
		const w = new World(spending(count(1, "story")), { stories: ["A", "B"] });
		w.end("A work");
		w.end("A look", { signal: "again" });
		w.end("A work");
		w.end("A look", { signal: "again", error: "it does not compile" });
		w.end("B work");
		w.end("B look", { signal: "again" });
		return w;
	},
	"number of times back: a step's budget, after which a person is asked": () => {
		const w = new World(spending(count(1, "step"), { exhausted: { action: "wait", target: "person" } }), { stories: ["A"] });
		w.end("A work");
		w.end("A look", { signal: "again" });
		w.end("A work");
		w.end("A look", { signal: "again" });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"number of times back: a cap is reached before the budget is": () => {
		const w = new World(spending(count(5), { max: 1, per: "story" }), { stories: ["A"] });
		for (let i = 0; i < 2; i++) {
			w.end("A work");
			w.end("A look", { signal: "again" });
		}
		return w;
	},
	"number of times back: a budget whose name has two words": () => {
		const on = { again: { action: "retry", spend: "big_plans" } } as const;
		const w = new World(stories({ look: { on } }, {}, { budgets: { big_plans: count(0) } }), { stories: ["A"] });
		w.end("A look", { signal: "again" });
		return w;
	},
	"number of times back: of a budget that nobody declared nothing is left": () => {
		const w = new World(spending(count(1), { spend: "constructor" }), { stories: ["A"] });
		w.end("A work");
		w.end("A look", { signal: "again" });
		return w;
	},
};
