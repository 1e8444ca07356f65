// Opening a repository from any folder, and what it says about itself.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Repository } from "../workspace.ts";
import { openRepository } from "./repository.ts";
import { scratchRepository } from "./tree/scratch-repository.suite.ts";

async function opened(cwd: string): Promise<Repository> {
	const repository = await openRepository(cwd);
	if ("problem" in repository) throw new Error(repository.problem);
	return repository;
}

async function problem(cwd: string): Promise<string> {
	const repository = await openRepository(cwd, () => assert.fail("the configuration is not read where there is a problem"));
	return "problem" in repository ? repository.problem : "";
}

const outsideOf = (t: TestContext): { s: ReturnType<typeof scratchRepository>; outside: string } => {
	const s = scratchRepository(t);
	mkdirSync(s.outside);
	return { s, outside: s.outside };
};

describe("openRepository", () => {
	it("finds the root from a subdirectory, whatever the branch is called (X-07)", async (t) => {
		const s = scratchRepository(t);
		s.git(["checkout", "-q", "-b", "feature/x"]);
		s.write("deep/down/file", "f");
		const seen: string[] = [];
		const repository = await openRepository(join(s.root, "deep/down"), (root) => {
			seen.push(root);
			return { setup: null, copy: [], link: [] };
		});
		assert.deepEqual("problem" in repository ? repository : [repository.root, repository.branch, repository.tree().path], [
			s.root,
			"feature/x",
			s.root,
		]);
		assert.deepEqual(seen, [s.root]);
	});

	it("inside a linked worktree the root is the main checkout and the tree is where the user is", async (t) => {
		const s = scratchRepository(t);
		const path = join(s.outside, "linked");
		s.git(["worktree", "add", "-q", "-b", "side", path]);
		s.write("sub/new.txt", "n", path);
		const repository = await opened(join(path, "sub"));
		assert.deepEqual([repository.root, repository.branch, repository.tree().path], [s.root, "side", realpathSync(path)]);
		assert.deepEqual(await repository.dirty(), ["sub/new.txt"]);
		const tree = repository.tree();
		assert.equal((await tree.point()).commit, s.git(["rev-parse", "side"]));
		const commit = await tree.commitAll("work");
		assert.equal(s.git(["rev-parse", "side"]), commit);
		assert.equal(s.status(path), "");
	});

	it("says what is wrong where it cannot work: no repository, a bare one, no commit, a git folder, no such folder", async (t) => {
		const { s, outside } = outsideOf(t);
		assert.match(await problem(outside), /not in a git repository/);
		s.git(["init", "-q", "--bare", join(outside, "bare.git")]);
		assert.match(await problem(join(outside, "bare.git")), /bare/);
		s.git(["init", "-q", join(outside, "empty")]);
		assert.match(await problem(join(outside, "empty")), /no commit yet/);
		const empty = await openRepository(join(outside, "empty"));
		assert.equal("problem" in empty && empty.root, realpathSync(join(outside, "empty")), "T-06: the checkout itself is known");
		assert.match(await problem(join(s.root, ".git")), /inside a git folder/);
		assert.notEqual(await problem(join(outside, "missing")), "");
	});

	it("is not led elsewhere by GIT_ variables of the caller", async (t) => {
		const s = scratchRepository(t);
		process.env["GIT_DIR"] = "/nowhere";
		t.after(() => {
			delete process.env["GIT_DIR"];
		});
		const repository = await opened(s.root);
		delete process.env["GIT_DIR"];
		assert.equal(repository.root, s.root);
	});

	it("works on a detached HEAD", async (t) => {
		const s = scratchRepository(t);
		s.git(["checkout", "-q", "--detach"]);
		const repository = await opened(s.root);
		assert.equal(repository.branch, null);
		const tree = repository.tree();
		const point = await tree.point();
		s.write("new.txt", "n");
		const commit = await tree.commitAll("work");
		assert.equal(s.git(["rev-parse", "HEAD"]), commit);
		await tree.rollback(point);
		assert.equal(s.git(["rev-parse", "HEAD"]), point.commit);
		assert.throws(() => s.git(["symbolic-ref", "-q", "HEAD"]));
	});
});

describe("a repository", () => {
	it("lists what is dirty, without pawl's own files and without writing the index", async (t) => {
		const s = scratchRepository(t);
		const repository = await opened(s.root);
		assert.deepEqual(await repository.dirty(), []);
		s.write("a.txt", "changed");
		s.write("dir/new.txt", "n");
		s.write("staged.txt", "s");
		s.git(["add", "staged.txt"]);
		s.git(["mv", "b.txt", "moved.txt"]);
		s.write("x.log", "ignored");
		s.write(".pawl/pawl.db", "db");
		assert.deepEqual([...(await repository.dirty())].sort(), ["a.txt", "b.txt", "dir/new.txt", "moved.txt", "staged.txt"]);
	});

	it("keeps paths out of git by the repository's own exclude file, once, and leaves what others wrote there", async (t) => {
		const s = scratchRepository(t);
		const file = join(s.root, ".git/info/exclude");
		writeFileSync(file, "mine.txt");
		const repository = await opened(s.root);
		await repository.exclude(["/.state/"]);
		await repository.exclude(["/.state/", "/other.json"]);
		assert.equal(readFileSync(file, "utf8"), "mine.txt\n# files of pawl's runs\n/.state/\n/other.json\n");
		s.write(".state/x", "x");
		assert.deepEqual(await repository.dirty(), []);
	});

	it("knows branches and commits, and takes no option for a name", async (t) => {
		const s = scratchRepository(t);
		const first = s.git(["rev-parse", "HEAD"]);
		s.git(["branch", "old"]);
		s.git(["commit", "-q", "--allow-empty", "-m", "second: with : and %s"]);
		s.git(["commit", "-q", "--allow-empty", "-m", "third"]);
		const repository = await opened(s.root);
		assert.deepEqual(
			[await repository.hasBranch("old"), await repository.hasBranch("none"), await repository.hasBranch("--all")],
			[true, false, false],
		);
		assert.equal(await repository.commitOf("old"), first);
		assert.equal(await repository.commitOf("HEAD"), s.git(["rev-parse", "main"]));
		await assert.rejects(repository.commitOf("--all"), { name: "WorkspaceError", message: "there is no branch --all" });
		const commits = await repository.commits("old", "main");
		assert.deepEqual(
			commits.map((c) => c.subject),
			["second: with : and %s", "third"],
		);
		assert.deepEqual(await repository.commits(first, "old"), []);
		assert.equal(commits[1]?.sha, s.git(["rev-parse", "main"]));
	});

	it("refuses to continue if the user has switched to another branch", async (t) => {
		const s = scratchRepository(t);
		const tree = (await opened(s.root)).tree();
		s.git(["checkout", "-q", "-b", "other"]);
		await assert.rejects(tree.point(), { name: "WorkspaceError", message: /is on other now, and the run works on main/ });
	});

	it("G-23: holds() finds a commit on a branch by itself or by its change, and not where it is gone", async (t) => {
		const s = scratchRepository(t);
		const repository = await opened(s.root);
		s.git(["checkout", "-q", "-b", "side"]);
		s.write("story.txt", "story\n");
		s.git(["add", "-A"]);
		s.git(["commit", "-qm", "story"]);
		const commit = s.git(["rev-parse", "HEAD"]);
		assert.equal(await repository.holds(commit, "side"), true);
		assert.equal(await repository.holds(commit, "main"), false);
		s.git(["checkout", "-q", "main"]);
		s.write("a.txt", "moved on\n");
		s.git(["commit", "-qam", "moved on"]);
		s.git(["cherry-pick", commit]);
		s.git(["commit", "-q", "--amend", "-m", "another message"]);
		assert.equal(await repository.holds(commit, "main"), true);
		s.git(["reset", "-q", "--hard", "HEAD~1"]);
		assert.equal(await repository.holds(commit, "main"), false);
		assert.equal(await repository.holds("0123456789012345678901234567890123456789", "main"), false);
		await assert.rejects(repository.holds(commit, "nowhere"), /there is no branch nowhere/);
	});
});
