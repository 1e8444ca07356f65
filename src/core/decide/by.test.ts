// What a person causes says who it was; what the engine does next is the engine's.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event } from "../event.ts";
import type { Input } from "../input.ts";
import { linear, stories, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const by = { user: "ann", how: "cli" };
const approval: TypePart = { kind: "approval", on: { approved: { action: "next" }, rejected: { action: "fail", target: "story" } } };
const fails: TypePart = { on: { agent_error: { action: "fail", target: "story" } } };

type Said = Input extends infer I ? (I extends Input ? Omit<I, "at"> : never) : never;

/** Which of the events that an input caused name the person, and which do not. */
function caused(w: World, input: Said): { named: string[]; others: string[] } {
	const events = w.feed(input);
	const has = (event: Event): boolean => "by" in event && JSON.stringify(event.by) === JSON.stringify(by);
	return { named: events.filter(has).map((e) => e.event), others: events.filter((e) => !has(e)).map((e) => e.event) };
}

test("G-27 T-67 a decision, a pause, a resume and a steer name the person; the step that starts next does not", () => {
	const w = new World(stories({ ask: approval, work: {} }), { stories: ["A"] });
	assert.deepEqual(caused(w, { type: "steer", text: "faster", by }), { named: ["run_steered"], others: [] });
	assert.deepEqual(caused(w, { type: "decide", id: "d1", scope: null, step: null, verdict: "approve", reason: "good", by }), {
		named: ["decided", "run_resumed"],
		others: ["route_taken", "step_completed", "step_started"],
	});
	assert.deepEqual(caused(w, { type: "stop", how: "pause", by }), { named: ["stop_requested"], others: [] });
	w.end("work", "cancelled");
	assert.equal(w.state.status, "paused");
	assert.deepEqual(caused(w, { type: "resume", by }), { named: ["run_resumed"], others: ["step_started"] });
	assert.deepEqual(caused(w, { type: "accept_settings", settings: "abc", by }), { named: ["settings_accepted"], others: [] });
});

test("G-27 T-67 a retry names the person and carries its id, so that whoever sent it can find out that it counted", () => {
	const w = new World(stories({ work: fails }), { stories: ["A"] }).play({ work: { signal: "agent_error", error: "broken" } });
	assert.equal(w.state.status, "failed");
	const events = w.feed({ type: "retry_story", id: "r1", story: null, by });
	const marked = events.filter((e) => "id" in e).map((e) => [e.event, (e as { id?: string }).id]);
	assert.deepEqual(marked, [
		["run_resumed", "r1"],
		["story_retried", "r1"],
	]);
	assert.deepEqual(
		events.filter((e) => "by" in e).map((e) => e.event),
		["run_resumed", "story_retried", "step_reopened"],
	);
	const w2 = new World(stories({ work: fails }), { stories: ["A"] }).play({ work: { signal: "agent_error" } });
	assert.ok(w2.feed({ type: "retry_story", story: null }).every((e) => !("id" in e) && !("by" in e)));
});

test("G-27 what a person extends, allows and calls for names them", () => {
	const loop = { schedule: "W", max: "5", roles: { W: { role: "worker" } }, inject: {} };
	const definition = {
		...linear({ loop: { kind: "loop", loop: loop as never }, look: { detour: true, onDemand: true } }),
		budgets: { cost: { unit: "usd" as const, limit: 5, scope: "run" as const, warnAt: [] } },
	};
	const w = new World(definition as never);
	const extended = caused(w, { type: "extend", budgets: { cost: 9 }, fields: { note: "x" }, iterations: 7, allowUnknownCost: true, by });
	assert.deepEqual(extended.named, ["budget_extended", "fields_set", "loop_extended", "unknown_cost_allowed"]);
	const s = new World(stories({ work: {}, look: { detour: true, onDemand: true } }), { stories: ["A"] });
	assert.deepEqual(caused(s, { type: "call", step: "look", scope: null, reason: "please", by }), { named: ["steps_inserted"], others: [] });
});
