// What is read of git's own files without a process has to be what git says of them, and nothing that somebody made up.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { flaggedIn } from "./index-file.ts";
import { treeOfCommit } from "./object-file.ts";

test("the flags of an index are those that git lists", async (t) => {
	const s = scratchRepository(t);
	const index = join(s.root, ".git", "index");
	const listed = (): string[] =>
		s
			.git(["-c", "core.quotePath=false", "ls-files", "-v"])
			.split("\n")
			.filter((line) => !line.startsWith("H "));
	s.write("ü/ö.txt", "both\n");
	s.git(["add", "-A"]);
	assert.deepEqual(await flaggedIn(index), []);
	s.git(["update-index", "--assume-unchanged", "a.txt", "ü/ö.txt"]);
	s.git(["update-index", "--skip-worktree", "b.txt", "ü/ö.txt"]);
	assert.deepEqual(await flaggedIn(index), ["h a.txt", "S b.txt", "s ü/ö.txt"]);
	assert.deepEqual(await flaggedIn(index), listed());
	// git shortens names in this one.
	s.git(["update-index", "--index-version", "4"]);
	assert.equal(await flaggedIn(index), null);
});

test("an index whose checksum is wrong is left to git", async (t) => {
	const s = scratchRepository(t);
	const index = join(s.root, ".git", "index");
	s.git(["update-index", "--assume-unchanged", "a.txt"]);
	const bytes = readFileSync(index);
	const flags = bytes.indexOf("a.txt") - 2;
	bytes.writeUInt16BE(bytes.readUInt16BE(flags) & 0x7fff, flags);
	writeFileSync(index, bytes);
	assert.equal(await flaggedIn(index), null);
	assert.equal(await flaggedIn(join(s.root, "nowhere")), null);
});

test("an index with longer ids is left to git", async (t) => {
	const s = scratchRepository(t);
	s.git(["init", "-q", "--object-format=sha256", s.outside]);
	s.write("a.txt", "a\n", s.outside);
	s.git(["add", "-A"], s.outside);
	s.git(["update-index", "--assume-unchanged", "a.txt"], s.outside);
	assert.equal(await flaggedIn(join(s.outside, ".git", "index")), null);
});

test("the tree of a commit is read from its file only if the file is that commit", async (t) => {
	const s = scratchRepository(t);
	const [commonDir, commit, tree] = [join(s.root, ".git"), s.git(["rev-parse", "HEAD"]), s.git(["rev-parse", "HEAD^{tree}"])];
	assert.equal(await treeOfCommit(commonDir, commit), tree);
	assert.equal(await treeOfCommit(commonDir, tree), null);
	const file = join(commonDir, "objects", commit.slice(0, 2), commit.slice(2));
	chmodSync(file, 0o644);
	writeFileSync(file, deflateSync(Buffer.from(`commit 46\0tree ${"0".repeat(40)}\n`)));
	assert.equal(await treeOfCommit(commonDir, commit), null);
});

test("a commit in a pack is left to git", async (t) => {
	const s = scratchRepository(t);
	s.git(["gc", "-q"]);
	assert.equal(await treeOfCommit(join(s.root, ".git"), s.git(["rev-parse", "HEAD"])), null);
});
