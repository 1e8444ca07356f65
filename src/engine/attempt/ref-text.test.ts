// What a session is told about refs that it moved, made or deleted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignRefs } from "./ref-text.ts";

type Refs = Parameters<typeof foreignRefs>[1];
const moved = (what: string, putBack: boolean): Refs[number] =>
	({ what, change: "moved", by: "session", putBack, kept: null }) as Refs[number];

test("G-22 G-15: who rewrote commits of its own branch is told that, and nothing of a branch that was not put back", () => {
	const text = foreignRefs("execute", [moved("branch main", false)], "main");
	assert.equal(text, "execute rewrote commits of branch main that were there before it began (amend, rebase or reset): only add commits");
	assert.equal(
		foreignRefs("execute", [moved("branch main", false), moved("the stash", true)], "main"),
		`${text}; execute may move its own branch only, but moved the stash: put back`,
	);
	assert.equal(foreignRefs("execute", [], "main"), null);
});
