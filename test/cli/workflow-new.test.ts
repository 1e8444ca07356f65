// A workflow of one's own, as a stranger makes it: written, looked at, run; a change of another one; the copy of a built-in one.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROJECT } from "../docs/pages.ts";
import { quickScratch, scratch } from "./scratch.ts";

const SCRIPT = join(PROJECT, "docs", "examples", "careful", "script.yml");
const CHECKS = { "pawl.yml": "checks:\n  test: test ! -e broken\n" };

test("`workflow new` writes twelve lines that load and run, and writes over nothing", async () => {
	const { root, pawl, git } = scratch(CHECKS);
	const made = await pawl("workflow", "new", "careful");
	assert.equal(made.code, 0, made.stderr);
	const file = join(root, ".pawl", "workflows", "careful", "workflow.yml");
	assert.equal(made.stdout, `${file}\n`);
	assert.match(made.stderr, /next: edit .*\n.*pawl workflow validate careful\n/);
	const text = readFileSync(file, "utf8");
	const own = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
	assert.ok(own.length <= 12, own.join("\n"));
	const [, schema = ""] = /\$schema=(\S+)/.exec(text) ?? [];
	assert.ok(existsSync(join(file, "..", schema)), schema);

	assert.deepEqual((await pawl("workflow", "validate", "careful")).stderr, "");
	const again = await pawl("workflow", "new", "careful");
	assert.deepEqual([again.code, /exists already/.test(again.stderr)], [2, true]);
	assert.equal(readFileSync(file, "utf8"), text);

	git("add", "-A");
	git("commit", "-q", "-m", "A workflow of our own");
	assert.equal(git("ls-files", ".pawl"), ".pawl/workflows/careful/workflow.yml");
	const ended = await pawl("run", "careful", "Say hello", "--script", SCRIPT, "--yes");
	assert.equal(ended.code, 0, ended.stderr);
	assert.equal(git("show", "HEAD:greeting.txt"), "hello");
	assert.match(ended.stderr, /review +sends back to code: The greeting is misspelt/);
});

test("a run of a workflow that extends another goes on when both are gone (ADR 8)", async () => {
	const { root, pawl, git } = scratch(CHECKS);
	assert.equal((await pawl("workflow", "new", "careful")).code, 0);
	const made = await pawl("workflow", "new", "agreed", "--extends", "careful");
	assert.equal(made.code, 0, made.stderr);
	const folder = join(root, ".pawl", "workflows");
	writeFileSync(
		join(folder, "agreed", "workflow.yml"),
		"name: agreed\nextends: careful\ntypes:\n  agree: {approval: person, after: plan}\n  code: {timeout: 1h}\n",
	);
	git("add", "-A");
	git("commit", "-q", "-m", "Workflows of our own");
	const waits = await pawl("run", "agreed", "Say hello", "--script", SCRIPT);
	assert.equal(waits.code, 3, waits.stderr);
	rmSync(folder, { recursive: true });
	const ended = await pawl("approve", "--resume");
	assert.equal(ended.code, 0, ended.stderr);
	assert.equal(git("show", "HEAD:greeting.txt"), "hello");
});

test("`workflow eject` copies every built-in workflow with what it needs, under its own name or another", async () => {
	const { root, pawl } = quickScratch({ a: "a\n" });
	for (const name of readdirSync(join(PROJECT, "workflows"))) {
		const hash = async (workflow: string): Promise<unknown> => JSON.parse((await pawl("workflow", "show", workflow, "--json")).stdout);
		const { definition: was } = (await hash(name)) as { definition: { types: object } };
		const made = await pawl("workflow", "eject", name);
		assert.equal(made.code, 0, made.stderr);
		assert.match(made.stderr, /it hides the built-in one/);
		const { definition, origin, file } = (await hash(name)) as { definition: { types: object }; origin: string; file: string };
		assert.equal(origin, "repository");
		assert.deepEqual(definition.types, was.types, name);
		assert.doesNotMatch(readFileSync(file, "utf8"), /\.\.\/[a-z-]+\/agents/, "it needs no file of another workflow");
		assert.equal((await pawl("workflow", "eject", name)).code, 2);
		const other = JSON.parse((await pawl("workflow", "eject", name, `my-${name}`, "--json")).stdout) as { file: string; hides: unknown };
		assert.deepEqual([other.file, other.hides], [join(root, ".pawl", "workflows", `my-${name}`, "workflow.yml"), null]);
		assert.equal((await pawl("workflow", "validate", `my-${name}`)).stderr, "", "its name is changed too");
	}
	assert.match((await pawl("workflow", "eject", "dynamik")).stderr, /there is no built-in workflow dynamik; there are bug-fix, dynamic/);
	assert.match((await pawl("workflow", "new", "Mine")).stderr, /cannot be the name of a workflow/);
});

test("a step that runs a check which the repository does not have is refused before the first session", async () => {
	const { pawl, memory } = quickScratch({
		".pawl/workflows/late/workflow.yml": "name: late\nstory: [code, look]\ntypes: {code: {prompt: Do it.}, look: {command: e2e}}\n",
	});
	const refused = await pawl("run", "late", "Say hello", "--script", SCRIPT);
	assert.equal(refused.code, 2);
	assert.match(refused.stderr, /the step look of late runs the check e2e, which this repository does not have: add it to pawl\.yml/);
	assert.equal(memory.subjects("main").length, 1);
});
