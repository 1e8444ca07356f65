// A story for which a person accepts that nothing is changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stories } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const asks = { action: "wait", target: "person" } as const;
const tiny = () => stories({ work: { expectsChange: true as const, on: { blocked: asks } }, look: {} }, { expectsChange: true });
const decide = { type: "decide", scope: null, step: null, reason: "" } as const;

test("G-17 I7 who cannot do a story asks a person; approved, the story is settled without a change and nobody has to look at it", () => {
	const w = new World(tiny(), { stories: ["A", "B"] });
	w.end("work", { signal: "blocked", error: "the finding is wrong: a.ts:1", changed: false });
	assert.match(
		w.find("A", "work").feedback ?? "",
		/the finding is wrong.*If you approve, the story is settled without a change; if you reject, it fails/,
	);
	w.feed({ ...decide, verdict: "approve" });
	assert.deepEqual([w.story("A").status, w.find("A", "look").status, w.story("B").status], ["completed", "skipped", "in_progress"]);
	assert.match(w.story("A").excused ?? "", /the finding is wrong/);
});

test("G-17 a person drops a story that failed, by skipping the step that had to change something", () => {
	const w = new World(tiny(), { stories: ["A"] });
	w.end("work", { signal: "agent_error", error: "no" });
	assert.equal(w.story("A").status, "failed");
	w.feed({ type: "skip_step", scope: "A", step: w.find("A", "work").id, reason: "it is no bug" });
	assert.deepEqual([w.story("A").status, w.story("A").excused, w.state.status], ["completed", "it is no bug", "completed"]);
});

test("G-15 a story that has a change is not settled without one", () => {
	const w = new World(tiny(), { stories: ["A"] });
	w.end("work", { signal: "blocked", error: "half of it", changed: true });
	w.feed({ ...decide, verdict: "approve" });
	assert.deepEqual([w.find("A", "look").status, w.story("A").excused], ["in_progress", undefined]);
});
