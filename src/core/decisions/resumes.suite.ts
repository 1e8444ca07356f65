// Stopping, going on and trying again: from each state, with what was counted and used by then.
import type { Route } from "../definition.ts";
import { cost, linear, NO_USAGE, stories, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const person: Route = { action: "wait", target: "person" };
const failStory: Route = { action: "fail", target: "story" };
const bad = { signal: "bad" };
const story = (look: TypePart = {}, more: Record<string, TypePart> = {}) =>
	new World(stories({ work: {}, look: { ...look, on: { bad: person, ...look.on } }, last: {}, ...more }), { stories: ["A"] }).until(
		"A look",
	);
const asked = (more: Record<string, TypePart> = {}) => {
	const w = story({}, more);
	w.end("A look", bad);
	return untold(w);
};
const stop = (w: World, how: "pause" | "cancel" | "interrupt") => {
	w.feed({ type: "stop", how });
	return w;
};
const resume = (w: World) => {
	w.feed({ type: "resume" });
	return w;
};
const retry = (w: World) => {
	w.feed({ type: "retry_story", story: null });
	return w;
};
/** A look whose signals are counted in every way there is; it waits for a person in the end. */
const counted = () => {
	const on: Record<string, Route> = {
		entered: { action: "retry", max: 9, per: "entry" },
		stepped: { action: "retry", max: 9, per: "step" },
		storied: { action: "retry", max: 9, per: "story" },
		shared: { action: "retry", max: 9, per: "story", count: "tries" },
		bad: { action: "retry", max: 1, per: "row", exhausted: person },
	};
	const again: Route = { action: "retry", max: 9, per: "story" };
	const w = new World(
		stories({
			work: { on: { bad: again, odd: { ...again, per: "step" } } },
			look: { on, visits: { max: 9, per: "story", exhausted: failStory } },
			last: { on: { bad: { action: "goto", target: "look" } } },
		}),
		{ stories: ["A"] },
	);
	w.end("A work", bad);
	w.end("A work", { signal: "odd" });
	w.until("A last");
	w.end("A last", bad);
	for (const signal of ["entered", "stepped", "storied", "shared", "bad", "bad"]) w.end("A look", { signal });
	return untold(w);
};

export const RESUMES: Scenarios = {
	"a person lets a step try again: all that was counted of it begins anew, and nothing of others": () => {
		const w = counted();
		w.feed({ type: "decide", scope: null, step: null, verdict: "retry", reason: "" });
		return w;
	},
	"pause a run that waits for a person": () => stop(asked(), "pause"),
	"resume a run that waits for a person: it waits again": () => resume(asked()),
	"resume a run that is at work": () => resume(untold(story())),
	"resume a run that is over": () => resume(untold(story().play())),
	"resume a run that was cancelled": () => resume(stop(asked(), "cancel")),
	"resume a run that stopped by a route": () => {
		const w = untold(new World(linear({ work: { on: { bad: { action: "stop" } } } })));
		w.end("work", bad);
		return resume(w);
	},
	"a run that stops while several are at work ends with the last of them": () => {
		const w = untold(new World(stories({ work: {} }), { stories: ["A", "B"], options: { agents: 2 } }));
		stop(w, "pause");
		w.end("A work");
		w.end("B work", "cancelled");
		return w;
	},
	"stop a run that stopped at a limit while a session was under way": () => {
		const w = new World(stories({ work: { on: { bad: { action: "stop" } } } }), { stories: ["A", "B"], options: { agents: 2 } });
		w.end("A work", bad);
		return stop(untold(w), "interrupt");
	},
	"interrupt after a pause, and cancel after that": () => stop(stop(stop(untold(story()), "pause"), "interrupt"), "cancel"),
	"call a step in where one waits: it comes first": () => {
		const w = asked({ ask: { onDemand: true, detour: true } });
		w.feed({ type: "call", step: "ask", scope: "A", reason: "look first" });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"a session is lost before it began: no time is missed": () => {
		const w = untold(story());
		w.at += 700;
		const { scope, step, attempt } = w.job("A look");
		w.feed({ type: "attempt_lost", scope, step, attempt });
		return w;
	},
	"a session is cancelled of which only the tokens are known": () => {
		const w = untold(story());
		const { scope, step, attempt } = w.job("A look");
		w.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "stopped", usage: { ...NO_USAGE, inputTokens: 5 } });
		return w;
	},
	"a session is cancelled of which nothing is known": () => {
		const w = untold(new World(stories({ work: {} }), { stories: ["A"], options: { budgets: { cost: 5 } } }));
		const { scope, step, attempt } = w.job("A work");
		w.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "stopped", usage: NO_USAGE });
		return w;
	},
	"a session of the run is cancelled of which the cost is known": () => {
		const w = untold(new World(linear({ work: {} }), { options: { budgets: { cost: 5 } } }));
		w.prepare(w.job("work"));
		const { scope, step, attempt } = w.job("work");
		w.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "stopped", usage: cost(2) });
		return w;
	},
	"retry a run that gives up": () => {
		const types: Record<string, TypePart> = { work: { on: { bad: { action: "abort" } } }, tidy: { detour: true } };
		const w = untold(new World(stories(types, {}, { abort: ["tidy"] }), { stories: ["A"] }));
		w.end("A work", bad);
		retry(w);
		w.end("tidy");
		return retry(w);
	},
	"resume a run that gave up because a person has to log in": () => {
		const types: Record<string, TypePart> = { work: { on: { auth: { action: "abort" } } }, tidy: { detour: true } };
		const w = untold(new World(linear(types, { abort: ["tidy"] })));
		w.end("work", { signal: "auth" });
		w.end("tidy");
		return resume(w);
	},
	"resume a run of which one story failed for want of money and another for another reason": () => {
		const w = new World(stories({ work: { on: { bad: failStory, out_of_credit: failStory } } }), { stories: ["A", "B", "C"] });
		w.end("A work", bad);
		w.end("B work", { signal: "out_of_credit" });
		w.end("C work");
		return resume(untold(w));
	},
	"retry all stories that failed": () => {
		const w = new World(
			stories({ work: { on: { bad: failStory } } }, {}, { steps: ["first", "stories"], types: { first: { scope: "run" } } }),
			{ stories: ["A", "B"] },
		);
		w.end("first");
		w.end("A work", bad);
		w.end("B work", bad);
		return retry(untold(w));
	},
	"retry a run that failed without a step that did": () => retry(new World(stories({ work: {} }))),
	"stop a run that cannot be resumed and has no abort steps": () => {
		const w = untold(new World(linear({ work: {} }, { resume: "never" })));
		stop(w, "interrupt");
		w.end("work", "cancelled");
		return w;
	},
	"a run that is held, and has no loop, waits for a person": () => {
		const w = untold(new World(linear({ work: { on: { bad: person } } })));
		w.feed({ type: "message", inbox: "control", id: "m1", message: { text: "wait", hold: true } });
		w.end("work", bad);
		return w;
	},
	"the money is used up in the attempt that fails a story: those that need it are blocked only when the run goes on": () => {
		const w = new World(stories({ work: { on: { bad: failStory } } }), {
			stories: ["A", "B", storyOf("C", { dependsOn: ["A"] })],
			options: { agents: 2, budgets: { cost: 2 } },
		});
		untold(w).end("A work", { ...bad, usage: cost(2) });
		w.feed({ type: "extend", budgets: { cost: 9 } });
		return resume(w);
	},
	"skip the step of the story that failed, not of the one that is done": () => {
		const w = new World(stories({ work: { on: { bad: failStory } }, last: {} }), { stories: ["A", "B"] });
		w.play({ "B work": bad });
		untold(w).feed({ type: "skip_step", scope: "B", step: "step-001", reason: "by hand" });
		return w;
	},
	"a second run is not created on top of the first": () => {
		const w = untold(story());
		const { definition, options } = w.state;
		w.feed({ type: "create_run", id: "run-2", title: "Another", definition, options, input: {}, fields: {}, stories: [] });
		return w;
	},
};
