// The folders of agents in openclaw: found by any of their names, and never a reason to fail.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openclawIds, openclawWorkspace } from "./openclaw.ts";

function home(t: TestContext, text: string | null): string {
	const folder = mkdtempSync(join(tmpdir(), "pawl-home-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	mkdirSync(join(folder, ".openclaw"));
	if (text !== null) writeFileSync(join(folder, ".openclaw", "openclaw.json"), text);
	return folder;
}

test("A-61 the folder of the loop's agent", (t) => {
	const list = [
		{ id: "other", workspace: "/o" },
		{ id: "mini_dev", workspace: "/w" },
		{ id: "tilde", workspace: "~/t" },
	];
	const folder = home(t, JSON.stringify({ agents: { list } }));
	assert.equal(openclawWorkspace(folder, openclawIds("mini", "dev")), "/w");
	assert.equal(openclawWorkspace(folder, ["tilde"]), join(folder, "t"));
	assert.equal(openclawWorkspace(folder, ["nobody"]), null);
});

for (const text of [
	null,
	"",
	"{",
	"[]",
	"null",
	'{"agents": 1}',
	'{"agents": {"list": {}}}',
	'{"agents": {"list": [null, 1, {"id": "a"}, {"id": "a", "workspace": 3}]}}',
	'{"agents": {"list": [{"id": "a", "workspace": "relative"}]}}',
])
	test(`A-61 nothing is known where the file says ${text}`, (t) => {
		assert.equal(openclawWorkspace(home(t, text), ["a"]), null);
	});
