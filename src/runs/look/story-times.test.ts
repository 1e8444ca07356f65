import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamic } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import { progressView } from "./run-view.ts";
import { storyTimes } from "./story-times.ts";

test("T-64: the time of a story that was retried leaves out how long it lay there failed", () => {
	const claimed = { at: 1_000, event: "story_claimed", scope: "A", slot: 1 } as const;
	const failed = { at: 4_000, event: "story_failed", scope: "A", error: "x" } as const;
	const over = { at: 4_000, event: "run_status_changed", status: "failed", reason: "x" } as const;
	const again = [
		{ at: 90_000, event: "run_resumed" },
		{ at: 90_000, event: "story_claimed", scope: "A", slot: 1 },
	] as const;
	const done = { at: 92_000, event: "story_completed", scope: "A" } as const;
	assert.equal(storyTimes([claimed, failed, over, ...again, done], 99_000).get("A"), 5_000);
	const paused = { at: 3_000, event: "run_status_changed", status: "paused", reason: null } as const;
	assert.equal(storyTimes([claimed, paused], 99_000).get("A"), 2_000, "it stood still since");
	assert.equal(storyTimes([claimed, paused, again[0], done], 99_000).get("A"), 4_000);
});

test("T-64: progress counts the steps of a running story", () => {
	const world = new World(dynamic(), { stories: ["US-001"], options: { base: "main" } });
	world.until("US-001 coding", {});
	const { progress } = progressView(world.state, world.at);
	assert.ok(progress && progress.percent > 20 && progress.percent < 60, String(progress?.percent));
});
