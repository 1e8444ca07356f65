import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openRepository } from "../repository.ts";
import { openSharedRepository } from "../shared-repository.ts";
import type { GitTree } from "../tree/tree.ts";
import { type HttpServer, httpServer } from "./http-server.suite.ts";
import { mergeOverRemote, sharedBase } from "./remote-base.ts";
import { commit, requestFor, run, Site, write } from "./remote-fixture.suite.ts";
import { takeOver } from "./take-over.ts";

const sites: Site[] = [];
const servers: HttpServer[] = [];
after(async () => {
	for (const server of servers) await server.close();
	for (const site of sites) site.remove();
});

function site(files?: Readonly<Record<string, string>>): Site {
	const made = new Site(files);
	sites.push(made);
	return made;
}

const file = (s: Site, name: string): string => s.git("show", `main:${name}`);
const onItsBranch = (tree: GitTree, head: string): void => {
	assert.equal(run(tree.path, "symbolic-ref", "HEAD"), `refs/heads/${tree.branch}`);
	assert.equal(run(tree.path, "rev-parse", "HEAD"), head);
	assert.equal(run(tree.path, "status", "--porcelain"), "");
};

test("D-135 G-01 over a remote: a story becomes one commit on the shared base, announced first, checked on exactly that tree", async () => {
	const s = site();
	const [a, b] = [await s.machine("a"), await s.machine("b")];
	const one = await a.story(1, "US-001", { "a.txt": "x\n" });
	commit(one.path, { "dir/new.txt": "new\n" });
	const two = await b.story(1, "US-002", { "b.txt": "y\n" });
	const before = s.base();
	const seen: string[] = [];
	const check = async (path: string): Promise<readonly string[]> => {
		assert.equal(run(path, "status", "--porcelain"), "");
		seen.push(run(path, "rev-parse", "HEAD"));
		return [];
	};
	const announce = async (made: string): Promise<void> => {
		assert.equal(s.base(), before);
		assert.deepEqual(seen, [made]);
		s.announce("US-001", made);
	};
	const first = await a.merge(one, { check, announce });
	assert.deepEqual(first, { result: "merged", commit: s.base() });
	assert.equal(s.git("rev-parse", "main~1"), before);
	// The other machine's clone does not know of it yet.
	const second = await b.merge(two, { check });
	assert.deepEqual(second, { result: "merged", commit: s.base() });
	assert.deepEqual(s.log(), ["feat(ralph): US-002 - Story US-002", "feat(ralph): US-001 - Story US-001", "first"]);
	assert.deepEqual([file(s, "a.txt"), file(s, "b.txt"), file(s, "dir/new.txt")], ["x", "y", "new"]);
	assert.equal(seen.length, 2);
	// Called again, as after a crash before the journal knew.
	assert.deepEqual(await a.merge(one), first);
	assert.equal(s.log().length, 3);
	onItsBranch(one, (first as { commit: string }).commit);
});

test("a conflict, an empty story and failing checks leave base and the story's branch as they were", async () => {
	const s = site();
	const a = await s.machine("a");
	const one = await a.story(1, "US-001", { "a.txt": "mine\n" });
	const empty = await a.worktrees.claim(2, "US-002", "main", "run-1");
	const head = run(one.path, "rev-parse", "HEAD");
	const base = s.pushes({ "a.txt": "theirs\n" }, "theirs");
	assert.deepEqual(await a.merge(one), { result: "conflict", paths: ["a.txt"] });
	onItsBranch(one, head);
	assert.deepEqual(await a.merge(empty), { result: "empty" });
	// An agent resolves it with what the clone's own branch says.
	await a.clone.bringUp("main");
	assert.equal(run(one.path, "rev-parse", "main"), base);
	assert.throws(() => run(one.path, "merge", "-q", "main"));
	const resolved = commit(one.path, { "a.txt": "both\n" }, "resolved");
	assert.deepEqual(await a.merge(one, { check: async () => ["test: exit 1"] }), { result: "checks_failed", failures: ["test: exit 1"] });
	onItsBranch(one, resolved);
	assert.equal(s.base(), base);
	assert.deepEqual(s.announced("US-001"), []);
	assert.equal((await a.merge(one)).result, "merged");
	assert.equal(file(s, "a.txt"), "both");
});

test("G-03 a person who pushes during the checks is not overwritten: the merge starts again on top of their commit", async () => {
	const s = site();
	const a = await s.machine("a");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const trees: string[] = [];
	const check = async (path: string, made: string): Promise<readonly string[]> => {
		trees.push(made);
		if (trees.length === 1) s.pushes({ "user.txt": "user\n" }, "the user's");
		else assert.equal(run(path, "show", "HEAD:user.txt"), "user");
		return [];
	};
	assert.equal((await a.merge(tree, { check })).result, "merged");
	assert.deepEqual(s.log(), ["feat(ralph): US-001 - Story US-001", "the user's", "first"]);
	assert.deepEqual(trees.slice(1), [s.git("rev-parse", "main^{tree}")]);
	assert.equal(trees.length, 2);
	// Somebody who never stops is not fought for ever.
	const again = await a.story(2, "US-002", { "b.txt": "x\n" });
	let n = 0;
	const pushing = async (): Promise<readonly string[]> => {
		s.pushes({ "user.txt": `${n++}\n` }, "again");
		return [];
	};
	await assert.rejects(a.merge(again, { check: pushing }), /main moved 5 times/);
	onItsBranch(again, run(again.path, "rev-parse", "ralph/US-002"));
});

test("A10: a person rewinds base during the checks: what they took off stays off, and the story gets onto what is left", async () => {
	const s = site();
	const a = await s.machine("a");
	const first = s.base();
	s.pushes({ "bad.txt": "bad\n" }, "a mistake");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	let checks = 0;
	const check = async (): Promise<readonly string[]> => {
		if (++checks === 1) s.rewinds(first);
		return [];
	};
	assert.equal((await a.merge(tree, { check })).result, "merged");
	assert.deepEqual(s.log(), ["feat(ralph): US-001 - Story US-001", "first"]);
	assert.equal(s.git("ls-tree", "--name-only", "main", "bad.txt"), "");
	assert.equal(checks, 2);
});

test("A10: another machine takes a story over whose start is gone from base: it does not bring it back either", async () => {
	const s = site();
	const [a, b] = [await s.machine("a"), await s.machine("b")];
	const first = s.base();
	const start = s.pushes({ "bad.txt": "bad\n" }, "a mistake");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const work = run(tree.path, "rev-parse", "HEAD");
	const published = await a.remote.publish(work, { run: "run-1", story: "US-001", step: "implement", attempt: 1 });
	assert.equal(published.result, "published");
	s.rewinds(first);
	const ref = "ref" in published ? published.ref : undefined;
	assert.deepEqual(await b.remote.obtain(work, ref), { result: "here" });
	const repository = await openRepository(b.root);
	assert.ok(!("problem" in repository));
	const taken = (await takeOver(repository, 1, { run: "run-1", story: "US-001", start, commit: work })) as GitTree;
	assert.equal(run(taken.path, "rev-parse", "HEAD"), work);
	assert.equal((await b.merge(taken, { start })).result, "merged");
	assert.deepEqual(s.log(), ["feat(ralph): US-001 - Story US-001", "first"]);
	assert.equal(s.git("ls-tree", "--name-only", "main", "bad.txt"), "");
	assert.equal(file(s, "a.txt"), "x");
});

test("a machine that has a story again goes on from the commit that the journal names, and keeps its own work aside", async () => {
	const s = site();
	const [a, b] = [await s.machine("a"), await s.machine("b")];
	const start = s.base();
	const repository = await openRepository(a.root);
	assert.ok(!("problem" in repository));
	const tree = await repository.claim(1, "US-001", "main", "run-1");
	const zombie = commit(tree.path, { "a.txt": "zombie\n" });
	write(tree.path, { "b.txt": "not committed\n" });
	const theirs = await b.story(1, "US-001", { "a.txt": "counts\n" });
	const counts = run(theirs.path, "rev-parse", "HEAD");
	await b.remote.publish(counts, { run: "run-1", story: "US-001", step: "implement", attempt: 2 });
	assert.equal((await a.remote.obtain(counts)).result, "here");
	const again = await takeOver(repository, 1, { run: "run-1", story: "US-001", start, commit: counts });
	assert.equal(run(again.path, "rev-parse", "HEAD"), counts);
	assert.equal(run(again.path, "status", "--porcelain"), "");
	assert.equal(a.git("rev-parse", `refs/pawl/backup/US-001/${zombie.slice(0, 16)}`), zombie);
	assert.equal(a.git("for-each-ref", "refs/pawl/backup/US-001").split("\n").length, 2);
});

test("I2 what a machine did on top of the commit that counts, committed or not, is put aside when it has the story again", async () => {
	const s = site();
	const a = await s.machine("a");
	const repository = await openSharedRepository(a.clone, () => ({ setup: null, copy: [], link: [] }));
	assert.ok(!("problem" in repository));
	const start = s.base();
	const tree = await repository.claim(1, "US-001", "main", "run-1");
	const counts = commit(tree.path, { "a.txt": "counts\n" });
	const standing = { start, commit: counts };
	for (const leave of [() => void commit(tree.path, { "z.txt": "zombie\n" }), () => write(tree.path, { "z.txt": "zombie\n" })]) {
		leave();
		const again = await repository.reopen(1, "US-001", "run-1", false, standing);
		assert.equal(run(again?.path ?? "", "rev-parse", "HEAD"), counts);
		assert.equal(run(again?.path ?? "", "status", "--porcelain"), "");
	}
	assert.equal(a.git("for-each-ref", "refs/pawl/backup/US-001").split("\n").length > 1, true, "it is kept");
});

test("a protected base and a remote that is away are results; the story's worktree is back on its branch", async () => {
	const s = site();
	const a = await s.machine("a");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const head = run(tree.path, "rev-parse", "HEAD");
	const base = s.base();
	s.hook("pre-receive", 'grep -q refs/heads/main && echo "GH006: protected branch" >&2 && exit 1; exit 0');
	const refused = await a.merge(tree);
	assert.ok(refused.result === "protected" && /GH006/.test(refused.message), JSON.stringify(refused));
	onItsBranch(tree, head);
	assert.equal(s.base(), base);
	s.hook("pre-receive", null);
	let checks = 0;
	const check = async (): Promise<readonly string[]> => {
		checks++;
		return [];
	};
	const away = await a.merge(tree, { check }, undefined, a.over(`file://${s.home}/nowhere.git`));
	assert.equal(away.result, "unreachable");
	assert.equal(checks, 0);
	onItsBranch(tree, head);
	assert.equal((await a.merge(tree)).result, "merged");
});

test("the answer to the push got lost and nobody answers any more: the next try finds the merge, also if a person has taken it off", async () => {
	for (const rewound of [false, true]) {
		const s = site();
		const server = await httpServer(s.shared);
		servers.push(server);
		const a = await s.machine("a", server.address);
		const first = s.base();
		const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
		const announce = async (made: string): Promise<void> => {
			s.announce("US-001", made);
			server.on("/git-receive-pack", "cut after");
			server.on("git-upload-pack", "unavailable", 3);
		};
		assert.equal((await a.merge(tree, { announce })).result, "unreachable");
		const [made = ""] = s.announced("US-001");
		assert.equal(s.base(), made);
		if (rewound) s.rewinds(first);
		const check = async (): Promise<readonly string[]> => assert.fail("it is merged already");
		assert.deepEqual(await a.merge(tree, { check }), { result: "merged", commit: made });
		assert.equal(s.base(), rewound ? first : made);
	}
});

test("G-23: a commit on base with our trailers that nobody announced is not the merge", async () => {
	const s = site();
	const a = await s.machine("a");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	s.pushes({ "c.txt": "c\n" }, "feat(ralph): US-001 - Story US-001\n\nPawl-Run: run-1\nPawl-Story: US-001");
	// Not even for a step that has announced nothing.
	const { announced: _, ...unannounced } = requestFor(s, "US-001");
	const request = { ...unannounced, check: async () => ["test: exit 1"] };
	const { root, commonDir, remote } = a;
	const result = await mergeOverRemote({ root, commonDir, remote, worktree: tree, request, turn: async () => () => {} });
	assert.deepEqual(result, { result: "checks_failed", failures: ["test: exit 1"] });
	assert.equal((await a.merge(tree)).result, "merged");
	assert.equal(s.log().length, 3);
});

test("A2: nothing of a machine that lost its lease counts: neither its refs, nor a push that it makes late", async () => {
	const s = site();
	const [zombie, owner] = [await s.machine("zombie"), await s.machine("owner")];
	const base = s.base();
	const late = await zombie.story(1, "US-001", { "zombie.txt": "zombie\n" });
	const work = run(late.path, "rev-parse", "HEAD");
	assert.equal((await zombie.remote.publish(work, { run: "run-1", story: "US-001", step: "implement", attempt: 1 })).result, "published");
	const counts = await owner.story(1, "US-001", { "a.txt": "counts\n" });
	assert.equal((await owner.merge(counts)).result, "merged");
	// Stopped before its push, and continued after the other's.
	const made = zombie.git("commit-tree", `${work}^{tree}`, "-p", base, "-m", "late");
	const after = s.base();
	assert.deepEqual(await zombie.remote.moveBase("main", base, made, []), { result: "moved-meanwhile", commit: after });
	// Stopped before its announcement, which the journal refuses now.
	const announce = (): Promise<void> => Promise.reject(new Error("this lease is over"));
	await assert.rejects(zombie.merge(late, { announced: [], announce }), /this lease is over/);
	assert.equal(s.base(), after);
	assert.equal(s.git("ls-tree", "--name-only", "main", "zombie.txt"), "");
	// Its branch is there, and no more than that.
	assert.equal(s.git("for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/main");
});

test("a repository whose base is elsewhere: claim, stack and merge as on one machine, over the remote", async () => {
	const s = site();
	const [a, b] = [await s.machine("a"), await s.machine("b")];
	let turns = 0;
	const baseOf = sharedBase(a.remote, async (name) => {
		assert.equal(name, "main");
		turns++;
		return () => void turns--;
	});
	const bringUp = async (name: string): Promise<void> => void (await a.clone.bringUp(name));
	const repository = await openRepository(a.root, undefined, { baseOf, bringUp, obtain: async () => {} });
	assert.ok(!("problem" in repository));
	const tree = await repository.claim(1, "US-001", "main", "run-1");
	const head = commit(tree.path, { "a.txt": "x\n" });
	const other = await b.story(1, "US-002", { "b.txt": "y\n" });
	assert.equal((await b.merge(other)).result, "merged");
	const { announced: _, ...request } = requestFor(s, "US-001");
	// It looks at the remote's base, which this clone has not seen yet.
	const stacked = await repository.stack(1, { ...request, onto: null, stacked: async () => true });
	assert.ok(stacked.result === "stacked" && stacked.onto === s.base());
	const never = async (): Promise<readonly string[]> => assert.fail("it was checked ahead");
	assert.deepEqual(await repository.merge(1, { ...request, check: never, ahead: stacked }), { result: "merged", commit: stacked.commit });
	assert.equal(s.base(), stacked.commit);
	assert.equal(turns, 0);
	assert.deepEqual(s.log(), ["feat(ralph): US-001 - Story US-001", "feat(ralph): US-002 - Story US-002", "first"]);
	// What one machine does not know is an error, and leaves the story as it was.
	const more = await repository.claim(2, "US-003", "main", "run-1");
	commit(more.path, { "c.txt": "c\n" });
	s.hook("update", '[ "$1" = refs/heads/main ] || exit 0\necho "main is protected" >&2\nexit 1');
	const third = requestFor(s, "US-003");
	await assert.rejects(
		repository.merge(2, third),
		(error: Error) => error.name === "PersonNeeded" && /main is protected/.test(error.message),
	);
	assert.equal(s.base(), stacked.commit);
	assert.equal(turns, 0);
	assert.equal(run(more.path, "symbolic-ref", "HEAD"), "refs/heads/ralph/US-003");
	assert.notEqual(head, stacked.commit);
});
