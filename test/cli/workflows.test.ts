// Where `pawl workflow` looks for workflows.
import assert from "node:assert/strict";
import { it } from "node:test";
import { pawlExits } from "../support/pawl.ts";
import { git, put, scratchFolder } from "../support/scratch.ts";

it("T-06 the workflows of a repository that has no commit yet are found, from a folder inside it too", async () => {
	const repo = scratchFolder("no-commit");
	git(repo, "init", "-q");
	put(repo, {
		".pawl/workflows/mine/workflow.yml":
			"name: mine\ntitle: Mine alone\ninputs: {r: {reader: request, workspace: tree}}\nsteps: [a]\ntypes: {a: {approval: person, on: {approved: next, rejected: fail run}}}\n",
		"deep/down.txt": "x\n",
	});
	for (const cwd of [repo, `${repo}/deep`]) {
		assert.match((await pawlExits(0, ["workflow", "list"], { cwd })).stdout, /^mine +repository +Mine alone$/m);
		assert.match((await pawlExits(0, ["workflow", "show", "mine"], { cwd })).stdout, /Mine alone/);
	}
});
