// What control.json asks for, and in which words.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ControlFilesContext } from "../../format.ts";
import { control } from "./control.ts";

test("T-42 an unknown key beside a pause is named in the journal, and is no part of the reason why the loop is held", async (t) => {
	const tree = mkdtempSync(join(tmpdir(), "pawl-control-"));
	t.after(() => rmSync(tree, { recursive: true }));
	mkdirSync(join(tree, "ralph/runs/demo"), { recursive: true });
	writeFileSync(join(tree, "ralph/runs/demo/control.json"), JSON.stringify({ pause: true, reason: "lunch", mine: 1 }));
	const state = { id: "r-42", input: { folder_id: "demo" }, held: null, root: { steps: [] }, createdAt: 0 };
	const found = await control.look({ state, workspace: { path: tree }, now: () => Date.now() } as unknown as ControlFilesContext);
	assert.deepEqual([found?.message.hold, found?.message.reason], [true, "pause (lunch)"]);
	assert.match(found?.message.text ?? "", /^pause \(lunch\); control\.json: "mine" is none of its keys/);
});
