// How many git processes a step costs, and which: docs/performance.md says what each is for.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { test } from "node:test";
import { type Scratch, scratchRepository, slowClock } from "./scratch-repository.suite.ts";
import type { GitTree } from "./tree.ts";

/** The git commands that are started meanwhile. */
async function gitDuring(work: () => Promise<void>): Promise<string[]> {
	const started: ChildProcess[] = [];
	// It is announced before it knows its command.
	const note = (message: unknown): void => void started.push((message as { readonly process: ChildProcess }).process);
	subscribe("child_process", note);
	try {
		await work();
	} finally {
		unsubscribe("child_process", note);
	}
	// Settings come before the name of the command, each after a -c.
	const nameOf = ([, ...args]: readonly string[]) => args.find((arg, at) => arg !== "-c" && args[at - 1] !== "-c") ?? "";
	return started.filter(({ spawnfile }) => spawnfile === "git").map(({ spawnargs }) => nameOf(spawnargs));
}

async function step(tree: GitTree, { outside }: Scratch, work: () => void): Promise<void> {
	const begun = await tree.point({ session: null });
	work();
	const { uncommitted } = await tree.changes(begun);
	if (uncommitted) await tree.keepLeftovers("step", join(outside, "aside"));
}

test("a step that changes nothing starts git once, one that writes starts it three times", async (t) => {
	slowClock(t);
	const s = scratchRepository(t);
	const tree = s.worktree();
	// The first one has to find out who commits, and what the index holds.
	await step(tree, s, () => s.write("first.txt", "first\n", tree.path));
	const nothing = await gitDuring(() => step(tree, s, () => {}));
	const adds = await gitDuring(() => step(tree, s, () => s.write("new.txt", "new\n", tree.path)));
	const changes = await gitDuring(() => step(tree, s, () => s.write("new.txt", "changed\n", tree.path)));
	assert.deepEqual(nothing, ["status"]);
	assert.deepEqual(adds, ["status", "update-index", "update-ref"]);
	assert.deepEqual(changes, ["status", "update-index", "update-ref"]);
});
