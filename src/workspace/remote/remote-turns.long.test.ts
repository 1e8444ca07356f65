import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { GitTree } from "../tree/tree.ts";
import { type Machine, run, Site, turns } from "./remote-fixture.suite.ts";

const s = new Site();
after(() => s.remove());

test("M11: 24 merges from three machines at once, with turns: 24 commits, each checked once, and a sound repository", async () => {
	const machines = [await s.machine("a"), await s.machine("b"), await s.machine("c")];
	const stories: { readonly machine: Machine; readonly tree: GitTree }[] = [];
	for (const [m, machine] of machines.entries())
		for (let n = 1; n <= 8; n++) stories.push({ machine, tree: await machine.story(n, `US-${m}${n}`, { [`s${m}${n}.txt`]: "x\n" }) });
	const turn = turns();
	let [checks, running] = [0, 0];
	const trees = new Set<string>();
	const check = async (_: string, tree: string): Promise<readonly string[]> => {
		checks++;
		assert.equal(++running, 1);
		trees.add(tree);
		await new Promise((done) => setImmediate(done));
		running--;
		return [];
	};
	const results = await Promise.all(stories.map(({ machine, tree }) => machine.merge(tree, { check }, turn)));
	assert.deepEqual([...new Set(results.map(({ result }) => result))], ["merged"]);
	assert.equal(checks, 24);
	const subjects = s.log();
	assert.equal(subjects.length, 25);
	assert.equal(new Set(subjects).size, 25);
	assert.equal(s.git("rev-list", "--merges", "main"), "");
	for (const tree of s.git("log", "--format=%T", "main").split("\n").slice(0, 24)) assert.ok(trees.has(tree));
	assert.equal(s.git("fsck", "--strict", "--no-dangling"), "");
	for (const machine of machines) assert.equal(run(machine.root, "fsck", "--strict", "--no-dangling"), "");
});
