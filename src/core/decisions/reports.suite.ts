// What the report of a session brings, what is missing in it and who is asked for that; what the engine saw beside it.
import type { ReportGrammar, Role, Route } from "../definition.ts";
import type { Outcome, StorySeed } from "../input.ts";
import { edits, failedCheck, linear, stories, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { skip } from "../testing/operations.suite.ts";
import { type Setup, World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const again: Route = { action: "retry", rollback: "failures" };
const back: Route = { action: "goto", target: "work", max: 2, per: "story", exhausted: { action: "wait", target: "person" } };
const GRAMMAR: ReportGrammar = {
	notes: "text",
	keys: ["STATUS", "PLAN", "RISKS", "TESTS", "STORIES_JSON"],
	signals: [
		{ signal: "done", when: { STATUS: "done" } },
		{ signal: "bad", when: { STATUS: "bad" } },
	],
	stories: "STORIES_JSON",
	needs: ["PLAN", "RISKS", "TESTS"],
	wants: { done: ["PLAN", "RISKS"] },
};
const OPEN: ReportGrammar = { notes: "text", keys: [], signals: [], open: true, stories: "STORIES_JSON" };
const role = (report: ReportGrammar): Role => ({ name: "agent", description: "", report, can: [] });
const resumable = { agent: "claude", session: "s-1" };

const one = (type: TypePart = {}, setup: Setup = {}, report: ReportGrammar = GRAMMAR) =>
	untold(
		new World(
			stories(
				{ work: {}, look: { ...type, on: { unreadable: again, bad: back, ...type.on } }, last: {} },
				{},
				{ roles: { agent: role(report) } },
			),
			{
				stories: ["A"],
				...setup,
			},
		).until("look"),
	);

const ask = (w: World, more: Partial<Outcome> = {}) => w.end("A look", { resumable, ...more });

function planned(agents: number, ...list: readonly StorySeed[]): World {
	const each = { each: { steps: [{ type: "plan" }], onlyDeclared: true } };
	const w = new World(linear({ plan: {}, each }, { roles: { agent: role(OPEN) } }), { options: { agents } });
	w.end("plan", { stories: list });
	return w;
}

export const REPORTS: Scenarios = {
	"unreadable: its own session is asked once for the report, and the work stays": () => {
		const w = one();
		ask(w, { signal: "unreadable", error: "no STATUS line" });
		ask(w, { signal: "unreadable", error: "still none", notes: "what it said" });
		w.end("A look", { signal: "done" });
		return w;
	},
	"unreadable without words, and the edits that came with it are asked for again": () => {
		const w = one({ edits: true });
		ask(w, { signal: "unreadable", changed: false, edits: edits(skip("step-003")) });
		w.end("A look", { changed: false });
		return w;
	},
	"unreadable, and nobody can be asked: a fresh session mends the end of the report": () => {
		const w = one();
		w.end("A look", { signal: "unreadable", notes: "  many words  " });
		w.end("A look", { signal: "unreadable", notes: null, changed: false });
		return w;
	},
	"what is put back after a session was asked for its report is the work of the attempt before": () => {
		const w = one({ on: { agent_error: { action: "fail", target: "story", rollback: "failures" } } });
		ask(w, { signal: "unreadable" });
		w.end("A look", { signal: "agent_error", error: "exit 1" });
		return w;
	},
	"what is put back when it is cancelled meanwhile as well": () => {
		const w = one();
		ask(w, { signal: "unreadable" });
		w.feed({ type: "stop", how: "interrupt" });
		w.end("A look", "cancelled");
		return w;
	},
	"lacking something: it is asked for that, and counts with the signal that it had": () => {
		const w = one();
		ask(w, { lacks: ["PLAN", "RISKS"], fields: { STATUS: "done" } });
		w.end("A look", { signal: "unreadable", error: "no STATUS", fields: { PLAN: "x" }, notes: "the plan", changed: false });
		return w;
	},
	"lacking something: an answer that decides otherwise counts": () => {
		const w = one();
		ask(w, { lacks: ["PLAN"], fields: { STATUS: "done" } });
		w.end("A look", { signal: "unreadable", error: "STATUS: maybe", fields: { STATUS: "maybe" } });
		return w;
	},
	"lacking nothing: nobody is asked": () => {
		const w = one();
		ask(w);
		return w;
	},
	"lacking something: the answer fails": () => {
		const w = one({ on: { agent_error: again } });
		ask(w, { lacks: ["PLAN"], fields: { STATUS: "done" } });
		w.end("A look", { signal: "agent_error", error: "exit 1" });
		return w;
	},
	"lacking something in a failure: nobody is asked": () => {
		const w = one({ on: { agent_error: again } });
		ask(w, { signal: "agent_error", lacks: ["PLAN"] });
		return w;
	},
	"lacking a part of what later steps are given, by one that only reports: mended once by a fresh session": () => {
		const w = one({ writes: "none" });
		w.end("A look", { lacks: ["RISKS", "TESTS"], notes: "PLAN: x", changed: false });
		w.end("A look", { lacks: ["RISKS"], notes: "PLAN: x", changed: false });
		return w;
	},
	"lacking all of what later steps are given: taken at its word": () => {
		const w = one({ writes: "none" });
		w.end("A look", { lacks: ["PLAN", "RISKS", "TESTS"], changed: false });
		return w;
	},
	"lacking a part, by one that writes: taken as it is": () => {
		const w = one();
		w.end("A look", { lacks: ["RISKS"] });
		return w;
	},
	"lacking a part, with another signal: taken as it is": () => {
		const w = one({ writes: "none" });
		w.end("A look", { signal: "bad", lacks: ["RISKS"], changed: false });
		return w;
	},
	"lacking a part, where it can be asked in its own session: asked there": () => {
		const w = one({ writes: "none" });
		ask(w, { lacks: ["RISKS"], changed: false });
		w.end("A look", { lacks: ["RISKS"], changed: false });
		return w;
	},
	"one that may only look and touched something: put back, and its report is mended": () => {
		const w = one({ writes: "none", on: { boundary_violation: again } });
		w.end("A look", { signal: "boundary_violation", error: "it changed a.txt", notes: "my report" });
		return w;
	},
	"one that may write only somewhere and touched something else: its report is not mended": () => {
		const w = one({ writes: ["docs/**"], on: { boundary_violation: again } });
		w.end("A look", { signal: "boundary_violation", error: "it changed a.txt", notes: "my report", changed: false });
		return w;
	},
	"a report that was itself found wrong is mended; one whose checks ran and failed is not": () => {
		const w = one({ writes: "none", on: { checks_failed: again } });
		w.end("A look", {
			notes: "my report",
			changed: false,
			checks: [
				{ ...failedCheck("form"), said: true },
				{ ...failedCheck("ok"), exitCode: 0 },
			],
		});
		w.end("A look", { notes: "my report", changed: false, checks: [{ ...failedCheck("form"), said: true }, failedCheck()] });
		return w;
	},
	"a report of one that writes was found wrong: it is not mended": () => {
		const w = one({ on: { checks_failed: again } });
		w.end("A look", { notes: "my report", checks: [{ ...failedCheck("form"), said: true }] });
		return w;
	},
	"edits are rejected: its own session is asked for better ones, and the words of its report count": () => {
		const w = one({ edits: true }, {}, { notes: "text", keys: [], signals: [] });
		ask(w, { edits: edits(skip("step-009")), notes: "the work is fine" });
		w.end("A look", { edits: edits(skip("step-003")), notes: "here" });
		return w;
	},
	"edits are rejected for two reasons, and the report had no words": () => {
		const w = one({ edits: true }, {}, { notes: "text", keys: [], signals: [] });
		ask(w, { edits: edits(skip("step-009"), skip("step-001")), notes: null });
		return w;
	},
	"edits are rejected: a report that could be read otherwise is asked for as a whole": () => {
		const w = one({ edits: true });
		ask(w, { edits: { problem: "it is not JSON" }, notes: "fine", changed: false });
		ask(w, { edits: { problem: "it is not JSON" } });
		return w;
	},
	"edits are rejected where nobody can be asked: the steps after it learn of it": () => {
		const w = one({ edits: true });
		w.end("A look", { edits: edits(skip("step-009"), skip("step-001")) });
		return w;
	},
	"edits of a step that may not edit": () => {
		const w = one();
		ask(w, { edits: { problem: "it is not JSON" } });
		return w;
	},
	"fields of an open report: in lower case, of the run and of the story, without marks and feedback": () => {
		const w = one({}, {}, OPEN);
		w.end("A look", { fields: { BRANCH: "b", STORIES_JSON: "[]", FEEDBACK_TEXT: "no", DELIVERED: "x" } });
		return w;
	},
	"an open report without anything to keep": () => {
		const w = one({}, {}, OPEN);
		w.end("A look", { fields: { STORIES_JSON: "[]" } });
		return w;
	},
	"fields of an open report of the run itself are set once": () => {
		const w = new World(linear({ look: {} }, { roles: { agent: role(OPEN) } }));
		w.end("look", { fields: { BRANCH: "b" } });
		return w;
	},
	"a list of stories comes in time: added, or in place of those that nobody has begun": () => {
		const w = new World(linear({ plan: {}, again: {}, each: { each: { steps: [{ type: "again" }] } } }, { roles: { agent: role(OPEN) } }));
		w.end("plan", { stories: [storyOf("A")] });
		w.end("again", { stories: [storyOf("B"), storyOf("C")] });
		w.end("B again", { stories: [storyOf("D")] });
		return w;
	},
	"a list of stories comes when the stories are over": () => {
		const w = new World(linear({ each: { each: { steps: [], atLeast: 0 } }, plan: {} }, { roles: { agent: role(OPEN) } }));
		w.end("plan", { stories: [storyOf("A")] });
		return w;
	},
	"a list of stories in order although there are several agents: it is said why": () => planned(2, storyOf("A"), storyOf("B")),
	"a list of stories that says what needs what: nothing has to be said": () =>
		planned(2, storyOf("A"), storyOf("B", { dependsOn: ["A"] }), storyOf("C")),
	"a list of one story: nothing has to be said": () => planned(2, storyOf("A")),
	"a list of stories for one agent: nothing has to be said": () => planned(1, storyOf("A"), storyOf("B")),
	"done although nothing was changed does not count where something has to be": () => {
		const w = one({ expectsChange: true, on: { unchanged: again } });
		w.end("A look", { empty: true, changed: false });
		w.end("A look", { changed: false });
		return w;
	},
	"done although nothing was changed counts where the story expects no change": () => {
		const w = one({ expectsChange: true, on: { unchanged: again } }, { stories: [storyOf("A", { expectsChange: false })] });
		w.end("A look", { empty: true, changed: false });
		return w;
	},
	"done although nothing was changed counts in a story that expects no change, whatever others expect": () => {
		const w = new World(stories({ look: { expectsChange: true, on: { unchanged: again } } }), {
			stories: ["A", storyOf("B", { expectsChange: false })],
			options: { agents: 2 },
		});
		untold(w).end("B look", { empty: true, changed: false });
		w.end("A look", { empty: true, changed: false });
		return w;
	},
	"done although nothing was changed counts of a step that need not change anything": () => {
		const w = one();
		w.end("A look", { empty: true, changed: false });
		return w;
	},
	"a change that an earlier attempt left counts as one": () => {
		const w = new World(stories({ look: {} }, { expectsChange: true }), { stories: ["A"] });
		w.end("A look", { changed: false, changedBefore: true });
		return w;
	},
	"a story without any change fails": () => {
		const w = new World(stories({ look: {} }, { expectsChange: true }), { stories: ["A", storyOf("B", { expectsChange: false })] });
		w.end("A look", { changed: false });
		w.end("B look", { changed: false });
		return w;
	},
	"a check whose failure means something else takes the route of that": () => {
		const w = one({ on: { checks_failed: back, no_network: { action: "wait", target: "person" } } });
		w.end("A look", {
			checks: [
				{ ...failedCheck("one"), signal: "unknown" },
				{ ...failedCheck("net"), signal: "no_network" },
			],
		});
		w.feed({ type: "decide", scope: "A", step: "look", verdict: "approve", reason: "the network is down" });
		return w;
	},
	"the result of an attempt that is not under way is told and ignored": () => {
		const w = one();
		const { scope, step, attempt } = w.job("A look");
		w.end("A look");
		const outcome = { ...w.turns.map(({ input }) => input).findLast((input) => input.type === "attempt_ended") } as { outcome: Outcome };
		w.feed({ type: "attempt_ended", scope, step, attempt, outcome: outcome.outcome });
		w.feed({ type: "attempt_ended", scope: "X", step, attempt, outcome: outcome.outcome });
		w.feed({ type: "attempt_lost", scope, step, attempt });
		w.feed({ type: "attempt_cancelled", scope, step, attempt, reason: "late" });
		w.feed({ type: "merge_announced", scope, step, attempt, commit: "c" });
		return w;
	},
	"what the engine found out, remarked and kept": () => {
		const w = one({ session: "continue" });
		w.end("A look", {
			session: "s-2",
			facts: { head: "abc" },
			remarks: ["one", "two"],
			kept: [{ name: "learnings", text: "tabs" }],
			checks: [{ ...failedCheck(), exitCode: 0 }],
		});
		return w;
	},
	"a session is not recorded after a failure, nor where none is continued": () => {
		const w = one({ session: "continue", on: { agent_error: again } });
		w.end("A look", { signal: "agent_error", session: "s-2", facts: {}, remarks: [] });
		w.end("A look", { session: null });
		w.end("A last", { session: "s-3" });
		return w;
	},
	"a person is asked what the engine could not judge; approved, it counts as it would have": () => {
		const w = one({ on: { done: { action: "next" }, bad: { ...back, converged: { action: "wait", target: "person" } } } });
		w.end("A look", { unclear: "did it touch b.txt?", notes: "n", fields: { PLAN: "p" }, kept: [{ name: "k", text: "t" }] });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "it did not" });
		return w;
	},
	"a person is asked about an attempt whose change an earlier one made; approved, the story has changed something": () => {
		const w = new World(stories({ look: {} }, { expectsChange: true }), { stories: ["A"] });
		w.end("A look", { unclear: "who was it?", changed: false, changedBefore: true });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"a person is asked, and rejects it": () => {
		const w = one();
		w.end("A look", {
			unclear: "did it touch b.txt?",
			signal: "agent_error",
			error: "exit 1",
			earlier: [{ key: "k", open: false }],
			retryAt: 5,
		});
		w.feed({ type: "decide", scope: "A", step: "look", verdict: "reject", reason: "it did" });
		return w;
	},
};
