// The demo of each built-in workflow for real, once and without its pauses: that it shows what is special about the workflow, that its
// result works, that it leaves no process running, that its journal and its status fit the published schemas (T-62), and that docs/prompts/ has the prompts that its agents got.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { MOST_BYTES, sizesOf } from "../../bench/prompts.ts";
import { PAGES, PROJECT, promptPage, type RecordedDemo, recordDemo } from "../../scripts/prompts.ts";
import { DEMOS } from "../../src/cli/demo/all.ts";
import { PAWL } from "../support/bin.ts";
import { assertRunFits } from "../support/schemas.ts";
import { exists, git, list, processesNaming, read, scratchFolder } from "../support/scratch.ts";

const sh = (folder: string, ...args: string[]): string => execFileSync("sh", args, { cwd: folder, encoding: "utf8" }).trimEnd();
const subjects = (folder: string, range: string): string[] => git(folder, "log", "--reverse", "--format=%s", range).split("\n");
const out = (demo: RecordedDemo, ...wanted: RegExp[]): void => {
	for (const one of wanted) assert.match(demo.stdout.replaceAll(/\s+/g, " "), one);
};

/** What only the demo of this workflow shows. */
const SPECIAL: Readonly<Record<string, (demo: RecordedDemo) => void>> = {
	"one-shot": (demo) => {
		out(demo, /on the way: 1 edit, 1 restart, 1 failed check/);
		assert.deepEqual(subjects(demo.folder, "main"), [
			"Start",
			"Add --shout to greet.sh",
			"Accept --shout in any position, and without a name",
		]);
		assert.equal(sh(demo.folder, "greet.sh", "Ada", "--shout"), "HELLO, ADA!");
		assert.equal(git(demo.folder, "status", "--porcelain"), "");
	},

	plan: (demo) => {
		out(demo, /on the way: 1 question, 1 answer, 1 sent back/, /answer German and French/);
		const { userStories } = JSON.parse(read(demo.folder, "prd.json")) as { userStories: { id: string; passes: boolean }[] };
		assert.deepEqual(
			userStories.map(({ id, passes }) => [id, passes]),
			["US-001", "US-002", "US-003", "US-004"].map((id) => [id, false]),
		);
		assert.equal(git(demo.folder, "status", "--porcelain"), "?? prd.json");
		assert.match(demo.prompts[1]?.prompt ?? "", /Which languages besides English\?[\s\S]*German and French/);
	},

	phased: (demo) => {
		out(demo, /on the way: 2 approvals, 1 false claim, 1 re-plan, 1 finding/, /re-plan 1\.2 pre_task: severity: high/);
		assert.match(demo.stderr, /the new plan adds 1\.3: Look options up/);
		assert.equal(demo.stderr.match(/approve\? .*: yes$/gm)?.length, 2, "a person approves both plans");
		const state = JSON.parse(read(demo.folder, ".claude", "agent-state.json")) as { completed_tasks: { task: string }[] };
		assert.deepEqual(
			state.completed_tasks.map(({ task }) => task),
			["1.1", "1.3", "1.2", "2.1"],
		);
		assert.equal(sh(demo.folder, "greet.sh", "--lang=de", "--shout", "Ada"), "HALLO, ADA!");
	},

	ralph: (demo) => {
		out(demo, /on the way: 1 rejection, 1 steering, 1 promise/, /iteration 3: S1 passes but its second criterion/, /2 stories became 3/);
		const { stories } = JSON.parse(read(demo.folder, "ralph/runs/options/prd.json")) as { stories: { id: string; passes: boolean }[] };
		assert.deepEqual(
			stories.map(({ id, passes }) => [id, passes]),
			["S1", "S2", "S3"].map((id) => [id, true]),
		);
		assert.equal(demo.prompts.map(({ role }) => role[0]).join(""), "wwrswwrw");
		const given = demo.prompts.filter(({ role }) => role === "worker").map(({ prompt }) => prompt);
		assert.deepEqual([...new Set(given)], [read(demo.folder, "ralph/runs/options/PROMPT.md")], "byte for byte");
		assert.equal(sh(demo.folder, "greet.sh", "Ada", "--lang=fr", "--shout"), "BONJOUR, ADA!");
	},

	gated: (demo) => {
		out(demo, /on the way: 1 not RED, 1 RED, 1 not GREEN, 1 diagnosis, 1 GREEN/);
		const run = join(demo.folder, ".workflow", "run-GRE-7");
		assert.match(read(run, "red.txt"), /not ok - greets in German: wanted "Hallo, Ada!", got "Hello, Ada!"/);
		assert.match(read(run, "green.txt"), /ok - refuses another language/);
		assert.deepEqual(subjects(demo.folder, "main.."), ["feat: implement greet in other languages", "chore(todo): GRE-7 is Done"]);
		assert.match(read(demo.folder, "TODO", "GRE-7.md"), /status: Done[\s\S]*- \[x\] .*[\s\S]*- \[x\] /);
	},

	"feature-dev": (demo) => {
		out(
			demo,
			/on the way: 2 rejections/,
			/US-002 verify: .*prints HELLO, Ada! instead of HALLO, ADA!/,
			/the pull request \| # Greet in German/,
		);
		const text = read(`${demo.folder}-forge`, "pull-request-1.md");
		assert.match(text, /> feature\/options into main\n\ngreet\.sh has two options now[\s\S]*US-002: Greet loudly/);
		const forge = join(`${demo.folder}-forge`, "greet.git");
		assert.equal(git(forge, "log", "-1", "--format=%s", "feature/options"), "docs: name the options of greet.sh");
		assert.equal(git(demo.folder, "show", "feature/options:README.md").includes("--shout"), true);
		assert.deepEqual(subjects(demo.folder, "main"), ["Start"], "main is as it was");
	},

	"bug-fix": (demo) => {
		out(
			demo,
			/on the way: 1 rejection/,
			/verify: tests\/percent\.sh passes on the commit before the fix as well/,
			/> fix\/percent into main; not pushed/,
		);
		git(demo.folder, "checkout", "-q", "fix/percent");
		assert.equal(sh(demo.folder, "greet.sh", "100%"), "Hello, 100%!");
		git(demo.folder, "checkout", "-q", "fix/percent~1");
		assert.notEqual(spawnSync("sh", ["scripts/test.sh"], { cwd: demo.folder }).status, 0, "the test fails without the fix");
	},

	"security-audit": (demo) => {
		out(demo, /on the way: 1 way around/, /a name in backquotes is still run/, /Left for later: scripts\/test\.sh/);
		git(demo.folder, "checkout", "-q", "security/greet");
		assert.equal(sh(demo.folder, "greet.sh", "`echo run` $(echo run)"), "Hello, `echo run` $(echo run)!");
		assert.equal(spawnSync("sh", ["greet.sh", "--template=../pawl.yml"], { cwd: demo.folder }).status, 2);
	},
};

describe("the demo of each workflow shows what is special about it", { concurrency: 2 }, () => {
	for (const [workflow, name] of Object.entries(PAGES))
		it(`pawl demo ${name}; docs/prompts/${workflow}.md has its prompts`, async () => {
			const home = scratchFolder("demo");
			const demo = await recordDemo([name, "--fast"], home);
			assert.equal(demo.code, 0, demo.stdout.slice(-2000) + demo.stderr.slice(-2000));
			assert.equal(dirname(demo.folder), home);
			assert.deepEqual(processesNaming(home), [], "nothing is left running");
			assert.equal(promptPage(workflow, demo), read(PROJECT, "docs", "prompts", `${workflow}.md`), "npm run prompts writes it again");
			assert.ok(sizesOf(demo.prompts).largest <= MOST_BYTES, "no prompt is larger than 12 kB");
			for (const [command] of (await DEMOS[name]!()).look)
				if (command !== "pawl status") execFileSync("sh", ["-c", command.replace(/^pawl/, PAWL)], { cwd: demo.folder, stdio: "pipe" });
			await assertRunFits(demo.folder);
			SPECIAL[name]?.(demo);
			assert.ok(demo.stdout.includes(`cd ${demo.folder}`), "it says where to look");
		});

	it("every built-in workflow has one, and a page", () => {
		const names = readdirSync(join(PROJECT, "workflows")).sort();
		assert.deepEqual(Object.keys(PAGES).sort(), names);
		// What is told after a conflict is made and compared in process.
		const more = ["README.md", "dynamic-conflict.md"];
		assert.deepEqual(list(PROJECT, "docs", "prompts").sort(), [...more, ...names.map((name) => `${name}.md`)].sort());
		for (const name of Object.values(PAGES)) assert.ok(SPECIAL[name], name);
		assert.ok(names.every((name) => exists(PROJECT, "workflows", name, "demo.yml")));
	});
});

it("the size of prompts: a story, and the share that stood in the story's prompt before", () => {
	const prompt = (story: string, text: string) => ({ story, step: "s", type: "t", role: "r", attempt: 1, cwd: "/", prompt: text });
	const sizes = sizesOf([prompt("A", "one\ntwo\n"), prompt("B", "two\n"), prompt("A", "two\n\nthree\n"), prompt("", "x\n")]);
	assert.deepEqual(sizes, { prompts: 4, largest: 11, median: 8, aStory: (8 + 4 + 11 + 2) / 2, repeated: 4 / 25 });
});
