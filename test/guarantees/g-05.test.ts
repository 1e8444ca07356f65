// G-05: every run can be found, looked at and resumed by its id from its repository, one-shots included. This is about a repository's
// folder and several processes, so it uses real ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeAgent, HANG, write } from "../support/fake-agent.ts";
import { kill9, pawl, pawlExits, startPawl } from "../support/pawl.ts";
import { exists, git, repository, scratchFolder, until } from "../support/scratch.ts";

test("G-05 a one-shot that was killed is listed, says what became of it, and is resumed by its id", async () => {
	const repo = repository();
	const agent = fakeAgent([{ when: { type: "coding", nth: 1 }, do: [write("half.txt", "half\n"), 'touch "$home/there"', HANG] }]);
	const where = { cwd: repo, env: { TMPDIR: scratchFolder("tmp") } };
	const started = startPawl(["Add a file", "--agent-command", agent.command], where);
	await until("it is at work", () => exists(agent.flag("there")));
	await kill9(started);
	const listed = JSON.parse((await pawlExits(0, ["runs", "--json"], where)).stdout) as readonly { readonly id: string }[];
	assert.equal(listed.length, 1);
	const id = listed[0]?.id ?? "";
	assert.match((await pawlExits(0, ["status", id], where)).stdout, /pawl resume/);
	await pawlExits(0, ["resume", id], where);
	assert.equal(exists(repo, "half.txt"), false);
	assert.equal(git(repo, "status", "--porcelain"), "");
	assert.match((await pawl(["status", id], where)).stdout, /completed/);
});
