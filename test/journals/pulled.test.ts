// A run whose steps agents fetch, begun with an earlier pawl: the claim that was held then still counts, or has expired.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { exited } from "../support/pawl.ts";
import { exists, git, put } from "../support/scratch.ts";
import { commitsOf, database, outlineOf, stateOf } from "./fixture.ts";
import { KEPT, type Opened } from "./kept.ts";

interface Claimed {
	readonly found: boolean;
	readonly claim: string;
	readonly stepId: string;
	readonly workspace: string;
}

/** Claims hold the time at which they run out; the recording is as old as it is. */
function expire(root: string, at: Date): void {
	const db = new DatabaseSync(database(root));
	try {
		db.prepare("UPDATE claims SET expires_at = ? WHERE state = 'held'").run(at.toISOString());
	} finally {
		db.close();
	}
}

const complete = async (opened: Opened, token: string, said: string): Promise<number | null> =>
	(await opened.feed(said, "step", "complete", token)).code;

const claim = async ({ pawl }: Opened, agent: string): Promise<Claimed> =>
	JSON.parse(exited(await pawl("step", "claim", agent), 0).stdout) as Claimed;

function develop(workspace: string, step: string): void {
	put(workspace, { [`${step}.txt`]: "work\n" });
	git(workspace, "add", "-A");
	git(workspace, "commit", "-q", "-m", `feat: ${step}`);
}

/** Agents come in the order in which there is something for them. */
async function finish(opened: Opened, agents: readonly string[]): Promise<void> {
	for (const agent of agents) {
		const claimed = await claim(opened, agent);
		assert.equal(claimed.found, true, agent);
		const [, story = "", step = ""] = claimed.stepId.split(":");
		if (step === "implement") develop(claimed.workspace, story);
		assert.equal(await complete(opened, claimed.claim, "STATUS: done\nCHANGES: some\nTESTS: none\n"), 0);
	}
}

const STORY = ["developer", "verifier"];
const REST = ["tester", "developer", "reviewer"];
const ENDED = { status: "completed", stories: { "US-001": "completed", "US-002": "completed" } };

for (const { name, expected, open } of KEPT) {
	const { claim: token } = expected;
	if (token === null) continue;

	test(`I19 ${name}: the claim that is held is completed, and the run goes on to its end`, async () => {
		const opened = open();
		const { root, repo } = opened;
		expire(root, new Date(Date.now() + 3_600_000));
		assert.equal((await claim(opened, "developer")).found, false);
		const [tree = ""] = git(repo, "worktree", "list", "--porcelain").match(/(?<=^worktree ).*\/worktrees\/.*$/m) ?? [];
		assert.equal(exists(tree, "half.txt"), true);
		develop(tree, "US-001");
		assert.equal(await complete(opened, token, "STATUS: done\nCHANGES: some\nTESTS: none\n"), 0);
		await finish(opened, ["verifier", ...STORY, ...REST]);
		const { status, stories } = outlineOf(stateOf(root));
		assert.deepEqual({ status, stories }, ENDED);
		assert.deepEqual(commitsOf(root)["feature/pulled"], ["start", "feat: US-001", "feat: US-002"]);
	});

	test(`I19 ${name}: the claim that ran out is stale, and its step is for the next who comes`, async () => {
		const opened = open();
		const { root, repo } = opened;
		expire(root, new Date(0));
		exited(await opened.pawl("resume"), 0);
		assert.equal(await complete(opened, token, "STATUS: done\n"), 1);
		await finish(opened, [...STORY, ...STORY, ...REST]);
		const { status, stories } = outlineOf(stateOf(root));
		assert.deepEqual({ status, stories }, ENDED);
		const commits = commitsOf(root)["feature/pulled"] ?? [];
		assert.deepEqual(commits, ["start", "feat: US-001", "feat: US-002"]);
		assert.doesNotMatch(git(repo, "log", "--format=", "--name-only", "feature/pulled"), /half/);
	});
}
