import assert from "node:assert/strict";
import { it } from "node:test";
import { RunConflict } from "../engine/run.ts";
import { WorkspaceError } from "../workspace.ts";
import { asRefusal, Refusal } from "./refusal.ts";

it("everything that can be thrown is a refusal with a code, and keeps its message", () => {
	const refusal = new Refusal("not_found", "there is no run x");
	assert.equal(asRefusal(refusal), refusal);
	const codeOf = (error: unknown) => [asRefusal(error).code, asRefusal(error).message];
	assert.deepEqual(codeOf(new RunConflict("another process was faster")), ["conflict", "another process was faster"]);
	assert.deepEqual(codeOf(new WorkspaceError("git is gone")), ["unavailable", "git is gone"]);
	assert.deepEqual(codeOf(new TypeError("x is undefined")), ["internal", "x is undefined"]);
	assert.deepEqual(codeOf("a text"), ["internal", "a text"]);
});

it("I13: a full or broken disk is told with what to do, whoever noticed it", () => {
	const said = (error: Error): string => asRefusal(error).message;
	const node = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", path: "/x/prd.json" });
	assert.match(said(node), /^the disk is full: \/x\/prd\.json .*make room, then continue with pawl resume$/);
	const git = new WorkspaceError("git commit-tree failed (exit 128): error: unable to write file: No space left on device\n");
	assert.match(said(git), /No space left on device\nThe disk is full\..* make room, then continue with pawl resume$/);
	assert.match(said(new Error("EIO: i/o error, write")), /\nCheck the disk, then continue with pawl resume$/);
});
