// Stories that come, or change, while a run is under way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextWake } from "../query.ts";
import { linear, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const fails: TypePart = { scope: "story", on: { agent_error: { action: "fail", target: "story" } } };
const definition = linear(
	{ all: { each: { steps: [{ type: "work" }], atLeast: 0 } }, report: {}, detour: { detour: true }, end: {}, work: fails },
	{ steps: ["all", "report", "end"] },
);
const world = (...ids: string[]) => new World(definition, { stories: ids });

test("T-10 only stories that are new are added; a story that is done does not change, one that is not does", () => {
	const w = world("A", "B");
	w.end("A work");
	const more = { title: "Other", description: "more", criteria: ["c"] };
	const events = w.feed({
		type: "add_stories",
		stories: [storyOf("B", more)],
		changed: [storyOf("A", more), storyOf("B", more), storyOf("Z", more)],
	});
	assert.deepEqual(
		events.map((e) => [e.event, "scope" in e ? e.scope : null]),
		[["story_changed", "B"]],
	);
	assert.deepEqual(
		[w.story("A").title, w.story("B").title, w.story("B").description, w.story("B").criteria],
		["Story A", "Other", "more", ["c"]],
	);
	assert.deepEqual(w.feed({ type: "add_stories", stories: [] }), []);
	w.feed({ type: "add_stories", stories: [storyOf("B"), storyOf("C")] });
	assert.deepEqual(
		w.state.stories.map((s) => s.id),
		["A", "B", "C"],
	);
});

test("I21 when all stories were done, the step that opens them and what came after it run again, and say why", () => {
	const w = world("A");
	w.end("A work");
	w.end("report");
	const events = w.feed({ type: "add_stories", stories: [storyOf("B")] });
	assert.deepEqual(
		events.flatMap((e) => (e.event === "step_reopened" ? [[e.step, e.reason]] : [])),
		[["step-001", "stories were added"]],
	);
	w.end("end");
	w.end("B work");
	assert.deepEqual(
		w.all("step_reopened").map((e) => [e.step, e.reason]),
		[
			["step-001", "stories were added"],
			["step-002", "stories were added"],
			["step-003", "stories were added"],
		],
	);
});

test("I17 a step that waits for its time behind the new stories holds up nothing: the run says that it waits for a person", () => {
	const limited: TypePart = { on: { usage_limited: { action: "wait", target: "time" } } };
	const asks: TypePart = { scope: "story", on: { question: { action: "wait", target: "person" } } };
	const w = new World(
		linear({ all: { each: { steps: [{ type: "work" }], atLeast: 0 } }, report: limited, work: asks }, { steps: ["all", "report"] }),
		{ stories: ["A"] },
	);
	w.end("A work");
	w.end("report", { signal: "usage_limited", retryAt: w.at + 1000 });
	w.feed({ type: "add_stories", stories: [storyOf("B")] });
	w.end("B work", { signal: "question" });
	assert.deepEqual([w.state.status, nextWake(w.state)], ["waiting", null]);
	assert.match(w.state.reason ?? "", /^B .*waits for a person/);
	w.at += 2000;
	w.feed({ type: "decide", id: "d1", scope: null, step: null, verdict: "approve", reason: "" });
	w.play();
	assert.equal(w.state.status, "completed");
});

test("a run that is over takes the stories into its list and does not begin again", () => {
	for (const how of ["completed", "cancelled"] as const) {
		const w = world("A");
		if (how === "completed") w.play();
		else {
			w.feed({ type: "stop", how: "cancel" });
			w.end("A work", "cancelled");
		}
		assert.equal(w.state.status, how);
		assert.deepEqual(
			w.feed({ type: "add_stories", stories: [storyOf("B")] }).map((e) => e.event),
			["stories_added"],
			how,
		);
	}
});
