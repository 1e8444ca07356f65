import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "./refusal.ts";
import { StoryNamed, withStory } from "./story-named.ts";

/** What a command asked for; a run of this name is not there, but the latest run has such a story. */
const asked = async (run?: string, story?: string) => {
	const calls: string[] = [];
	await withStory(run, story, async (...of) => {
		calls.push(of.join(" "));
		if (of[0] === "US-1") throw new StoryNamed("r9", "US-1");
		if (of[0] === "nothing") throw new Refusal("not_found", "there is no run nothing");
	});
	return calls;
};

test("a story alone means that of the latest run", async () => {
	assert.deepEqual(await asked("US-1"), ["US-1 ", "r9 US-1"]);
	assert.deepEqual(await asked("r1", "US-1"), ["r1 US-1"]);
	assert.deepEqual(await asked(), [" "]);
});

test("with a second name the first has to be a run, and so does any other name", async () => {
	await assert.rejects(asked("US-1", "step-005"), /there is no run US-1; run r9 has a story US-1: name the run first \(r9 US-1\)/);
	await assert.rejects(asked("nothing"), /there is no run nothing/);
});
