// The message of a story's commit on base, and how it is found again by it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Fixture } from "./merge-fixture.suite.ts";
import { findCommit, findMerged, messageOf } from "./merge-message.ts";

const f = new Fixture({ "a.txt": "one\n" });
after(() => f.remove());
const named = (run: string, story: string, title = "Add it") => ({ run, story, title });
const commit = (files: Readonly<Record<string, string>>, message: string): string => f.commit({ path: f.root }, files, message);

test("G-10 the message names the story in its subject, run and story in trailers; nothing that somebody wrote becomes a trailer", () => {
	assert.equal(messageOf(named("r1", "US-1")), "feat(ralph): US-1 - Add it\n\nPawl-Run: r1\nPawl-Story: US-1\n");
	assert.equal(
		messageOf(named(" r\n1", "US-1", " Add\u2028it\n\nPawl-Run: other\u0007 ")),
		"feat(ralph): US-1 - Add it Pawl-Run: other\n\nPawl-Run: r 1\nPawl-Story: US-1\n",
	);
	assert.equal(messageOf(named("r1", "US-1", " ")), "feat(ralph): US-1 -\n\nPawl-Run: r1\nPawl-Story: US-1\n");
});

test("G-10 a commit is found with its subject and trailers; what names none is null", async () => {
	const plain = commit({ "a.txt": "two\n" }, "by hand");
	assert.deepEqual(await findCommit(f.root, "main"), { sha: plain, subject: "by hand", run: null, story: null });
	const merged = commit({ "b.txt": "x\n" }, messageOf(named("r1", "US-1")));
	const expected = { sha: merged, subject: "feat(ralph): US-1 - Add it", run: "r1", story: "US-1" };
	for (const name of ["main", merged.slice(0, 12)]) assert.deepEqual(await findCommit(f.root, name), expected, name);
	for (const name of ["nowhere", "--all", "", "main:a.txt"]) assert.equal(await findCommit(f.root, name), null, name);
});

test("I7 the commit of a story is found in all of base, or from where the story left it, by its run, its story and its subject", async () => {
	const before = f.git("rev-parse", "main");
	const own = commit({ "c.txt": "x\n" }, messageOf(named("r2", "US-2")));
	const later = commit({ "d.txt": "x\n" }, "by hand");
	commit({ "e.txt": "x\n" }, "revert: something\n\nPawl-Run: r2\nPawl-Story: US-3");
	const find = (run: string, story: string, fork: string | null) => findMerged(f.root, named(run, story), fork, "main");
	for (const fork of [null, before, own]) assert.equal(await find("r2", "US-2", fork), own, fork ?? "all of base");
	assert.equal(await find("r2", "US-2", later), null, "the story left base after it");
	assert.deepEqual([await find("r3", "US-2", null), await find("r2", "US-1", null), await find("r", "US-2", null)], [null, null, null]);
	assert.equal(await find("r2", "US-3", null), null, "it has the trailers and another subject");
});
