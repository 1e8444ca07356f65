// Changes made while checks run are neither delivered nor lost.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchRepository } from "../../workspace/tree/scratch-repository.suite.ts";
import { undisturbed } from "./undisturbed.ts";

const OF = { of: { session: "checks" } };

test("G-04 what a check or a person wrote meanwhile is put back, kept as a diff each time, and reported", async (t) => {
	const s = scratchRepository(t);
	s.write("mine.txt", "uncommitted before\n");
	const said: string[] = [];
	const keptAs = join(s.outside, "checks", "x.diff");
	for (const attempt of [1, 2])
		await undisturbed(s.tree(), { ...OF, keptAs, attempt, warn: (text) => said.push(text) }, async () =>
			s.write("a.txt", `changed ${attempt}\n`),
		);
	assert.equal(s.read("a.txt"), "a\n");
	assert.equal(s.read("mine.txt"), "uncommitted before\n");
	const files = said.map((text) => /kept as (\S+)/.exec(text)?.[1] ?? "");
	assert.equal(new Set(files).size, 2, "the second does not replace the first");
	assert.deepEqual(
		files.map((file) => /changed \d/.exec(readFileSync(file, "utf8"))?.[0]),
		["changed 1", "changed 2"],
	);
	assert.match(said[0] ?? "", /a\.txt changed: put back/);
});

test("G-22 refs that a check moves are put back, and it is said", async (t) => {
	const s = scratchRepository(t);
	s.git(["tag", "v1-users"]);
	const said: string[] = [];
	const tree = s.tree();
	await undisturbed(tree, { ...OF, keptAs: join(s.outside, "x.diff"), attempt: 1, warn: (text) => said.push(text) }, async (before) => {
		execFileSync("git", ["tag", "-d", "v1-users"], { cwd: s.root, env: { ...process.env, ...tree.sessionEnv(before) } });
	});
	assert.equal(s.git(["tag"]), "v1-users");
	assert.match(said.join(), /a check may move its own branch only, but deleted tag v1-users: put back/);
});

test("a check that changes nothing leaves no word and no file", async (t) => {
	const s = scratchRepository(t);
	const said: string[] = [];
	assert.equal(
		await undisturbed(s.tree(), { ...OF, keptAs: join(s.outside, "x.diff"), attempt: 1, warn: (text) => said.push(text) }, async () => 7),
		7,
	);
	assert.deepEqual([said, s.read("x.diff", s.outside)], [[], null]);
});
