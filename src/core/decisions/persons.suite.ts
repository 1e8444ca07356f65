// What people ask for: to approve, reject, try again, skip, stop and go on, call a step in, steer, and take a run over from elsewhere.
import type { Route } from "../definition.ts";
import type { Input } from "../input.ts";
import { failedCheck, linear, stories, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { type Setup, World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const ann = { user: "ann", how: "cli" };
const person: Route = { action: "wait", target: "person" };
const failStory: Route = { action: "fail", target: "story" };
const bad = { signal: "bad" };
type Verdict = Extract<Input, { type: "decide" }>["verdict"];
const decide = (w: World, verdict: Verdict, reason = "", more: object = {}) => {
	w.feed({ type: "decide", scope: null, step: null, verdict, reason, ...more });
	return w;
};
const BACK: Route = { action: "goto", target: "work", max: 1, per: "story", exhausted: person };

const story = (look: TypePart = {}, more: Record<string, TypePart> = {}, setup: Setup = {}) =>
	new World(stories({ work: {}, look: { ...look, on: { bad: person, ...look.on } }, last: {}, ...more }), {
		stories: ["A"],
		...setup,
	}).until("A look");
const asked = (look: TypePart = {}, answer: object = bad, more: Record<string, TypePart> = {}) => {
	const w = story(look, more);
	w.end("A look", answer);
	return untold(w);
};
/** Nothing was changed in the story, and its second step should have. */
const unchanged = (more: Record<string, TypePart> = {}) => {
	const types = { work: {}, look: { expectsChange: true as const, on: { unchanged: person } }, last: {}, ...more };
	const w = new World(stories(types), { stories: ["A"] });
	w.end("A work", { changed: false });
	w.end("A look", { empty: true, changed: false });
	return untold(w);
};
const run = (look: TypePart = {}, rest = {}) =>
	untold(new World(linear({ work: {}, look: { ...look, on: { bad: person, ...look.on } }, last: {} }, rest)).until("look"));
const failed = (look: TypePart = {}, more: Record<string, TypePart> = {}) => {
	const w = story({ ...look, on: { bad: failStory, ...look.on } }, more);
	w.end("A look", { ...bad, error: "why" });
	return untold(w);
};
const retry = (w: World, id: string | null = null, more: object = {}) => {
	w.feed({ type: "retry_story", story: id, ...more });
	return w;
};
const skip = (w: World, scope: string, step: string, reason = "no need") => {
	w.feed({ type: "skip_step", scope, step, reason, id: "s1", by: ann });
	return w;
};

export const PERSONS: Scenarios = {
	"approve what a step asks": () => decide(asked(), "approve"),
	"approve, with a reason, a name and an id": () => decide(asked(), "approve", "good enough", { by: ann, id: "d1" }),
	"retry a story whose work came to nothing: all of its steps run again, not only the one that found it out": () => {
		const w = skip(story({ on: { empty: failStory } }), "A", "last");
		w.end("A look", { signal: "empty", error: "there is nothing to merge" });
		return retry(untold(w));
	},
	"reject what a step asks": () => decide(asked(), "reject"),
	"reject, with a reason": () => decide(asked(), "reject", "no", { id: "d2" }),
	"reject what a step of the run asks": () => {
		const w = run();
		w.end("look", bad);
		return decide(w, "reject");
	},
	"reject what a step of the run asks, with a reason": () => {
		const w = run();
		w.end("look", bad);
		return decide(w, "reject", "no");
	},
	"let it try again": () => decide(asked({}, { ...bad, error: "why" }), "retry"),
	"let it try again, with a reason": () => decide(asked({}, { ...bad, error: "why" }), "retry", "look at a.txt", { by: ann }),
	"let it try again, where its signal sends the work back: it goes back once more": () => {
		const w = story({ on: { bad: BACK } });
		w.end("A look", bad);
		w.until("A look");
		w.end("A look", { ...bad, error: "still bad" });
		return decide(untold(w), "retry", "once more");
	},
	"let it try again, where its signal leads to a detour": () => {
		const more: Record<string, TypePart> = { mend: { detour: true, on: { done: { action: "goto", target: "back" } } } };
		const w = story({ on: { bad: { ...BACK, target: "mend" } } }, more);
		w.end("A look", bad);
		w.end("A mend");
		w.end("A look", { ...bad, error: "still bad" });
		return decide(untold(w), "retry", "once more");
	},
	"let a gate try again, where its signal sends the work back": () => {
		const members = [{ role: "x", blocking: true }];
		const w = story({ kind: "gate", members, verdicts: ["done", "bad"], on: { bad: BACK } });
		w.end("A look", bad);
		w.until("A look");
		w.end("A look", bad);
		return decide(untold(w), "retry");
	},
	"let it try again, where its signal leads ahead": () => {
		const w = story({ on: { bad: { ...BACK, target: "last", max: 0 } } });
		w.end("A look", bad);
		return decide(untold(w), "retry");
	},
	"let it try again, where its signal leads to itself": () => {
		const w = story({ on: { bad: { ...BACK, target: "look", max: 0 } } });
		w.end("A look", bad);
		return decide(untold(w), "retry");
	},
	"let it try again, where its signal leads to a detour that another step has been to": () => {
		const back = { action: "goto", target: "back" } as const;
		const to: Route = { ...BACK, target: "mend", max: 1 };
		const more: Record<string, TypePart> = {
			work: { on: { bad: to } },
			mend: { detour: true, on: { done: back } },
		};
		const w = new World(stories({ work: {}, look: { on: { bad: { ...to, max: 0 } } }, last: {}, ...more }), { stories: ["A"] });
		w.end("A work", bad);
		w.end("A mend");
		w.end("A work");
		w.end("A look", bad);
		return decide(untold(w), "retry", "once more");
	},
	"let what pawl does itself try again: it is found out again": () => {
		const w = story({ kind: "action", on: { bad: BACK } });
		w.end("A look", bad);
		w.until("A look");
		w.end("A look", bad);
		return decide(untold(w), "retry");
	},
	"let it try again, and its caps begin anew": () => {
		const w = story({
			on: {
				bad: { action: "retry", max: 1, per: "story", count: "look:all", exhausted: person },
				odd: { action: "retry", max: 1, per: "row" },
			},
		});
		w.end("A look", { signal: "odd" });
		w.end("A look", bad);
		w.end("A look", bad);
		return decide(untold(w), "retry");
	},
	"a decision for another step, story or question changes nothing": () => {
		const w = asked();
		decide(w, "approve", "", { scope: "B" });
		decide(w, "approve", "", { step: "work" });
		decide(w, "approve", "", { ask: 3 });
		decide(w, "approve", "", { scope: "A", step: "step-002", ask: w.find("A", "look").question?.version });
		return decide(w, "reject");
	},
	"a decision about a run that is over changes nothing": () => {
		const w = asked();
		w.feed({ type: "stop", how: "cancel" });
		return decide(w, "approve");
	},
	"a decision while others are at work": () => {
		const w = new World(stories({ work: { on: { bad: person } } }), { stories: ["A", "B"], options: { agents: 2 } });
		w.end("A work", bad);
		return decide(untold(w), "approve");
	},
	"an approval step: approved, rejected, tried again": () => {
		const on = { approved: { action: "next" }, rejected: { action: "fail", target: "run" } } as const;
		const w = new World(linear({ ask: { kind: "approval", on }, work: {} }));
		decide(w, "retry", "wait");
		decide(w, "approve", "yes");
		return w;
	},
	"an approval step: rejected": () => {
		const on = { approved: { action: "next" }, rejected: { action: "fail", target: "run" } } as const;
		return decide(new World(linear({ ask: { kind: "approval", on }, work: {} })), "reject");
	},
	"an approval step: rejected with a reason": () => {
		const on = { approved: { action: "next" }, rejected: { action: "retry" } } as const;
		return decide(new World(linear({ ask: { kind: "approval", on }, work: {} })), "reject", "too early");
	},
	"an approval step where the person said yes to all": () =>
		new World(linear({ ask: { kind: "approval", on: { approved: { action: "next" } } }, work: {} }), { options: { yes: true } }),
	"approve a step that had to change something and did not: the story is settled": () => {
		const w = unchanged({ merge: { kind: "action", internal: true } });
		return decide(w, "approve", "nothing to do");
	},
	"approve it without a reason: the question is the reason": () => decide(unchanged(), "approve"),
	"skip a step that had to change something: the story is settled": () => skip(unchanged(), "A", "step-002"),
	"skip a step that is still to come, then one that is over, under way or not there": () => {
		const w = untold(story());
		skip(w, "A", "step-003");
		skip(w, "A", "step-003");
		skip(w, "A", "step-001");
		skip(w, "A", "step-002");
		skip(w, "A", "step-009");
		return skip(w, "X", "step-001");
	},
	"skip what nobody can skip": () => {
		const w = untold(story({}, { prove: { kind: "command", proves: true }, merge: { kind: "action" }, ask: { kind: "approval" } }));
		for (const step of ["step-004", "step-005", "step-006"]) skip(w, "A", step);
		return skip(w, "@run", "step-001");
	},
	"skip the step that failed: its story goes on": () => skip(failed(), "A", "step-002"),
	"skip a step that waits": () => skip(asked(), "A", "step-002"),
	"skip the only step that would change something: the story fails, and a retry runs that step as well": () => {
		const w = new World(stories({ look: { writes: "none" }, work: {}, last: { writes: "none" } }, { expectsChange: true }), {
			stories: ["A"],
		});
		w.feed({ type: "skip_step", scope: "A", step: "step-002", reason: "no need" });
		w.end("A look", { changed: false });
		w.end("A last", { changed: false });
		return retry(untold(w));
	},
	"skip a step of a run that is over": () => skip(untold(story().play()), "A", "step-003"),
	"skip a step of the run": () => {
		const w = run();
		return skip(w, "@run", "step-003");
	},
	"retry a failed story": () => retry(failed(), "A", { by: ann, id: "r1" }),
	"retry another story than the failed one": () => retry(failed(), "B"),
	"retry all": () => retry(failed()),
	"retry where the signal sends the work back": () => retry(failed({ on: { bad: { ...BACK, max: 0, exhausted: failStory } } })),
	"retry a story that failed as a whole: all of its steps run again, also those whose condition may hold by now": () => {
		const w = new World(
			stories({ work: {}, maybe: { when: [{ field: "changed", op: "is", value: "true" }] }, last: {} }, { expectsChange: true }),
			{ stories: ["A"] },
		);
		skip(w, "A", "step-003");
		w.end("A work", { changed: false });
		return retry(untold(w));
	},
	"retry a story whose step was lost too often: the copy runs again, not what it is a copy of": () => {
		const w = story().play({ "A look": "lost" });
		return retry(untold(w));
	},
	"retry a step of the run": () => {
		const w = run({ on: { bad: { action: "fail", target: "run" } } });
		w.end("look", { ...bad, error: "why" });
		retry(w, "A");
		return retry(w);
	},
	"retry a run that has not failed, or that cannot be resumed": () => {
		const w = run({ on: { bad: { action: "fail", target: "run" } } }, { resume: "never" });
		retry(w);
		w.end("look", bad);
		return retry(w);
	},
	"retry a run that completed": () => retry(untold(run().play())),
	"retry a story while others are at work": () => {
		const w = new World(stories({ work: { on: { bad: failStory } } }), { stories: ["A", "B"], options: { agents: 2 } });
		w.end("A work", bad);
		return retry(untold(w), "A");
	},
	"resume a run that failed because a person had to log in": () => {
		const w = story();
		w.end("A look", { signal: "auth", error: "log in" });
		untold(w).feed({ type: "resume", by: ann });
		return w;
	},
	"resume a run whose own step failed because a person had to pay": () => {
		const w = run();
		w.end("look", { signal: "out_of_credit", error: "pay" });
		w.feed({ type: "resume" });
		return w;
	},
	"resume a run that failed otherwise": () => {
		const w = failed();
		w.feed({ type: "resume" });
		return w;
	},
	"pause, resume, and pause again before it has stopped": () => {
		const w = untold(story());
		w.feed({ type: "stop", how: "pause", by: ann });
		w.feed({ type: "stop", how: "pause" });
		w.feed({ type: "resume" });
		w.feed({ type: "resume" });
		w.feed({ type: "stop", how: "interrupt" });
		w.end("A look", "cancelled");
		w.feed({ type: "resume" });
		return w;
	},
	"cancel outweighs pause": () => {
		const w = untold(story());
		w.feed({ type: "stop", how: "cancel" });
		w.feed({ type: "stop", how: "pause" });
		w.end("A look", "cancelled");
		w.feed({ type: "stop", how: "cancel" });
		w.feed({ type: "resume" });
		return w;
	},
	"cancel a run that waits": () => {
		const w = asked();
		w.feed({ type: "stop", how: "cancel" });
		return w;
	},
	"stop a run that cannot be resumed: its abort steps run, and nothing stops them": () => {
		const w = untold(new World(linear({ work: {}, tidy: { detour: true } }, { resume: "never", abort: ["tidy"] })));
		w.feed({ type: "stop", how: "interrupt" });
		w.end("work", "cancelled");
		w.feed({ type: "stop", how: "cancel" });
		w.end("tidy");
		return w;
	},
	"a cancelled session of what pawl does itself is started again": () => {
		const w = untold(story({ kind: "command", command: "test" }));
		w.feed({ type: "stop", how: "pause" });
		w.end("A look", "cancelled");
		return w;
	},
	"a cancelled session whose work stays": () => {
		const w = untold(story({ leavesWork: true }));
		w.feed({ type: "stop", how: "pause" });
		w.end("A look", "cancelled");
		return w;
	},
	"a cancelled session that never began leaves nothing to put back": () => {
		const w = untold(story());
		const { scope, step, attempt } = w.job("A look");
		w.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "stopped" });
		return w;
	},
	"a lost session of what pawl does itself is started again; time without an engine is no work": () => {
		const w = untold(story({ kind: "action" }));
		w.at += 700;
		const { scope, step, attempt } = w.job("A look");
		w.feed({ type: "attempt_lost", scope, step, attempt });
		return w;
	},
	"a session is lost after a while": () => {
		const w = untold(story());
		w.prepare(w.job("A look"));
		w.at += 700;
		const { scope, step, attempt } = w.job("A look");
		w.feed({ type: "attempt_lost", scope, step, attempt });
		return w;
	},
	"call a step in: it runs before the one under way, whatever becomes of that": () => {
		const w = untold(story({}, { ask: { onDemand: true, detour: true }, other: { detour: true } }));
		w.feed({ type: "call", step: "ask", scope: null, reason: "look first", by: ann });
		w.feed({ type: "call", step: "other", scope: null, reason: "no" });
		w.feed({ type: "call", step: "ask", scope: "B", reason: "no" });
		w.feed({ type: "call", step: "constructor", scope: "A", reason: "no" });
		return w;
	},
	"call a step in before the first one, and in the story that is named": () => {
		const w = new World(stories({ work: {}, ask: { onDemand: true, detour: true } }), { stories: ["A", "B"], options: { agents: 2 } });
		untold(w).feed({ type: "call", step: "ask", scope: "B", reason: "look first" });
		w.end("B work");
		return w;
	},
	"call a step in, in a run that is over": () => {
		const w = failed({}, { ask: { onDemand: true, detour: true } });
		w.feed({ type: "call", step: "ask", scope: null, reason: "look first" });
		return w;
	},
	"steer, and accept git's settings": () => {
		const w = untold(story());
		w.feed({ type: "steer", text: "be quick", by: ann });
		w.feed({ type: "accept_settings", settings: "abc", by: ann });
		return w;
	},
	"adopt the state of a file": () => {
		const w = untold(story());
		w.feed({
			type: "adopt",
			reason: "restored",
			stories: [storyOf("A", { passes: true }), storyOf("B")],
			done: [],
			fields: { x: "y" },
			budgets: {},
			elapsedMs: 5,
		});
		return w;
	},
	"the branch of the run is not called what an agent said": () => {
		const said = (branch: string, called: string, base = "main") => {
			const w = untold(new World(linear({ work: {} }), { fields: { branch }, options: { base } }));
			const { scope, step, attempt } = w.job("work");
			const prepared = { type: "attempt_prepared", scope, step, attempt, commit: "c", log: null, branch: called } as const;
			w.feed({ ...prepared, agent: "claude", model: "m", effort: "high", tier: "small" });
			w.feed(prepared);
			w.feed({ ...prepared, attempt: 9 });
			return w.turns;
		};
		const w = untold(new World(linear({ work: {} })));
		w.turns.push(
			...said("my branch", "my-branch"),
			...said("///", "pawl/run-1"),
			...said("topic", "older"),
			...said("main", "pawl/run-1"),
			...said("topic", "pawl/run-1"),
			...said("topic", "topic"),
			...said("", "pawl/run-1"),
		);
		return w;
	},
	"approve a check that cannot pass": () => {
		const on = { checks_failed: BACK, offline: person } as const;
		const w = asked({ on }, { checks: [{ ...failedCheck("net"), signal: "offline" }] });
		return decide(w, "approve");
	},
};
