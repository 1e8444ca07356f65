import assert from "node:assert/strict";
import { test } from "node:test";
import { stories, storyOf } from "../core/testing/builders.suite.ts";
import { World } from "../core/testing/world.suite.ts";
import { keptVariables } from "./kept.ts";

const report = { notes: "text", keys: [], signals: [], keep: { learnings: "LEARNING" } } as const;
const definition = stories({ work: { report } });

test("S-46: later prompts get learnings, best fit first, up to a limit", () => {
	const w = new World(definition, {
		stories: [storyOf("A"), storyOf("B", { title: "Validate tokens", description: "tokens expire" })],
	}).until("B work", {
		"A work": {
			kept: [
				{ name: "learnings", text: "insight | tokens are validated by middleware" },
				...Array.from({ length: 40 }, (_, i) => ({ name: "learnings", text: `pattern | something else ${i} ${"x".repeat(400)}` })),
			],
		},
	});
	const text = keptVariables(w.state, w.story("B"))["learnings"] ?? "";
	assert.match(text, /^<learnings>\n- insight \| tokens are validated/);
	assert.ok(text.length < 8000 && text.split("\n- ").length <= 13, `${text.length}`);
	assert.equal(keptVariables(new World(definition, { stories: ["A"] }).state, undefined)["learnings"], "(none yet)");
});
