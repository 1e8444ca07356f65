// A prompt file with the prd.json beside it, in the form of other tools, run as they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commit, fakeAgent, say } from "../support/fake-agent.ts";
import { exited, pawl } from "../support/pawl.ts";
import { exists, git, read, repository } from "../support/scratch.ts";

const PROMPT =
	"# Agent\r\n\nRead `prd.json` (in the same directory as this file). Pick the next story. {{task}} $&\n\nWhen all pass reply with:\n\n<promise>COMPLETE</promise>\n";
const AT = "scripts/ralph";
const story = (n: number) => ({
	id: `US-00${n}`,
	title: `Story ${n}`,
	acceptanceCriteria: ["it is there"],
	priority: n,
	passes: false,
	notes: "",
});
const passes = (n: number): string => `sed -i '/"US-00${n}"/,/"passes"/s/"passes": false/"passes": true/' ${AT}/prd.json`;
const works = (n: number): string[] => [`echo ${n} > w${n}.txt`, passes(n), commit(`feat: US-00${n}`)];

test("T-43 T-40: workers get the file byte for byte; stories, progress and reviews are where the prompt says", async () => {
	const repo = repository({
		[`${AT}/prompt.md`]: PROMPT,
		[`${AT}/prd.json`]: JSON.stringify({ project: "x", branchName: "main", description: "x", userStories: [story(1), story(2)] }, null, 2),
	});
	const agent = fakeAgent([
		{ when: { nth: 1 }, do: [...works(1), say("One.\n\n<promise>COMPLETE</promise>")] },
		{ when: { role: "reviewer" }, do: ["echo broken >> w1.txt", say("STEERING_NEEDED: no\nREASON: US-002 is open, why-43\nACCEPTED: no")] },
		{ when: { role: "worker" }, do: [`cp ${AT}/progress.txt "$home/progress"`, ...works(2), say("All.\n\n<promise>COMPLETE</promise>")] },
	]);
	const run = ["run", "ralph", "prompt.md", "--max-iterations", "5", "--agent-command", agent.command];
	exited(await pawl(run, { cwd: `${repo}/${AT}` }), 0);
	const calls = agent.calls();
	assert.deepEqual(
		calls.map((call) => call.env["PAWL_ROLE"]),
		["worker", "reviewer", "worker"],
	);
	for (const call of calls.filter((one) => one.env["PAWL_ROLE"] === "worker")) assert.equal(call.prompt, PROMPT);
	const final = calls[1]?.prompt ?? "";
	assert.match(final, /1 of 2 pass, as `scripts\/ralph\/prd\.json` says now.*is in `scripts\/ralph\/prompt\.md`/);
	assert.match(final, /- US-001 \(passes\): Story 1\n- US-002 \(open\): Story 2/);
	const first = git(repo, "rev-list", "--max-parents=0", "HEAD").trim().slice(0, 12);
	assert.match(final, new RegExp(`git log -p ${first}\\.\\.HEAD`));
	assert.match(final, /REASON: the second criterion of S99 is not met/);
	assert.match(read(agent.flag("progress")), /why-43/, "the second worker reads why the promise did not count");
	const doc = JSON.parse(read(repo, AT, "prd.json")) as { userStories: { passes: boolean }[]; branchName: string };
	assert.deepEqual([doc.userStories.map((one) => one.passes), doc.branchName], [[true, true], "main"]);
	assert.equal(read(repo, "w1.txt"), "1\n", "a reviewer changes no code");
	assert.equal(exists(repo, "ralph/templates"), false);
	assert.match(git(repo, "log", "--format=%s"), /feat: US-002/);
	const stories = JSON.parse((await pawl(["stories", "latest", "--json"], { cwd: repo })).stdout) as unknown[];
	assert.equal(stories.length, 2);
});
