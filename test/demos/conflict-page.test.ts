// docs/prompts/ also has the prompts that no demo comes to.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CONFLICT_PAGE, conflictPage } from "./conflict-page.ts";

test("T-15 docs/prompts/dynamic-conflict.md has the prompts of rebase_resolve and of the review after it, as the code makes them", async (t) => {
	const page = await conflictPage(t);
	assert.match(page, /rebase_resolve[\s\S]*git rebase main[\s\S]*final_review[\s\S]*git diff main\.\.\.HEAD/);
	assert.equal(readFileSync(CONFLICT_PAGE, "utf8"), page, "stale: npm run prompts");
});
