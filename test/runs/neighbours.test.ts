// Runs beside each other, and one after the other, in one repository: none is in the way of another, and none takes anything from it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { commit, fakeAgent, type Rule } from "../support/fake-agent.ts";
import { pawlExits } from "../support/pawl.ts";
import { git, read, repository } from "../support/scratch.ts";

const prd = (...ids: readonly string[]): string =>
	JSON.stringify({
		project: "p",
		branchName: "main",
		description: "d",
		userStories: ids.map((id) => ({
			id,
			title: `Story ${id}`,
			description: `Do ${id}`,
			acceptanceCriteria: [`${id} is there`],
			priority: 1,
			passes: false,
			notes: "",
		})),
	});

const OWN_FILE: Rule = { when: { type: "coding" }, do: ['echo "$PAWL_STORY_ID" > "$PAWL_STORY_ID.txt"', commit("work")] };
const PRD_OF = { first: prd("A-1"), second: prd("B-1") };

it("G-24 what a run wrote into a committed PRD does not hold up the merges of another run", async () => {
	const repo = repository({ "first.json": PRD_OF.first, "second.json": PRD_OF.second });
	const agent = fakeAgent([OWN_FILE]);
	const run = (file: string) => pawlExits(0, ["run", "dynamic", "--prd", file, "--agent-command", agent.command], { cwd: repo });
	await run("first.json");
	assert.match(git(repo, "status", "--porcelain"), /first\.json/);
	await run("second.json");
	assert.deepEqual(git(repo, "log", "--reverse", "--format=%s", "-2").split("\n"), [
		"feat(ralph): A-1 - Story A-1",
		"feat(ralph): B-1 - Story B-1",
	]);
	assert.match(read(repo, "first.json"), /"passes": ?true/);
});
