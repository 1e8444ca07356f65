import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { childProgram } from "../../child.suite.ts";
import { nameOf } from "../git/lock.ts";
import { Fixture, run } from "./merge-fixture.suite.ts";

const fixtures: Pick<Fixture, "remove">[] = [];
const WHOLE = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
after(() => {
	for (const f of fixtures) f.remove();
});

function fixture(): Fixture {
	const f = new Fixture({
		"a.txt": "one\n",
		"b.txt": "two\n",
		"gone.txt": "x\n",
		"file-once": "file\n",
		"folder-once/x": "x\n",
		"link/x": "x\n",
	});
	fixtures.push(f);
	return f;
}

const CHILD = childProgram(join(import.meta.dirname, "merge.child.ts"));
const GIT = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();

/** A git that kills who called it after its n-th call. */
function deadlyGit(f: Fixture, n: number): Record<string, string | undefined> {
	const count = join(f.home, "count");
	rmSync(count, { force: true });
	// Counts without a process: there are hundreds of calls.
	const script = `#!/bin/sh\n${GIT} "$@"\ncode=$?\nprintf x >> '${count}'\nread -r calls < '${count}'\n[ \${#calls} -eq ${n} ] && kill -9 $PPID\nexit $code\n`;
	writeFileSync(join(f.home, "git"), script, { mode: 0o755 });
	return { ...process.env, PATH: `${f.home}:${process.env["PATH"]}` };
}

const child = (f: Fixture, env = process.env) => spawnSync(process.execPath, [CHILD, f.root, "1", "US-001"], { env, encoding: "utf8" });

function assertMerged(f: Fixture, when: string): void {
	assert.deepEqual(f.log(), ["feat(ralph): US-001 - Story US-001", "theirs", "first"], when);
	assert.equal(f.status(), "?? mine.txt", when);
	assert.equal(f.read("a.txt"), "story\n", when);
	assert.equal(f.read("new/file.txt"), "new\n", when);
	assert.equal(f.read("file-once/x"), "x\n", when);
	assert.equal(f.read("folder-once"), "file\n", when);
	assert.equal(readlinkSync(join(f.root, "link")), "file-once", when);
	assert.equal(existsSync(join(f.root, "gone.txt")), false, when);
	assert.equal(existsSync(join(f.commonDir, "index.lock")), false, when);
	assert.equal(existsSync(join(f.commonDir, "pawl", `move-${nameOf("refs/heads/main")}.json`)), false, when);
}

async function readyStory(): Promise<Fixture> {
	const f = fixture();
	const tree = await f.worktrees.claim(1, "US-001", "main");
	run(tree.path, "rm", "-rq", "gone.txt", "file-once", "folder-once", "link");
	symlinkSync("file-once", join(tree.path, "link"));
	f.commit(tree, { "a.txt": "story\n", "new/file.txt": "new\n", "file-once/x": "x\n", "folder-once": "file\n" });
	f.write({ "b.txt": "theirs\n" });
	f.git("commit", "-qam", "theirs");
	f.write({ "mine.txt": "mine\n" });
	return f;
}

test("D-138: killed after any of its git calls, a merge is completed by the next one, once", async () => {
	const f = await readyStory();
	const base = f.git("rev-parse", "main");
	const saved = join(f.home, "..", `${basename(f.home)}-saved`);
	cpSync(f.home, saved, WHOLE);
	fixtures.push({ remove: () => rmSync(saved, { recursive: true, force: true }) });
	for (let n = 1; ; n++) {
		// A repository of its own each time, at the same place: a worktree and its repository name each other.
		rmSync(f.home, { recursive: true });
		cpSync(saved, f.home, WHOLE);
		for (const folder of [f.root, join(f.root, ".pawl", "worktrees", "agent-1")]) run(folder, "update-index", "-q", "--refresh");
		const killed = child(f, deadlyGit(f, n));
		if (killed.signal === null) {
			assert.equal(killed.status, 0, killed.stderr);
			// Looks, composes, announces and moves: fewer calls would mean that the git of this test is not the one that was called.
			assert.ok(n > 6, `${n} calls`);
			assertMerged(f, "undisturbed");
			break;
		}
		assert.equal(killed.signal, "SIGKILL");
		// From outside base is old or new, never anything else.
		const now = f.git("rev-parse", "main");
		assert.ok(now === base || f.git("rev-parse", "main~1") === base, `after call ${n}`);
		const result = await f.merge((await f.open().reopen(1, "US-001")) ?? assert.fail());
		assert.equal(result.result, "merged", `after call ${n}`);
		assertMerged(f, `after call ${n}`);
	}
});

test("I7 I9 killed after any of the git calls ahead of its turn, nothing has moved, and the next merge is as if it had never begun", async () => {
	const f = await readyStory();
	const [head, theirs] = [f.git("rev-parse", "ralph/US-001"), f.git("rev-parse", "main")];
	for (let n = 1; ; n++) {
		const killed = child(f, { ...deadlyGit(f, n), PAWL_TEST_AHEAD: "1" });
		if (killed.signal === null) {
			assert.equal(killed.status, 0, killed.stderr);
			assert.ok(n > 6, `${n} calls`);
			break;
		}
		assert.equal(killed.signal, "SIGKILL", `${killed.stdout}${killed.stderr}`);
		assert.deepEqual([f.git("rev-parse", "ralph/US-001"), f.git("rev-parse", "main")], [head, theirs], `after call ${n}`);
		assert.equal(f.status(), "?? mine.txt");
	}
	// Its checks were cut off, too.
	const cut = spawn(process.execPath, [CHILD, f.root, "1", "US-001"], {
		env: { ...process.env, PAWL_TEST_AHEAD: "1", PAWL_TEST_HOLD: "1" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const gone = once(cut, "exit");
	await once(cut.stdout, "data");
	cut.kill("SIGKILL");
	await gone;
	const result = await f.merge((await f.open().reopen(1, "US-001")) ?? assert.fail());
	assert.equal(result.result, "merged");
	assertMerged(f, "after all of them");
});

test("a checkout that a crash left half written is finished, with the user's own change respected", async () => {
	const f = await readyStory();
	const tree = (await f.open().reopen(1, "US-001")) ?? assert.fail();
	const from = f.git("rev-parse", "main");
	assert.equal((await f.merge(tree)).result, "merged");
	const to = f.git("rev-parse", "main");
	const halfway = (files: Readonly<Record<string, string>>): void => {
		f.git("reset", "-q", "--hard", from);
		f.write(files);
		writeFileSync(
			join(f.commonDir, "pawl", `move-${nameOf("refs/heads/main")}.json`),
			JSON.stringify({ ref: "refs/heads/main", from, to }),
		);
	};
	// One file new, one cut off in the middle, one not yet removed.
	halfway({ "a.txt": "story\n", "new/file.txt": "ne" });
	assert.deepEqual(await f.merge(tree), { result: "merged", commit: to });
	assertMerged(f, "half written");
	halfway({ "a.txt": "the user's\n", "new/file.txt": "new\n" });
	assert.deepEqual(await f.merge(tree), { result: "dirty", paths: ["a.txt"] });
	assert.equal(f.read("a.txt"), "the user's\n");
	assert.equal(f.git("rev-parse", "main"), from);
	f.git("checkout", "-q", "a.txt");
	assert.deepEqual(await f.merge(tree), { result: "merged", commit: to });
	assertMerged(f, "after the user made way");
	// A file whose place a folder takes, and the other way round, also with a link: not begun, begun, done.
	const steps = [
		() => {},
		() => rmSync(join(f.root, "file-once")),
		() => mkdirSync(join(f.root, "file-once")),
		() => f.write({ "file-once/x": "x\n" }),
		() => rmSync(join(f.root, "folder-once", "x")),
		() => rmSync(join(f.root, "folder-once"), { recursive: true }),
		() => f.write({ "folder-once": "fi" }),
		() => f.write({ "folder-once": "file\n" }),
		() => rmSync(join(f.root, "link"), { recursive: true }),
		() => symlinkSync("file-once", join(f.root, "link")),
	];
	for (let done = 0; done < steps.length; done++)
		for (const moved of [false, true]) {
			halfway({});
			for (const step of steps.slice(0, done + 1)) step();
			if (moved) f.git("update-ref", "refs/heads/main", to);
			assert.deepEqual(await f.merge(tree), { result: "merged", commit: to }, `step ${done}`);
			assertMerged(f, `step ${done}`);
		}
	halfway({ "folder-once/mine": "mine\n" });
	assert.deepEqual(await f.merge(tree), { result: "dirty", paths: ["folder-once/mine"] });
	assert.equal(f.read("folder-once/mine"), "mine\n");
	rmSync(join(f.root, "folder-once", "mine"));
	assert.deepEqual(await f.merge(tree), { result: "merged", commit: to });
	assertMerged(f, "after the user took a file out of the folder");
	// A person rebases what a crash left: nothing moves under them.
	halfway({});
	assert.throws(() => f.git("rebase", "-q", "--force-rebase", "--exec", "false", "HEAD~1"));
	assert.deepEqual(await f.merge(tree), { result: "dirty", paths: [".git/rebase-merge"] });
	assert.deepEqual([f.git("rev-parse", "main"), f.read("a.txt")], [from, "one\n"]);
	f.git("rebase", "--abort");
	assert.deepEqual(await f.merge(tree), { result: "merged", commit: to });
	assertMerged(f, "after the rebase");
	// The ref moved, the index did not.
	halfway({ "a.txt": "story\n" });
	f.git("update-ref", "refs/heads/main", to);
	assert.deepEqual(await f.merge(tree), { result: "merged", commit: to });
	assertMerged(f, "ref first");
	// And a person got over it.
	halfway({});
	f.git("reset", "-q", "--hard", to);
	assert.deepEqual(await f.merge(tree), { result: "merged", commit: to });
	assertMerged(f, "reset by hand");
});

for (const moved of [false, true])
	test(`killed right ${moved ? "after" : "before"} base moved, and a person goes on in a new branch: its checkout gets the files of that branch`, async () => {
		const f = await readyStory();
		const kill = `${moved ? `${GIT} "$@"; ` : ""}kill -9 $PPID; exit 1`;
		writeFileSync(join(f.home, "git"), `#!/bin/sh\ncase "$*" in *"update-ref -m pawl: merge"*) ${kill};; esac\nexec ${GIT} "$@"\n`, {
			mode: 0o755,
		});
		const killed = child(f, { ...process.env, PATH: `${f.home}:${process.env["PATH"]}` });
		assert.equal(killed.signal, "SIGKILL", killed.stderr);
		assert.deepEqual([f.read("a.txt"), existsSync(join(f.commonDir, "index.lock"))], ["story\n", true]);
		// As `git switch -c` does it, which some versions of git let through.
		f.git("branch", "wip");
		f.git("symbolic-ref", "HEAD", "refs/heads/wip");
		assert.equal((await f.merge((await f.open().reopen(1, "US-001")) ?? assert.fail())).result, "merged");
		assert.deepEqual([f.status(), f.read("a.txt")], ["?? mine.txt", moved ? "story\n" : "one\n"]);
		assert.equal(existsSync(join(f.commonDir, "index.lock")), false);
		f.git("switch", "-q", "main");
		assertMerged(f, "back on base");
	});

test("G-23: a recorded move that nobody announced does not move base; its files are removed again", async () => {
	const f = await readyStory();
	const tree = (await f.open().reopen(1, "US-001")) ?? assert.fail();
	const from = f.git("rev-parse", "main");
	const to = f.git("commit-tree", "ralph/US-001^{tree}", "-p", from, "-m", "forged");
	f.write({ "a.txt": "story\n", "new/file.txt": "ne" });
	const note = join(f.commonDir, "pawl", `move-${nameOf("refs/heads/main")}.json`);
	writeFileSync(note, JSON.stringify({ ref: "refs/heads/main", from, to }));
	assert.deepEqual(await f.merge(tree, { check: async () => ["no"] }), { result: "checks_failed", failures: ["no"] });
	assert.equal(f.git("rev-parse", "main"), from);
	assert.equal(f.status(), "?? mine.txt");
	assert.equal(f.read("a.txt"), "one\n");
	assert.equal(existsSync(note), false);
	assert.equal(existsSync(join(f.commonDir, "index.lock")), false);
});

test("D-138: a merge in another process is waited for, and its death frees the way", async () => {
	const f = await readyStory();
	const other = await f.story(2, "US-002", { "c.txt": "c\n" });
	const holder = spawn(process.execPath, [CHILD, f.root, "1", "US-001"], {
		env: { ...process.env, PAWL_TEST_HOLD: "1" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const gone = once(holder, "exit");
	try {
		await once(holder.stdout, "data");
		let checked = false;
		const merging = f.merge(other, {
			check: async () => {
				checked = true;
				assert.equal(holder.signalCode, "SIGKILL");
				return [];
			},
		});
		// Another base is not held up.
		f.git("branch", "side", "main");
		assert.equal((await f.merge(other, { base: "side", story: "US-00X", check: async () => ["no"] })).result, "checks_failed");
		assert.equal(checked, false);
		holder.kill("SIGKILL");
		await gone;
		assert.equal((await merging).result, "merged");
	} finally {
		holder.kill("SIGKILL");
		await gone;
	}
	assert.deepEqual(f.log().slice(0, 2), ["feat(ralph): US-002 - Story US-002", "theirs"]);
	assert.equal(readFileSync(join(f.root, "c.txt"), "utf8"), "c\n");
});
