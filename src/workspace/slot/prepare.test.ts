// Setup, copy and link over the life of a worktree: what fails or is cut off runs again, what changes is applied, and the work that
// is not committed yet is never taken for theirs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { WorkspaceError } from "../../workspace.ts";
import { Fixture } from "../merge/merge-fixture.suite.ts";
import { RunBranches } from "./run-branch.ts";
import type { WorktreeOptions } from "./worktrees.ts";

const fixtures: Fixture[] = [];
after(() => {
	for (const f of fixtures) f.remove();
});

function fixture(files?: Readonly<Record<string, string>>): Fixture {
	const f = new Fixture(files);
	fixtures.push(f);
	return f;
}

const branches = (f: Fixture, options: Partial<WorktreeOptions>): RunBranches =>
	new RunBranches({ root: f.root, commonDir: f.commonDir, setup: null, copy: [], link: [], ...options });
const REQUEST = { run: "run-1", base: "main", known: null, wanted: null };

test("G-11: a failed setup runs again when the story is opened again, and its leftovers are not the story's", async () => {
	const f = fixture();
	const setup = `echo half > half.txt; test -e '${f.home}/ok' && echo done > done.txt`;
	await assert.rejects(f.open({ setup }).claim(1, "US-001", "main"), WorkspaceError);
	await assert.rejects(f.open({ setup }).reopen(1, "US-001"), /setup failed/);
	writeFileSync(join(f.home, "ok"), "");
	const tree = (await f.open({ setup }).reopen(1, "US-001")) ?? assert.fail();
	assert.equal(f.read("done.txt", tree.path), "done\n");
	assert.equal((await tree.changes(await tree.point())).uncommitted, false);
});

test("G-11: the one worktree of a run: a setup that failed runs again, one that changed is applied", async () => {
	const f = fixture();
	const setup = `test -e '${f.home}/ok' && echo done > done.txt`;
	await assert.rejects(branches(f, { setup }).open(1, REQUEST), /setup failed/);
	await assert.rejects(branches(f, { setup }).open(1, REQUEST), /setup failed/);
	writeFileSync(join(f.home, "ok"), "");
	const tree = await branches(f, { setup }).open(1, REQUEST);
	assert.equal(f.read("done.txt", tree.path), "done\n");
	f.write({ "work.txt": "work\n" }, tree.path);
	const again = await branches(f, { setup: "echo more > more.txt" }).open(1, REQUEST);
	assert.equal(f.read("more.txt", again.path), "more\n");
	assert.deepEqual((await again.changes({ commit: f.git("rev-parse", "main"), tree: "main^{tree}" })).paths, ["work.txt"]);
});

test("git's folder and pawl's are never copied or linked, however they are written", async () => {
	const f = fixture();
	for (const name of [".git/config", ".GIT/config", "sub/.Git/x", ".pawl", ".PAWL/pawl.db"])
		await assert.rejects(f.open({ link: [name] }).claim(1, "US-001", "main"), /is not a path inside/, name);
});

test("G-11: setup, copy and link that changed are applied when the story goes on; its uncommitted work stays exactly as it was", async () => {
	const f = fixture({ "a.txt": "one\n", "lock.json": "1\n" });
	f.write({ ".env": "A=1\n", "deps/lib": "lib\n", "taken.txt": "the user's\n" });
	const tree = await f.open({ setup: "echo first > first.txt" }).claim(1, "US-001", "main");
	const start = await tree.point();
	f.write({ "a.txt": "changed\n", "lock.json": "2\n", "new.txt": "new\n", "taken.txt": "the story's\n" }, tree.path);
	const options = { setup: "echo built > built.txt; echo 3 > lock.json; rm a.txt", copy: [".env", "taken.txt"], link: ["deps"] };
	const again = (await f.open(options).reopen(1, "US-001")) ?? assert.fail();
	assert.deepEqual(
		["first.txt", "built.txt", ".env", "deps/lib", "a.txt", "lock.json", "new.txt", "taken.txt"].map((name) => f.read(name, again.path)),
		["first\n", "built\n", "A=1\n", "lib\n", "changed\n", "2\n", "new\n", "the story's\n"],
	);
	assert.deepEqual([...(await again.changes(start)).paths].sort(), ["a.txt", "lock.json", "new.txt", "taken.txt"]);
	await again.rollback(start);
	assert.deepEqual(
		["first.txt", "built.txt", ".env", "deps/lib", "new.txt"].map((name) => existsSync(join(again.path, name))),
		[true, true, true, true, false],
	);
	// And once is enough.
	f.write({ "built.txt": "by hand\n" }, again.path);
	await f.open(options).reopen(1, "US-001");
	assert.equal(f.read("built.txt", again.path), "by hand\n");
});

test("G-11: a changed setup that is cut off by kill -9 runs again, and what it left is not the story's", async () => {
	const f = fixture();
	const tree = await f.open({ setup: "true" }).claim(1, "US-001", "main");
	const start = await tree.point();
	f.write({ "new.txt": "new\n" }, tree.path);
	const setup = `echo half > half.txt; test -e '${f.home}/ok' || { echo > '${f.home}/at'; exec sleep 600; }`;
	const code = `import { Worktrees } from ${JSON.stringify(join(import.meta.dirname, "worktrees.ts"))};
		await new Worktrees({ root: process.argv[1], commonDir: process.argv[1] + "/.git", setup: process.argv[2], copy: [], link: [] }).reopen(1, "US-001");`;
	const reached = new AbortController();
	const watching = watch(f.home, { signal: reached.signal }, (_, name) => {
		if (name === "at") reached.abort();
	});
	const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", code, f.root, setup], { stdio: "inherit" });
	const gone = once(child, "exit");
	await Promise.race([once(watching, "close"), gone]);
	assert.equal(child.exitCode, null, "it waits in its setup");
	child.kill("SIGKILL");
	await gone;
	writeFileSync(join(f.home, "ok"), "");
	const again = (await f.open({ setup }).reopen(1, "US-001")) ?? assert.fail();
	assert.equal(f.read("half.txt", again.path), "half\n");
	assert.deepEqual((await again.changes(start)).paths, ["new.txt"]);
});
