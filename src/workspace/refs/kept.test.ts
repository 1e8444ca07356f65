// The refs under which abandoned work is kept, when there are many of them.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { packKeptRefs } from "./kept.ts";

it("many refs of pawl's are packed into one file of git's, and none of them is lost or moved", async (t) => {
	const s = scratchRepository(t);
	const common = join(s.root, ".git");
	const refs = ["backup/US-1/a", "kept/US-1", "kept-by/run/US-1"].map((name) => `refs/pawl/${name}`);
	for (const ref of refs) s.git(["update-ref", ref, "HEAD"]);
	const before = s.git(["for-each-ref"]);
	await packKeptRefs(s.root, common, refs.length + 1);
	assert.ok(
		refs.every((ref) => existsSync(join(common, ref))),
		"so few of them cost nothing",
	);
	await packKeptRefs(s.root, common, refs.length);
	assert.ok(!refs.some((ref) => existsSync(join(common, ref))));
	assert.equal(s.git(["for-each-ref"]), before);
});
