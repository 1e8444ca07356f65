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
