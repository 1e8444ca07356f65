// Changes of the steps that agents ask for, and the last step, which nothing may follow.
import type { Route } from "../definition.ts";
import { edits, failedCheck, findings, linear, stories, type TypePart } from "../testing/builders.suite.ts";
import { add, describe, reorder, skip, split } from "../testing/operations.suite.ts";
import { type Setup, World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const again: Route = { action: "retry" };
const restart = (target: string, text = "otherwise", reason = "wrong way") => ({
	operation: "restart",
	target_step_id: target,
	new_description: text,
	reason,
});
const story = (look: TypePart = {}, setup: Setup = {}, more: Record<string, TypePart> = {}) =>
	untold(
		new World(stories({ work: {}, look: { edits: true, ...look }, after: {}, ...more }), { stories: ["A"], ...setup }).until("A look"),
	);
/** `look` is the last step. */
const last = (look: TypePart = {}) =>
	untold(new World(stories({ work: {}, look: { edits: true, last: true, ...look } }), { stories: ["A"] }).until("A look"));
const LOOP: TypePart = {
	kind: "loop",
	loop: { schedule: "W", roles: { W: { role: "worker" } }, max: "9", inject: {} },
	on: { done: again, promise: { action: "next" } },
};
const once = (operation: object, more: object = {}, w: World = story()) => {
	w.end("A look", { edits: edits(operation), ...more });
	return w;
};
const NONE = edits(skip("step-099"));

export const EDITS: Scenarios = {
	"add steps after it": () => once(add("step-002", "work", "look")),
	"add steps before it: it continues, and they run afterwards": () => once(add("step-001", "work")),
	"split, skip, reorder and describe": () => {
		const w = story({}, {}, { more: {} });
		w.end("A look", { edits: edits(split("step-003", "work", "look"), describe("step-004"), reorder("step-004", "step-005", "step-006")) });
		return w;
	},
	"an empty list of edits": () => {
		const w = story();
		w.end("A look", { edits: edits() });
		return w;
	},
	"restart: what it did is put back, and it begins anew with another description": () => {
		const w = once(restart("step-002"));
		w.end("A look", { edits: edits(restart("step-002", "third", "")) });
		return w;
	},
	"restart, of a step of the run": () => {
		const w = untold(new World(linear({ work: {}, look: { edits: true } })).until("look"));
		w.end("look", { edits: edits(restart("step-002")) });
		return w;
	},
	"restart, of one that never began": () => {
		const w = story();
		const { scope, step, attempt } = w.job("A look");
		const ended = story();
		ended.end("A look", { edits: edits(restart("step-002")) });
		const input = ended.turns.map((turn) => turn.input).findLast((one) => one.type === "attempt_ended");
		if (input?.type === "attempt_ended") w.feed({ type: "attempt_ended", scope, step, attempt, outcome: input.outcome });
		return w;
	},
	"restart too often": () => {
		const w = story();
		for (let i = 0; i < 4; i++) w.end("A look", { edits: edits(restart("step-002")), resumable: { agent: "claude", session: "s" } });
		return w;
	},
	"restart too often, and another mistake before it": () => {
		const w = story();
		for (let i = 0; i < 3; i++) w.end("A look", { edits: edits(restart("step-002")) });
		untold(w).end("A look", { edits: edits(skip("step-099"), restart("step-002")) });
		return w;
	},
	"restart, and describe another step": () => {
		const w = story();
		w.end("A look", { edits: edits(restart("step-002"), describe("step-003")) });
		return w;
	},
	"edits of a failed attempt are put aside": () => {
		const w = story({ on: { agent_error: again } });
		w.end("A look", { signal: "agent_error", edits: NONE });
		w.end("A look", { signal: "agent_error", error: "exit 1", edits: NONE });
		return w;
	},
	"a check failed, and it asked for the steps that repair it: these run": () =>
		once(add("step-002", "work"), { checks: [failedCheck()] }, story({ on: { checks_failed: { action: "fail", target: "story" } } })),
	"a check failed, and what it asked for adds no step: the route of the check decides": () =>
		once(describe("step-003"), { checks: [failedCheck()] }, story({ on: { checks_failed: again } })),
	"the last step puts steps before itself: they run first, and it learns what it had said": () => {
		const w = last();
		w.end("A look", { edits: edits(add("step-001", "work", "work")), notes: " two things are missing " });
		w.end("A work");
		w.end("A work");
		w.end("A look");
		return w;
	},
	"the last step puts steps before itself without a word": () => {
		const w = last();
		w.end("A look", { edits: edits(add("step-001", "work")), notes: null });
		return w;
	},
	"the last step's edits are rejected: it runs again and learns why, at most three times": () => {
		const w = last();
		for (let i = 0; i < 4; i++) w.end("A look", { edits: edits(skip("step-099"), skip("step-001")) });
		return w;
	},
	"the edits of the last step of the run are rejected too often: the run fails": () => {
		const w = untold(new World(linear({ look: { edits: true, last: true } })));
		for (let i = 0; i < 4; i++) w.end("look", { edits: NONE });
		return w;
	},
	"the last step's edits are rejected, and a check failed: the route of the check decides": () => {
		const w = last({ on: { checks_failed: again } });
		w.end("A look", { edits: NONE, checks: [failedCheck()] });
		return w;
	},
	"the last step's edits are rejected, in a failure": () => {
		const w = last({ on: { agent_error: again } });
		w.end("A look", { edits: NONE, signal: "agent_error" });
		return w;
	},
	"the last step, approved by a person, puts steps before itself": () => {
		const w = last();
		w.end("A look", { edits: edits(add("step-001", "work")), unclear: "who was it?", notes: "n" });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"a loop puts steps before itself": () => {
		const w = story(LOOP);
		w.end("A look", { edits: edits(add("step-001", "work")), findings: findings("f"), earlier: [{ key: "e", open: true }] });
		w.end("A work");
		return w;
	},
	"a loop puts steps after itself and goes on": () => {
		const w = story(LOOP);
		w.end("A look", { edits: edits(add("step-002", "work")) });
		return w;
	},
	"a person has called a step in before the last one, which asks for nothing": () => {
		const w = untold(
			new World(stories({ work: {}, look: { edits: true, last: true }, ask: { onDemand: true, detour: true } }), { stories: ["A"] }).until(
				"A look",
			),
		);
		w.feed({ type: "call", step: "ask", scope: null, reason: "look first" });
		w.end("A look");
		return w;
	},
	"a loop puts steps before itself, and others are still to come": () => {
		const w = story(LOOP, {}, { more: {} });
		w.end("A look", { edits: edits(add("step-001", "work")) });
		return w;
	},
	"a step that is not the last, approved by a person, puts steps before itself": () => {
		const w = story();
		w.end("A look", { edits: edits(add("step-001", "work")), unclear: "who was it?" });
		w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
		return w;
	},
	"a loop that ends puts steps before itself": () => {
		const w = story(LOOP);
		w.end("A look", { signal: "promise", edits: edits(add("step-001", "work")) });
		return w;
	},
	"a loop that is the last step puts steps before itself": () => {
		const w = last(LOOP);
		w.end("A look", { signal: "promise", edits: edits(add("step-001", "work")), notes: "n" });
		w.end("A work");
		return w;
	},
	"a loop that is the last step: its edits are rejected": () => {
		const w = last(LOOP);
		w.end("A look", { signal: "promise", edits: NONE });
		return w;
	},
	"a loop whose edits are rejected goes on": () => {
		const w = story(LOOP);
		w.end("A look", { edits: NONE, resumable: { agent: "claude", session: "s" } });
		return w;
	},
	"what an agent may not add": () => once(add("step-002", "merge"), {}, story({}, {}, { merge: { kind: "action", internal: true } })),
};
