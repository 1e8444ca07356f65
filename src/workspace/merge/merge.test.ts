import assert from "node:assert/strict";
import { chmodSync, existsSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { mergeStory } from "./merge.ts";
import { Fixture, requestFor, run } from "./merge-fixture.suite.ts";
import { standingOf } from "./standing.ts";

const fixtures: Fixture[] = [];
after(() => {
	for (const f of fixtures) f.remove();
});

function fixture(files?: Readonly<Record<string, string>>): Fixture {
	const f = new Fixture(files);
	fixtures.push(f);
	return f;
}

const trailers = (f: Fixture, commit: string): string => f.git("log", "-1", "--format=%(trailers:only,unfold)", commit);

test("D-135: a story becomes one commit on base, with its trailers, and the clean checkout moves with it", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "changed\n" });
	f.commit(tree, { "dir/new.txt": "new\n" });
	const before = f.git("rev-parse", "main");
	const result = await f.merge(tree, { title: "Do it" });
	assert.equal(result.result, "merged");
	assert.deepEqual(f.log(), ["feat(ralph): US-001 - Do it", "first"]);
	assert.equal(f.git("rev-parse", "main~1"), before);
	assert.equal(trailers(f, "main"), "Pawl-Run: run-1\nPawl-Story: US-001");
	assert.equal(f.status(), "");
	assert.equal(f.read("dir/new.txt"), "new\n");
	assert.equal(run(tree.path, "status", "--porcelain"), "");
	assert.equal(run(tree.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-001");
	assert.equal(existsSync(join(f.commonDir, "index.lock")), false);
});

test("D-136, D-138: stories that finish at once give a linear base, each checked on the tree that is merged", async () => {
	const f = fixture();
	const trees = await Promise.all([1, 2, 3].map((n) => f.story(n, `US-00${n}`, { [`s${n}.txt`]: `${n}\n` })));
	const seen: string[] = [];
	let running = 0;
	const check = async (path: string): Promise<readonly string[]> => {
		assert.equal(++running, 1);
		assert.equal(run(path, "status", "--porcelain"), "");
		seen.push(run(path, "rev-parse", "HEAD^{tree}"));
		running--;
		return [];
	};
	const results = await Promise.all(trees.map((tree) => f.merge(tree, { check })));
	assert.deepEqual(
		results.map((r) => r.result),
		["merged", "merged", "merged"],
	);
	assert.equal(f.log().length, 4);
	assert.equal(f.git("rev-list", "--merges", "main"), "");
	assert.deepEqual(f.git("log", "--format=%T", "--reverse", "main").split("\n").slice(1), seen);
	assert.equal(f.status(), "");
});

test("D-139, D-141: a conflict changes nothing on base and leaves the branch where it was, and can be resolved", async () => {
	const f = fixture();
	const one = await f.story(1, "US-001", { "a.txt": "first story\n" });
	const two = await f.story(2, "US-002", { "a.txt": "second story\n", "ok.txt": "ok\n" });
	const head = run(two.path, "rev-parse", "HEAD");
	await f.merge(one);
	const base = f.git("rev-parse", "main");
	assert.deepEqual(await f.merge(two), { result: "conflict", paths: ["a.txt"] });
	assert.equal(f.git("rev-parse", "main"), base);
	assert.equal(run(two.path, "rev-parse", "refs/heads/ralph/US-002"), head);
	assert.equal(run(two.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-002");
	assert.equal(run(two.path, "status"), "On branch ralph/US-002\nnothing to commit, working tree clean");
	assert.throws(() => run(two.path, "merge", "-q", "main"));
	f.commit(two, { "a.txt": "both\n" }, "resolved by a merge commit");
	assert.equal((await f.merge(two)).result, "merged");
	assert.equal(f.read("a.txt"), "both\n");
	assert.equal(f.git("rev-list", "--merges", "main"), "");
});

test("commits of a story that undo each other do not conflict with base", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "tried\n" });
	f.commit(tree, { "a.txt": "one\n", "c.txt": "c\n" });
	f.write({ "a.txt": "theirs\n" });
	f.git("commit", "-qam", "theirs");
	assert.equal((await f.merge(tree)).result, "merged");
	assert.equal(f.read("a.txt"), "theirs\n");
});

test("X-19: an empty story, or one that base has already, is empty and not a failure", async () => {
	const f = fixture();
	const tree = await f.worktrees.claim(1, "US-001", "main");
	assert.deepEqual(await f.merge(tree), { result: "empty" });
	f.commit(tree, { "a.txt": "same\n" });
	f.write({ "a.txt": "same\n" });
	f.git("commit", "-qam", "the same by hand");
	assert.deepEqual(await f.merge(tree), { result: "empty" });
	assert.equal(f.log().length, 2);
});

test("failing checks put the branch back and discard what a check wrote", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
	f.write({ "b.txt": "moved on\n" });
	f.git("commit", "-qam", "moved on");
	const head = run(tree.path, "rev-parse", "HEAD");
	const dirty = async (path: string): Promise<readonly string[]> => {
		assert.equal(f.read("b.txt", path), "moved on\n");
		f.write({ "a.txt": "by the check\n", "report.xml": "x" }, path);
		return ["test: exit 1"];
	};
	assert.deepEqual(await f.merge(tree, { check: dirty }), { result: "checks_failed", failures: ["test: exit 1"] });
	assert.equal(run(tree.path, "rev-parse", "ralph/US-001"), head);
	assert.equal(run(tree.path, "status", "--porcelain"), "");
	assert.equal(f.log().length, 2);
	await assert.rejects(f.merge(tree, { check: async () => Promise.reject(new Error("stopped")) }), /stopped/);
	assert.equal(run(tree.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-001");
	const passes = async (path: string): Promise<readonly string[]> => {
		f.write({ "a.txt": "by the check\n", "report.xml": "x" }, path);
		return [];
	};
	assert.equal((await f.merge(tree, { check: passes })).result, "merged");
	assert.equal(f.read("a.txt"), "x\n");
	assert.equal(existsSync(join(f.root, "report.xml")), false);
	assert.equal(run(tree.path, "status", "--porcelain"), "");
});

test("D-138: a merge that is called again after it happened is found by what the journal announced", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
	const head = run(tree.path, "rev-parse", "HEAD");
	const first = await f.merge(tree);
	assert.deepEqual(await f.merge(tree), first);
	// As a crash before the story's own branch was written leaves it.
	f.git("update-ref", "refs/heads/ralph/US-001", head);
	assert.deepEqual(await f.merge(tree), first);
	// And after base has gone on, with the story put on top of it by somebody.
	f.write({ "c.txt": "c\n" });
	f.git("add", "-A");
	f.git("commit", "-qm", "later");
	run(tree.path, "reset", "-q", "--hard", "main");
	assert.deepEqual(await f.merge(tree), first);
	assert.equal(f.log().length, 3);
});

test("G-23 I7: a merge that the journal does not know of yet, and that a person took off base meanwhile, is not done again", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-1", { "a.txt": "1\n" });
	const merged = await f.merge(tree);
	assert.ok(merged.result === "merged");
	// pawl is killed here, and the person rewinds base.
	f.git("reset", "-q", "--hard", "HEAD~1");
	const again = await f.merge(tree, { check: async () => assert.fail("it was checked again") });
	assert.deepEqual([again, f.log()], [merged, ["first"]]);
	// Without the log nothing tells it from a merge that never happened.
	f.git("reflog", "expire", "--expire=all", "refs/heads/main");
	assert.equal((await f.merge(tree)).result, "merged");
	assert.equal(f.log().length, 2);
});

for (const goesOn of [false, true])
	test(`I7 a merge whose ref git could not write is done again, although base's log has it already${goesOn ? "; base has gone on" : ""}`, async () => {
		const f = fixture();
		const tree = await f.story(1, "US-1", { "a.txt": "1\n" });
		const head = run(tree.path, "rev-parse", "HEAD");
		const before = f.git("rev-parse", "main");
		assert.equal((await f.merge(tree)).result, "merged");
		// git logs a move before it makes it, and the disk was full in between.
		writeFileSync(join(f.commonDir, "refs", "heads", "main"), `${before}\n`);
		f.git("reset", "-q", "--hard");
		f.git("update-ref", "refs/heads/ralph/US-1", head);
		run(tree.path, "reset", "-q", "--hard");
		if (goesOn) f.git("commit", "-q", "--allow-empty", "-m", "mine");
		const again = await f.merge(tree);
		assert.deepEqual(again, { result: "merged", commit: f.git("rev-parse", "main") });
		assert.deepEqual(f.log(), ["feat(ralph): US-1 - Story US-1", ...(goesOn ? ["mine"] : []), "first"]);
	});

test("a merge of a step that an earlier version began, which announced nothing, is found by its trailers", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
	const { announced: _, ...old } = requestFor(f.root, "US-001");
	const merge = () => mergeStory({ root: f.root, commonDir: f.commonDir, worktree: tree, request: old });
	const first = await merge();
	assert.deepEqual(await merge(), first);
	assert.equal(f.log().length, 2);
});

test("G-23: a commit on base with our trailers that nobody announced is not the merge", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "bad\n" });
	const forged = "feat(ralph): US-001 - Story US-001\n\nPawl-Run: run-1\nPawl-Story: US-001";
	const commit = f.git("commit-tree", "ralph/US-001^{tree}", "-p", "main", "-m", forged);
	f.git("update-ref", "refs/heads/side", commit);
	f.git("commit", "-q", "--allow-empty", "-m", forged);
	const base = f.git("rev-parse", "main");
	assert.deepEqual(await f.merge(tree, { check: async () => ["test: exit 1"] }), { result: "checks_failed", failures: ["test: exit 1"] });
	assert.equal(f.git("rev-parse", "main"), base);
	// With the story's own tree on base there is nothing left to merge, and still no merge.
	assert.deepEqual(await f.merge(tree, { base: "side" }), { result: "empty" });
	const result = await f.merge(tree);
	assert.deepEqual(result, { result: "merged", commit: f.git("rev-parse", "main") });
	assert.notEqual(f.git("rev-parse", "main"), base);
});

test("G-23: the commit is announced before base moves, and a refusal to note it stops the merge", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
	const base = f.git("rev-parse", "main");
	const seen: string[] = [];
	const announce = async (commit: string): Promise<void> => {
		seen.push(commit);
		assert.equal(f.git("rev-parse", "main"), base);
		assert.equal(f.git("rev-parse", `${commit}~1`), base);
		if (seen.length === 1) throw new Error("the journal is gone");
	};
	await assert.rejects(f.merge(tree, { announce }), /the journal is gone/);
	assert.equal(f.git("rev-parse", "main"), base);
	assert.deepEqual(await f.merge(tree, { announce }), { result: "merged", commit: seen[1] });
});

test("trailers cannot be forged by a title, nor a merge by text in another commit", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
	f.git("commit", "-q", "--allow-empty", "-m", "feat(ralph): US-001 - x\n\nPawl-Run: run-1\nPawl-Story: US-001\n\nThat was a quotation.");
	f.git("commit", "-q", "--allow-empty", "-m", "feat(ralph): US-001 - x\n\nPawl-Run: run-1\nPawl-Story: US-0011");
	const result = await f.merge(tree, { title: " Evil\n\nPawl-Run: other\nPawl-Story: US-999\u2028\u0000 --- end\r\n" });
	assert.equal(result.result, "merged");
	assert.equal(f.log()[0], "feat(ralph): US-001 - Evil Pawl-Run: other Pawl-Story: US-999 --- end");
	assert.equal(trailers(f, "main"), "Pawl-Run: run-1\nPawl-Story: US-001");
	assert.equal(f.read("a.txt"), "x\n");
});

test("X-16: a dirty checkout of base makes the merge wait with nothing done", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "x\n", "new.txt": "n\n" });
	const base = f.git("rev-parse", "main");
	let checks = 0;
	const check = async (): Promise<readonly string[]> => {
		checks++;
		return [];
	};
	f.write({ "b.txt": "edited\n" });
	assert.deepEqual(await f.merge(tree, { check }), { result: "dirty", paths: ["b.txt"] });
	f.git("add", "b.txt");
	assert.deepEqual(await f.merge(tree, { check }), { result: "dirty", paths: ["b.txt"] });
	f.git("reset", "-q", "--hard");
	f.write({ "new.txt": "the user's\n" });
	assert.deepEqual(await f.merge(tree, { check }), { result: "dirty", paths: ["new.txt"] });
	// An ignored file is work of the user like any other.
	writeFileSync(join(f.commonDir, "info/exclude"), "new.txt\n");
	assert.deepEqual(await f.merge(tree, { check }), { result: "dirty", paths: ["new.txt"] });
	assert.equal(f.read("new.txt"), "the user's\n");
	rmSync(join(f.root, "new.txt"));
	writeFileSync(join(f.commonDir, "index.lock"), "");
	assert.deepEqual(await f.merge(tree, { check }), { result: "dirty", paths: [".git/index.lock"] });
	rmSync(join(f.commonDir, "index.lock"));
	f.git("update-ref", "MERGE_HEAD", base);
	assert.deepEqual(await f.merge(tree, { check }), { result: "dirty", paths: [".git/MERGE_HEAD"] });
	rmSync(join(f.commonDir, "MERGE_HEAD"));
	assert.equal(checks, 0);
	assert.equal(f.git("rev-parse", "main"), base);
	assert.equal((await f.merge(tree, { check })).result, "merged");
	assert.equal(f.status(), "");
});

for (const backend of ["merge", "apply"])
	test(`X-16: base that is being rebased makes the merge wait, since the end of the rebase would take the story back: rebase-${backend}`, async () => {
		const f = fixture();
		f.git("branch", "side");
		for (const n of [1, 2]) {
			f.write({ "mine.txt": `${n}\n` });
			f.git("add", "mine.txt");
			f.git("commit", "-qm", `mine ${n}`);
		}
		const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
		const base = f.git("rev-parse", "main");
		const here = { root: f.root, commonDir: f.commonDir };
		if (backend === "merge") assert.throws(() => f.git("rebase", "-q", "--force-rebase", "--exec", "false", "HEAD~2"));
		else {
			f.git("switch", "-q", "side");
			f.commit({ path: f.root }, { "mine.txt": "another\n" });
			f.git("switch", "-q", "main");
			assert.throws(() => f.git("rebase", "-q", "--apply", "side"));
		}
		const result = await f.merge(tree);
		assert.deepEqual(result, { result: "dirty", paths: [`.git/rebase-${backend}`, ...(backend === "apply" ? ["mine.txt"] : [])] });
		assert.equal(f.git("rev-parse", "main"), base);
		const before = await standingOf(here, "main");
		f.git("rebase", "--abort");
		assert.notEqual(await standingOf(here, "main"), before);
		assert.equal((await f.merge(tree)).result, "merged");
		assert.deepEqual(f.log(), ["feat(ralph): US-001 - Story US-001", "mine 2", "mine 1", "first"]);
		assert.equal(f.status(), "");
	});

test("X-16: prd.json and untracked files that the merge does not touch never count as dirt, and stay", async () => {
	const f = fixture({ "a.txt": "one\n", "prd.json": "{}\n" });
	const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
	f.write({ "prd.json": '{"passes": true}\n', "notes/mine.txt": "mine\n" });
	assert.equal((await f.merge(tree, { ignore: [join(f.root, "prd.json")] })).result, "merged");
	assert.equal(f.read("prd.json"), '{"passes": true}\n');
	assert.equal(f.status(), " M prd.json\n?? notes/");
	const second = await f.story(2, "US-002", { "prd.json": "[]\n" });
	assert.deepEqual(await f.merge(second, { ignore: [join(f.root, "prd.json")] }), { result: "dirty", paths: ["prd.json"] });
	assert.equal(f.read("prd.json"), '{"passes": true}\n');
});

for (const kind of ["untracked", "ignored"])
	test(`X-16: an ${kind} file in a folder that becomes a file makes the merge wait, and stays`, async () => {
		const f = fixture({ "dir/a": "a\n", "dir/deep/b": "b\n", ".gitignore": kind === "ignored" ? "*.env\n" : "" });
		const tree = await f.worktrees.claim(1, "US-001", "main");
		rmSync(join(tree.path, "dir"), { recursive: true });
		f.commit(tree, { dir: "file\n" });
		const other = await f.story(2, "US-002", { "y.txt": "y\n" });
		f.write({ "dir/deep/my.env": "mine\n", "dir/own/my.env": "mine\n", "dir/own/too.env": "mine\n" });
		for (let i = 0; i < 2; i++) {
			assert.deepEqual(await f.merge(tree), { result: "dirty", paths: ["dir/deep/my.env", "dir/own"] });
			assert.deepEqual([f.read("dir/deep/my.env"), f.read("dir/own/too.env")], ["mine\n", "mine\n"]);
			assert.equal(existsSync(join(f.commonDir, "index.lock")), false);
		}
		assert.equal((await f.merge(other)).result, "merged");
		rmSync(join(f.root, "dir", "deep", "my.env"));
		rmSync(join(f.root, "dir", "own"), { recursive: true });
		assert.equal((await f.merge(tree)).result, "merged");
		assert.deepEqual([f.read("dir"), f.status()], ["file\n", ""]);
	});

test("a link to a folder becomes a folder, and a folder such a link", async () => {
	const f = fixture({ "real/a": "a\n", "folder/a": "a\n" });
	symlinkSync("real", join(f.root, "link"));
	f.git("add", "link");
	f.git("commit", "-qm", "a link");
	const tree = await f.worktrees.claim(1, "US-001", "main");
	rmSync(join(tree.path, "link"));
	rmSync(join(tree.path, "folder"), { recursive: true });
	symlinkSync("real", join(tree.path, "folder"));
	f.commit(tree, { "link/a": "of its own\n" });
	assert.equal((await f.merge(tree)).result, "merged");
	assert.deepEqual(
		[f.read("link/a"), f.read("real/a"), readlinkSync(join(f.root, "folder")), f.status()],
		["of its own\n", "a\n", "real", ""],
	);
});

test("base that is checked out nowhere, or in another worktree of the user, moves all the same", async () => {
	const f = fixture();
	f.git("checkout", "-q", "-b", "elsewhere");
	f.write({ "a.txt": "being edited\n" });
	f.git("add", "a.txt");
	const one = await f.story(1, "US-001", { "b.txt": "x\n" });
	assert.equal((await f.merge(one)).result, "merged");
	assert.equal(f.read("a.txt"), "being edited\n");
	assert.equal(f.status(), "M  a.txt");
	const theirs = join(f.home, "theirs");
	f.git("worktree", "add", "-q", theirs, "main");
	const two = await f.story(2, "US-002", { "c.txt": "c\n" });
	assert.equal((await f.merge(two)).result, "merged");
	assert.equal(f.read("c.txt", theirs), "c\n");
	assert.equal(run(theirs, "status", "--porcelain"), "");
	assert.equal(f.status(), "M  a.txt");
});

test("a checkout that leaves base while it is being moved keeps the files of its own branch", async () => {
	const f = fixture({ "a.txt": "one\n", ".gitattributes": "s.txt filter=f\n" });
	const tree = await f.story(1, "US-001", { "a.txt": "two\n", "s.txt": "s\n" });
	// A new branch takes no lock of the index, so a person can make one while the files are being written.
	const leave = `git --git-dir=${f.commonDir} symbolic-ref HEAD refs/heads/feature`;
	f.git("branch", "feature");
	f.git("config", "filter.f.smudge", `test "$PWD" != "${f.root}" || ${leave}; cat`);
	assert.equal((await f.merge(tree)).result, "merged");
	assert.deepEqual(
		[f.git("symbolic-ref", "HEAD"), f.log().length, f.git("rev-list", "--count", "feature")],
		["refs/heads/feature", 2, "1"],
	);
	assert.deepEqual([f.status(), f.read("a.txt"), existsSync(join(f.root, "s.txt"))], ["", "one\n", false]);
	assert.equal(existsSync(join(f.commonDir, "index.lock")), false);
	f.git("switch", "-q", "main");
	assert.deepEqual([f.status(), f.read("a.txt"), f.read("s.txt")], ["", "two\n", "s\n"]);
});

test("a base that somebody else moves during the checks is not overwritten: the merge starts again on top of it", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
	let checks = 0;
	const check = async (path: string): Promise<readonly string[]> => {
		if (++checks === 1) {
			f.write({ "user.txt": "user\n" });
			f.git("add", "-A");
			f.git("commit", "-qm", "the user's");
		} else assert.equal(f.read("user.txt", path), "user\n");
		return [];
	};
	assert.equal((await f.merge(tree, { check })).result, "merged");
	assert.equal(checks, 2);
	assert.deepEqual(f.log(), ["feat(ralph): US-001 - Story US-001", "the user's", "first"]);
	assert.equal(f.status(), "");
});

test("renames, mode changes, deletions, symlinks, a file that becomes a folder, binaries and CRLF come over exactly", async () => {
	const long = Array.from({ length: 50 }, (_, i) => `line ${i}`).join("\n");
	const f = fixture({
		"old-name.txt": long,
		"tool.sh": "#!/bin/sh\n",
		"gone.txt": "x\n",
		becomes: "file\n",
		".gitattributes": "*.crlf text eol=crlf\n",
		"t.crlf": "a\r\nb\r\n",
	});
	const tree = await f.worktrees.claim(1, "US-001", "main");
	const binary = Buffer.alloc(3_000_000, 7);
	binary[5] = 0;
	renameSync(join(tree.path, "old-name.txt"), join(tree.path, "new-name.txt"));
	chmodSync(join(tree.path, "tool.sh"), 0o755);
	rmSync(join(tree.path, "gone.txt"));
	rmSync(join(tree.path, "becomes"));
	symlinkSync("new-name.txt", join(tree.path, "link"));
	writeFileSync(join(tree.path, "big.bin"), binary);
	f.commit(tree, { "becomes/folder.txt": "in it\n", "t.crlf": "a\r\nb\r\nc\r\n", "ünïcode näme.txt": "u\n" });
	f.write({ "old-name.txt": `${long}\nthe user's line` });
	f.git("commit", "-qam", "the renamed file changes on base");
	assert.equal((await f.merge(tree)).result, "merged");
	assert.equal(f.status(), "");
	assert.equal(f.read("new-name.txt"), `${long}\nthe user's line`);
	assert.equal(existsSync(join(f.root, "old-name.txt")), false);
	assert.equal(statSync(join(f.root, "tool.sh")).mode & 0o111, 0o111);
	assert.equal(f.read("becomes/folder.txt"), "in it\n");
	assert.equal(f.read("t.crlf"), "a\r\nb\r\nc\r\n");
	assert.equal(f.git("show", "main:t.crlf"), "a\nb\nc");
	assert.equal(statSync(join(f.root, "big.bin")).size, 3_000_000);
	assert.equal(f.git("ls-tree", "main", "link").slice(0, 6), "120000");
});

test("user hooks do not run, and a signing setup neither signs nor fails", async () => {
	const f = fixture();
	for (const hook of ["pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-rewrite", "pre-rebase", "commit-msg"])
		writeFileSync(join(f.commonDir, "hooks", hook), `#!/bin/sh\ntouch '${join(f.home, "ran")}'\nexit 1\n`, { mode: 0o755 });
	f.git("config", "commit.gpgsign", "true");
	f.git("config", "gpg.program", "/bin/false");
	const tree = await f.worktrees.claim(1, "US-001", "main");
	f.write({ "a.txt": "x\n" }, tree.path);
	await tree.commitAll("work");
	assert.equal((await f.merge(tree)).result, "merged");
	await f.worktrees.close([1]);
	assert.equal(existsSync(join(f.home, "ran")), false);
	assert.equal(f.git("log", "-1", "--format=%an <%ae> %G?", "main"), "Ann <ann@example.org> N");
});

test("a submodule in the repository does not block a merge, even if the story moves it", async () => {
	const f = fixture();
	const lib = new Fixture();
	fixtures.push(lib);
	f.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.root, "lib");
	f.git("commit", "-qm", "a submodule");
	const tree = await f.story(1, "US-001", { "a.txt": "x\n" });
	assert.equal((await f.merge(tree)).result, "merged");
	assert.equal(f.status(), "");
	const second = await f.worktrees.claim(1, "US-002", "main");
	run(second.path, "update-index", "--cacheinfo", `160000,${"1".repeat(40)},lib`);
	run(second.path, "commit", "-qm", "moved");
	assert.equal((await f.merge(second)).result, "merged");
	const third = await f.story(2, "US-003", { "b.txt": "y\n" });
	assert.equal((await f.merge(third)).result, "merged");
	assert.equal(f.status(), " M lib");
	await f.worktrees.close([1, 2]);
	assert.equal(f.git("worktree", "list").split("\n").length, 1);
});

test("X-16: a submodule that becomes a link stays with all that is in it until the user empties it", async () => {
	const f = fixture();
	const lib = new Fixture();
	fixtures.push(lib);
	f.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", lib.root, "lib");
	f.git("commit", "-qm", "a submodule");
	const tree = await f.worktrees.claim(1, "US-001", "main");
	run(tree.path, "rm", "-q", "--cached", "lib");
	rmSync(join(tree.path, "lib"), { recursive: true });
	symlinkSync("b.txt", join(tree.path, "lib"));
	f.commit(tree, {});
	f.write({ "lib/mine.txt": "mine\n" });
	assert.deepEqual(await f.merge(tree), { result: "dirty", paths: ["lib"] });
	assert.equal(f.read("lib/mine.txt"), "mine\n");
	f.git("submodule", "deinit", "-q", "-f", "lib");
	assert.equal((await f.merge(tree)).result, "merged");
	assert.equal(readlinkSync(join(f.root, "lib")), "b.txt");
});

test("a story without a common history, or whose branch is gone, does no harm", async () => {
	const f = fixture();
	const tree = await f.worktrees.claim(1, "US-001", "main");
	run(tree.path, "checkout", "-q", "--orphan", "fresh");
	f.commit(tree, { "z.txt": "z\n" });
	run(tree.path, "branch", "-M", "fresh", "ralph/US-001");
	assert.equal((await f.merge(tree)).result, "conflict");
	await assert.rejects(f.merge(tree, { base: "nobase" }), /nobase/);
	assert.deepEqual(f.log(), ["first"]);
});
