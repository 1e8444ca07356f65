import assert from "node:assert/strict";
import { it } from "node:test";
import { diskTroubleIn, withDiskAdvice } from "./disk-trouble.ts";

it("I13: a full or broken disk is recognised in what Node, SQLite and git say", () => {
	for (const text of [
		"ENOSPC: no space left on device, write",
		"fatal: sha1 file '/x/index.lock' write error. Out of diskspace",
		"error: unable to write file x: No space left on device",
		"EDQUOT: quota",
	])
		assert.equal(diskTroubleIn(text), "full", text);
	for (const text of ["EIO: i/o error, fsync", "fsync error on 'x': Input/output error", "disk I/O error"])
		assert.equal(diskTroubleIn(text), "broken", text);
});

it("I13: where git says that it could not write, and not why, a full disk is named as a possible reason", () => {
	for (const text of [
		"steps[1].do[2] commit: fatal: cannot update ref 'refs/heads/ralph/US-1': couldn't write '/tmp/x/.git/refs/heads/ralph/US-1.lock'",
		"git update-ref -m failed (exit 128): fatal: update_ref failed for ref 'refs/heads/main': couldn't write '/nowhere/main.lock'",
		"fatal: unable to write new_index file",
		"error: failed to write commit object",
		"error: failed to finalize '/nowhere/.git/worktrees/agent-1/MERGE_MSG'",
		"fatal: cannot update ref 'refs/heads/x': couldn't set 'refs/heads/x'",
		"fatal: cannot lock ref 'refs/heads/ralph/US-1': unable to create directory for .git/refs/heads/ralph/US-1",
		"fatal: could not create leading directories of '/nowhere/x/.git'",
	]) {
		assert.equal(diskTroubleIn(text), "maybe full", text);
		assert.equal(withDiskAdvice(text), `${text}\nCheck that the disk is not full or broken before this is tried again.`);
	}
});

it("a failure with a reason of its own, and what an agent says of writing, are left alone", () => {
	for (const text of [
		"fatal: could not write to '/x/y': Permission denied",
		"the agent was unable to write the test",
		"usage limit: quota exceeded",
		"fatal: Unable to create '/x/.git/index.lock': File exists.",
		"fatal: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
		"exit code 1",
	])
		assert.equal(withDiskAdvice(text), text);
});
