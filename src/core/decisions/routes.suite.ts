// Routes: what each action does to the steps of its scope, how often it may, and what follows then.
import type { Route } from "../definition.ts";
import { failedCheck, findings, linear, plan, stories, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const failStory: Route = { action: "fail", target: "story" };
const person: Route = { action: "wait", target: "person" };
const bad = { signal: "bad" };

/** A story of plan, work, look and last; `look` may end in `bad`. */
const story = (route: Route, more: Record<string, TypePart> = {}, list: readonly string[] = ["A"]) =>
	untold(
		new World(
			stories({ plan: {}, work: {}, look: { on: { bad: route } }, last: {}, ...more }, {}, { limits: { steps: 30, restarts: 3 } }),
			{
				stories: list,
			},
		).until("A look"),
	);
/** The same steps as steps of the run. */
const run = (route: Route, more: Record<string, TypePart> = {}, rest = {}) =>
	untold(new World(linear({ plan: {}, work: {}, look: { on: { bad: route } }, last: {}, ...more }, rest)).until("look"));
const once = (route: Route, answer: object = bad) => {
	const w = story(route);
	w.end("A look", answer);
	return w;
};
const onceInRun = (route: Route, answer: object = bad, rest = {}) => {
	const w = run(route, {}, rest);
	w.end("look", answer);
	return w;
};
const fieldMax = (most: string, n: number) => {
	const look: TypePart = { on: { bad: { action: "retry", max: 1, maxField: "most", exhausted: person } } };
	return times(untold(new World(stories({ look }), { stories: ["A"], fields: { most } })), n);
};
const times = (w: World, n: number, name = "A look") => {
	for (let i = 0; i < n; i++) {
		w.until(name);
		w.end(name, { signal: "bad", error: `no ${i + 1}` });
	}
	return w;
};

export const ROUTES: Scenarios = {
	"a signal without a route fails the run": () => once({ action: "next" }, { signal: "odd" }),
	"a signal without a route, with an error": () => once({ action: "next" }, { signal: "odd", error: "why" }),
	"a failing check without a route": () => once({ action: "next" }, { checks: [failedCheck()] }),
	skip: () => once({ action: "skip" }),
	"skip, with an error": () => once({ action: "skip" }, { ...bad, error: "why" }),
	"retry, with what was put back": () => once({ action: "retry", rollback: "failures" }),
	"retry of one that changed nothing": () => once({ action: "retry" }, { ...bad, changed: false }),
	reopen: () => once({ action: "reopen" }, { ...bad, error: "why" }),
	"complete a story: what is left is skipped, and what proves is not": () => {
		const w = story({ action: "complete" }, { prove: { kind: "action", proves: true }, after: {} });
		w.end("A look", bad);
		w.end("A prove");
		return w;
	},
	"complete a story that should have changed something and did not": () => {
		const w = new World(stories({ look: { on: { bad: { action: "complete" } } }, last: {} }, { expectsChange: true }), { stories: ["A"] });
		untold(w).end("A look", { ...bad, changed: false });
		return w;
	},
	"complete a run": () => onceInRun({ action: "complete" }),
	"fail a story": () => once(failStory, { ...bad, notes: "n" }),
	"fail the run, from a story": () => once({ action: "fail", target: "run" }),
	"fail the run, and cancel what runs in other stories": () => {
		const w = new World(stories({ work: { on: { bad: { action: "fail", target: "run" } } } }), {
			stories: ["A", "B"],
			options: { agents: 2 },
		});
		w.end("A work", { ...bad, error: "why" });
		w.end("B work", "cancelled");
		return w;
	},
	"fail a step of the run": () => onceInRun(failStory),
	"wait for a person": () => once(person, { ...bad, error: "why. " }),
	"wait for a person, in the run": () => onceInRun(person),
	"wait for a time that the server names, or else longer each time": () => {
		const w = story({ action: "wait", target: "time" });
		for (let i = 0; i < 3; i++) {
			w.end("A look", bad);
			w.play({ "A look": null });
		}
		w.end("A look", { ...bad, retryAt: w.at + 7 });
		return w;
	},
	"wait for a time that has passed": () => once({ action: "wait", target: "time" }, { ...bad, retryAt: 5 }),
	"wait at most a quarter of an hour": () => {
		const w = story({ action: "wait", target: "time" });
		for (let i = 0; i < 7; i++) {
			w.end("A look", bad);
			w.play({ "A look": null });
		}
		w.turns.splice(0, w.turns.length - 3);
		return w;
	},
	stop: () => {
		const w = onceInRun({ action: "stop" }, { ...bad, error: "why" });
		w.feed({ type: "resume" });
		return w;
	},
	refuse: () => onceInRun({ action: "refuse" }, { ...bad, error: "nothing to do" }),
	"abort: the abort steps run, and the run fails for the first reason": () => {
		const w = run({ action: "abort" }, { tidy: { detour: true, on: { bad: { action: "abort" } } } }, { abort: ["tidy"] });
		w.end("look", { ...bad, findings: findings("f") });
		w.end("tidy", { ...bad, error: "also broken" });
		return w;
	},
	"abort, where nothing has to be done": () => onceInRun({ action: "abort" }, { ...bad, error: "why" }),
	"abort, with checks that failed: they are the reason": () => {
		const w = run(failStory, { look: { on: { checks_failed: { action: "abort" } } } });
		w.end("look", { checks: [failedCheck()], findings: findings("f") });
		return w;
	},
	"abort in a story: those at work are cancelled, and what they bring then counts no more": () => {
		const types: Record<string, TypePart> = { work: { on: { bad: { action: "abort" } } }, gate: { detour: true }, tidy: { detour: true } };
		const w = new World(stories(types, {}, { abort: ["tidy"] }), { stories: ["A", "B", "C", "D"], options: { agents: 4 } });
		w.end("A work", { ...bad, error: "why" });
		w.end("B work");
		w.end("C work", "lost");
		w.end("D work", "cancelled");
		w.end("tidy");
		return w;
	},
	"go back: what lies between runs again": () => once({ action: "goto", target: "plan" }, { ...bad, error: "why" }),
	"go back, by one that is done": () => {
		const w = story(failStory, {
			look: { on: { done: { action: "goto", target: "work", max: 1, per: "story", exhausted: { action: "next" } } } },
		});
		w.end("A look");
		w.until("A look");
		w.end("A look");
		return w;
	},
	"go back, by one that is done and changed nothing": () => {
		const w = story(failStory, { look: { on: { done: { action: "goto", target: "work" } } } });
		w.end("A look", { changed: false });
		return w;
	},
	"go back, by what pawl does itself: its notes say why": () => {
		const w = story(failStory, { look: { kind: "action", internal: true, on: { done: { action: "goto", target: "work" } } } });
		w.end("A look", { notes: " base has moved " });
		return w;
	},
	"go ahead: what lies between is skipped, and what proves is not": () => {
		const w = story({ action: "goto", target: "end" }, { prove: { kind: "action", proves: true }, end: {} });
		w.end("A look", bad);
		w.end("A prove");
		return w;
	},
	"go back, by what pawl does itself: without notes, and with an error": () => {
		const on = { done: { action: "goto", target: "work" }, bad: { action: "goto", target: "work" } } as const;
		const w = story(failStory, { look: { kind: "action", internal: true, on } });
		w.end("A look");
		w.until("A look");
		w.end("A look", { ...bad, error: "why", notes: "n" });
		return w;
	},
	"go back over a step that a person has called in": () => {
		const w = story({ action: "goto", target: "plan" }, { ask: { onDemand: true, detour: true } });
		w.feed({ type: "call", step: "ask", scope: null, reason: "look first" });
		w.end("A look", bad);
		return w;
	},
	"go back afresh: the caps of detours on the way begin anew, too": () => {
		const back: Route = { action: "goto", target: "back" };
		const w = story(failStory, {
			look: { on: { bad: { action: "goto", target: "mend" }, anew: { action: "goto", target: "work", fresh: true } } },
			mend: { detour: true, on: { done: back, bad: { action: "retry", max: 1, per: "entry", exhausted: back } } },
		});
		w.end("A look", bad);
		w.end("A mend", bad);
		w.end("A mend");
		w.end("A look", { signal: "anew" });
		return w;
	},
	"go ahead over one that is skipped": () => {
		const w = story({ action: "goto", target: "end" }, { end: {} });
		w.feed({ type: "skip_step", scope: "A", step: "step-004", reason: "no" });
		w.end("A look", bad);
		return w;
	},
	"go ahead to one that is done": () => {
		const w = story({ action: "goto", target: "last" });
		w.feed({ type: "skip_step", scope: "A", step: "step-004", reason: "no" });
		w.end("A look", { ...bad, error: "why" });
		return w;
	},
	"go where there is nothing": () => once({ action: "goto", target: "nowhere" }),
	"go to a detour, and back": () => {
		const w = story({ action: "goto", target: "mend" }, { mend: { detour: true, on: { done: { action: "goto", target: "back" } } } });
		w.end("A look", { ...bad, error: "why" });
		w.end("A mend");
		w.end("A look", bad);
		return w;
	},
	"go to a detour from a detour, and back to the first": () => {
		const w = story(
			{ action: "goto", target: "mend" },
			{
				mend: { detour: true, on: { done: { action: "goto", target: "back" }, bad: { action: "goto", target: "ask" } } },
				ask: { detour: true, on: { done: { action: "goto", target: "back" } } },
			},
		);
		w.end("A look", bad);
		w.end("A mend", bad);
		w.end("A ask");
		w.end("A mend");
		return w;
	},
	"go back from a detour that nobody sent": () => {
		const w = new World(stories({ work: { on: { done: { action: "goto", target: "back" } } } }), { stories: ["A"] });
		w.end("A work");
		return w;
	},
	"insert before a step, and look again": () =>
		once({ action: "insert", steps: plan("work", "plan"), before: "look", reopen: ["look"] }, { ...bad, error: "why" }),
	"insert after the step": () => once({ action: "insert", steps: [{ type: "work", description: "mend it" }] }, { ...bad, error: "why" }),
	"insert before the first step": () => once({ action: "insert", steps: plan("work"), before: "plan", reopen: ["work"] }),
	"insert before a step that is not there": () => once({ action: "insert", steps: plan("work"), before: "nowhere" }),
	"insert a copy": () => once({ action: "insert", steps: plan("same") }),
	"insert nothing": () => once({ action: "insert" }),
	"at most so often for a story": () => times(story({ action: "retry", max: 2, per: "story" }), 3),
	"at most so often for the run": () => times(run({ action: "retry", max: 1, per: "run" }), 2, "look"),
	"at most so often for the run, from a story": () => times(story({ action: "retry", max: 1, per: "run", exhausted: person }), 2),
	"at most so often for a step": () => times(story({ action: "insert", steps: plan("same"), max: 1, per: "step", exhausted: person }), 2),
	"at most so often, counted under one name": () =>
		times(story({ action: "retry", max: 2, per: "story", count: "tries", exhausted: person }), 3),
	"at most so often in a row: another signal begins anew": () => {
		const w = story(failStory, {
			look: { on: { bad: { action: "retry", max: 2, per: "row", exhausted: person }, odd: { action: "retry" } } },
		});
		w.end("A look", bad);
		w.end("A look", bad);
		w.end("A look", { signal: "odd" });
		w.end("A look", bad);
		w.end("A look", bad);
		w.end("A look", bad);
		return w;
	},
	"at most so often since it was entered; a fresh way back begins anew": () => {
		const w = story(failStory, {
			work: { on: { bad: { action: "retry", max: 1, per: "entry", exhausted: { action: "next" } } } },
			look: {
				on: {
					bad: { action: "goto", target: "work" },
					all: { action: "goto", target: "plan" },
					anew: { action: "goto", target: "work", fresh: true },
				},
			},
		});
		for (const signal of ["bad", "all", "anew"]) {
			w.until("A look");
			w.end("A look", { signal });
			w.until("A work");
			w.end("A work", bad);
			w.end("A work", bad);
		}
		return w;
	},
	"at most as often as a field says": () => {
		return fieldMax("2", 3);
	},
	"a field with several digits counts": () => fieldMax("12", 2),
	"a field that only ends in a number does not count": () => fieldMax("x2", 2),
	"a field with too many digits does not count": () => fieldMax("1234567890", 2),
	"a row is that of its own step": () => {
		const ahead: Route = { action: "goto", target: "last", max: 1, per: "row", exhausted: person };
		const w = story(failStory, { look: { on: { bad: ahead } }, last: { on: { bad: { action: "goto", target: "look" } } } });
		w.end("A look", bad);
		w.end("A last", bad);
		w.end("A look", bad);
		return w;
	},
	"a field that is no number does not count": () => {
		return fieldMax("2x", 2);
	},
	"at most so many visits of a step, whoever sends": () => {
		const visits = { max: 2, per: "story" as const, exhausted: person };
		const w = story(
			{ action: "goto", target: "plan" },
			{ plan: { visits }, work: { on: { bad: { action: "goto", target: "plan" }, again: { action: "retry" } } } },
		);
		w.end("A look", bad);
		w.until("A work");
		w.end("A work", bad);
		return times(w, 1);
	},
	"at most so many visits since it was entered": () => {
		const visits = { max: 1, per: "entry" as const, exhausted: failStory };
		const w = story({ action: "goto", target: "work", max: 3, per: "story" }, { work: { visits } });
		return times(w, 2);
	},
	"a step that goes to itself is no visit": () => {
		const visits = { max: 1, per: "story" as const, exhausted: failStory };
		const itself: Route = { action: "goto", target: "look", max: 2, per: "story", exhausted: person };
		return times(untold(new World(stories({ look: { visits, on: { bad: itself } } }), { stories: ["A"] })), 3);
	},
	"what was found is found again: another route": () => {
		const w = story({ action: "goto", target: "work", converged: person });
		w.end("A look", { ...bad, findings: findings("a") });
		w.until("A look");
		w.end("A look", { ...bad, findings: findings("b"), earlier: [{ key: "a", open: false }] });
		w.until("A look");
		w.end("A look", { ...bad, findings: findings("b", "c") });
		return w;
	},
	"set fields from the report": () =>
		once(
			{ action: "next", set: { why: "{{error}}/{{notes}}/{{WHAT}}/{{changed}}", static: "x" } },
			{ ...bad, error: "e", notes: "n", fields: { WHAT: "w" } },
		),
	"set fields from an answer, which changes nothing": () => {
		const on = { approved: { action: "next", set: { said: "[{{changed}}] {{error}}" } } } as const;
		const w = new World(linear({ ask: { kind: "approval", on }, work: {} }));
		untold(w).feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"a command that changes nothing is not said to have changed nothing": () => {
		const w = story(failStory, { look: { kind: "command", command: "test" } });
		w.end("A look", { changed: false });
		return w;
	},
	"set fields from a report without words, of one that changed nothing": () =>
		once({ action: "next", set: { why: "{{error}}/{{notes}}/{{changed}}" } }, { ...bad, changed: false }),
	"keep the findings, or else the error": () => {
		const w = story({ action: "retry", record: "doubts" });
		w.end("A look", { ...bad, findings: findings("a", "b"), error: "why" });
		w.end("A look", { ...bad, error: "why" });
		w.end("A look", bad);
		return w;
	},
	"words of a report: its findings": () => once({ action: "retry" }, { ...bad, findings: findings("a", "b") }),
	"words of a report: its feedback": () => once({ action: "retry" }, { ...bad, fields: { FEEDBACK_TEXT: " too slow " } }),
	"words of a report: its summary": () => {
		const report = { notes: "summary" as const, keys: ["STATUS"], signals: [{ signal: "bad", when: { STATUS: "bad" } }] };
		const back: Route = { action: "goto", target: "work", max: 2, per: "story", exhausted: failStory };
		const w = story(failStory, { look: { report, on: { bad: back } } });
		w.end("A look", { ...bad, notes: " - no test covers an empty list ", fields: { STATUS: "bad" } });
		return w;
	},
	"words of a report: its other values": () => {
		const report = {
			notes: "text" as const,
			keys: ["STATUS", "WHERE_IT_IS", "WHAT", "STORIES_JSON"],
			stories: "STORIES_JSON",
			signals: [{ signal: "bad", when: { STATUS: "bad" } }],
		};
		const w = story(failStory, { look: { report, on: { bad: { action: "retry" } } } });
		w.end("A look", { ...bad, fields: { STATUS: "bad", WHERE_IT_IS: "here", WHAT: " it ", STORIES_JSON: "[]" } });
		w.end("A look", { ...bad, fields: { STATUS: "bad", WHAT: " it ", WHERE_IT_IS: " " } });
		w.end("A look", { ...bad, fields: { STATUS: "bad" } });
		return w;
	},
	"words of a report: a failing check that a person has accepted does not hide them": () => {
		const on = { offline: person, bad: { action: "goto", target: "work" } } as const;
		const w = story(failStory, { look: { on }, last: { on: { bad: { action: "goto", target: "look" } } } });
		const checks = [{ ...failedCheck("net"), signal: "offline" }];
		w.end("A look", { checks });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "it is down", id: "d1" });
		w.end("A last", bad);
		w.end("A look", { ...bad, checks, findings: findings("f") });
		return w;
	},
	"a step that is cancelled by a timeout or a stall": () => {
		const w = once({ action: "next" }, { signal: "timeout", error: "after 5 min" });
		w.feed({ type: "retry_story", story: null });
		w.end("A look", { signal: "stalled" });
		return w;
	},
	"a failure that goes on all the same": () => {
		const w = story(failStory, { look: { on: { permission: { action: "next" } } } });
		w.end("A look", { signal: "permission" });
		return w;
	},
	"a story that depends on a failed one is blocked, and free when that is retried": () => {
		const w = new World(stories({ work: { on: { bad: failStory } } }), {
			stories: ["A", storyOf("B", { dependsOn: ["A"] }), storyOf("C", { dependsOn: ["B"] }), "D"],
		});
		w.end("A work", bad);
		w.end("D work");
		w.feed({ type: "retry_story", story: "A" });
		w.end("A work");
		return w;
	},
};
