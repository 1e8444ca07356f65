// Notes of pawl's on commits, in real repositories.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { addNotes, NOTES_REF, notesOf } from "./notes.ts";
import { bySession, world } from "./session-world.suite.ts";

test("notes are added and replaced, beside those of other people, and read again", async (t) => {
	const { root, git } = scratchRepository(t);
	for (const name of ["two", "three"]) git(["commit", "-q", "--allow-empty", "-m", name]);
	const [third = "", second = "", first = ""] = git(["log", "--format=%H"]).split("\n");
	assert.deepEqual([...(await notesOf(root, [first, second]))], []);
	await addNotes(root, new Map(), 1000);
	assert.equal(git(["for-each-ref", "refs/notes"]), "", "nothing to add makes no ref");
	git(["notes", "add", "-m", "a person's own", third]);
	await addNotes(
		root,
		new Map([
			[first, "one\n\nwith ünïcode"],
			[third, "old"],
		]),
		1000,
	);
	await addNotes(root, new Map([[third, "new"]]), 2000);
	const read = await notesOf(root, [third, second, first]);
	assert.deepEqual(
		[...read].sort(),
		[
			[first, "one\n\nwith ünïcode"],
			[third, "new"],
		].sort(),
	);
	assert.equal(git(["notes", "show", third]), "a person's own");
	assert.equal(git(["notes", `--ref=${NOTES_REF}`, "show", third]), "new", "git reads them as its own");
	assert.deepEqual(git(["log", "--format=%an %s", NOTES_REF]).split("\n"), ["pawl pawl: a receipt", "pawl pawl: 2 receipts"]);
});

test("G-22: receipts that another run adds while a session works are not the session's doing; one that the session writes is put back", async (t) => {
	// A session that pawl did not run has no trace of its commands.
	for (const session of ["run:US-001:step-005:1", null]) {
		const w = await world(t, "worktree", "", session);
		await addNotes(w.s.root, new Map([[w.s.git(["rev-parse", "main"]), "a receipt"]]), 1000);
		assert.deepEqual((await w.tree.changes(w.point)).refs, []);
	}
	const w = await world(t, "worktree");
	w.session("git notes --ref=pawl add -m forged HEAD");
	assert.deepEqual(bySession(await w.tree.changes(w.point)), ["made refs/notes/pawl"]);
	assert.deepEqual(w.refs("refs/notes"), []);
});
