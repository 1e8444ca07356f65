import assert from "node:assert/strict";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { addNotes, notesOf } from "../refs/notes.ts";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { git, tryGit } from "./git.ts";
import { clearPackedRefsLock, clearStaleLock } from "./stale-lock.ts";

const left = (root: string, name: string, text = ""): string => {
	const file = join(root, ".git", name);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
	return file;
};

test("D-109 locks that a killed git left on our refs do not block the next call forever", async (t) => {
	const { root } = scratchRepository(t);
	const branch = left(root, "refs/heads/ralph/US-1.lock");
	const kept = left(root, "refs/pawl/kept/US-1.lock", "half");
	const commit = await git(root, ["rev-parse", "HEAD"]);
	const lines = [`update refs/heads/ralph/US-1 ${commit}`, `update refs/pawl/kept/US-1 ${commit}`, ""];
	await git(root, ["update-ref", "--stdin"], { input: lines.join("\n") });
	assert.equal(await git(root, ["rev-parse", "refs/heads/ralph/US-1", "refs/pawl/kept/US-1"]), `${commit}\n${commit}`);
	assert.deepEqual([existsSync(branch), existsSync(kept)], [false, false]);
});

test("I8 the lock that a git left that was killed while it kept receipts does not keep the next run from keeping its own", async (t) => {
	const { root } = scratchRepository(t);
	const file = left(root, "refs/notes/pawl.lock", "half");
	const commit = await git(root, ["rev-parse", "HEAD"]);
	await addNotes(root, new Map([[commit, "a receipt"]]), 0);
	assert.deepEqual([existsSync(file), await notesOf(root, [commit])], [false, new Map([[commit, "a receipt"]])]);
});

test("I8 the lock that a git left that was killed while it deleted a ref goes; one that is younger than this process stays", async (t) => {
	const { root } = scratchRepository(t);
	const file = left(root, "packed-refs.lock");
	await clearPackedRefsLock(join(root, ".git"));
	assert.equal(existsSync(file), true);
	utimesSync(file, 0, 0);
	await clearPackedRefsLock(join(root, ".git"));
	assert.equal(existsSync(file), false);
});

test("a lock on a branch of the user's is left alone", async (t) => {
	const { root } = scratchRepository(t);
	const file = left(root, "refs/heads/main.lock");
	utimesSync(file, 0, 0);
	const commit = await git(root, ["rev-parse", "HEAD"]);
	assert.notEqual((await tryGit(root, ["update-ref", "refs/heads/main", commit, commit])).code, 0);
	assert.equal(existsSync(file), true);
});

test("a lock that a server names is not removed here", async (t) => {
	const { root } = scratchRepository(t);
	const file = left(root, "refs/pawl/kept/US-1.lock");
	assert.equal(await clearStaleLock(`remote: fatal: Unable to create '${file}': File exists.\nerror: failed to push`), false);
	assert.equal(existsSync(file), true);
	assert.equal(await clearStaleLock(`fatal: cannot lock ref: Unable to create '${file}': File exists.`), true);
	assert.equal(existsSync(file), false);
});
