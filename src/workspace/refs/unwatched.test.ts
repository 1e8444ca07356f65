// Work in the user's own tree that no trace tells apart from a person's: sessions that pawl does not run, and those whose record is lost.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { PersonNeeded, type Point } from "../../workspace.ts";
import { type Scratch, scratchRepository } from "../tree/scratch-repository.suite.ts";

const sh = (s: Scratch, script: string, env: Readonly<Record<string, string>> = {}): string =>
	execFileSync("sh", ["-ec", script], {
		cwd: s.root,
		env: { ...process.env, ...env },
		encoding: "utf8",
		stdio: ["ignore", "pipe", "pipe"],
	}).trim();

const commit = (s: Scratch, name: string, env: Readonly<Record<string, string>> = {}): string =>
	sh(s, `echo ${name} > ${name}.txt; git add ${name}.txt; git commit -qm ${name}; git rev-parse HEAD`, env);

/** As the engine puts an attempt back that it has no record of. */
const bare = ({ commit: at }: Point): Point => ({ commit: at, tree: `${at}^{tree}` });

async function refuses(s: Scratch, rollback: Promise<unknown>, ...named: string[]): Promise<void> {
	const head = s.git(["rev-parse", "HEAD"]);
	await assert.rejects(rollback, (error: Error) => {
		assert.ok(error instanceof PersonNeeded, String(error));
		for (const one of named) assert.ok(error.message.includes(one), error.message);
		return true;
	});
	assert.equal(s.git(["rev-parse", "HEAD"]), head);
}

test("G-03: a pulled step in the user's tree: commits that may be a person's are not taken off; a person decides", async (t: TestContext) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	const point = await tree.point({ session: null });
	const mine = commit(s, "mine");
	sh(s, "echo half > half.txt");
	await tree.changes(point);
	await refuses(s, s.tree().rollback(bare(point), join(s.outside, "aside")), "main", mine.slice(0, 12), "mine", point.commit.slice(0, 12));
	await refuses(s, tree.rollback(point), mine.slice(0, 12));
	assert.equal(existsSync(join(s.root, "half.txt")), true);
	// The person keeps it elsewhere, and the run goes on.
	sh(s, `git branch mine; git reset -q --hard ${point.commit}`);
	const back = await s.tree().rollback(bare(point), join(s.outside, "aside"));
	assert.deepEqual([back.commit, back.aside.map(({ path }) => path)], [point.commit, ["half.txt"]]);
	assert.equal(s.git(["rev-parse", "mine"]), mine);
});

test("G-03: a pulled step that committed nothing, or for which pawl committed, is put back as ever", async (t) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	const before = commit(s, "before");
	const point = await tree.point({ session: null });
	sh(s, "echo half > half.txt");
	await tree.changes(point);
	await tree.commitAll("pawl: left\n");
	await s.tree().rollback(bare(point), join(s.outside, "aside"));
	assert.equal(s.git(["rev-parse", "HEAD"]), before);
	assert.equal(existsSync(join(s.root, "half.txt")), false);
});

test("G-03: an attempt whose record is lost takes no commit off the branch", async (t) => {
	const s = scratchRepository(t);
	const point = await s.tree().point({ session: "run:a:1" });
	const hotfix = commit(s, "hotfix");
	rmSync(join(s.root, ".git", "pawl", "sessions"), { recursive: true });
	const later = s.tree();
	assert.equal(await later.recall("run:a:1"), null);
	await refuses(s, later.rollback(bare(point), join(s.outside, "aside")), hotfix.slice(0, 12));
});

test("G-03: work of several steps is put back at once; a person's commits among them stay", async (t) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	const first = await tree.point({ session: "run:a:1" });
	commit(s, "one", tree.sessionEnv(first));
	await tree.changes(first);
	const between = commit(s, "between");
	const second = await tree.point({ session: "run:b:1" });
	commit(s, "two", tree.sessionEnv(second));
	const during = commit(s, "during");
	await tree.changes(second);
	const back = await s.tree().rollback(bare(first), join(s.outside, "aside"));
	assert.deepEqual(back.stayed, [between, during]);
	assert.equal(s.git(["ls-tree", "--name-only", "HEAD"]), ".gitignore\na.txt\nb.txt\nbetween.txt\nduring.txt");
	assert.equal(s.status(), "");
	for (const one of [between, during]) s.git(["merge-base", "--is-ancestor", one, "HEAD"]);
});

test("G-03: without git's log of the branch, nobody's commit is taken off", async (t) => {
	const s = scratchRepository(t);
	s.git(["config", "core.logAllRefUpdates", "false"]);
	rmSync(join(s.root, ".git", "logs"), { recursive: true, force: true });
	const tree = s.tree();
	const point = await tree.point({ session: null });
	const mine = commit(s, "mine");
	await tree.changes(point);
	await refuses(s, tree.rollback(bare(point), join(s.outside, "aside")), mine.slice(0, 12));
});

test("G-03: a person's commit while the checks of a pulled step run is not taken for theirs", async (t) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	const session = await tree.point({ session: null });
	const checks = await tree.point({ within: session });
	const mine = commit(s, "mine");
	commit(s, "of-a-check", tree.sessionEnv(checks));
	const changes = await tree.changes(checks);
	assert.deepEqual([changes.committed, changes.others], [true, [mine]]);
	assert.deepEqual((await tree.rollback(checks)).commit, mine);
});

test("G-03: folding leaves every commit as it is that may be a person's, and says where the work is", async (t) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	const point = await tree.point({ session: null });
	const mine = commit(s, "mine");
	sh(s, "echo work > work.txt");
	await tree.changes(point);
	await tree.commitAll("pawl: left\n");
	const folded = await tree.fold({ onto: point.commit, message: "feat: work\n" });
	assert.equal(s.git(["rev-parse", "HEAD"]), folded);
	assert.deepEqual(s.git(["log", "--format=%H %s", `${point.commit}..`]).split("\n"), [`${folded} feat: work`, `${mine} mine`]);
	const again = await tree.point({ session: null });
	const last = commit(s, "last");
	await tree.changes(again);
	assert.equal(await tree.fold({ onto: folded ?? "", message: "feat: more\n" }), last);
	assert.equal(s.git(["rev-parse", "HEAD"]), last);
});

test("G-03: what a person commits on top of the run's work is not folded, nor is the run's work lost below it", async (t) => {
	const s = scratchRepository(t);
	const tree = s.tree();
	const point = await tree.point({ session: "s-1" });
	sh(s, "echo work > work.txt");
	await tree.changes(point);
	const work = await tree.commitAll("pawl: left\n");
	const mine = commit(s, "mine");
	// Whoever works next finds out that it is somebody else's.
	await tree.changes(await tree.point({ session: "s-2" }));
	assert.equal(await tree.fold({ onto: point.commit, message: "feat: work\n" }), mine);
	assert.deepEqual(s.git(["log", "--format=%H", `${point.commit}..`]).split("\n"), [mine, work]);
});
