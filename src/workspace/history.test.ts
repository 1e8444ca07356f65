// Questions about a repository that files answer as git does.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gitDuring } from "./git/git-during.suite.ts";
import { openHistory } from "./history.ts";
import { type Scratch, scratchRepository } from "./tree/scratch-repository.suite.ts";

async function historyOf({ root }: Scratch) {
	const opened = await openHistory(root);
	assert.ok(!("problem" in opened));
	// The first call finds out how git is to be called here.
	await opened.hasBranch("main");
	return opened;
}

test("the commit of a branch with a file of its own costs no process, that of a packed one costs one", async (t) => {
	const s = scratchRepository(t);
	const history = await historyOf(s);
	const tip = s.git(["rev-parse", "main"]);
	const ask = async (): Promise<void> => assert.equal(await history.commitOf("main"), tip);
	assert.deepEqual(await gitDuring(ask), []);
	s.git(["pack-refs", "--all"]);
	assert.deepEqual(await gitDuring(ask), ["rev-parse"]);
});

test("which files two commits changed costs one process", async (t) => {
	const s = scratchRepository(t);
	const history = await historyOf(s);
	const start = s.git(["rev-parse", "main"]);
	s.write("c.txt", "c\n");
	s.git(["add", "-A"]);
	s.git(["commit", "-qm", "c"]);
	const ask = async (): Promise<void> => assert.deepEqual(await history.changedPaths(start, "main"), ["c.txt"]);
	assert.deepEqual(await gitDuring(ask), ["diff"]);
	const none = "0".repeat(39);
	await assert.rejects(history.changedPaths(`${none}1`, "main"), { name: "WorkspaceError", message: `there is no commit ${none}1` });
	await assert.rejects(history.changedPaths(start, "gone"), { name: "WorkspaceError", message: "there is no branch gone" });
});

test("a branch is what git says it is, whatever its file holds", async (t) => {
	const s = scratchRepository(t);
	const history = await historyOf(s);
	const heads = join(s.root, ".git", "refs", "heads");
	const tip = s.git(["rev-parse", "main"]);
	writeFileSync(join(heads, "alias"), "ref: refs/heads/main\n");
	assert.equal(await history.commitOf("alias"), tip);
	writeFileSync(join(heads, "broken"), `${"1".repeat(40)}\n`);
	writeFileSync(join(s.root, ".git", "stray"), `${tip}\n`);
	writeFileSync(join(heads, "main.lock"), `${tip}\n`);
	for (const name of ["broken", "../../stray", "..", "main.lock", "", "main/", "/main", "main..main"])
		await assert.rejects(history.commitOf(name), { name: "WorkspaceError", message: `there is no branch ${name}` });
	s.git(["branch", "lost"]);
	rmSync(join(s.root, ".git", "objects", tip.slice(0, 2), tip.slice(2)));
	await assert.rejects(history.commitOf("lost"), { name: "WorkspaceError" });
});
