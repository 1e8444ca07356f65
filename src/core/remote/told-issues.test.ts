import assert from "node:assert/strict";
import { test } from "node:test";
import type { Effect } from "../effect.ts";
import { stories, storyOf } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { transition } from "../transition.ts";

const told = (effects: readonly Effect[]): string[] =>
	effects.flatMap((one) => (one.effect === "comment_issue" ? [`${one.issue} ${one.about}`] : []));
const issues = [3, 7].map((issue) => ({ ...storyOf(`ISSUE-${issue}`), issue }));

test("an issue is told that its work began and what became of it, if a person allowed that", () => {
	const w = new World(stories({ work: {} }), { stories: issues, options: { comments: true } });
	assert.deepEqual(told(w.effects), ["3 started"], "nobody works on the second one yet");
	w.play({ work: {} });
	assert.deepEqual(told(w.effects), ["3 started", "7 started", "3 ended", "7 ended"]);
});

test("G-09 without permission no issue is told anything", () => {
	const w = new World(stories({ work: {} }), { stories: issues });
	w.play({ work: {} });
	assert.deepEqual(told(w.effects), []);
});

test("an issue that nobody began to work on is not told; one whose story is retried is told once that it began", () => {
	const w = new World(stories({ work: { on: { agent_error: { action: "fail", target: "run" } } } }), {
		stories: issues,
		options: { comments: true },
	});
	w.end("ISSUE-3 work", { signal: "agent_error", error: "x" });
	assert.deepEqual(told(w.effects), ["3 started", "3 ended"]);
	w.feed({ type: "retry_story", story: "ISSUE-3" });
	assert.equal(told(w.effects).filter((one) => one === "3 started").length, 1);
});

test("what became of a comment is journaled", () => {
	const w = new World(stories({ work: {} }), { stories: issues });
	const { events } = transition(w.state, { type: "issue_commented", at: 1, issue: 3, about: "started", url: null, problem: "gh: no" });
	assert.deepEqual(events, [{ at: 1, event: "issue_commented", issue: 3, about: "started", url: null, problem: "gh: no" }]);
});
