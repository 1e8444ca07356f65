import assert from "node:assert/strict";
import { test } from "node:test";
import {
	deliveredCommit,
	deliveredFact,
	isMark,
	iterationsBefore,
	KEPT_REFS,
	pullRequestBody,
	pullRequestFacts,
	pullRequestFile,
	pullRequestTitle,
	pullRequestUrl,
	saidBranch,
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

test("T-03 what agents say about the branch and the pull request, and which fields only pawl may set", () => {
	const state = withFields({ branch: " feature/x (new) ", pr_title: " T ", pr_body: "B\n" });
	assert.deepEqual([saidBranch(state), pullRequestTitle(state), pullRequestBody(state)], ["feature/x (new)", "T", "B"]);
	for (const name of ["delivered", "forge.url", "forge.file", "summary_file"]) assert.equal(isMark(name), true, name);
	for (const name of ["branch", "pr_title", "", "toString"]) assert.equal(isMark(name), false, name);
	assert.equal(KEPT_REFS, "refs/pawl/put-back", "repositories have them there");
	assert.equal(deliveredCommit(withFields({ toString: "x" })), null);
});

test("T-03 the loop that says where it was begun is the one that counts", () => {
	const loop = (iteration?: string) => ({
		kind: "loop" as const,
		loop: { schedule: "W", roles: { W: { role: "w" } }, max: "3", inject: {}, ...(iteration ? { start: { iteration } } : { start: {} }) },
	});
	const definition = linear({ plain: {}, a: loop(), b: loop("{{n}}"), c: loop("7") });
	assert.deepEqual([iterationsBefore(definition, { n: "2" }), iterationsBefore(definition, { n: "0" })], [2, 0]);
	assert.equal(iterationsBefore(definition, { n: "9007199254740993" }), 0);
});
