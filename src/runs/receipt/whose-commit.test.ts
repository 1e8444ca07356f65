import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { linear } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import { scopesOf } from "./whose-commit.ts";

const prepared = (scope: string, commit: string): Event => ({
	event: "step_prepared",
	at: 0,
	scope,
	step: "s",
	attempt: 1,
	commit,
	log: null,
});

/** Runs of the tests begin at the commit "". */
const whose = (events: readonly Event[], commits: readonly string[], workspace: "tree" | "worktree" = "tree") => {
	const { state } = new World(linear({ work: {} }));
	const inputs = { [state.options.mode]: { workspace } };
	const definition = { ...state.definition, inputs: inputs as typeof state.definition.inputs };
	return Object.fromEntries(scopesOf({ ...state, definition }, events, commits));
};

test("what an attempt began at tells whose a commit is, up to the next attempt", () => {
	const events = [prepared(RUN_SCOPE, ""), prepared("A", "c1"), prepared("A", "c2"), prepared("B", "c3")];
	assert.deepEqual(whose(events, ["c1", "c2", "c3", "c4", "c5"]), { c1: RUN_SCOPE, c2: "A", c3: "A", c4: "B", c5: "B" });
});

test("where the commits were put together afterwards, it is the only story, or the run", () => {
	assert.deepEqual(whose([prepared("A", ""), prepared("A", "gone")], ["c1"]), { c1: "A" });
	assert.deepEqual(whose([prepared("A", ""), prepared("B", "gone")], ["c1"]), { c1: RUN_SCOPE });
});

test("a commit on base is the story's whose merge announced it, and nobody else's", () => {
	const merged: Event = { event: "merge_announced", at: 0, scope: "A", step: "merge-1", attempt: 1, commit: "m1" };
	const given: Event = { ...merged, scope: "B", commit: "given-up" };
	assert.deepEqual(whose([prepared("A", ""), merged, given], ["m1"], "worktree"), { m1: "A" });
});
