// G-09: nothing leaves the machine unless the person allowed it: without --push no role can push or open a pull request, and the attempt is
// shown. This is about programs on the PATH of a session, so it uses real ones.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commit, fakeAgent, write } from "../support/fake-agent.ts";
import { pawlExits } from "../support/pawl.ts";
import { exists, git, put, repository, scratchFolder } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";
import { alsoIn } from "./also-in.ts";

test("G-09 git push, gh and glab of a session reach nobody, and the person is told", async () => {
	const repo = repository();
	const [bare, programs] = [join(scratchFolder("origin"), "o.git"), scratchFolder("programs")];
	git(repo, "init", "-q", "--bare", bare);
	git(repo, "remote", "add", "origin", bare);
	for (const name of ["gh", "glab"]) {
		put(programs, { [name]: `#!/bin/sh\ntouch ${join(programs, "called")}\n` });
		chmodSync(join(programs, name), 0o755);
	}
	const agent = fakeAgent([
		{
			when: { type: "work" },
			do: [write("work.txt", "w\n"), commit("work"), "git push origin HEAD:refs/heads/out; gh pr create; glab mr create; true"],
		},
	]);
	const ended = await pawlExits(0, ["run", smallWorkflow(), "Add a file", "--agent-command", agent.command], {
		cwd: repo,
		env: { PATH: `${programs}:${process.env["PATH"]}` },
	});
	assert.equal(git(bare, "for-each-ref"), "");
	assert.equal(exists(programs, "called"), false);
	assert.match(ended.all, /was refused: .*push/);
});

alsoIn("G-09", "test/gated/boundaries.test.ts", "test/pipelines/forge.test.ts");
