import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { WorkspaceError } from "../../workspace.ts";
import { Fixture, run } from "../merge/merge-fixture.suite.ts";
import type { WorktreeOptions } from "./worktrees.ts";

const fixtures: Fixture[] = [];
after(() => {
	for (const f of fixtures) f.remove();
});

function fixture(files?: Readonly<Record<string, string>>, options?: Partial<WorktreeOptions>): Fixture {
	const f = new Fixture(files, options);
	fixtures.push(f);
	return f;
}

const backups = (f: Fixture, story: string): string[] =>
	f.git("for-each-ref", "--format=%(objectname)", `refs/pawl/backup/${story}`).split("\n").filter(Boolean);

test("D-130: a slot works in .pawl/worktrees/agent-<n> on ralph/<story>, from the base branch", async () => {
	const f = fixture();
	const tree = await f.worktrees.claim(3, "US-001", "main");
	assert.equal(tree.path, join(f.root, ".pawl/worktrees/agent-3"));
	assert.equal(run(tree.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-001");
	assert.equal(run(tree.path, "rev-parse", "HEAD"), f.git("rev-parse", "main"));
	assert.equal(run(tree.path, "status", "--porcelain"), "");
	assert.equal(f.status(), "");
	const point = await tree.point();
	assert.equal(point.commit, f.git("rev-parse", "main"));
});

test("D-131: a stale branch does not stop a claim, and its commits stay reachable", async () => {
	const f = fixture();
	f.git("checkout", "-q", "-b", "ralph/US-001");
	f.write({ "old.txt": "old\n" });
	f.git("add", "-A");
	f.git("commit", "-q", "-m", "old work");
	const old = f.git("rev-parse", "HEAD");
	f.git("checkout", "-q", "main");
	const tree = await f.worktrees.claim(1, "US-001", "main");
	assert.equal(run(tree.path, "rev-parse", "HEAD"), f.git("rev-parse", "main"));
	assert.deepEqual(backups(f, "US-001"), [old]);
});

test("D-131: what a dead run left in a slot, committed or not, is kept and gone from the worktree", async () => {
	const f = fixture();
	const left = await f.story(1, "US-001", { "done.txt": "done\n" });
	const tip = run(left.path, "rev-parse", "HEAD");
	f.write({ "a.txt": "changed\n", "new.txt": "new\n" }, left.path);
	const next = await f.open().claim(1, "US-002", "main");
	assert.equal(run(next.path, "status", "--porcelain"), "");
	assert.equal(existsSync(join(next.path, "new.txt")), false);
	assert.equal(existsSync(join(next.path, "done.txt")), false);
	const kept = backups(f, "US-001");
	assert.ok(kept.includes(tip));
	const work = kept.find((c) => c !== tip) ?? "";
	assert.equal(f.git("show", `${work}:new.txt`), "new");
	assert.equal(f.git("show", `${work}:a.txt`), "changed");
	assert.equal(f.git("rev-parse", `${work}^`), tip);
});

test("D-131: a folder in the way that git knows nothing of is kept too", async () => {
	const f = fixture();
	const path = join(f.root, ".pawl/worktrees/agent-1");
	f.write({ "lost.txt": "lost\n" }, path);
	const tree = await f.worktrees.claim(1, "US-001", "main");
	assert.equal(run(tree.path, "status", "--porcelain"), "");
	assert.equal(existsSync(join(path, "lost.txt")), false);
	assert.equal(f.git("show", `${backups(f, "agent-1")[0]}:lost.txt`), "lost");
});

test("D-131: a worktree whose folder was deleted, or whose .git was rewritten, can be claimed again", async () => {
	const f = fixture();
	const first = await f.worktrees.claim(1, "US-001", "main");
	rmSync(first.path, { recursive: true });
	const second = await f.open().claim(1, "US-002", "main");
	assert.equal(run(second.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-002");
	writeFileSync(join(second.path, ".git"), "gitdir: /nowhere\n");
	const third = await f.open().claim(1, "US-003", "main");
	assert.equal(run(third.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-003");
	assert.equal(run(third.path, "status", "--porcelain"), "");
	assert.equal(f.git("worktree", "list").split("\n").length, 2);
});

test("D-131: a story of a dead run in another slot is taken over; one of a live run is refused", async () => {
	const f = fixture();
	const dead = f.open();
	const tree = await dead.claim(1, "US-001", "main");
	f.commit(tree, { "x.txt": "x\n" });
	await assert.rejects(f.open().claim(2, "US-001", "main"), (e: Error) => e instanceof WorkspaceError && e.message.includes("another run"));
	assert.equal(f.read("x.txt", tree.path), "x\n");
	// Giving the slot's lock back is what death does.
	await dead.release(1, "US-001");
	const next = await f.open().claim(2, "US-001", "main");
	assert.equal(existsSync(join(next.path, "x.txt")), false);
});

test("a story's branch that the user has checked out is left alone", async () => {
	const f = fixture();
	f.git("checkout", "-q", "-b", "ralph/US-001");
	await assert.rejects(f.worktrees.claim(1, "US-001", "main"), (e: Error) => e instanceof WorkspaceError && e.message.includes(f.root));
	assert.equal(f.git("symbolic-ref", "HEAD"), "refs/heads/ralph/US-001");
});

test("an id that git would take for something else is refused", async () => {
	const f = fixture();
	for (const id of ["--exec=x", "../x", "a..b", "a/b", "x.lock", "", "a b"])
		await assert.rejects(f.worktrees.claim(1, id, "main"), WorkspaceError);
	await assert.rejects(
		f.worktrees.claim(1, "US-001", "nobranch"),
		(e: Error) => e instanceof WorkspaceError && e.message.includes("nobranch"),
	);
	await assert.rejects(f.worktrees.claim(1, "US-001", "--help"), WorkspaceError);
	assert.equal(f.git("branch", "--list").trim(), "* main");
});

test("a slot is used again without a new checkout, and shows nothing of the story before", async () => {
	const f = fixture({ "a.txt": "one\n", ".gitignore": "build/\n" });
	const first = await f.story(1, "US-001", { "mine.txt": "mine\n" });
	f.write({ "build/cache": "kept\n", "b.txt": "untracked\n" }, first.path);
	run(first.path, "update-index", "--skip-worktree", "a.txt");
	writeFileSync(join(first.path, "a.txt"), "hidden\n");
	const inode = statSync(join(first.path, "build/cache")).ino;
	await f.worktrees.release(1, "US-001");
	const second = await f.worktrees.claim(1, "US-002", "main");
	assert.equal(second.path, first.path);
	assert.equal(f.read("a.txt", second.path), "one\n");
	assert.equal(existsSync(join(second.path, "mine.txt")), false);
	assert.equal(existsSync(join(second.path, "b.txt")), false);
	assert.equal(statSync(join(second.path, "build/cache")).ino, inode);
});

test("D-137: a release leaves no ralph branch, keeps its tip, and can be repeated", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "x.txt": "x\n" });
	const tip = run(tree.path, "rev-parse", "HEAD");
	await f.worktrees.release(1, "US-001");
	const locks = ["heads/ralph/US-001.lock", "pawl/backup/US-001/0123456789abcdef.lock", "pawl/kept/US-001.lock"].map((name) =>
		join(f.commonDir, "refs", name),
	);
	for (const lock of locks) {
		mkdirSync(join(lock, ".."), { recursive: true });
		writeFileSync(lock, "");
	}
	await f.worktrees.release(1, "US-001");
	assert.deepEqual(locks.filter(existsSync), [], "the locks of a git that was killed are gone too");
	assert.equal(f.git("branch", "--list", "ralph/*"), "");
	assert.deepEqual(backups(f, "US-001"), [tip]);
	const next = await f.worktrees.claim(1, "US-002", "main");
	f.write({ "y.txt": "y\n" }, next.path);
	await f.worktrees.release(1, "US-001");
	assert.equal(f.read("y.txt", next.path), "y\n");
	assert.equal(run(next.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-002");
});

test("D-131: reopen finds the work of a crashed run as it was, with a rebase under way and HEAD elsewhere", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "a.txt": "mine\n" });
	const tip = run(tree.path, "rev-parse", "HEAD");
	f.write({ "a.txt": "theirs\n" });
	f.git("commit", "-qam", "theirs");
	assert.throws(() => run(tree.path, "rebase", "-q", "main"));
	f.write({ "loose.txt": "loose\n" }, tree.path);
	const again = await f.open().reopen(1, "US-001");
	assert.ok(again);
	assert.equal(f.read("loose.txt", again.path), "loose\n");
	await again.rollback({ commit: tip, tree: run(tree.path, "rev-parse", `${tip}^{tree}`) });
	assert.equal(run(again.path, "rev-parse", "refs/heads/ralph/US-001"), tip);
	assert.equal(run(again.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-001");
	assert.equal(run(again.path, "status", "--porcelain"), "");
});

test("reopen after a release continues from the kept branch, in any slot; an unknown story has nothing", async () => {
	const f = fixture();
	const tree = await f.story(1, "US-001", { "x.txt": "x\n" });
	const tip = run(tree.path, "rev-parse", "HEAD");
	await f.worktrees.release(1, "US-001");
	await f.worktrees.close([1]);
	const again = await f.open().reopen(2, "US-001");
	assert.equal(run(again?.path ?? "", "rev-parse", "HEAD"), tip);
	assert.equal(run(again?.path ?? "", "symbolic-ref", "HEAD"), "refs/heads/ralph/US-001");
	assert.equal(await f.worktrees.reopen(1, "US-009"), null);
});

test("D-135: close leaves no worktree, no branch and no folder behind, also not a read-only or locked one", async () => {
	const f = fixture();
	const one = await f.story(1, "US-001", { "x.txt": "x\n" });
	await f.worktrees.claim(2, "US-002", "main");
	f.write({ "loose.txt": "loose\n", "ro/file": "x\n" }, one.path);
	execFileSync("chmod", ["a-w", join(one.path, "ro")]);
	f.git("worktree", "lock", one.path);
	await f.worktrees.close([1, 2, 3]);
	assert.equal(f.git("worktree", "list").split("\n").length, 1);
	assert.equal(f.git("branch", "--list", "ralph/*"), "");
	assert.equal(existsSync(join(f.root, ".pawl/worktrees")), false);
	assert.ok(backups(f, "US-001").some((c) => f.git("ls-tree", "--name-only", c).includes("loose.txt")));
});

test("close leaves a worktree of the user alone, also one that is not mounted at the moment", async () => {
	const f = fixture();
	const theirs = join(f.home, "theirs");
	f.git("worktree", "add", "-q", theirs);
	rmSync(theirs, { recursive: true });
	await f.worktrees.claim(1, "US-001", "main");
	await f.worktrees.close([1]);
	assert.ok(f.git("worktree", "list").includes("theirs"));
});

test("slots are claimed side by side", async () => {
	const f = fixture();
	const trees = await Promise.all([1, 2, 3, 4].map((slot) => f.worktrees.claim(slot, `US-00${slot}`, "main")));
	assert.equal(new Set(trees.map((t) => run(t.path, "symbolic-ref", "HEAD"))).size, 4);
	await f.worktrees.close([1, 2, 3, 4]);
	assert.equal(f.git("worktree", "list").split("\n").length, 1);
});

test("X-17: setup, copy and link make a worktree usable; what they put there is never committed nor cleaned away", async () => {
	const options = {
		setup: "echo made > made.txt; mkdir -p deps/x && echo d > deps/x/lib; echo changed >> a.txt",
		copy: [".env", "conf/local.yml", "nothing"],
		link: ["vendor"],
	};
	const f = fixture({ "a.txt": "one\n", ".gitignore": "vendor/\n" }, options);
	f.write({ ".env": "KEY=1\n", "conf/local.yml": "l: 1\n", "vendor/lib": "v\n" });
	const tree = await f.worktrees.claim(1, "US-001", "main");
	assert.equal(f.read(".env", tree.path), "KEY=1\n");
	assert.equal(f.read("conf/local.yml", tree.path), "l: 1\n");
	assert.ok(lstatSync(join(tree.path, "vendor")).isSymbolicLink());
	assert.equal(f.read("vendor/lib", tree.path), "v\n");
	assert.equal(f.read("a.txt", tree.path), "one\n");
	const point = await tree.point();
	f.write({ "conf/new.yml": "n: 1\n" }, tree.path);
	assert.deepEqual((await tree.changes(point)).paths, ["conf/new.yml"]);
	await tree.rollback(point);
	for (const name of [".env", "conf/local.yml", "vendor/lib", "made.txt", "deps/x/lib"]) assert.ok(existsSync(join(tree.path, name)), name);
	assert.equal(existsSync(join(tree.path, "conf/new.yml")), false);
	f.write({ "real.txt": "r\n" }, tree.path);
	const commit = await tree.commitAll("work");
	assert.equal(run(tree.path, "diff-tree", "--no-commit-id", "--name-only", "-r", commit ?? ""), "real.txt");
	// An agent that commits everything by itself: the merge leaves it out again.
	f.commit(tree, {}, "everything");
	assert.equal((await f.merge(tree)).result, "merged");
	assert.equal(f.git("diff", "--name-only", "HEAD~1", "HEAD"), "real.txt");
	await f.worktrees.release(1, "US-001");
	rmSync(join(tree.path, ".env"));
	const next = await f.worktrees.claim(1, "US-002", "main");
	for (const name of [".env", "vendor/lib", "made.txt", "deps/x/lib"]) assert.ok(existsSync(join(next.path, name)), name);
	assert.equal((await next.changes(await next.point())).uncommitted, false);
});

test("X-17: what setup makes is left out of the work also if its name is not UTF-8", { skip: process.platform !== "linux" }, async () => {
	const f = fixture({ "a.txt": "one\n" }, { setup: `echo made > "$(printf 'm\\351 [1].txt')"` });
	const tree = await f.worktrees.claim(1, "US-001", "main");
	const point = await tree.point();
	f.write({ "real.txt": "r\n" }, tree.path);
	assert.deepEqual((await tree.changes(point)).paths, ["real.txt"]);
	// Nor does an agent's commit bring it in.
	run(tree.path, "add", "-A");
	assert.match(f.commit(tree, {}, "everything"), /./);
	assert.equal((await f.merge(tree)).result, "merged");
	assert.equal(f.git("diff", "--name-only", "HEAD~1", "HEAD"), "real.txt");
});

test("X-17: the user's own global ignore rules hold in a worktree with setup files", async () => {
	const f = fixture({ "a.txt": "one\n" }, { setup: "echo x > made.txt" });
	f.write({ "../ignore": "*.tmp\n" });
	f.git("config", "core.excludesFile", join(f.home, "ignore"));
	const tree = await f.worktrees.claim(1, "US-001", "main");
	const point = await tree.point();
	f.write({ "x.tmp": "t\n" }, tree.path);
	assert.deepEqual((await tree.changes(point)).paths, []);
});

test("X-17: a failing setup says so with the end of its output, and runs again at the next claim", async () => {
	const f = fixture();
	const failing = f.open({ setup: "echo no network >&2; exit 7" });
	await assert.rejects(
		failing.claim(1, "US-001", "main"),
		(e: Error) => e instanceof WorkspaceError && /exit code 7/.test(e.message) && e.message.includes("no network"),
	);
	const tree = await f.open({ setup: "echo ok > made.txt" }).claim(1, "US-001", "main");
	assert.equal(readFileSync(join(tree.path, "made.txt"), "utf8"), "ok\n");
});

test("copy and link stay inside the repository, also where a symlink leads out", async () => {
	const f = fixture();
	for (const name of ["../x", "/etc/passwd", "a/../../x", ".git/config", ".pawl/pawl.db", ""])
		await assert.rejects(f.open({ copy: [name] }).claim(1, "US-001", "main"), WorkspaceError, name);
	mkdirSync(join(f.home, "out"));
	execFileSync("ln", ["-s", join(f.home, "out"), join(f.root, "leads")]);
	f.git("add", "leads");
	f.git("commit", "-qm", "a link");
	writeFileSync(join(f.home, "out", "secret"), "s\n");
	const tree = await f.open({ copy: ["leads/secret"] }).claim(1, "US-002", "main");
	writeFileSync(join(f.home, "out", "secret"), "changed\n");
	await f.worktrees.release(1, "US-002");
	await f.open({ copy: ["leads/secret"] }).claim(1, "US-003", "main");
	assert.equal(readFileSync(join(f.home, "out", "secret"), "utf8"), "changed\n");
	assert.ok(lstatSync(join(tree.path, "leads")).isSymbolicLink());
});

test("the next close removes what a git left that was killed while it removed a worktree", async () => {
	const f = fixture();
	await f.story(1, "US-001", { "x.txt": "x\n" });
	const admin = join(f.commonDir, "worktrees", "agent-1");
	rmSync(join(admin, "gitdir"));
	await f.open().close([1]);
	assert.ok(!existsSync(admin));
	const again = await f.open().claim(1, "US-002", "main");
	assert.equal(run(again.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-002");
});

test("G-24 a run that releases or closes what another run has by now takes nothing away from it", async () => {
	const f = fixture();
	const other = f.open();
	const tree = await other.claim(1, "US-001", "main", "run-b");
	f.write({ "b.txt": "of b\n" }, tree.path);
	run(tree.path, "add", "-A");
	run(tree.path, "commit", "-q", "-m", "of b");
	const refs = f.git("for-each-ref");
	await assert.rejects(f.worktrees.claim(1, "US-001", "main", "run-a"), /run run-b works on US-001/);
	await f.worktrees.release(1, "US-001", "run-a");
	await f.worktrees.release(2, "US-001", "run-a");
	await f.worktrees.close([1], "run-a");
	assert.equal(f.git("for-each-ref"), refs);
	assert.equal(run(tree.path, "status", "--porcelain", "--branch"), "## ralph/US-001");
	await other.release(1, "US-001", "run-b");
	assert.equal(await f.worktrees.reopen(1, "US-001", "run-a"), null, "what the other run kept is not this run's");
	assert.equal((await f.open().reopen(1, "US-001", "run-b"))?.branch, "ralph/US-001");
});

test("G-24 a run that takes up a story of the same name keeps the work of a run that stands still for that run", async () => {
	const f = fixture();
	const first = f.open();
	const tree = await first.claim(1, "US-001", "main", "run-a");
	const work = f.commit(tree, { "a.txt": "of a\n" });
	// As if its process had died.
	for (const lock of (Reflect.get(first, "held") as Map<number, { free(): void }>).values()) lock.free();
	const second = f.open();
	const other = await second.claim(2, "US-001", "main", "run-b");
	f.commit(other, { "b.txt": "of b\n" });
	await assert.rejects(f.worktrees.reopen(1, "US-001", "run-a"), /worked on by another run/);
	await second.release(2, "US-001", "run-b");
	const again = await f.worktrees.reopen(1, "US-001", "run-a");
	assert.equal(run(again?.path ?? "", "rev-parse", "HEAD"), work);
});

test("G-24 G-21 runs that name their stories apart work on stories of one name side by side, and beside a run that does not", async () => {
	const f = fixture();
	const [plain, first, second] = [f.open(), f.open(), f.open()];
	const trees = [
		await plain.claim(1, "US-001", "main", "run-1"),
		await first.claim(2, "US-001", "main", "run-2", true),
		await second.claim(3, "US-001", "main", "run-3", true),
	];
	assert.deepEqual(
		trees.map(({ branch }) => branch),
		["ralph/US-001", "ralph/run-2/US-001", "ralph/run-3/US-001"],
	);
	for (const [n, tree] of trees.entries()) {
		f.write({ [`of-${n}.txt`]: "work\n" }, tree.path);
		await tree.commitAll(`work ${n}\n`);
	}
	await first.release(2, "US-001", "run-2", true);
	for (const n of [0, 2]) assert.equal(f.read(`of-${n}.txt`, trees[n]?.path), "work\n");
	assert.deepEqual(f.git("branch", "--list", "--format=%(refname:short)", "ralph/*").split("\n"), ["ralph/US-001", "ralph/run-3/US-001"]);
	const again = await f.open().reopen(2, "US-001", "run-2", true);
	assert.deepEqual([again?.branch, f.read("of-1.txt", again?.path)], ["ralph/run-2/US-001", "work\n"]);
	// A run of an earlier version goes on where it is.
	assert.equal((await f.open().reopen(1, "US-001", "run-1", true))?.branch, "ralph/US-001");
	await second.close([3], "run-3");
	await f.open().close([2], "run-2");
	assert.deepEqual(f.git("branch", "--list", "--format=%(refname:short)", "ralph/*").split("\n"), ["ralph/US-001"]);
});

test("G-24 a story's branch that a person has checked out is kept, and not deleted under their feet", async () => {
	const f = fixture();
	await f.worktrees.claim(1, "US-001", "main", "run-a");
	const mine = join(f.root, "..", "of-mine");
	run(join(f.root, ".pawl/worktrees/agent-1"), "checkout", "-q", "--detach");
	f.git("worktree", "add", "-q", mine, "ralph/US-001");
	await f.worktrees.release(1, "US-001", "run-a");
	assert.equal(run(mine, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-001");
	assert.equal(f.git("rev-parse", "ralph/US-001"), f.git("rev-parse", "main"));
	f.git("worktree", "remove", mine);
});
