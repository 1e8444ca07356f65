// How many git processes a step costs, and which: docs/performance.md says what each is for.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { gitDuring } from "../git/git-during.suite.ts";
import { NotedSettings } from "../guard/noted-settings.ts";
import { world } from "../refs/session-world.suite.ts";
import { type Scratch, scratchRepository, slowClock } from "./scratch-repository.suite.ts";
import type { GitTree } from "./tree.ts";

async function step(tree: GitTree, { outside }: Scratch, work: () => void): Promise<void> {
	const begun = await tree.point({ session: null });
	work();
	const { uncommitted } = await tree.changes(begun);
	if (uncommitted) await tree.keepLeftovers("step", join(outside, "aside"));
}

test("a step that changes nothing starts no git, one that writes starts it three times", async (t) => {
	slowClock(t);
	const s = scratchRepository(t);
	const settings = new NotedSettings({ top: s.root, root: s.root, commonDir: join(s.root, ".git") });
	t.after(() => settings.drop());
	await settings.note();
	const tree = s.worktree();
	// The first one has to find out who commits, and what the index holds.
	await step(tree, s, () => s.write("first.txt", "first\n", tree.path));
	// The next one finds out what there is to watch.
	assert.deepEqual(await gitDuring(() => step(tree, s, () => {})), ["status"]);
	const nothing = await gitDuring(() => step(tree, s, () => {}));
	const adds = await gitDuring(() => step(tree, s, () => s.write("new.txt", "new\n", tree.path)));
	const changes = await gitDuring(() => step(tree, s, () => s.write("new.txt", "changed\n", tree.path)));
	assert.deepEqual(nothing, []);
	assert.deepEqual(adds, ["status", "update-index", "update-ref"]);
	assert.deepEqual(changes, ["status", "update-index", "update-ref"]);
});

test("a session that commits its own work starts git once more, to list its commits", async (t) => {
	slowClock(t);
	const w = await world(t, "worktree");
	const commit = (text: string): void => w.session(`echo ${text} > work.txt; git add -A; git commit -qm ${text}`);
	commit("first");
	await w.tree.changes(w.point);
	const begun = await w.tree.point({ within: w.point });
	commit("second");
	assert.deepEqual(await gitDuring(async () => void (await w.tree.changes(begun))), ["status", "update-index", "rev-list"]);
	// Its commits are known now.
	assert.deepEqual(await gitDuring(async () => void (await w.tree.changes(begun))), ["status"]);
});

test("work that stays uncommitted costs no more in the steps after it", async (t) => {
	slowClock(t);
	const s = scratchRepository(t);
	const tree = s.worktree();
	const begun = await tree.point({ session: null });
	s.write("books/left.txt", "left\n", tree.path);
	await tree.changes(begun);
	s.write("books/more.txt", "more\n", tree.path);
	const started = await gitDuring(async () => {
		const { paths } = await tree.changes(begun);
		assert.deepEqual(paths, ["books/left.txt", "books/more.txt"]);
	});
	assert.deepEqual(started, ["status", "update-index"]);
});

test("conflict markers and old files that were just looked for cost nothing more", async (t) => {
	slowClock(t);
	const s = scratchRepository(t);
	const tree = s.worktree();
	const point = await tree.point({ session: null });
	s.write("work.txt", "1\n<<<<<<< HEAD\n", tree.path);
	const { point: now } = await tree.changes(point);
	const markers = async (): Promise<void> => assert.deepEqual(await tree.markersSince(point.commit, now.tree), ["work.txt:2"]);
	assert.deepEqual([await gitDuring(markers), await gitDuring(markers)], [["diff-tree"], []]);
	const read = async (): Promise<void> => assert.equal(await tree.read(point, "a.txt"), "a\n");
	assert.deepEqual([await gitDuring(read), await gitDuring(read)], [["cat-file"], []]);
});

test("a check right after a session that committed begins where the session ended", async (t) => {
	slowClock(t);
	const w = await world(t, "worktree");
	w.session("echo work > work.txt; git add -A; git commit -qm work");
	await w.tree.changes(w.point);
	assert.deepEqual(await gitDuring(async () => void (await w.tree.point({ within: w.point }))), []);
});
