import assert from "node:assert/strict";
import { test } from "node:test";
import { issueNumber, queryProblem, readQuery } from "./issue-query.ts";

test("the number of an issue, and nothing else", () => {
	assert.deepEqual(["7", "#7", " 12 "].map(issueNumber), [7, 7, 12]);
	for (const wrong of ["", "0", "-1", "7;rm", "1e3", "7/../../x", "12345678901", true, undefined]) assert.equal(issueNumber(wrong), null);
});

test("a query names labels, a milestone, people and words; the same for every forge", () => {
	assert.deepEqual(readQuery('label:agent label:"good first" milestone:2.0 author:@ann assignee:@me a crash'), {
		...{ labels: ["agent", "good first"], milestone: "2.0", author: "ann", assignee: "@me", words: "a crash" },
	});
});

test("what it does not know is refused by name, above all other repositories", () => {
	assert.match(queryProblem("repo:other/x label:a") ?? "", /has repo:other\/x: it takes label:…, milestone:…/);
	assert.match(queryProblem("label:a,b") ?? "", /has label:a,b/);
	assert.match(queryProblem("label:") ?? "", /has label:/);
	assert.match(queryProblem("milestone:1 milestone:2") ?? "", /more than one milestone/);
	for (const wrong of ["", "  ", "a\nb", "x".repeat(501), true]) assert.match(queryProblem(wrong) ?? "", /must say which issues/);
});
