// Which runs machines can share: those in which only stories need a checkout.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition } from "../definition.ts";
import { dynamic, stories } from "../testing/builders.suite.ts";
import { whyNotShared } from "./shareable.ts";

const withLast = (type: Parameters<typeof stories>[0][string]): Definition =>
	stories({ work: {} }, {}, { steps: ["stories", "last"], types: { last: { scope: "run", ...type } } });

test("stories in worktrees can be shared, and nothing else", () => {
	assert.equal(whyNotShared(dynamic(), "prd"), null);
	assert.match(whyNotShared(dynamic(), "request") ?? "", /worktrees of their own/);
	assert.match(whyNotShared(dynamic(), "constructor") ?? "", /worktrees of their own/);
});

test("G-01 a step of the run itself that needs a checkout cannot be shared: its work would be delivered nowhere, its checks would see another tree", () => {
	for (const kind of ["agent", "command", "gate", "loop", "action"] as const)
		assert.match(whyNotShared(withLast({ kind }), "prd") ?? "", /the step last of the workflow tiny belongs to the run itself/, kind);
	assert.equal(whyNotShared(withLast({ kind: "approval" }), "prd"), null);
});

test("a step that a run with worktrees never comes to is in nobody's way, and one that a route leads to is", () => {
	const only = (op: "is" | "is_not", value: string) => withLast({ kind: "action", when: [{ field: "workspace", op, value }] });
	assert.equal(whyNotShared(only("is", "tree"), "prd"), null);
	assert.equal(whyNotShared(only("is_not", "worktree"), "prd"), null);
	assert.notEqual(whyNotShared(only("is", "worktree"), "prd"), null);
	assert.notEqual(whyNotShared(only("is_not", "tree"), "prd"), null);
	const rejected = { rejected: { action: "retry", max: 1, exhausted: { action: "goto", target: "aside" } } } as const;
	const asked = stories(
		{ work: {} },
		{},
		{
			steps: ["stories", "ask"],
			types: { ask: { scope: "run", kind: "approval", on: rejected }, aside: { scope: "run", detour: true } },
		},
	);
	assert.match(whyNotShared(asked, "prd") ?? "", /the step aside/);
	assert.match(whyNotShared({ ...stories({ work: {} }), inboxes: ["control.json"] }, "prd") ?? "", /control\.json/);
});
