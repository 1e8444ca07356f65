import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { AgentAnswer, StepContext } from "../../format.ts";
import { RunFolder, runIdProblem } from "./folder.ts";
import { letterOf, promiseIn } from "./new-run.ts";
import { makeFolder, PROMISE, runFolderReady } from "./prepare-folder.ts";
import { isScheme, promptProblems, readiness } from "./readiness.ts";

const tree = mkdtempSync(join(tmpdir(), "pawl-run-folder-"));
after(() => rmSync(tree, { recursive: true, force: true }));

test("R-13: the id of a run folder is one plain name", () => {
	assert.deepEqual(["a", "add-search", "2026.1_x", "x".repeat(64)].map(runIdProblem), [null, null, null, null]);
	for (const bad of ["", ".", "..", "a/b", "a\\b", "a..b", "-x", "a b", "x".repeat(65), "a\0"])
		assert.notEqual(runIdProblem(bad), null, bad);
});

/** Fills the templates in, as a person would. */
function fillIn(folder: RunFolder): void {
	const text = (name: string): string => folder.text(folder.own(name)) ?? "";
	folder.write(folder.own("PRD.md"), text("PRD.md").replaceAll(/^TODO: .*$/gm, "It is for everybody."));
	folder.write(folder.own("prd.json"), text("prd.json").replaceAll("TODO: ", ""));
}

test("R-15 R-16 X-27 T-43: a folder is ready once its templates are filled in, not before", () => {
	const folder = new RunFolder(tree, "one");
	assert.ok("written" in makeFolder(folder, { request: undefined, promise: PROMISE, maxIterations: 10, at: 0 }));
	assert.deepEqual(readiness(folder).missing, [
		"prd.json: story S1 still has the text of the template",
		"PRD.md is still the template: write what its TODO lines ask for",
	]);
	fillIn(folder);
	assert.deepEqual(readiness(folder).missing, []);
	assert.ok("problem" in makeFolder(folder, { request: undefined, promise: PROMISE, maxIterations: 10, at: 0 }));
});

test("R-38: an agent that fills a folder in hears once what is weak in it, and is not held up by it again", async () => {
	const folder = new RunFolder(tree, "weak");
	makeFolder(folder, { request: "It", promise: PROMISE, maxIterations: 10, at: 0 });
	fillIn(folder);
	const prd = (folder.text(folder.own("prd.json")) ?? "").replace("`a command` exits 0", "it works well");
	folder.write(folder.own("prd.json"), prd);
	const at = (attempt: number) =>
		runFolderReady(
			{ state: { input: { folder_id: "weak" } }, workspace: { path: tree }, attempt } as unknown as StepContext,
			{} as AgentAnswer,
		);
	const [first] = await at(1);
	assert.equal(first?.exitCode, 1);
	assert.match(first?.output ?? "", /a matter of taste: "it works well"/);
	assert.equal((await at(2))[0]?.exitCode, 0);
});

test("R-15: a folder that is a link, or has links for files, is not ready", () => {
	mkdirSync(join(tree, "elsewhere"));
	symlinkSync(join(tree, "elsewhere"), join(tree, "ralph/runs/linked"));
	assert.deepEqual(readiness(new RunFolder(tree, "linked")).missing, ["there is no folder ralph/runs/linked"]);
	const folder = new RunFolder(tree, "two");
	makeFolder(folder, { request: "x", promise: PROMISE, maxIterations: 10, at: 0 });
	fillIn(folder);
	rmSync(folder.path(folder.own("PRD.md")));
	symlinkSync("/etc/hostname", folder.path(folder.own("PRD.md")));
	assert.deepEqual(readiness(folder).missing, ["PRD.md: it is a symbolic link; a regular file is needed"]);
});

test("R-01 R-16: a prompt that is not UTF-8 could not be given on as it is", () => {
	const folder = new RunFolder(tree, "three");
	makeFolder(folder, { request: "x", promise: PROMISE, maxIterations: 10, at: 0 });
	fillIn(folder);
	writeFileSync(folder.path(folder.own("PROMPT.md")), Buffer.from([0xff, 0xfe, 0x41]));
	assert.deepEqual(readiness(folder).missing, ["PROMPT.md is not UTF-8 text: it could not be given on byte for byte"]);
	assert.equal(promptProblems("").length, 7);
});

test("T-43: the templates of other tools are not ready either; a filled-in folder may speak of TODO and of tags", () => {
	const folder = new RunFolder(tree, "four");
	makeFolder(folder, { request: "x", promise: PROMISE, maxIterations: 10, at: 0 });
	fillIn(folder);
	const prompt = folder.text(folder.own("PROMPT.md")) ?? "";
	folder.write(folder.own("PROMPT.md"), prompt.replaceAll("runs/four/", "runs/<run_id>/"));
	folder.write(folder.own("PRD.md"), "# PRD: <Feature Name>\n");
	const story = { id: "S1", title: "First atomic story", size: "XS", passes: false, acceptance_criteria: ["`true` exits 0"] };
	folder.write(folder.own("prd.json"), JSON.stringify({ stories: [story] }));
	assert.deepEqual(readiness(folder).missing, [
		"prd.json: story S1 still has the text of the template",
		"PRD.md is still a template: <Feature Name> is to be replaced",
		"PROMPT.md still has the placeholder <run_id> in its paths",
	]);
	folder.write(folder.own("PROMPT.md"), `${prompt}\nCommit with: Ralph <run_id>: <story id>\n`);
	folder.write(folder.own("PRD.md"), "# The page\n\nTODO: later, perhaps\n");
	const real = { ...story, title: "List every TODO comment", acceptance_criteria: ["the page has a `<main>`"] };
	folder.write(folder.own("prd.json"), JSON.stringify({ stories: [real] }));
	assert.deepEqual(readiness(folder).missing, []);
});

test("R-27: (W<n>? R<n>?)+, and nothing else", () => {
	for (const good of ["W5R", "W", "WR", "R", "W2R2", "WRW3R"]) assert.ok(isScheme(good), good);
	for (const bad of ["", "X3", "5W", "W0", "w", "W R", "F", "A", "S", 5, null]) assert.ok(!isScheme(bad), String(bad));
});

test("R-07: the promise of a prompt is its last tag", () => {
	assert.equal(promiseIn("not <promise></promise>\n<promise>A</promise> then\n<promise> B C </promise>"), "B C");
	assert.equal(promiseIn("none"), null);
});

test("R-20: a queue that others wrote is understood", () => {
	const queue = [
		"R",
		"reviewer",
		"adhoc",
		"final",
		"F",
		{ role: "reviewer", review_mode: "final" },
		"steering",
		{ mode: "worker" },
		7,
		null,
	];
	assert.deepEqual(queue.map(letterOf), ["A", "A", "A", "F", "F", "F", "S", "W", "", ""]);
});
