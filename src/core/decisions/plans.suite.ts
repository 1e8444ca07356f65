// Plans: a new list of stories in place of the old one, what it changes, who has to approve it, and stories that come later.
import type { StorySeed } from "../input.ts";
import { definitionOf, plan, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

/** Stories are planned, approved, worked on and looked at; each may be planned anew. */
const types = (more: Record<string, TypePart> = {}): Record<string, TypePart> => ({
	plan: { scope: "run" },
	approve: { scope: "run", kind: "approval", on: { approved: { action: "next" }, rejected: { action: "goto", target: "plan" } } },
	all: { scope: "run", each: { steps: plan("work", "replan", "check"), concurrency: 2 } },
	look: { scope: "run" },
	work: {},
	replan: { replaces: true, on: { checks_failed: { action: "next" } } },
	check: {},
	...more,
});
const world = (list: readonly (string | StorySeed)[], more: Record<string, TypePart> = {}, steps = ["plan", "approve", "all", "look"]) =>
	new World(definitionOf({ steps, types: types(more) }), { stories: list, options: { agents: 2, yes: true } });
/** A is about to be planned anew, while others are at work. */
const replanned = (list: readonly (string | StorySeed)[], seeds: readonly StorySeed[], more: Record<string, TypePart> = {}) => {
	const w = untold(world(list, more).until("A replan", { work: null, "A work": {} }));
	w.end("A replan", { stories: seeds });
	return w;
};
const add = (w: World, stories: readonly StorySeed[], changed: readonly StorySeed[] = []) =>
	w.feed({ type: "add_stories", stories, changed });

export const PLANS: Scenarios = {
	"a new plan replaces all that are not completed, and those at work are cancelled": () =>
		replanned(["A", "B", "C"], [storyOf("A"), storyOf("D")]),
	"a new plan that changes nothing is told, and approved again": () => replanned(["A", "B"], [storyOf("A"), storyOf("B")]),
	"a new plan in another order": () => replanned(["A", "B", "C"], [storyOf("B"), storyOf("A"), storyOf("C")]),
	"a new plan with other words and criteria": () =>
		replanned(
			[
				storyOf("A", { criteria: ["one", "two"], description: "long" }),
				storyOf("B", { description: " same " }),
				storyOf("C", { description: "same" }),
			],
			[
				storyOf("A", { title: "Other", criteria: ["two", "three"], description: "longer" }),
				storyOf("B", { description: "same" }),
				storyOf("C", { description: " same " }),
			],
		),
	"a new plan that gives a story another id": () =>
		replanned(
			["A", storyOf("B", { title: "Tests", criteria: ["c"] })],
			[storyOf("A"), storyOf("B2", { title: "Tests", criteria: ["c", "d"], description: "" })],
		),
	"a new plan with a story that is only called the same": () =>
		replanned(
			["A", storyOf("B", { title: "Tests", description: "x", criteria: ["c"] })],
			[storyOf("A"), storyOf("B2", { title: "Tests", description: "y", criteria: ["d"] })],
		),
	"a new plan whose stories belong to the groups of those that they are like": () =>
		replanned(
			[
				storyOf("A", { group: "a" }),
				storyOf("2.1", { group: "two" }),
				storyOf("2.3", { group: "three" }),
				storyOf("3.1", { group: "three" }),
				"4.1",
			],
			[storyOf("2.1"), storyOf("2.2"), storyOf("2.3"), storyOf("3.2", { group: "own" }), storyOf("4.2"), storyOf("5"), storyOf("6.1")],
		),
	"a completed story stays as it is": () => {
		const w = untold(world(["B", "A"], {}).until("A replan", { "B work": {}, "B replan": {}, "B check": {}, "A work": {} }));
		w.end("A replan", { stories: [storyOf("A"), storyOf("B", { title: "Other" }), storyOf("C")] });
		return w;
	},
	"a completed story in a new plan that changes nothing": () => {
		const w = untold(world(["B", "A"], {}).until("A replan", { "B work": {}, "B replan": {}, "B check": {}, "A work": {} }));
		w.end("A replan", { stories: [storyOf("B"), storyOf("A")] });
		return w;
	},
	"an approval that was skipped is not asked again": () => {
		const approve: TypePart = { scope: "run", kind: "approval", when: [{ field: "ask", op: "set" }], on: { approved: { action: "next" } } };
		const w = untold(world(["A"], { approve }).until("A replan"));
		w.end("A replan", { stories: [storyOf("A"), storyOf("C")] });
		return w;
	},
	"a plan that brings no story replaces nothing": () => {
		const w = untold(world(["A", "B"], {}).until("A replan", { work: null, "A work": {} }));
		w.end("A replan", { stories: [] });
		return w;
	},
	"a plan whose check fails replaces nothing": () => {
		const w = untold(world(["A", "B"], {}).until("A replan", { work: null, "A work": {} }));
		w.end("A replan", { stories: [storyOf("C")], checks: [{ name: "x", command: "x", exitCode: 1, output: "" }] });
		return w;
	},
	"a plan of a failed attempt replaces nothing": () => {
		const w = untold(
			world(["A", "B"], { replan: { replaces: true, on: { agent_error: { action: "next" } } } }).until("A replan", {
				work: null,
				"A work": {},
			}),
		);
		w.end("A replan", { signal: "agent_error", stories: [storyOf("C")] });
		return w;
	},
	"a plan that a person approved because the engine could not judge it": () => {
		const w = untold(world(["A", "B"], {}).until("A replan", { work: null, "A work": {} }));
		w.end("A replan", { stories: [storyOf("A"), storyOf("C")], unclear: "who was it?" });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"a plan that a person approved, of a failed attempt": () => {
		const w = untold(
			world(["A", "B"], { replan: { replaces: true, on: { agent_error: { action: "next" } } } }).until("A replan", {
				work: null,
				"A work": {},
			}),
		);
		w.end("A replan", { signal: "agent_error", stories: [storyOf("C")], unclear: "who was it?", kept: [{ name: "k", text: "t" }] });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"a plan that a person approved, whose check fails": () => {
		const w = untold(world(["A", "B"], {}).until("A replan", { work: null, "A work": {} }));
		const checks = [{ name: "x", command: "x", exitCode: 1, output: "" }];
		w.end("A replan", { stories: [storyOf("C")], unclear: "who was it?", checks });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"stories that a person approved, of a step that adds some": () => {
		const w = untold(world(["A", "B"], {}).until("A work", { work: null }));
		w.end("A work", { stories: [storyOf("C")], unclear: "who was it?" });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"a plan of a run that ends in it replaces nothing": () => {
		const w = untold(
			world(["A", "B"], { replan: { replaces: true, on: { done: { action: "fail", target: "run" } } } }).until("A replan", {
				work: null,
				"A work": {},
			}),
		);
		w.end("A replan", { stories: [storyOf("C")] });
		return w;
	},
	"where nobody had to approve the first plan, nobody has to approve the new one": () => {
		const w = untold(world(["A", "B"], {}, ["plan", "all", "look"]).until("A replan", { work: null, "A work": {} }));
		w.end("A replan", { stories: [storyOf("A"), storyOf("D")] });
		return w;
	},
	"an approval that is asked again says what has changed": () => {
		const definition = definitionOf({ steps: ["plan", "approve", "all", "look"], types: types() });
		const w = new World(definition, { stories: ["A"] });
		w.end("plan");
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		untold(w.until("A replan"));
		w.end("A replan", { stories: [storyOf("A", { title: "Other" })] });
		return w;
	},
	"the document changed before anybody worked on it: the steps up to the stories run again": () => {
		const w = new World(definitionOf({ steps: ["plan", "approve", "all", "look"], types: types() }), { stories: ["A"] });
		w.end("plan");
		w.feed({ type: "renew_plan", stories: [storyOf("B")], fields: { hash: "2" } });
		return w;
	},
	"the document changed after work on it had begun: nothing happens": () => {
		const w = untold(world(["A"]).until("A work"));
		w.feed({ type: "renew_plan", stories: [storyOf("B")], fields: { hash: "2" } });
		return w;
	},
	"the document of a run without stories changed: nothing happens": () => {
		const w = untold(new World(definitionOf({ steps: ["plan"], types: { plan: { scope: "run" } } })));
		w.feed({ type: "renew_plan", stories: [storyOf("B")], fields: { hash: "2" } });
		return w;
	},
	"stories are added and changed while others are at work; a completed one does not change": () => {
		const w = untold(world(["A", "B"]).until("B check", { work: {}, replan: {}, "A check": {} }));
		add(
			w,
			[storyOf("A"), storyOf("C")],
			[storyOf("A", { title: "x" }), storyOf("B", { title: "y", description: "d", criteria: ["c"] }), storyOf("X")],
		);
		add(w, [], []);
		return w;
	},
	"stories are added when all were done: what came after them runs again": () => {
		const w = untold(world(["A"]).until("look"));
		add(w, [storyOf("B")]);
		w.end("look");
		w.play();
		return w;
	},
	"stories are added to a run that is over": () => {
		const w = untold(world(["A"]).play());
		add(w, [storyOf("B")]);
		return w;
	},
	"stories are added to a run that is cancelled": () => {
		const w = untold(world(["A"]).until("look"));
		w.feed({ type: "stop", how: "cancel" });
		w.end("look", "cancelled");
		w.feed({ type: "add_stories", stories: [storyOf("B")] });
		return w;
	},
	"stories are added to a run that was refused": () => {
		const refuse: TypePart = { scope: "run", on: { bad: { action: "refuse" } } };
		const w = untold(world(["A"], { look: refuse }).play({ look: { signal: "bad" } }));
		add(w, [storyOf("B")]);
		return w;
	},
	"stories are added to a run that gives up": () => {
		const more: Record<string, TypePart> = { look: { scope: "run", on: { bad: { action: "abort" } } }, tidy: { scope: "run" } };
		const definition = definitionOf({ steps: ["plan", "all", "look"], types: types(more), abort: ["tidy"] });
		const w = untold(new World(definition, { stories: ["A"] }).until("tidy", { look: { signal: "bad" } }));
		add(w, [storyOf("B")]);
		return w;
	},
	"stories are added while others fail": () => {
		const w = untold(
			world(["A"], { look: { scope: "run", on: { bad: { action: "fail", target: "run" } } } }).play({ look: { signal: "bad" } }),
		);
		add(w, [storyOf("B")]);
		w.feed({ type: "retry_story", story: null });
		return w;
	},
};
