// What pawl itself runs and prints in a run of gated: tests that must fail, the rest of the project's suite, the recovery.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { Checked } from "../../src/engine/testing/engine-parts.suite.ts";
import type { Files } from "../../src/engine/testing/files.suite.ts";
import { say } from "../support/fake-agent.ts";
import { ISSUE, issueSite, on, taskText } from "../support/issue-site.ts";
import { pawl } from "../support/pawl.ts";
import { quickIssueSite } from "../support/quick-issue-site.ts";
import { exists, git } from "../support/scratch.ts";

const files = (script: string, broken: boolean): Record<string, string> => ({
	"package.json": JSON.stringify({ name: "sums", version: "1.0.0", private: true, type: "module", scripts: { test: script } }),
	"src/sum.mjs": 'export const sum = () => { throw new Error("sum is not there yet"); };\n',
	"test/older.test.mjs": broken ? 'console.log("older-test-broke"); process.exit(1);\n' : "",
});
const NARROW = "node test/sum.test.mjs";

test("O-86 a test that was broken before shows up though the spec's own command does not run it, and is diagnosed", async () => {
	const site = issueSite([on("diagnose", undefined, say("DIAGNOSIS: split_needed\nNOTES: an older test is broken"))], {
		files: files("node test/older.test.mjs && node test/sum.test.mjs", true),
		tasks: [taskText(1, { command: NARROW })],
	});
	await site.runs(1);
	assert.equal(site.order(), "OCOTMC");
	assert.match(site.prompts("diagnose")[0] ?? "", /older-test-broke/);
});

test("O-86 a suite whose tool is missing, or that equals the spec's command, is no evidence against the code", async () => {
	for (const script of ["no-such-runner-anywhere", NARROW]) {
		const ran: string[] = [];
		const commands = (command: string, { path }: Files): Checked | undefined => {
			ran.push(command);
			if (command.startsWith("node ")) return undefined;
			const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: path, encoding: "utf8" });
			return { exitCode: status, output: stdout + stderr };
		};
		const site = quickIssueSite([], { files: files(script, true), tasks: [taskText(1, { command: NARROW })], commands });
		await site.runs(0);
		assert.equal(ran.includes("npm test"), script !== NARROW, "the suite is run, unless it equals the spec's command");
		assert.equal(site.order(), "OCOTMC", script);
	}
});

test("O-80 X-31 in the main checkout, on a branch, the way back is another one; as printed it works", async () => {
	const site = issueSite([on("implement", 1, "exit 1"), on("implement", 2, "exit 1")]);
	git(site.repo, "checkout", "-q", "-b", "here");
	const run = () => pawl(["run", "gated", ISSUE, "--agent-command", site.agent.command], { cwd: site.repo });
	const ended = await run();
	assert.equal(ended.code, 1);
	assert.doesNotMatch(ended.all, /worktree remove/);
	const commands = [...ended.stdout.matchAll(/^ {2}((?:cd|git|rm) .*)$/gm)].map(([, line]) => line);
	assert.ok(commands.length >= 4, ended.stdout);
	const pasted = spawnSync("sh", ["-ec", commands.join("\n")], { cwd: "/", encoding: "utf8" });
	assert.equal(pasted.status, 0, pasted.stderr);
	assert.ok(!exists(site.repo, ".workflow"));
	assert.equal((await run()).code, 0);
	assert.match(git(site.repo, "log", "-1", "--format=%s"), /^chore\(todo\): /);
	assert.equal(git(site.repo, "status", "--porcelain"), "");
});

test("O-31 if pm does not find the issue, the run ends, says what it looked for, and changes nothing", async () => {
	const site = quickIssueSite([on("context", undefined, say("STATUS: MISSING"))]);
	const ended = await site.runs(2);
	assert.ok(ended.all.includes(`pm found no issue in ${site.tree}/TODO/${ISSUE}.md`), ended.all);
	assert.equal(site.status(), "Todo");
	assert.deepEqual(site.commits(), []);
	assert.equal(site.dirty(), "");
});
