// Sessions and people who do things to the refs of one repository at the same time. A session's git commands carry the environment that
// the workspace gives them; a person's do not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { WorkspaceError } from "../../workspace.ts";
import { nameOf } from "../git/lock.ts";
import { GitTree } from "../tree/tree.ts";
import { bySession, unclear, WORK, world } from "./session-world.suite.ts";

const WIP =
	"git branch wip; git tag v1; echo stashed > a.txt; git stash push -qm 'of a person'; echo more > a.txt; git stash push -qm second";

describe("refs that are not the session's", () => {
	test("G-22: branches, tags and stash entries that a session deleted, made or moved are as they were, and what it made is kept", async (t) => {
		const w = await world(t, "worktree", WIP);
		const before = w.view();
		w.session(
			`${WORK}; git branch -D wip; git tag -d v1; git stash drop -q; c=$(git commit-tree HEAD^{tree} -p HEAD -m loose); git branch own $c; git tag v2 $c`,
		);
		const changes = await w.tree.changes(w.point);
		assert.equal(w.view(), before);
		assert.deepEqual(bySession(changes).sort(), [
			"deleted branch wip",
			"deleted tag v1",
			"made branch own",
			"made tag v2",
			"moved the stash",
		]);
		assert.ok(changes.refs.every(({ putBack }) => putBack));
		const kept = changes.refs.find(({ what }) => what === "branch own")?.kept ?? "";
		assert.equal(w.s.git(["log", "-1", "--format=%s", kept]), "loose");
		assert.deepEqual([changes.committed, changes.paths], [true, ["work.txt"]]);
		assert.deepEqual((await w.tree.changes(w.point)).refs, changes.refs, "whoever looks is told, also if somebody looked before");
	});

	test("G-22: what a person does to refs meanwhile is left alone, and nobody is blamed for it", async (t) => {
		const w = await world(t, "worktree", WIP);
		w.session(`${WORK}; git log main..HEAD; git branch --list; git tag -l; git rebase -q main; git stash list`);
		w.person(
			"git branch -D wip; git branch new; git tag v2; git tag -f v1 HEAD; git stash drop -q; echo mine > mine.txt; git add -A; git commit -qm mine; git checkout -q -b other",
		);
		const after = w.view();
		const changes = await w.tree.changes(w.point);
		assert.deepEqual(changes.refs, []);
		assert.equal(w.view(), after);
	});

	test("G-22: both at once: only what the session did is put back", async (t) => {
		const w = await world(t, "worktree", "git branch one; git branch two; echo s > a.txt; git stash push -qm first");
		w.session(`${WORK}; git branch -D one; git stash drop -q`);
		w.person("git branch -D two; echo t > a.txt; git stash push -qm 'of mine'");
		assert.deepEqual(bySession(await w.tree.changes(w.point)).sort(), ["deleted branch one", "moved the stash"]);
		assert.deepEqual(
			w.refs("refs/heads").map((line) => line.split("/").slice(2).join("/")),
			["main", "one", "ralph/US-001"],
		);
		assert.deepEqual(w.s.git(["stash", "list", "--format=%gs"]).split("\n"), ["On main: of mine", "On main: first"]);
		w.person("git checkout -q -f; git stash pop -q; git checkout -q -f; git stash pop -q");
		assert.equal(readFileSync(join(w.s.root, "a.txt"), "utf8"), "s\n");
	});

	test("G-22 G-23: base that a session moved, behind the back of its checkout or in it, is put back with its files", async (t) => {
		const moves = {
			"a forged commit": "git update-ref refs/heads/main $(git commit-tree HEAD^{tree} -p main -m forged)",
			"a merge in the user's checkout": 'git -C "$ROOT" merge -q ralph/US-001',
			"a fetch from itself": "git fetch -q --update-head-ok . HEAD:main",
			"a step back": "git branch -f main main~1 2>/dev/null || git update-ref refs/heads/main main~1",
		};
		for (const [what, script] of Object.entries(moves)) {
			const w = await world(t, "worktree", "echo second > b.txt; git commit -qam second");
			const before = w.view();
			w.session(`ROOT='${w.s.root}'; ${WORK}; ${script}`);
			const changes = await w.tree.changes(w.point);
			assert.deepEqual(bySession(changes), ["moved branch main"], what);
			assert.equal(w.view(), before, what);
			assert.equal(existsSync(join(w.s.root, "work.txt")), false, what);
		}
	});

	test("G-22 G-23: base that several sessions move within a second, one after the other, is put back each time", async (t) => {
		const w = await world(t, "worktree");
		const before = w.view();
		for (const attempt of [1, 2, 3, 4]) {
			const point = await w.tree.point({ session: `run:US-001:step-005:${attempt}` });
			const forge = `git update-ref refs/heads/main $(git commit-tree HEAD^{tree} -p main -m "forged ${attempt}")`;
			execFileSync("sh", ["-ec", forge], { cwd: w.tree.path, env: { ...process.env, ...w.tree.sessionEnv(point) } });
			assert.deepEqual(bySession(await w.tree.changes(point)), ["moved branch main"]);
			assert.equal(w.view(), before, `attempt ${attempt}`);
		}
	});

	test("G-22 G-03: what a person put on base after the session moved it stays, and the session's commit is taken out underneath", async (t) => {
		const w = await world(t, "worktree");
		w.session(`${WORK}; git -C '${w.s.root}' merge -q ralph/US-001`);
		w.person("echo mine > mine.txt; git add -A; git commit -qm mine");
		const mine = w.s.git(["rev-parse", "main"]);
		const changes = await w.tree.changes(w.point);
		assert.deepEqual(bySession(changes), ["moved branch main"]);
		assert.equal(w.s.git(["merge-base", "--is-ancestor", mine, "main"]), "", "the commit of the person is still there, by its id");
		assert.equal(w.s.git(["ls-tree", "--name-only", "main"]), ".gitignore\na.txt\nb.txt\nmine.txt");
		assert.equal(w.s.status(), "");
	});

	test("G-22 I18: base that a session moved is put back also if another run was killed while it merged there", async (t) => {
		const w = await world(t, "worktree");
		const before = w.s.git(["rev-parse", "main"]);
		const theirs = w.s.git(["commit-tree", "main^{tree}", "-p", "main", "-m", "feat(ralph): B-1"]);
		const file = join(w.s.root, ".git", "pawl", `move-${nameOf("refs/heads/main")}.json`);
		mkdirSync(join(file, ".."), { recursive: true });
		writeFileSync(file, JSON.stringify({ ref: "refs/heads/main", from: before, to: theirs }));
		w.session(`${WORK}; git update-ref refs/heads/main "$(git commit-tree HEAD^{tree} -p main -m evil)"`);
		w.person("git reset -q --hard");
		const changes = await w.tree.changes(w.point);
		assert.deepEqual(
			changes.refs.map(({ what, putBack }) => [what, putBack]),
			[["branch main", true]],
		);
		assert.deepEqual([w.s.git(["rev-parse", "main"]), w.s.status()], [before, ""]);
	});

	test("G-22: base that a session moved behind the back of its checkout is put back beside what a person has staged or changed there", async (t) => {
		const w = await world(t, "worktree");
		const before = w.s.git(["rev-parse", "main"]);
		w.person("echo staged > staged.txt; git add staged.txt; echo changed > b.txt");
		w.session(`${WORK}; git update-ref refs/heads/main "$(git commit-tree HEAD^{tree} -p main -m evil)"`);
		const status = "M b.txt\nA  staged.txt";
		assert.deepEqual(bySession(await w.tree.changes(w.point)), ["moved branch main"]);
		assert.deepEqual([w.s.git(["rev-parse", "main"]), w.s.git(["status", "--porcelain"]).trim()], [before, status]);
		// A person has committed on top of it: their commit and what they have not committed stay.
		w.session('git update-ref refs/heads/main "$(git commit-tree HEAD^{tree} -p main -m evil)"');
		w.person("echo mine > mine.txt; git add mine.txt; git commit -qm mine -- mine.txt");
		assert.deepEqual(bySession(await w.tree.changes(w.point)), ["moved branch main"]);
		assert.equal(w.s.git(["ls-tree", "--name-only", "main"]), ".gitignore\na.txt\nb.txt\nmine.txt");
		assert.equal(w.s.git(["status", "--porcelain"]).trim(), status);
	});

	for (const [who, move] of [
		["another run merged", "git update-ref -m 'pawl: merge' refs/heads/main $(git commit-tree HEAD^{tree} -p main -m 'feat(ralph): B-1')"],
		["a person committed", "git commit -q --allow-empty -m mine"],
	] as const)
		test(`G-22 G-03: what ${who} after base was put back stays, also if the attempt is put back by another process`, async (t) => {
			const w = await world(t, "worktree");
			w.session(`${WORK}; git update-ref refs/heads/main "$(git commit-tree HEAD^{tree} -p main -m evil)"`);
			assert.deepEqual(bySession(await w.tree.changes(w.point)), ["moved branch main"]);
			w.person(move);
			const after = w.s.git(["rev-parse", "main"]);
			const { path, branch, gitDir, commonDir } = w.tree;
			const later = new GitTree({ root: w.s.root, path, branch, gitDir, commonDir, index: join(gitDir, "pawl", "index.later") });
			const point = (await later.recall("run:US-001:step-005:1")) ?? assert.fail("the session is known");
			await later.rollback(point, join(w.s.outside, "aside"));
			assert.equal(w.s.git(["rev-parse", "main"]), after);
		});

	test("G-22: base is not forced over a person's changes: pawl reports it", async (t) => {
		const w = await world(t, "worktree");
		w.session(`${WORK}; echo theirs > a.txt; git commit -qam a; git -C '${w.s.root}' merge -q ralph/US-001`);
		w.person("echo 'of the person' > a.txt");
		const changes = await w.tree.changes(w.point);
		assert.deepEqual(
			changes.refs.map(({ what, by, putBack }) => [what, by, putBack]),
			[["branch main", "session", false]],
		);
		assert.equal(readFileSync(join(w.s.root, "a.txt"), "utf8"), "of the person\n");
	});

	test("G-22: a checkout that a session made goes, with its work kept; one that it switched is switched back", async (t) => {
		const w = await world(t, "worktree", "git branch side");
		w.session(`git worktree add -q -b extra '${w.s.outside}' main; echo x > '${w.s.outside}/x.txt'; git -C '${w.s.root}' checkout -q side`);
		const changes = await w.tree.changes(w.point);
		assert.deepEqual(bySession(changes).sort(), [
			"made branch extra",
			`made the checkout ${w.s.outside}`,
			`moved the checkout ${w.s.root}`,
		]);
		assert.equal(existsSync(w.s.outside), false);
		assert.equal(w.s.git(["symbolic-ref", "HEAD"]), "refs/heads/main");
		assert.deepEqual(
			w.refs("refs/heads").map((line) => line.split(" ")[1]),
			["refs/heads/main", "refs/heads/ralph/US-001", "refs/heads/side"],
		);
		const kept = changes.refs.find(({ what }) => what.startsWith("the checkout") && what.endsWith("outside"))?.kept ?? "";
		assert.equal(w.s.git(["show", `${kept}:x.txt`]), "x");
	});

	test("G-22: pawl's own refs are not a session's to write: it is reported", async (t) => {
		const w = await world(t, "worktree", "git update-ref refs/pawl/kept/US-002 HEAD");
		w.session(
			"git update-ref refs/pawl/kept-by/run-2/US-002 HEAD; git update-ref -d refs/pawl/kept/US-002; git log --oneline refs/pawl/kept-by/run-2/US-002",
		);
		w.person("git update-ref refs/pawl/backup/x HEAD");
		const changes = await w.tree.changes(w.point);
		assert.deepEqual(bySession(changes).sort(), ["deleted refs/pawl/kept/US-002", "moved refs/pawl/kept-by/run-2/US-002"]);
	});

	test("G-22: remote-tracking refs, fetched tags and what happens in other repositories are nobody's business", async (t) => {
		const w = await world(
			t,
			"worktree",
			'git clone -q . ../upstream; git -C ../upstream tag released; git remote add origin "$(cd ../upstream; pwd)"',
		);
		w.session(
			"git fetch -q origin --tags; git init -q -b main ../other; cd ../other; git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x; git branch wip; git branch -D wip",
		);
		w.person("git tag of-a-person; echo mine > mine.txt; git add -A; git commit -qm mine");
		assert.deepEqual((await w.tree.changes(w.point)).refs, []);
		assert.deepEqual(
			w.refs("refs/tags").map((line) => line.split(" ")[1]),
			["refs/tags/of-a-person", "refs/tags/released"],
		);
	});

	test("G-22: if nobody can tell who did it, pawl puts nothing back and reports it", async (t) => {
		const hidden = await world(t, "worktree", WIP);
		hidden.session("printf 'delete refs/heads/wip\\n' | git update-ref --stdin");
		assert.deepEqual(unclear(await hidden.tree.changes(hidden.point)), ["deleted branch wip"]);
		const gone = await world(t, "worktree", WIP);
		gone.session(`${WORK}; rm -f "$GIT_TRACE2_EVENT"; git branch -D wip`);
		rmSync(gone.point.noted?.trace ?? "", { force: true });
		assert.deepEqual(unclear(await gone.tree.changes(gone.point)), ["deleted branch wip"]);
		const untraced = await world(t, "worktree");
		untraced.session(`${WORK}; unset GIT_TRACE2_EVENT; git update-ref refs/heads/main HEAD`);
		assert.deepEqual(unclear(await untraced.tree.changes(untraced.point)), ["moved branch main"]);
	});

	test("G-22: a session that pawl does not run: a person's forward move of base is taken, the rest is a question and stays", async (t) => {
		const w = await world(t, "worktree", WIP, null);
		assert.deepEqual(w.tree.sessionEnv(w.point), {});
		assert.deepEqual(JSON.parse(JSON.stringify(w.point)), w.point, "it is plain data");
		w.session(`${WORK}; git branch -D wip`);
		w.person("echo mine > mine.txt; git add -A; git commit -qm mine");
		assert.deepEqual(unclear(await w.tree.changes(w.point)), ["deleted branch wip"]);
		w.session("git update-ref refs/heads/main HEAD");
		assert.deepEqual(unclear(await w.tree.changes(w.point)).sort(), ["deleted branch wip", "moved branch main"]);
	});
});

describe("the branch of the session", () => {
	test("G-03: a commit of a person on top of the attempt's stays by its id; what the attempt did is taken out around it", async (t) => {
		const w = await world(t, "tree");
		w.session("echo half > half.txt; git add -A; git commit -qm half; echo more > more.txt");
		w.person("echo mine > mine.txt; git add mine.txt; git commit -qm mine");
		const mine = w.s.git(["rev-parse", "HEAD"]);
		const changes = await w.tree.changes(w.point);
		assert.deepEqual([changes.paths, changes.committed, changes.others], [["half.txt", "more.txt"], true, [mine]]);
		const diff = join(w.s.outside, "d.diff");
		await w.tree.saveDiff(w.point, diff);
		assert.doesNotMatch(readFileSync(diff, "utf8"), /mine/);
		const back = await w.tree.rollback(w.point, join(w.s.outside, "aside"));
		assert.deepEqual([back.stayed, back.aside.map(({ path }) => path)], [[mine], ["more.txt"]]);
		assert.equal(w.s.git(["rev-parse", "HEAD~1"]), mine);
		assert.equal(w.s.git(["ls-tree", "--name-only", "HEAD"]), ".gitignore\na.txt\nb.txt\nmine.txt");
		assert.equal(w.s.status(), "");
		assert.equal(w.s.read("mine.txt"), "mine\n");
		assert.equal(readFileSync(join(w.s.outside, "aside", "more.txt"), "utf8"), "more\n");
	});

	test("G-03: commits of a person below the attempt's stay as they are, without any commit of pawl's", async (t) => {
		const w = await world(t, "tree");
		w.person("echo mine > mine.txt; git add mine.txt; git commit -qm mine");
		w.session("echo half > half.txt; git add half.txt; git commit -qm half");
		const mine = w.s.git(["rev-parse", "HEAD~1"]);
		const back = await w.tree.rollback(w.point);
		assert.deepEqual([back.commit, w.s.git(["rev-parse", "HEAD"])], [mine, mine]);
		assert.equal(w.s.status(), "");
	});

	test("G-03: a commit that a person made after the engine was killed stays when another process puts the attempt back", async (t) => {
		const w = await world(t, "tree");
		w.session("echo half > half.txt; git add -A; git commit -qm half");
		w.person("echo hotfix > hotfix.txt; git add -A; git commit -qm hotfix");
		const later = w.s.tree();
		const point = (await later.recall("run:US-001:step-005:1")) ?? assert.fail("the session is known");
		assert.deepEqual(point, w.point);
		await later.rollback(point);
		assert.equal(w.s.git(["ls-tree", "--name-only", "HEAD"]), ".gitignore\na.txt\nb.txt\nhotfix.txt");
		assert.match(w.s.git(["log", "--format=%s"]), /^hotfix$/m);
		assert.equal(await later.recall("run:US-001:step-005:2"), null);
	});

	test("G-03: if others built on the attempt's own lines, pawl touches nothing and reports it", async (t) => {
		const w = await world(t, "tree");
		w.session("echo half > a.txt; git commit -qam half");
		w.person("echo 'half and mine' > a.txt; git commit -qam mine");
		const before = w.s.git(["rev-parse", "HEAD"]);
		await assert.rejects(w.tree.rollback(w.point), (e: Error) => e instanceof WorkspaceError && /a\.txt/.test(e.message));
		assert.equal(w.s.git(["rev-parse", "HEAD"]), before);
		assert.equal(w.s.read("a.txt"), "half and mine\n");
	});

	test("G-03: a merge of another run into the branch stays, and so does what pawl committed for an attempt not", async (t) => {
		const w = await world(t, "tree");
		w.session("echo left > left.txt");
		await w.tree.commitAll("pawl: left\n");
		w.person(
			"c=$(git commit-tree $(git rev-parse HEAD^{tree}) -p HEAD -m 'feat(ralph): US-009'); git update-ref -m 'pawl: merge' refs/heads/main $c",
		);
		const merged = w.s.git(["rev-parse", "HEAD"]);
		assert.deepEqual((await w.tree.rollback(w.point)).stayed, [merged]);
		assert.match(w.s.git(["log", "--format=%s"]), /US-009/);
		assert.equal(existsSync(join(w.s.root, "left.txt")), false);
	});

	test("G-22: a session may rewrite the commits of its story, but not a branch of the user's", async (t) => {
		const rewrite = "git commit -q --amend -m amended --allow-empty";
		const story = await world(t, "worktree");
		story.session(rewrite);
		assert.deepEqual((await story.tree.changes(story.point)).refs, []);
		const users = await world(t, "tree");
		users.session(rewrite);
		assert.deepEqual(bySession(await users.tree.changes(users.point)), ["moved branch main"]);
		await users.tree.rollback(users.point);
		assert.equal(users.s.git(["log", "-1", "--format=%s"]), "first");
		const person = await world(t, "tree");
		person.person(rewrite);
		const changes = await person.tree.changes(person.point);
		assert.deepEqual([changes.refs, changes.committed, changes.paths], [[], false, []]);
		await person.tree.rollback(person.point);
		assert.equal(person.s.git(["log", "-1", "--format=%s"]), "amended");
	});

	test("G-03: a person who switches to another branch is not undone; a session is", async (t) => {
		const w = await world(t, "tree");
		w.person("git checkout -q -b other");
		await assert.rejects(w.tree.changes(w.point), /is on other now, and the run works on main/);
		await assert.rejects(w.tree.rollback(w.point), /switch back to go on/);
		assert.equal(w.s.git(["symbolic-ref", "--short", "HEAD"]), "other");
		const agent = await world(t, "tree");
		agent.session("git checkout -q -b other");
		assert.match((await agent.tree.changes(agent.point)).tampered.join(), /HEAD \(was other\)/);
		assert.equal(agent.s.git(["symbolic-ref", "--short", "HEAD"]), "main");
	});

	test("G-03: what pawl folds into one commit are the commits of the run, never those of others", async (t) => {
		const w = await world(t, "tree");
		const start = w.point.commit;
		w.session("echo one > one.txt; git add -A; git commit -qm one");
		await w.tree.changes(w.point);
		w.person("echo mine > mine.txt; git add -A; git commit -qm mine");
		const second = await w.tree.point({ session: "two" });
		execFileSync(
			"sh",
			["-ec", "echo two > two.txt; git add -A; git commit -qm two; echo three > three.txt; git add -A; git commit -qm three"],
			{
				cwd: w.s.root,
				env: { ...process.env, ...w.tree.sessionEnv(second) },
			},
		);
		await w.tree.changes(second);
		await w.tree.fold({ onto: start, message: "all of it\n" });
		assert.deepEqual(w.s.git(["log", "--format=%s"]).split("\n"), ["all of it", "mine", "one", "first"]);
	});
});

test("T-64 G-03: commits of others are known, during a session and after it; those of the session and of pawl are not among them", async (t) => {
	const w = await world(t, "tree");
	w.session(WORK);
	w.person("echo mine > mine.txt; git add mine.txt; git commit -qm mine");
	const during = w.s.git(["rev-parse", "HEAD"]);
	w.session("echo left > left.txt");
	await w.tree.changes(w.point);
	await w.tree.commitAll("pawl: what it left");
	w.person("echo later > later.txt; git add later.txt; git commit -qm later");
	assert.deepEqual(await w.tree.commitsOfOthers(), [during, w.s.git(["rev-parse", "HEAD"])]);
});
