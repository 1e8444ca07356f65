// `pawl retro` as a user calls it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { scratch } from "./scratch.ts";

const SCRIPT = `steps:
  - on: {type: retro}
    do: [{usage: {cost_usd: 0.5}}, {say: "## What cost sessions\\n\\nNothing.\\n\\n## What to change\\n\\nNothing."}]
  - on: {type: coding}
    do: [{write: {path: done.txt, content: "done\\n"}}, {commit: Add it}]
  - do: [{say: "## SUMMARY\\n\\n- done"}]
`;

it("writes retro.md of a run, which stays as it is; a run that does not exist is exit 2", async () => {
	const s = scratch({ "script.yml": SCRIPT });
	const ran = await s.pawl("run", "dynamic", "Add a file", "--script", "script.yml", "--quiet");
	assert.equal(ran.code, 0, ran.stderr);
	const { code, stdout, stderr } = await s.pawl("retro", "latest", "--script", "script.yml");
	assert.equal(code, 0, stderr);
	const [, file = ""] = /^## What cost sessions\n\nNothing\.[\s\S]*\n(.*\/retro\.md) \(scripted, \$0\.50\)\n$/.exec(stdout) ?? [];
	assert.equal(dirname(dirname(file)), join(s.root, ".pawl", "runs"), stdout);
	assert.match(readFileSync(file, "utf8"), /^# Retro of run /);
	assert.equal((await s.pawl("retro", "nosuch", "--script", "script.yml", "--json")).code, 2);
});
