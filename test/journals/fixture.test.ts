import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { latestIn, pointLatest } from "../../src/runs/latest.ts";
import { move, ROOT } from "./fixture.ts";

test("a recording that is moved knows the latest run of its worktree", (t) => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-fixture-")));
	t.after(() => rmSync(root, { recursive: true }));
	const [project, worktree] = [join(root, "project"), join(root, "worktree")];
	mkdirSync(project);
	pointLatest(project, worktree, "20261118-090526-9s0u");
	move(root, [[root, ROOT]]);
	assert.equal(latestIn(project, worktree), null);
	move(root, [[ROOT, root]]);
	assert.equal(latestIn(project, worktree), "20261118-090526-9s0u");
});
