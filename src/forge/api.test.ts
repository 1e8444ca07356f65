import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { api } from "./api.ts";
import { loginProblem } from "./command.ts";

test("an older glab, which exits with 0 whatever happened, is read by what it prints", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-old-glab-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const glab = join(folder, "glab");
	const prints = (text: string) => {
		writeFileSync(glab, `#!/bin/sh\n${text}\n`);
		chmodSync(glab, 0o755);
	};
	prints(`echo '{"message":"Not Found"}'; echo 'glab: Not Found (HTTP 404)' >&2`);
	assert.deepEqual(await api(glab, "projects/1/issues/99", folder), { problem: "glab: Not Found (HTTP 404)" });
	prints(`echo '{"iid":4}'; echo 'A new version is there' >&2`);
	assert.deepEqual(await api(glab, "projects/1/issues/4", folder), { value: { iid: 4 } });
	prints(
		"echo 'x gitlab.example.org not authenticated with glab. Run `glab auth login --hostname gitlab.example.org` to authenticate' >&2",
	);
	assert.match(
		(await loginProblem(glab, "", folder, "https://gitlab.example.org/a/b.git")) ?? "",
		/is not logged in to gitlab\.example\.org/,
	);
	prints("echo 'Logged in to gitlab.example.org' >&2");
	assert.equal(await loginProblem(glab, "", folder, "https://gitlab.example.org/a/b.git"), null);
});
