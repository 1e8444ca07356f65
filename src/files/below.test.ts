import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./below.ts";

test("files below a folder, and none that a link leads to: not out of it, and not round in it", (t) => {
	const root = mkdtempSync(join(tmpdir(), "pawl-below-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	for (const folder of ["in/deep", "out"]) mkdirSync(join(root, folder), { recursive: true });
	for (const file of ["in/b", "in/deep/a", "out/secret"]) writeFileSync(join(root, file), "");
	symlinkSync(join(root, "out"), join(root, "in", "linked"));
	symlinkSync(join(root, "out", "secret"), join(root, "in", "link"));
	symlinkSync(join(root, "in"), join(root, "in", "deep", "round"));
	const found = (folder: string) => filesBelow(join(root, folder)).map((path) => relative(root, path));
	assert.deepEqual(found("in"), ["in/b", "in/deep/a"]);
	assert.deepEqual(found("nowhere"), []);
});
