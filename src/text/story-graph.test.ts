// Stories as a tree of lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { storyGraph } from "./story-graph.ts";

const story = (id: string, ...dependsOn: string[]) => ({ id, title: `Do ${id}`, dependsOn });

test("each story stands below the last of those that it waits for, and names the others", () => {
	const lines = storyGraph(
		[{ ...story("A"), passes: true }, story("B", "A"), story("C", "A"), story("D", "B", "C"), story("E", "D"), story("F")],
		(id) => (id === "F" ? "new" : ""),
	);
	assert.deepEqual(
		lines.map(({ story: id, title, note }) => `${id} ${title}${note === "" ? "" : ` (${note})`}`),
		["A Do A (passes already)", "├ B Do B", "└ C Do C", "  └ D Do D (also after B)", "    └ E Do E", "F Do F (new)"],
	);
});

test("a long chain is no reason to run out of stack", () => {
	const chain = Array.from({ length: 3000 }, (_, n) => (n === 0 ? story("S0") : story(`S${n}`, `S${n - 1}`)));
	assert.equal(storyGraph(chain).length, 3000);
});
