import assert from "node:assert/strict";
import { test } from "node:test";
import {
	deliveredCommit,
	deliveredFact,
	iterationsBefore,
	pullRequestFacts,
	pullRequestFile,
	pullRequestUrl,
	summaryFact,
	summaryFile,
	wantedBranch,
} from "./mark.ts";
import { linear } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

const withFields = (fields: Readonly<Record<string, string>>) => new World(linear({ a: {} }), { fields }).state;

test("T-03 what pawl notes down is read back under the names that journals have", () => {
	assert.deepEqual(
		{ ...deliveredFact("c1"), ...pullRequestFacts("u", "f"), ...summaryFact("s") },
		{ delivered: "c1", "forge.url": "u", "forge.file": "f", summary_file: "s" },
	);
	const state = withFields({ delivered: "c1", "forge.url": "u", "forge.file": "f", summary_file: "s", branch: " feature/x (new)" });
	assert.deepEqual(
		[deliveredCommit(state), pullRequestUrl(state), pullRequestFile(state), summaryFile(state), wantedBranch(state)],
		["c1", "u", "f", "s", "feature/x"],
	);
	const none = withFields({ "forge.url": "", branch: " " });
	assert.deepEqual([deliveredCommit(none), pullRequestUrl(none), wantedBranch(none)], [null, null, null]);
});

test("T-03 where a loop was begun is asked of the loop, not by the name of a field", () => {
	const loop = (iteration?: string) =>
		linear({
			a: {
				kind: "loop",
				loop: { schedule: "W", roles: { W: { role: "w" } }, max: "3", inject: {}, ...(iteration ? { start: { iteration } } : {}) },
			},
		});
	assert.equal(iterationsBefore(loop("{{done_before}}"), { done_before: "4" }), 4);
	for (const said of ["", "x", "-1", "1.5"]) assert.equal(iterationsBefore(loop("{{done_before}}"), { done_before: said }), 0, said);
	assert.equal(iterationsBefore(loop(), { start_iteration: "4" }), 0);
});
