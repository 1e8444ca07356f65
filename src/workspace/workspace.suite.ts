// What every repository must do, seen through the contract and through what an agent or a person does in a checkout. An implementation
// runs it from its own test file. What only git has (hooks, configuration, an index that lies) is tested beside the git code.
// Longer than other files on purpose: the contract stands in one place, so that no implementation can leave a part of it out.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { MergeRequest, Repository, Workspace } from "../workspace.ts";
import { WorkspaceError } from "../workspace.ts";

/** A repository on `main`, with one commit of a.txt ("a\n"), b.txt ("b\n") and .gitignore ("*.log\n"). */
export interface TestSite {
	readonly root: string;
	/** Another handle on it, as another process would have. */
	open(): Promise<Repository>;
	write(cwd: string, path: string, text: string): void;
	remove(cwd: string, path: string): void;
	read(cwd: string, path: string): string | null;
	/** Commits like an agent: everything, on the branch that is checked out. Returns its id. */
	commit(cwd: string, message: string): string;
	/** Puts a person's checkout on a new branch. */
	switchTo(branch: string): void;
	/** All files of a branch or a commit. */
	show(ref: string): Readonly<Record<string, string>>;
	messageOf(ref: string): string;
	branches(): readonly string[];
	/** Kept commits of a story's abandoned work. */
	backups(story: string): readonly string[];
}

const FIRST = { ".gitignore": "*.log\n", "a.txt": "a\n", "b.txt": "b\n" };

export function workspaceSuite(name: string, makeSite: (t: TestContext) => TestSite): void {
	describe(`workspace contract: ${name}`, () => {
		const story = async (t: TestContext, files: Readonly<Record<string, string>> = {}) => {
			const site = makeSite(t);
			const repository = await site.open();
			const tree = await repository.claim(1, "US-1", "main", "run-1");
			for (const [path, text] of Object.entries(files)) site.write(tree.path, path, text);
			if (Object.keys(files).length > 0) await tree.commitAll("work\n");
			return { site, repository, tree };
		};

		test("a point is what was committed and what lies there; the same files are the same tree", async (t) => {
			const { site, repository, tree } = await story(t);
			const before = await tree.point();
			assert.equal(before.commit, await repository.commitOf("main"));
			site.write(tree.path, "new.txt", "new\n");
			const after = (await tree.changes(before)).point;
			assert.equal(after.commit, before.commit);
			assert.notEqual(after.tree, before.tree);
			site.remove(tree.path, "new.txt");
			assert.equal((await tree.changes(before)).point.tree, before.tree);
		});

		test("changes names what differs, whether it was committed or not, and nothing that is ignored", async (t) => {
			const { site, tree } = await story(t);
			const since = await tree.point();
			assert.deepEqual(await summary(tree, since), { paths: [], committed: false, uncommitted: false });
			site.write(tree.path, "a.txt", "changed\n");
			site.write(tree.path, "deep/new.txt", "new\n");
			site.write(tree.path, "x.log", "ignored\n");
			assert.deepEqual(await summary(tree, since), { paths: ["a.txt", "deep/new.txt"], committed: false, uncommitted: true });
			site.commit(tree.path, "by an agent");
			site.remove(tree.path, "b.txt");
			assert.deepEqual(await summary(tree, since), { paths: ["a.txt", "b.txt", "deep/new.txt"], committed: true, uncommitted: true });
		});

		test("a rollback puts files and branch back, exactly; ignored files stay", async (t) => {
			const { site, tree } = await story(t);
			site.write(tree.path, "mine.txt", "not committed\n");
			const to = await tree.point();
			site.write(tree.path, "a.txt", "changed\n");
			site.write(tree.path, "x.log", "ignored\n");
			site.remove(tree.path, "b.txt");
			site.commit(tree.path, "by an agent");
			site.write(tree.path, "mine.txt", "changed\n");
			await tree.rollback(to);
			assert.deepEqual(site.show("ralph/US-1"), FIRST);
			assert.deepEqual(files(site, tree, "a.txt", "b.txt", "mine.txt", "x.log"), ["a\n", "b\n", "not committed\n", "ignored\n"]);
			await tree.rollback({ commit: to.commit, tree: `${to.commit}^{tree}` });
			assert.deepEqual(files(site, tree, "a.txt", "mine.txt"), ["a\n", null]);
			assert.deepEqual(await summary(tree, to), { paths: ["mine.txt"], committed: false, uncommitted: false });
		});

		test("a diff is saved where there is a difference, and only there", async (t) => {
			const { site, tree } = await story(t);
			const since = await tree.point();
			const file = `${site.root}/../saved.diff`;
			assert.equal(await tree.saveDiff(since, file), null);
			site.write(tree.path, "a.txt", "changed\n");
			assert.equal(await tree.saveDiff(since, file), file);
			assert.equal(site.read(tree.path, "a.txt"), "changed\n");
		});

		test("G-04 a diff of an attempt never goes over another one; saved again after a crash, it is there once", async (t) => {
			const { site, tree } = await story(t);
			const since = await tree.point();
			const file = (name: string): string => `${site.root}/../failures/${name}.diff`;
			for (const [text, attempt, name] of [
				["first\n", 1, "US-1-step-005"],
				["first\n", 1, "US-1-step-005"],
				["second\n", 2, "US-1-step-005-2"],
				["third\n", 3, "US-1-step-005-3"],
				["again\n", 3, "US-1-step-005-3-2"],
			] as const) {
				site.write(tree.path, "a.txt", text);
				assert.equal(await tree.saveDiff(since, file("US-1-step-005"), attempt), file(name));
			}
		});

		test("G-10 leftovers: changes and small texts are committed, a log and what is large or binary is put aside; all are named", async (t) => {
			const { site, tree } = await story(t);
			const aside = `${site.root}/../put-aside`;
			assert.deepEqual(await tree.keepLeftovers("nothing\n", aside), { commit: null, committed: [], aside: [] });
			site.write(tree.path, "a.txt", "changed\n");
			site.write(tree.path, "deep/new.txt", "new\n");
			site.write(tree.path, "big.txt", "x".repeat(1_000_001));
			site.write(tree.path, "image.png", "\u0089PNG\0");
			site.write(tree.path, "out/core.dump", "core\n");
			site.remove(tree.path, "b.txt");
			const kept = await tree.keepLeftovers("what was left\n", aside);
			const { "b.txt": _, ...rest } = FIRST;
			assert.deepEqual(site.show(kept.commit ?? ""), { ...rest, "a.txt": "changed\n", "deep/new.txt": "new\n" });
			assert.deepEqual(kept.committed, [
				{ path: "a.txt", bytes: 8 },
				{ path: "b.txt", bytes: null },
				{ path: "deep/new.txt", bytes: 4 },
			]);
			assert.deepEqual(
				kept.aside.map(({ path, why }) => [path, why]),
				[
					["big.txt", "large"],
					["image.png", "binary"],
					["out/core.dump", "a dump"],
				],
			);
			assert.deepEqual(files(site, tree, "big.txt", "image.png", "out/core.dump"), [null, null, null]);
			assert.equal((await tree.changes(await tree.point())).uncommitted, false);
		});

		test("G-10 leftovers under a folder that is to be left stay as they are: not committed, not put aside, not staged", async (t) => {
			const { site, tree } = await story(t);
			const aside = `${site.root}/../put-aside`;
			site.write(tree.path, "a.txt", "changed\n");
			site.write(tree.path, "books/new.txt", "new\n");
			site.write(tree.path, "books/out.log", "log\n");
			const kept = await tree.keepLeftovers("what was left\n", aside, ["books"]);
			assert.deepEqual(site.show(kept.commit ?? ""), { ...FIRST, "a.txt": "changed\n" });
			assert.deepEqual([kept.committed, kept.aside], [[{ path: "a.txt", bytes: 8 }], []]);
			assert.deepEqual(files(site, tree, "books/new.txt", "books/out.log"), ["new\n", "log\n"]);
			assert.equal((await tree.keepLeftovers("nothing\n", aside, ["books"])).commit, null);
			const named = await tree.keepLeftovers("one of them\n", aside, ["books"], ["books/new.txt"]);
			assert.deepEqual(site.show(named.commit ?? ""), { ...FIRST, "a.txt": "changed\n", "books/new.txt": "new\n" });
			assert.deepEqual(files(site, tree, "books/out.log"), ["log\n"]);
		});

		test("single paths are put back, the rest stays; a path outside is refused", async (t) => {
			const { site, tree } = await story(t);
			const to = await tree.point();
			for (const path of ["a.txt", "new.txt", "kept.txt"]) site.write(tree.path, path, "changed\n");
			site.remove(tree.path, "b.txt");
			await tree.revert(["a.txt", "b.txt", "new.txt"], to);
			assert.deepEqual(files(site, tree, "a.txt", "b.txt", "new.txt", "kept.txt"), ["a\n", "b\n", null, "changed\n"]);
			for (const path of ["../x", "/etc/x", ".git/config", ".pawl/x"]) await assert.rejects(tree.revert([path], to), WorkspaceError);
		});

		test("commitAll commits what is not committed, discard throws it away, read knows how it was", async (t) => {
			const { site, tree } = await story(t);
			assert.equal(await tree.commitAll("nothing\n"), null);
			site.write(tree.path, "a.txt", "changed\n");
			site.write(tree.path, "new.txt", "new\n");
			const point = (await tree.changes(await tree.point())).point;
			const made = await tree.commitAll("all of it\n");
			assert.deepEqual(site.show(made ?? ""), { ...FIRST, "a.txt": "changed\n", "new.txt": "new\n" });
			assert.equal(site.messageOf("ralph/US-1"), "all of it\n");
			site.write(tree.path, "a.txt", "again\n");
			site.write(tree.path, "other.txt", "other\n");
			await tree.discard();
			assert.deepEqual(files(site, tree, "a.txt", "other.txt"), ["changed\n", null]);
			assert.deepEqual([await tree.read(point, "new.txt"), await tree.read(point, "no.txt")], ["new\n", null]);
		});

		test("fold makes one commit of all since; what is left out stays behind it", async (t) => {
			const { site, repository, tree } = await story(t, { "TODO/x.md": "todo\n", "one.txt": "1\n" });
			const start = await repository.commitOf("main");
			site.write(tree.path, "two.txt", "not committed\n");
			const code = (await tree.fold({ onto: start, message: "feat: code\n", leave: ["TODO"] })) ?? "";
			assert.deepEqual(site.show(code), { ...FIRST, "one.txt": "1\n", "two.txt": "not committed\n" });
			assert.deepEqual(
				(await repository.commits("main", "ralph/US-1")).map((commit) => commit.subject),
				["feat: code", "pawl: left out (TODO)"],
			);
			const todo = (await tree.fold({ onto: code, message: "chore: todo\n" })) ?? "";
			assert.equal(site.show(todo)["TODO/x.md"], "todo\n");
			assert.equal(await tree.fold({ onto: todo, message: "nothing\n" }), null);
			assert.equal(await repository.commitOf("ralph/US-1"), todo);
		});

		test("G-12 conflict markers are found that a commit had not, committed or not; those that were there before are not", async (t) => {
			const site = makeSite(t);
			const repository = await site.open();
			const tree = repository.tree();
			site.write(site.root, "doc.txt", "<<<<<<< HEAD\nas it looks\n>>>>>>> theirs\n");
			const start = (await tree.commitAll("docs\n")) ?? "";
			assert.deepEqual(await tree.markersSince(start), []);
			site.write(site.root, "a.txt", "1\n<<<<<<< HEAD\n");
			await tree.commitAll("half\n");
			site.write(site.root, "new.txt", ">>>>>>> mine\n");
			assert.deepEqual([...(await tree.markersSince(start))].sort(), ["a.txt:2", "new.txt:1"]);
		});

		test("D-130 D-131 a claim begins at base, whatever was there; what was given up is kept", async (t) => {
			const { site, repository, tree } = await story(t, { "old.txt": "old\n" });
			assert.deepEqual([tree.branch, tree.path], ["ralph/US-1", `${site.root}/.pawl/worktrees/agent-1`]);
			const old = await repository.commitOf("ralph/US-1");
			site.write(tree.path, "open.txt", "not committed\n");
			const again = await repository.claim(1, "US-1", "main", "run-1");
			assert.deepEqual(files(site, again, "a.txt", "old.txt", "open.txt"), ["a\n", null, null]);
			assert.ok(site.backups("US-1").includes(old));
			assert.ok(site.backups("US-1").some((commit) => site.show(commit)["open.txt"] === "not committed\n"));
			const other = await repository.claim(2, "US-2", "main", "run-1");
			assert.notEqual(other.path, again.path);
			await assert.rejects(repository.claim(3, "US-3", "nobranch", "run-1"), WorkspaceError);
			for (const id of ["../x", "a b", "", "x.lock"]) await assert.rejects(repository.claim(3, id, "main", "run-1"), WorkspaceError);
		});

		test("D-137 a release keeps the branch for a retry and frees the slot; it can be repeated", async (t) => {
			const { site, repository, tree } = await story(t, { "mine.txt": "mine\n" });
			const tip = await repository.commitOf("ralph/US-1");
			await repository.release(1, "US-1", "run-1");
			await repository.release(1, "US-1", "run-1");
			assert.deepEqual(site.branches(), ["main"]);
			const next = await repository.claim(1, "US-2", "main", "run-1");
			assert.equal(next.path, tree.path);
			assert.equal(site.read(next.path, "mine.txt"), null);
			await repository.release(1, "US-1", "run-1");
			assert.deepEqual(site.branches(), ["main", "ralph/US-2"], "a late release does not harm the next story");
			const back = await repository.reopen(2, "US-1", "run-1");
			assert.ok(back);
			assert.equal((await back.point()).commit, tip);
			assert.equal(site.read(back.path, "mine.txt"), "mine\n");
			assert.equal(await repository.reopen(3, "US-9", "run-1"), null);
			await repository.close([1, 2], "run-1");
			assert.deepEqual(site.branches(), ["main"]);
			assert.equal(site.read(tree.path, "a.txt"), null);
		});

		test("a story that was under way is reopened as it was left", async (t) => {
			const { site, tree } = await story(t, { "mine.txt": "mine\n" });
			site.write(tree.path, "open.txt", "not committed\n");
			const after = await (await site.open()).reopen(1, "US-1", "run-1");
			assert.ok(after);
			assert.deepEqual(files(site, after, "mine.txt", "open.txt"), ["mine\n", "not committed\n"]);
		});

		test("D-135 a merge is one commit on base with the run's trailers, and moves the user's clean checkout", async (t) => {
			const { site, repository, tree } = await story(t, { "one.txt": "1\n" });
			site.write(tree.path, "two.txt", "2\n");
			site.commit(tree.path, "by an agent");
			const start = await repository.commitOf("main");
			const checked: (string | null)[] = [];
			const check = async (path: string) => {
				checked.push(site.read(path, "two.txt"));
				return [];
			};
			const merged = await repository.merge(1, requestOf("US-1", { check }));
			assert.deepEqual(merged, { result: "merged", commit: await repository.commitOf("main") });
			assert.equal(await repository.commitOf("ralph/US-1"), await repository.commitOf("main"), "a retry would go on from there");
			assert.deepEqual(checked, ["2\n"]);
			assert.equal(site.messageOf("main"), "feat(ralph): US-1 - The title\n\nPawl-Run: run-1\nPawl-Story: US-1\n");
			assert.deepEqual(site.show("main"), { ...FIRST, "one.txt": "1\n", "two.txt": "2\n" });
			assert.equal((await repository.commits(start, "main")).length, 1);
			assert.equal(site.read(site.root, "one.txt"), "1\n");
		});

		test("G-23 a merge is what was announced before base moved; a commit that only looks like it counts for nothing", async (t) => {
			const { site, repository } = await story(t, { "one.txt": "1\n" });
			site.write(site.root, "b.txt", "forged\n");
			site.commit(site.root, "feat(ralph): US-1 - The title\n\nPawl-Run: run-1\nPawl-Story: US-1\n");
			const base = await repository.commitOf("main");
			const announced: string[] = [];
			const announce = async (commit: string) => {
				assert.equal(await repository.commitOf("main"), base);
				announced.push(commit);
			};
			const merged = await repository.merge(1, requestOf("US-1", { announced: [], announce }));
			assert.deepEqual(merged, { result: "merged", commit: announced[0] });
			assert.equal(await repository.commitOf("main"), announced[0]);
			assert.deepEqual(await repository.merge(1, requestOf("US-1", { announced, announce })), merged, "found again after a crash");
			assert.equal(announced.length, 1);
			assert.equal(await repository.holds(announced[0] ?? "", "main"), true);
			assert.equal(await repository.holds("0".repeat(40), "main"), false);
		});

		test("D-138 a merge that cannot be made changes nothing: conflict, failed checks, nothing to merge", async (t) => {
			const { site, repository, tree } = await story(t, { "a.txt": "theirs\n" });
			site.write(site.root, "a.txt", "ours\n");
			site.commit(site.root, "by the user");
			const base = await repository.commitOf("main");
			assert.deepEqual(await repository.merge(1, requestOf("US-1")), { result: "conflict", paths: ["a.txt"] });
			assert.equal(site.read(tree.path, "a.txt"), "theirs\n");
			const second = await repository.claim(2, "US-2", "main", "run-1");
			assert.deepEqual(await repository.merge(2, requestOf("US-2")), { result: "empty" });
			site.write(second.path, "new.txt", "new\n");
			await second.commitAll("work\n");
			const failing = requestOf("US-2", { check: async () => ["it fails"] });
			assert.deepEqual(await repository.merge(2, failing), { result: "checks_failed", failures: ["it fails"] });
			assert.equal(await repository.commitOf("main"), base);
			assert.equal(site.read(second.path, "new.txt"), "new\n");
			assert.equal((await repository.merge(2, requestOf("US-2"))).result, "merged");
		});

		test("I9 ahead of its turn a story is checked on top of the one in front; that commit is merged if base is what it was put on top of", async (t) => {
			const { site, repository, tree } = await story(t, { "one.txt": "1\n" });
			const second = await repository.claim(2, "US-2", "main", "run-1");
			site.write(second.path, "two.txt", "2\n");
			await second.commitAll("work\n");
			const start = await repository.commitOf("main");
			const ahead = (id: string, onto: string | null, seen: unknown[]) =>
				repository.stack(id === "US-1" ? 1 : 2, {
					...requestOf(id, { check: async (path) => [site.read(path, "one.txt"), site.read(path, "two.txt")].map(String) }),
					onto,
					stacked: async (...noted) => {
						seen.push(noted);
						return true;
					},
				});
			const noted: unknown[] = [];
			const first = await ahead("US-1", null, noted);
			assert.ok(first.result === "stacked");
			assert.deepEqual([first.onto, first.failures], [start, ["1\n", "null"]]);
			const next = await ahead("US-2", first.commit, noted);
			assert.ok(next.result === "stacked");
			assert.deepEqual([next.onto, next.failures], [first.commit, ["1\n", "2\n"]]);
			assert.deepEqual(noted, [
				[first.commit, start],
				[next.commit, first.commit],
			]);
			// Nothing has moved, and both worktrees are as they were.
			assert.deepEqual(
				[await repository.commitOf("main"), await second.point().then((p) => p.commit), site.read(second.path, "one.txt")],
				[start, next.head, null],
			);
			const never = async () => assert.fail("it is checked already");
			const passed = { ...next, failures: [] };
			// Not on top of what it was put on yet: it is put together and checked anew.
			let checks = 0;
			const check = async () => [`${++checks}`];
			assert.deepEqual(await repository.merge(2, requestOf("US-2", { ahead: passed, check })), {
				result: "checks_failed",
				failures: ["1"],
			});
			assert.equal((await repository.merge(1, requestOf("US-1", { ahead: { ...first, failures: [] }, check: never }))).result, "merged");
			assert.equal(await repository.commitOf("main"), first.commit);
			assert.deepEqual(await repository.merge(2, requestOf("US-2", { ahead: { ...next, failures: ["red"] }, check: never })), {
				result: "checks_failed",
				failures: ["red"],
			});
			assert.deepEqual(await repository.merge(2, requestOf("US-2", { ahead: passed, check: never })), {
				result: "merged",
				commit: next.commit,
			});
			assert.deepEqual(site.show("main"), { ...FIRST, "one.txt": "1\n", "two.txt": "2\n" });
			assert.equal((await repository.commits(start, "main")).length, 2);
			assert.equal(site.read(tree.path, "one.txt"), "1\n");
		});

		test("I8 I9 what gets onto the story's branch after it was checked ahead of its turn is merged with it, and checked", async (t) => {
			const { site, repository, tree } = await story(t, { "one.txt": "1\n" });
			const base = await repository.commitOf("main");
			const first = await repository.stack(1, { ...requestOf("US-1"), onto: null, stacked: async () => true });
			assert.ok(first.result === "stacked");
			site.write(tree.path, "later.txt", "later\n");
			await tree.commitAll("later work\n");
			const request = { ahead: { ...first, failures: [] } };
			const seen: (string | null)[] = [];
			const check = async (path: string): Promise<string[]> => {
				seen.push(site.read(path, "later.txt"));
				return seen.length === 1 ? ["it fails"] : [];
			};
			assert.equal((await repository.merge(1, requestOf("US-1", { ...request, check }))).result, "checks_failed");
			assert.equal(await repository.commitOf("main"), base);
			assert.equal((await repository.merge(1, requestOf("US-1", { ...request, check }))).result, "merged");
			assert.deepEqual(seen, ["later\n", "later\n"]);
			assert.equal(site.show("main")["later.txt"], "later\n");
		});

		test("I9 ahead of its turn a conflict, or a commit that nobody wants any more, changes nothing", async (t) => {
			const { site, repository, tree } = await story(t, { "a.txt": "theirs\n" });
			const second = await repository.claim(2, "US-2", "main", "run-1");
			site.write(second.path, "a.txt", "ours\n");
			await second.commitAll("work\n");
			const stack = (slot: number, id: string, onto: string | null, wanted: boolean) =>
				repository.stack(slot, { ...requestOf(id), onto, stacked: async () => wanted });
			const first = await stack(1, "US-1", null, true);
			assert.ok(first.result === "stacked");
			assert.deepEqual(await stack(2, "US-2", first.commit, true), { result: "conflict", paths: ["a.txt"] });
			assert.deepEqual([site.read(second.path, "a.txt"), site.read(tree.path, "a.txt")], ["ours\n", "theirs\n"]);
			assert.deepEqual(await stack(2, "US-2", null, false), { result: "unwanted" });
			assert.equal(site.read(second.path, "a.txt"), "ours\n");
		});

		test("a dirty base makes a merge wait; what the run itself writes is no dirt", async (t) => {
			const { site, repository } = await story(t, { "one.txt": "1\n" });
			site.write(site.root, "b.txt", "the user's\n");
			assert.deepEqual(await repository.merge(1, requestOf("US-1")), { result: "dirty", paths: ["b.txt"] });
			const own = requestOf("US-1", { ignore: [`${site.root}/b.txt`] });
			site.write(site.root, "one.txt", "in the way\n");
			assert.deepEqual(await repository.merge(1, own), { result: "dirty", paths: ["one.txt"] });
			site.remove(site.root, "one.txt");
			site.write(site.root, "beside.txt", "not in the way\n");
			assert.equal((await repository.merge(1, own)).result, "merged");
			assert.deepEqual(
				["b.txt", "beside.txt", "one.txt"].map((path) => site.read(site.root, path)),
				["the user's\n", "not in the way\n", "1\n"],
			);
		});

		test("G-03 a merge waits while another run works in the checkout of base, and says for whom", async (t) => {
			const { site, repository } = await story(t, { "one.txt": "1\n" });
			const other = await site.open();
			assert.ok(other.holdTree() && other.holdTree("20260101-120000-abcd"));
			const before = await repository.commitOf("main");
			assert.deepEqual(await repository.merge(1, requestOf("US-1")), { result: "held", path: site.root, run: "20260101-120000-abcd" });
			assert.deepEqual([await repository.commitOf("main"), site.read(site.root, "one.txt")], [before, null]);
			other.freeTree();
			assert.equal((await repository.merge(1, requestOf("US-1"))).result, "merged");
		});

		test("base that is not checked out moves without the user's files", async (t) => {
			const { site, repository } = await story(t, { "one.txt": "1\n" });
			site.switchTo("elsewhere");
			site.write(site.root, "a.txt", "work of the user\n");
			assert.equal((await repository.merge(1, requestOf("US-1"))).result, "merged");
			assert.equal(site.show("main")["one.txt"], "1\n");
			assert.deepEqual([site.read(site.root, "a.txt"), site.read(site.root, "one.txt")], ["work of the user\n", null]);
		});

		test("a run's branch takes the name that it asks for, once; without work it does not stay", async (t) => {
			const site = makeSite(t);
			const repository = await site.open();
			const start = await repository.commitOf("main");
			const request = { run: "run-1", base: "main", known: null, wanted: null };
			const first = await repository.openBranch(1, request);
			assert.equal(first.branch, "pawl/run-1");
			site.write(first.path, "open.txt", "not committed\n");
			const named = await repository.openBranch(1, { ...request, wanted: "feature/x" });
			assert.deepEqual([named.branch, site.read(named.path, "open.txt")], ["feature/x", "not committed\n"]);
			assert.equal((await repository.openBranch(1, { ...request, wanted: "feature/y" })).branch, "feature/x");
			await named.commitAll("work\n");
			await repository.closeBranch(1, "run-1", start);
			assert.deepEqual(site.branches(), ["feature/x", "main"]);
			const taken = await repository.openBranch(1, { run: "run-2", base: "main", known: null, wanted: "feature/x" });
			assert.equal(taken.branch, "pawl/run-2");
			await repository.closeBranch(1, "run-2", start);
			assert.deepEqual(site.branches(), ["feature/x", "main"]);
			const again = await repository.openBranch(2, { run: "run-1", base: "main", known: "feature/x", wanted: "feature/x" });
			assert.deepEqual([again.branch, site.read(again.path, "open.txt")], ["feature/x", "not committed\n"]);
		});

		test("G-22 G-23 a run's branch starts at the commit that the run was started on, unless base no longer holds it", async (t) => {
			const site = makeSite(t);
			const repository = await site.open();
			const start = await repository.commitOf("main");
			const request = { base: "main", start, known: null, wanted: null };
			// A session elsewhere has put a commit on base, which is put back a moment later.
			site.write(site.root, "forged.txt", "not mine\n");
			const forged = (await repository.tree().commitAll("feat(ralph): US-001\n")) ?? "";
			const first = await repository.openBranch(1, { ...request, run: "run-1" });
			assert.deepEqual([await repository.commitOf(first.branch), site.read(first.path, "forged.txt")], [start, null]);
			const gone = await repository.openBranch(2, { ...request, run: "run-2", start: "0".repeat(40) });
			assert.equal(await repository.commitOf(gone.branch), forged);
		});

		test("the repository tells branches, commits, changed paths and what is dirty", async (t) => {
			const { site, repository } = await story(t, { "one.txt": "1\n" });
			assert.deepEqual([repository.root, repository.branch], [site.root, "main"]);
			assert.deepEqual([await repository.hasBranch("main"), await repository.hasBranch("none")], [true, false]);
			await assert.rejects(repository.commitOf("none"), WorkspaceError);
			site.write(site.root, "b.txt", "main went on\n");
			site.commit(site.root, "by the user");
			assert.deepEqual(await repository.changedPaths("main", "ralph/US-1"), ["one.txt"]);
			assert.match((await repository.diff({ story: "US-1", run: "run-1", base: "main" })) ?? "", /^\+1$/m);
			assert.equal(await repository.diff({ story: "US-9", run: "run-1", base: "main" }), null);
			assert.deepEqual(await repository.dirty(), []);
			await repository.exclude(["/mine/"]);
			for (const path of ["a.txt", "new.txt", "x.log", "mine/x.txt"]) site.write(site.root, path, "changed\n");
			assert.deepEqual([...(await repository.dirty())].sort(), ["a.txt", "new.txt"]);
		});

		test("a branch is started where the user stands: no file changes, and the tree is worked in there; not one that exists", async (t) => {
			const site = makeSite(t);
			const repository = await site.open();
			site.write(site.root, "open.txt", "not committed\n");
			await repository.startBranch("feature/x");
			assert.deepEqual(
				[repository.branch, repository.tree().branch, site.read(site.root, "open.txt")],
				["feature/x", "feature/x", "not committed\n"],
			);
			assert.equal(await repository.commitOf("feature/x"), await repository.commitOf("main"));
			await repository.tree().point();
			await assert.rejects(repository.startBranch("main"), WorkspaceError);
			assert.equal(repository.branch, "feature/x");
		});

		test("the user's tree is held by one at a time, and worked in on the branch it is on", async (t) => {
			const site = makeSite(t);
			const repository = await site.open();
			assert.deepEqual([repository.holdTree(), repository.holdTree()], [true, true]);
			repository.freeTree();
			assert.equal((await site.open()).holdTree(), true);
			const tree = repository.tree();
			assert.deepEqual([tree.path, tree.branch], [site.root, "main"]);
			const since = await tree.point();
			site.write(site.root, "a.txt", "changed\n");
			assert.deepEqual(await summary(tree, since), { paths: ["a.txt"], committed: false, uncommitted: true });
			site.switchTo("elsewhere");
			await assert.rejects(tree.point(), WorkspaceError);
		});
	});
}

const requestOf = (story: string, more: Partial<MergeRequest> = {}): MergeRequest => ({
	run: "run-1",
	story,
	title: "The title",
	base: "main",
	ignore: [],
	check: async () => [],
	announced: [],
	announce: async () => {},
	...more,
});

async function summary(tree: Workspace, since: Awaited<ReturnType<Workspace["point"]>>) {
	const { paths, committed, uncommitted } = await tree.changes(since);
	return { paths: [...paths].sort(), committed, uncommitted };
}

const files = (site: TestSite, tree: Workspace, ...paths: string[]): (string | null)[] => paths.map((path) => site.read(tree.path, path));
