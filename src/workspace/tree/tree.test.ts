// A checkout seen, saved, put back and committed, with what agents do to it in between.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { append, writeWholeSync } from "../../files/write.ts";
import { scratchRepository, slowClock } from "./scratch-repository.suite.ts";

/** How many git processes `work` starts. */
async function countCalls(t: TestContext, outside: string, work: () => Promise<unknown>): Promise<number> {
	const bin = join(outside, "bin");
	const log = join(outside, "calls");
	mkdirSync(bin, { recursive: true });
	writeFileSync(log, "");
	const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
	writeFileSync(join(bin, "git"), `#!/bin/sh\necho call >> '${log}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
	const before = process.env["PATH"];
	process.env["PATH"] = `${bin}${delimiter}${before}`;
	t.after(() => {
		process.env["PATH"] = before;
	});
	try {
		await work();
	} finally {
		process.env["PATH"] = before;
	}
	return readFileSync(log, "utf8").split("\n").length - 1;
}

describe("changes", () => {
	it("finds nothing in an untouched checkout, with one git call a look, and none where the last step ended just before", async (t) => {
		slowClock(t);
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		const calls = await countCalls(t, s.outside, async () => {
			const changes = await tree.changes(point);
			assert.deepEqual(changes, { point, paths: [], committed: false, uncommitted: false, tampered: [], refs: [], others: [] });
		});
		assert.equal(calls, 1);
		assert.deepEqual(await tree.point(), point);
		await tree.discard();
		assert.equal(await countCalls(t, s.outside, () => tree.point()), 1);
	});

	it("G-03 what pawl itself wrote since the last step ended is in the next point: no step is charged with it", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const start = await tree.point();
		await tree.changes(start);
		append(join(tree.path, "ralph/events.ndjson"), "{}\n");
		const point = await tree.point();
		assert.notEqual(point.tree, start.tree);
		assert.deepEqual((await tree.changes(point)).paths, []);
		writeWholeSync(join(tree.path, "a.txt"), "of a projection\n");
		const next = await tree.point();
		assert.deepEqual((await tree.changes(next)).paths, []);
		writeWholeSync(join(tree.path, ".pawl/runs/r/state.json"), "{}\n");
		assert.equal(await countCalls(t, s.outside, () => tree.point()), 1, "the tree has uncommitted changes");
	});

	it("what a step left is kept as it was looked at, without a second look, unless pawl has written there since", async (t) => {
		slowClock(t);
		const s = scratchRepository(t);
		const tree = s.worktree();
		const left = async (name: string): Promise<void> => {
			const point = await tree.point();
			s.write(name, "left\n", tree.path);
			await tree.changes(point);
		};
		// The first time it also asks git who commits.
		await left("zero.txt");
		await tree.keepLeftovers("zero\n", s.outside);
		await left("one.txt");
		// The ref: the commit needs no process.
		assert.equal(await countCalls(t, s.outside, () => tree.keepLeftovers("one\n", s.outside)), 1);
		await left("two.txt");
		writeWholeSync(join(tree.path, "late.txt"), "of a projection\n");
		const { committed } = await tree.keepLeftovers("two\n", s.outside);
		assert.deepEqual(committed.map(({ path }) => path).sort(), ["late.txt", "two.txt"]);
		assert.equal(s.git(["status", "--porcelain"], tree.path), "");
	});

	it("sees what was committed, changed, added, deleted and renamed together (D-121)", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		s.write("committed.txt", "c", tree.path);
		s.git(["add", "-A"], tree.path);
		s.git(["commit", "-qm", "by the agent"], tree.path);
		s.write("a.txt", "changed", tree.path);
		s.write("deep/new file\n.txt", "n", tree.path);
		renameSync(join(tree.path, "b.txt"), join(tree.path, "c.txt"));
		s.write("x.log", "ignored", tree.path);
		const changes = await tree.changes(point);
		assert.deepEqual([...changes.paths].sort(), ["a.txt", "b.txt", "c.txt", "committed.txt", "deep/new file\n.txt"]);
		assert.equal(changes.committed, true);
		assert.equal(changes.uncommitted, true);
		assert.deepEqual((await tree.changes(changes.point)).paths, []);
	});

	it("does not write the user's index by looking", async (t) => {
		const s = scratchRepository(t);
		const tree = s.tree();
		s.write("staged.txt", "s");
		s.git(["add", "staged.txt"]);
		const written = () => {
			const { ino, mtimeNs, ctimeNs } = statSync(join(s.root, ".git/index"), { bigint: true });
			return [ino, mtimeNs, ctimeNs];
		};
		const before = written();
		const point = await tree.point();
		s.write("a.txt", "changed");
		await tree.changes(point);
		await tree.saveDiff(point, join(s.outside, "d.diff"));
		assert.deepEqual(written(), before);
		assert.equal(s.git(["diff", "--cached", "--name-only"]), "staged.txt");
	});

	it("sees files that the agent hid by flags in the index, by times put back or in our own index", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		s.git(["update-index", "--skip-worktree", "a.txt"], tree.path);
		const point = await tree.point();
		const { atime, mtime } = statSync(join(tree.path, "b.txt"));
		s.git(["update-index", "--assume-unchanged", "b.txt"], tree.path);
		s.write("a.txt", "x\n", tree.path);
		s.write("b.txt", "x\n", tree.path);
		utimesSync(join(tree.path, "b.txt"), atime, mtime);
		execFileSync("git", ["update-index", "--skip-worktree", "a.txt", "b.txt"], {
			cwd: tree.path,
			env: { ...process.env, GIT_INDEX_FILE: join(tree.gitDir, "pawl/index") },
		});
		assert.deepEqual((await tree.changes(point)).paths, ["a.txt", "b.txt"]);
		assert.notEqual(await tree.commitAll("all of it"), null);
		assert.equal(s.git(["show", "HEAD:a.txt"], tree.path), "x");
	});

	it("leaves alone what the user hid from git in their own checkout", async (t) => {
		const s = scratchRepository(t);
		s.git(["update-index", "--skip-worktree", "a.txt"]);
		s.write("a.txt", "mine\n");
		const tree = s.tree();
		const point = await tree.point();
		s.write("b.txt", "changed\n");
		rmSync(join(s.root, ".git/pawl/index.test"));
		assert.deepEqual((await tree.changes(point)).paths, ["b.txt"]);
		await tree.rollback(point);
		assert.equal(s.read("a.txt"), "mine\n");
		assert.equal(s.git(["ls-files", "-v", "a.txt"]), "S a.txt");
	});

	it("sees a change of mode, a link and a file that became a folder", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		chmodSync(join(tree.path, "a.txt"), 0o755);
		rmSync(join(tree.path, "b.txt"));
		s.write("b.txt/inside", "i", tree.path);
		symlinkSync("/nowhere", join(tree.path, "link"));
		assert.deepEqual((await tree.changes(point)).paths, ["a.txt", "b.txt", "b.txt/inside", "link"]);
		await tree.rollback(point);
		assert.equal(s.status(tree.path), "");
		assert.equal(s.read("b.txt", tree.path), "b\n");
	});

	it("reports a pipe in the place of a file and puts the file back", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		rmSync(join(tree.path, "a.txt"));
		execFileSync("mkfifo", [join(tree.path, "a.txt")]);
		s.write("other.txt", "o", tree.path);
		assert.deepEqual([...(await tree.changes(point)).paths].sort(), ["a.txt", "other.txt"]);
		assert.notEqual(await tree.saveDiff(point, join(s.outside, "d.diff")), null);
		await tree.rollback(point);
		assert.equal(s.read("a.txt", tree.path), "a\n");
		assert.equal(s.status(tree.path), "");
	});

	it("never takes pawl's own files for work, but the workflows of the repository (X-08)", async (t) => {
		const s = scratchRepository(t);
		const tree = s.tree();
		const point = await tree.point();
		s.write(".pawl/pawl.db", "db");
		s.write(".pawl/runs/r1/scratch.md", "s");
		s.git(["init", "-q", ".pawl/worktrees/agent-1"]);
		s.write(".pawl/workflows/own/workflow.yml", "name: own");
		assert.deepEqual((await tree.changes(point)).paths, [".pawl/workflows/own/workflow.yml"]);
		await tree.commitAll("work");
		assert.equal(s.git(["show", "--name-only", "--format=", "HEAD"]), ".pawl/workflows/own/workflow.yml");
		await tree.rollback(point);
		assert.equal(s.read(".pawl/runs/r1/scratch.md"), "s");
		assert.equal(existsSync(join(s.root, ".pawl/worktrees/agent-1/.git")), true);
		assert.equal(existsSync(join(s.root, ".pawl/workflows/own")), false);
	});
});

describe("repositories inside the checkout", () => {
	it("a new one is work like any folder, with or without a commit, and rollback removes it", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		for (const name of ["fresh", "grown"]) {
			s.write(`${name}/src/main.ts`, "m", tree.path);
			s.write(`${name}/.gitignore`, "node_modules/\n", tree.path);
			s.write(`${name}/node_modules/dep.js`, "d", tree.path);
			s.git(["init", "-q", name], tree.path);
		}
		s.git(["add", "-A"], join(tree.path, "grown"));
		s.git(["commit", "-qm", "inner"], join(tree.path, "grown"));
		const changes = await tree.changes(point);
		assert.deepEqual(changes.paths, ["fresh/.gitignore", "fresh/src/main.ts", "grown/.gitignore", "grown/src/main.ts"]);
		await tree.commitAll("work");
		assert.equal(s.git(["show", "HEAD:grown/src/main.ts"], tree.path), "m");
		assert.equal((await tree.changes(changes.point)).uncommitted, false);
		await tree.rollback(point);
		assert.equal(existsSync(join(tree.path, "grown")), false);
		assert.equal(existsSync(join(tree.path, "fresh")), false);
		assert.equal(s.status(tree.path), "");
	});

	it("a submodule does not block", async (t) => {
		const s = scratchRepository(t);
		const inner = join(s.outside, "inner");
		mkdirSync(inner, { recursive: true });
		s.git(["init", "-q", inner]);
		s.git(["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "inner"], inner);
		s.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub"]);
		s.git(["commit", "-qm", "with a submodule"]);
		for (const tree of [s.tree(), s.worktree()]) {
			const point = await tree.point();
			s.write("a.txt", "changed\n", tree.path);
			assert.deepEqual((await tree.changes(point)).paths, ["a.txt"]);
			await tree.rollback(point);
			assert.equal(s.status(tree.path), "");
		}
		assert.equal(existsSync(join(s.root, "sub/.git")), true);
	});
});

describe("saveDiff", () => {
	it("holds commits, uncommitted and untracked work, and can be applied (D-120, D-121)", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		s.write("committed.txt", "c\n", tree.path);
		s.git(["add", "-A"], tree.path);
		s.git(["commit", "-qm", "by the agent"], tree.path);
		s.write("a.txt", "changed\r\n", tree.path);
		writeFileSync(join(tree.path, "untracked.bin"), Buffer.from([0, 255, 10, 13, 0]));
		const file = join(s.outside, "failures/US-001-step.diff");
		assert.notEqual(await tree.saveDiff(point, file), null);
		const after = (await tree.changes(point)).point.tree;
		await tree.rollback(point);
		s.git(["apply", "--index", "--whitespace=nowarn", file], tree.path);
		assert.equal(s.git(["write-tree"], tree.path), after);
	});

	it("writes nothing where there is nothing, and keeps the diff that a crash left", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		const file = join(s.outside, "d.diff");
		assert.equal(await tree.saveDiff(point, file), null);
		assert.equal(existsSync(file), false);
		s.write("a.txt", "changed", tree.path);
		await tree.saveDiff(point, file);
		const saved = readFileSync(file, "utf8");
		await tree.rollback(point);
		assert.equal(await tree.saveDiff({ commit: point.commit, tree: `${point.commit}^{tree}` }, file), null);
		assert.equal(readFileSync(file, "utf8"), saved);
	});
});

describe("rollback", () => {
	it("undoes commits, files and folders of the step, keeps earlier commits and ignored files (D-122)", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		s.write("earlier.txt", "e", tree.path);
		await tree.commitAll("an earlier step");
		const point = await tree.point();
		s.write("x.log", "ignored", tree.path);
		s.write(".gitignore", "*.log\n*.hidden\n", tree.path);
		s.write("y.hidden", "h", tree.path);
		s.write("new/deep/file", "n", tree.path);
		mkdirSync(join(tree.path, "empty"));
		s.git(["add", "new"], tree.path);
		s.git(["commit", "-qm", "by the agent"], tree.path);
		rmSync(join(tree.path, "a.txt"));
		await tree.rollback(point);
		assert.equal(s.git(["rev-parse", "HEAD"], tree.path), point.commit);
		assert.equal(s.status(tree.path), "");
		assert.equal(s.read("earlier.txt", tree.path), "e");
		assert.equal(s.read("x.log", tree.path), "ignored");
		assert.equal(s.read("y.hidden", tree.path), null);
		assert.equal(existsSync(join(tree.path, "empty")), false);
		assert.deepEqual(await tree.point(), point);
	});

	it("puts back what was uncommitted at the point, not only what was committed", async (t) => {
		const s = scratchRepository(t);
		const tree = s.tree();
		s.write("a.txt", "half done\n");
		s.write("untracked.txt", "u\n");
		const point = await tree.point();
		s.write("a.txt", "spoilt");
		rmSync(join(s.root, "untracked.txt"));
		s.write("more.txt", "m");
		await tree.rollback(point);
		assert.equal(s.status(), " M a.txt\n?? untracked.txt");
		assert.equal(s.read("a.txt"), "half done\n");
		assert.equal(s.read("untracked.txt"), "u\n");
	});

	for (const [what, make] of [
		["on another branch", ["checkout", "-q", "-b", "elsewhere"]],
		["detached", ["checkout", "-q", "--detach"]],
		["on an orphan branch", ["checkout", "-q", "--orphan", "nothing"]],
	] as const) {
		it(`puts HEAD back on the branch when the agent left it ${what}`, async (t) => {
			const s = scratchRepository(t);
			const tree = s.worktree();
			const point = await tree.point();
			s.git(make, tree.path);
			s.write("new.txt", "n", tree.path);
			s.git(["add", "-A"], tree.path);
			s.git(["commit", "-qm", "there"], tree.path);
			await tree.rollback(point);
			assert.equal(s.git(["symbolic-ref", "HEAD"], tree.path), "refs/heads/ralph/US-001");
			assert.equal(s.git(["rev-parse", "HEAD"], tree.path), point.commit);
			assert.equal(s.status(tree.path), "");
		});
	}

	it("ends a rebase that stopped at a conflict (D-141)", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		s.write("a.txt", "mine\n", tree.path);
		await tree.commitAll("mine");
		s.write("a.txt", "theirs\n");
		s.git(["commit", "-qam", "theirs"]);
		const point = await tree.point();
		assert.throws(() => s.git(["rebase", "main"], tree.path));
		writeFileSync(join(tree.gitDir, "index.lock"), "");
		await tree.rollback(point);
		assert.equal(s.git(["rev-parse", "ralph/US-001"]), point.commit);
		assert.equal(s.git(["symbolic-ref", "HEAD"], tree.path), "refs/heads/ralph/US-001");
		assert.equal(s.read("a.txt", tree.path), "mine\n");
		assert.doesNotMatch(s.git(["status"], tree.path), /rebase|lock/);
		assert.equal(s.status(tree.path), "");
	});

	it("works on a broken index, a broken HEAD and a deleted or broken branch", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		const branch = join(s.root, ".git/refs/heads/ralph/US-001");
		for (const spoil of [
			() => rmSync(branch),
			() => writeFileSync(branch, "nonsense"),
			() => writeFileSync(join(tree.gitDir, "HEAD"), "nonsense"),
		]) {
			spoil();
			writeFileSync(join(tree.gitDir, "index"), "nonsense");
			s.write("a.txt", "spoilt", tree.path);
			await tree.saveDiff(point, join(s.outside, "d.diff"));
			await tree.rollback(point);
			assert.equal(s.status(tree.path), "");
			assert.equal(s.git(["rev-parse", "HEAD"], tree.path), point.commit);
		}
	});

	it("in the user's own checkout keeps pawl's files although their ignore file is gone (D-126)", async (t) => {
		const s = scratchRepository(t);
		const tree = s.tree();
		const point = await tree.point();
		s.write(".pawl/runs/r1/workflow_state.json", "{}");
		s.write("new.txt", "n");
		await tree.rollback(point);
		assert.equal(s.read(".pawl/runs/r1/workflow_state.json"), "{}");
		assert.equal(s.read("new.txt"), null);
	});
});

describe("revert and discard", () => {
	it("reverts the named paths only, whether changed, added, deleted or committed", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		s.write("a.txt", "changed", tree.path);
		rmSync(join(tree.path, "b.txt"));
		s.write("bad/new.txt", "n", tree.path);
		s.git(["add", "-A"], tree.path);
		s.git(["commit", "-qm", "by the agent"], tree.path);
		s.write("good [x].txt", "g", tree.path);
		await tree.revert(["a.txt", "b.txt", "bad/new.txt"], point);
		assert.deepEqual((await tree.changes(point)).paths, ["good [x].txt"]);
		assert.equal(s.read("a.txt", tree.path), "a\n");
		await assert.rejects(tree.revert(["../outside"], point), { name: "WorkspaceError" });
	});

	it("discards only uncommitted changes", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		s.write("a.txt", "committed\n", tree.path);
		const commit = await tree.commitAll("work");
		s.write("a.txt", "by a check", tree.path);
		s.write("report.txt", "r", tree.path);
		s.write("x.log", "l", tree.path);
		await tree.discard();
		assert.equal(s.git(["rev-parse", "HEAD"], tree.path), commit);
		assert.equal(s.read("a.txt", tree.path), "committed\n");
		assert.equal(s.read("report.txt", tree.path), null);
		assert.equal(s.read("x.log", tree.path), "l");
		assert.equal(await countCalls(t, s.outside, () => tree.discard()), 1);
	});
});

describe("commitAll", () => {
	it("commits everything without hooks and signing, and leaves git status clean", async (t) => {
		const s = scratchRepository(t);
		s.git(["config", "commit.gpgsign", "true"]);
		s.git(["config", "gpg.program", "false"]);
		for (const hook of ["pre-commit", "commit-msg", "post-commit", "reference-transaction"]) {
			s.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch '${join(s.root, "ran")}'\nexit 1\n`);
			chmodSync(join(s.root, ".git/hooks", hook), 0o755);
		}
		const tree = s.tree();
		assert.equal(await tree.commitAll("nothing"), null);
		s.write("new.txt", "n");
		rmSync(join(s.root, "b.txt"));
		const commit = await tree.commitAll("pawl: work\n\nwith a body");
		assert.equal(s.git(["rev-parse", "main"]), commit);
		assert.equal(s.git(["log", "-1", "--format=%an|%s|%b"]), "Ada|pawl: work|with a body");
		assert.equal(s.status(), "");
		assert.equal(existsSync(join(s.root, "ran")), false);
	});

	it("commits as pawl where the user has no name", async (t) => {
		const s = scratchRepository(t);
		s.git(["config", "--unset", "user.name"]);
		s.git(["config", "--unset", "user.email"]);
		const home = process.env["HOME"];
		process.env["HOME"] = s.outside;
		t.after(() => {
			process.env["HOME"] = home;
		});
		s.write("new.txt", "n");
		await s.tree().commitAll("work");
		assert.equal(s.git(["log", "-1", "--format=%an <%ae> %cn <%ce>"]), "pawl <pawl@localhost> pawl <pawl@localhost>");
	});

	it("keeps CRLF files and modes as they are", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		s.write("crlf.txt", "one\r\ntwo\r\n", tree.path);
		s.write("run.sh", "#!/bin/sh\n", tree.path);
		chmodSync(join(tree.path, "run.sh"), 0o755);
		await tree.commitAll("work");
		assert.equal(execFileSync("git", ["show", "HEAD:crlf.txt"], { cwd: tree.path, encoding: "utf8" }), "one\r\ntwo\r\n");
		assert.match(s.git(["ls-tree", "HEAD", "run.sh"], tree.path), /^100755/);
		assert.equal(lstatSync(join(tree.path, "run.sh")).mode & 0o111, 0o111);
	});
});
