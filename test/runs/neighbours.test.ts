// Runs beside each other, and one after the other, in one repository: none is in the way of another, and none takes anything from it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { commit, exit, fakeAgent, HANG, type Rule } from "../support/fake-agent.ts";
import { exited, kill9, pawl, pawlExits, startPawl } from "../support/pawl.ts";
import { exists, git, put, read, repository, until } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

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

it("G-24 a run that failed is not retried while another one works on a story of that name; afterwards it goes on from its own work", async () => {
	const repo = repository({ ".gitignore": "*.json\n" });
	put(repo, { "first.json": prd("US-1"), "second.json": prd("US-1") });
	const first = fakeAgent([
		{ when: { type: "coding" }, do: ["echo first > first.txt", commit("of the first")] },
		{ when: { type: "linting", nth: 1 }, do: [exit(3)] },
	]);
	const second = fakeAgent([
		{ when: { type: "coding" }, do: ["echo second > second.txt", commit("of the second")] },
		{ when: { type: "linting" }, do: ['touch "$home/there"', 'while [ ! -e "$home/go" ]; do sleep 0.01; done'] },
	]);
	const args = (file: string, command: string): string[] => ["run", "dynamic", "--prd", file, "--agent-command", command];
	await pawlExits(1, args("first.json", first.command), { cwd: repo });
	const [failed = ""] = (await pawlExits(0, ["runs"], { cwd: repo })).stdout.match(/\d{8}-\d{6}-\w{4}/) ?? [];
	const running = startPawl(args("second.json", second.command), { cwd: repo });
	await until("the second is at work", () => exists(second.home, "there"));
	const refs = git(repo, "for-each-ref");
	const refused = exited(await pawl(["retry", failed], { cwd: repo }), 2);
	assert.match(refused.stderr, /run \d{8}-\d{6}-\w{4} has US-1 at work/);
	assert.doesNotMatch(refused.stderr, new RegExp(`run ${failed} has`));
	assert.equal(git(repo, "for-each-ref"), refs);
	put(second.home, { go: "" });
	exited(await running.done, 0);
	exited(await pawl(["retry", failed], { cwd: repo }), 0);
	assert.deepEqual(git(repo, "ls-tree", "--name-only", "main").split("\n"), [".gitignore", "README.md", "first.txt", "second.txt"]);
	assert.equal(first.of("coding").length, 1, "what the first had done is not done again, nor taken from the second");
});

it("G-24 what a run wrote into a committed PRD is no uncommitted work to a run in the tree: it starts, and neither commits it nor takes it away", async () => {
	const repo = repository({ "first.json": PRD_OF.first });
	const agent = fakeAgent([
		{ when: { type: "coding", story: "A-1" }, do: OWN_FILE.do },
		{ when: { type: "coding", nth: 1 }, do: ["echo half > half.txt", commit("half"), exit(3)] },
	]);
	await pawlExits(0, ["run", "dynamic", "--prd", "first.json", "--agent-command", agent.command], { cwd: repo });
	const written = read(repo, "first.json");
	await pawlExits(1, ["run", "dynamic", "Add a file", "--agent-command", agent.command], { cwd: repo });
	assert.equal(exists(repo, "half.txt"), false, "the failed step was put back");
	await pawlExits(0, ["retry"], { cwd: repo });
	assert.equal(read(repo, "first.json"), written);
	assert.equal(git(repo, "status", "--porcelain"), " M first.json");
	assert.equal(git(repo, "log", "--format=%s", "--", "first.json"), "start");
});

it("G-24 a run in the user's tree keeps that checkout until it is over, also when it was killed: a second one is refused, names it, and writes nothing", async () => {
	const repo = repository();
	const agent = fakeAgent([
		{ when: { type: "look", nth: 1 }, do: ['touch "$home/there"', HANG] },
		{ when: { type: "work" }, do: ["echo work > work.txt", commit("work")] },
	]);
	const args = ["run", smallWorkflow(), "Add a file", "--agent-command", agent.command];
	const started = startPawl(args, { cwd: repo });
	await until("it is at work", () => exists(agent.home, "there"));
	await kill9(started);
	const runs = async () => JSON.parse((await pawlExits(0, ["runs", "--json"], { cwd: repo })).stdout) as { run: string }[];
	const [{ run = "" } = {}] = await runs();
	for (const second of [args, ["workflow", "run", smallWorkflow(), "Add a file"]])
		assert.match((await pawlExits(2, second, { cwd: repo })).stderr, new RegExp(`run ${run} works in this checkout.*pawl resume ${run}`));
	assert.equal((await runs()).length, 1);
	assert.equal(agent.calls().length, 1);
	await pawlExits(0, ["resume", run], { cwd: repo });
	await pawlExits(0, ["workflow", "run", smallWorkflow(), "Add a file"], { cwd: repo });
});
