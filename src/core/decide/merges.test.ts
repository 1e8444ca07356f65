// A run that merged stories ends when base is known to hold them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stories } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { mergedStories } from "./merges.ts";

const merge = { kind: "action", action: "merge", internal: true, on: { merged: { action: "next" } } } as const;
const world = (base: string | null = "main") =>
	new World(stories({ work: { on: { agent_error: { action: "fail", target: "story" } } }, merge }), {
		stories: ["A", "B"],
		options: { base, agents: 1 },
	});

function announce(w: World, story: string, ...commits: readonly string[]): void {
	const { scope, step, attempt } = w.job(`${story} merge`);
	for (const commit of commits) w.feed({ type: "merge_announced", scope, step, attempt, commit });
	w.end(`${story} merge`, { signal: "merged" });
}

test("G-23 before it ends, a run looks for what it merged: once, for the newest commit of each story first, and not for stories that failed", () => {
	const w = world();
	w.end("A work");
	announce(w, "A", "aaaa000000001", "aaaa000000002");
	w.end("B work", { signal: "agent_error", error: "broken" });
	assert.equal(w.state.status, "running");
	assert.deepEqual(w.asked("look_for_merges"), [
		{ effect: "look_for_merges", scope: "@run", merges: [{ story: "A", commits: ["aaaa000000002", "aaaa000000001"] }] },
	]);
	assert.equal(w.all("merges_sought").length, 1);
	w.feed({ type: "advance" });
	assert.equal(w.asked("look_for_merges").length, 1, "it looks once");
	w.feed({ type: "merges_looked_for", missing: [{ story: "A", commit: "aaaa000000002" }] });
	assert.equal(w.state.status, "failed");
	assert.equal(
		w.state.reason,
		"failed: B; A was merged into main as aaaa00000000, and main no longer holds that commit: the branch was moved. Bring it back with git cherry-pick aaaa00000000",
	);
	assert.deepEqual(
		w
			.asked("notify")
			.filter((e) => e.about === "finished")
			.map((e) => e.text),
		[w.state.reason],
	);
});

test("G-23 where base holds everything, the run completes; an answer that nobody asked for is not taken", () => {
	const w = world();
	const before = w.events.length;
	w.feed({ type: "merges_looked_for", missing: [] });
	assert.equal(w.events.length, before);
	for (const story of ["A", "B"]) {
		w.end(`${story} work`);
		announce(w, story, `${story}1`);
	}
	w.feed({ type: "merges_looked_for", missing: [] });
	assert.deepEqual([w.state.status, w.state.reason], ["completed", null]);
	assert.deepEqual(
		w.asked("notify").map((e) => [e.about, e.text]),
		[["finished", "completed"]],
	);
});

test("G-23 what is gone is named alone where nothing else failed, with the run's own branch or without a name", () => {
	const w = world(null);
	for (const story of ["A", "B"]) {
		w.end(`${story} work`);
		announce(w, story, `${story}1`);
	}
	w.feed({ type: "merges_looked_for", missing: [{ story: "B", commit: "B1" }] });
	assert.match(w.state.reason ?? "", /^B was merged into its base as B1, and its base no longer holds/);
	assert.deepEqual(
		mergedStories(w.state).map(({ story }) => story),
		["A", "B"],
	);
});

test("a run whose merges announced nothing, as those of an earlier version, ends at once", () => {
	const w = world();
	for (const story of ["A", "B"]) {
		w.end(`${story} work`);
		w.end(`${story} merge`, { signal: "merged" });
	}
	assert.equal(w.state.status, "completed");
	assert.deepEqual([w.asked("look_for_merges"), mergedStories(w.state)], [[], []]);
});
