import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { EditFiles } from "./edit-file.ts";

const dir = mkdtempSync(join(tmpdir(), "pawl-edits-"));
after(() => rmSync(dir, { recursive: true, force: true }));

test("T-04 a link in the place of the folder is not followed: nothing is read through it, moved or removed", async () => {
	const [shared, outside] = [join(dir, "shared"), join(dir, "outside")];
	for (const folder of [shared, outside]) mkdirSync(folder);
	writeFileSync(join(outside, "S-1.json"), "[]");
	symlinkSync(outside, join(shared, "workflow_edits"));
	const edits = new EditFiles(shared);
	assert.match(JSON.stringify(await edits.read("S-1")), /workflow_edits is not a folder/);
	await edits.settle("S-1", "S-1-step-001-1", "applied", []);
	await edits.settle("S-1", "S-1-step-001-1", "rejected", ["why"]);
	assert.deepEqual(readdirSync(outside), ["S-1.json"]);
	assert.equal(await edits.clear("S-1", "S-1-step-002-1"), false);
	await edits.put("S-1", "[1]");
	assert.deepEqual(await edits.read("S-1"), { operations: [1] });
	assert.equal(readFileSync(join(outside, "S-1.json"), "utf8"), "[]");
});

test("I8 what a killed session had begun to write beside its edit file goes before the next attempt, that of another story stays", async () => {
	const shared = join(dir, "cut");
	const folder = join(shared, "workflow_edits");
	mkdirSync(folder, { recursive: true });
	for (const name of ["S-1.json.17.part", "S-1.json.new", "S-10.json.new"]) writeFileSync(join(folder, name), "[");
	assert.equal(await new EditFiles(shared).clear("S-1", "S-1-step-002-1"), false);
	assert.deepEqual(readdirSync(folder), ["S-10.json.new"]);
});
