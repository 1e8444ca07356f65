import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Event } from "../../core/event.ts";
import { PrdFile, setPasses } from "./prd-file.ts";

const dir = mkdtempSync(join(tmpdir(), "pawl-prd-"));
after(() => rmSync(dir, { recursive: true, force: true }));
const passed = (scope: string): Event => ({ event: "story_completed", scope, at: 0, commit: null }) as unknown as Event;
const PRD = '{"stories":[{"id":"A","title":"a","passes":false},{"id":"B","title":"b"}]}\n';

test("G-28 a link that the user made stays one: the file that it leads to is marked", async () => {
	const [file, link] = [join(dir, "real.json"), join(dir, "link.json")];
	writeFileSync(file, PRD);
	symlinkSync(file, link);
	const projection = new PrdFile(link, () => assert.fail("nothing is wrong"));
	projection.apply(passed("A"));
	assert.equal(projection.dirty, true);
	await projection.write();
	assert.equal(projection.dirty, false);
	assert.equal(lstatSync(link).isSymbolicLink(), true);
	assert.match(readFileSync(file, "utf8"), /"id":"A","title":"a","passes":true/);
});

test("what a person undid is left to the file: this run never sets it again", async () => {
	const file = join(dir, "undone.json");
	writeFileSync(file, PRD);
	const projection = new PrdFile(file, () => assert.fail("nothing is wrong"));
	projection.apply(passed("A"));
	projection.apply(passed("B"));
	projection.apply({ event: "work_undone", at: 1, scope: "A", commits: [{ scope: "A", commit: "c", by: "r" }] });
	await projection.write();
	assert.equal(readFileSync(file, "utf8"), '{"stories":[{"id":"A","title":"a","passes":false},{"id":"B","title":"b","passes":true}]}\n');
	await setPasses(file, ["B"], false, () => assert.fail("nothing is wrong"));
	assert.match(readFileSync(file, "utf8"), /"title":"b","passes":false/);
});

test("G-28 reports a story that it can no longer mark, and does not wait", async () => {
	const file = join(dir, "prd.json");
	writeFileSync(file, PRD);
	const told: string[] = [];
	const projection = new PrdFile(file, (text) => told.push(text));
	rmSync(file);
	projection.apply(passed("A"));
	await projection.write();
	execFileSync("mkfifo", [file]);
	projection.apply(passed("B"));
	await projection.write();
	assert.match(told[0] ?? "", /`passes` of A was not set in .*prd\.json: it is gone/);
	assert.match(told[1] ?? "", /`passes` of B was not set in .*: it is not a regular file/);
});
