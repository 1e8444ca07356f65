// Runs of gated in which all goes well, and those that are refused before anything happens.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { say, write } from "../support/fake-agent.ts";
import { assertLanded, BRANCH, CRITERIA, complete, ISSUE, issueSite, on, PLAN, ready, taskText, testText } from "../support/issue-site.ts";
import { pawl } from "../support/pawl.ts";
import { quickIssueSite } from "../support/quick-issue-site.ts";
import { exists, git, list, put, read, scratchFolder, userView } from "../support/scratch.ts";

const three = () =>
	[1, 2, 3].map((n) =>
		taskText(n, { criteria: [CRITERIA[n - 1] ?? ""], ...(n === 3 ? { contracts: "Uses what task 2 makes.", depends: "task 2" } : {}) }),
	);

test("O-01 O-10 O-11 O-12 O-13 O-30 O-32 O-43 O-53 O-60 O-66 O-75 O-78 X-33 X-35 one task from the issue to Done", async () => {
	const site = issueSite([
		on(
			"tests",
			undefined,
			"cp TODO/*.md $home/",
			"printf x > test.out; rm test.out",
			`mkdir -p test && printf '%s' 'import { sum } from "../src/sum.mjs"; let got; try { got = sum(2, 3); } catch {} if (got !== 5) { console.log("red it is"); process.exit(1); }' > test/sum.test.mjs`,
			say("STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: red it is"),
		),
	]);
	const trees = git(site.repo, "worktree", "list").split("\n").length;
	await site.runs(0);
	assert.equal(site.order(), "OCOTMC");
	const roles = new Set(site.agent.calls().map((call) => call.env["PAWL_ROLE"]));
	assert.deepEqual([...roles].sort(), ["check", "make", "orchestrator", "pm", "simplify", "test"]);
	for (const call of site.agent.calls()) {
		assert.equal(call.cwd, site.tree);
		for (const header of [
			`Worktree: ${site.tree}`,
			`Branch: ${BRANCH}, from main`,
			`Issue: ${ISSUE}, in ${join(site.tree, "TODO", `${ISSUE}.md`)}`,
			`Run folder: ${site.dir}`,
		])
			assert.ok(call.prompt.includes(header), `${header} in the prompt of ${call.type}`);
		assert.doesNotMatch(call.prompt, /words-of-the-plan|words-of-task-1/, "files are named, never repeated");
	}
	const reviews = site.prompts("review_plan");
	assert.equal(reviews.length, 2);
	for (const prompt of reviews) assert.ok(prompt.includes(join(site.dir, "plan.md")));
	for (const type of ["tests", "implement"]) assert.ok(site.prompts(type)[0]?.includes(join(site.dir, "task-1.md")));
	// While it ran the issue was In Progress, here and in the README.
	assert.match(read(site.agent.home, `${ISSUE}.md`), /^status: In Progress$/m);
	assert.match(read(site.agent.home, "README.md"), new RegExp(`${ISSUE}.*In Progress`));
	assertLanded(site);
	assert.equal(site.status(), "Done");
	for (const text of CRITERIA) assert.ok(site.issue().includes(`- [x] ${text}`));
	assert.ok(site.issue().includes("A line of a person's own."));
	assert.match(read(site.tree, "TODO/README.md"), new RegExp(`${ISSUE}.*Done`));
	assert.deepEqual(site.commits()[0]?.files, ["src/sum.mjs", "test/sum.test.mjs"]);
	assert.equal(git(site.repo, "worktree", "list").split("\n").length, trees);
	for (const name of ["plan.md", "task-1.md", "summary.md"]) assert.ok(exists(site.dir, name), name);
	assert.equal(git(site.tree, "status", "--porcelain", "--ignored", "--", ".workflow"), "!! .workflow/");
	const reports = list(site.dir, "reports");
	assert.ok(
		reports.some((name) => /review_plan-check/.test(name)) && reports.some((name) => /final_review-simplify/.test(name)),
		reports.join(" "),
	);
	assert.match(read(site.dir, "reports", reports.find((name) => /review_plan-check/.test(name)) ?? ""), /VERDICT: ACCEPTABLE/);
	assert.match(site.summary(), /\| phase 4 \| 2 \| (?:check 1, simplify 1|simplify 1, check 1) \| \d+\.\d s \|/);
	assert.match(site.summary(), /\| phase 7 \| 1 \| make 1 \|/);
});

test("O-22 O-23 O-26 O-42 O-44 O-45 O-46 O-78 O-83 X-35 three tasks: the split is reviewed, two become issues before there are tests, one is done", async () => {
	const site = quickIssueSite(
		[
			on(
				"tests",
				1,
				"cp -r TODO $home/todo-then",
				"printf 'import \"../src/sum.mjs\"; process.exit(1)' > /dev/null",
				"mkdir -p test; echo 'import { sum } from \"../src/sum.mjs\"; sum();' > test/sum.test.mjs",
				say("STATUS: TESTS_READY\nESCALATE_TO_CHECK: false"),
			),
		],
		{ tasks: three() },
	);
	await site.runs(0);
	assert.equal(site.order(), "OCOCTMC");
	const [review = ""] = site.prompts("review_split");
	for (const name of ["plan.md", "task-1.md", "task-2.md", "task-3.md"]) assert.ok(review.includes(join(site.dir, name)));
	assert.equal(site.agent.of("review_split").length, 1, "check alone");
	assert.deepEqual(review.match(/^\d\. [A-Za-z -]+/gm), [
		"1. Coverage",
		"2. No overlap",
		"3. Single purpose",
		"4. Integration contracts",
		"5. Testable criteria",
		"6. Self-containment",
	]);
	assert.match(
		site.prompts("split")[0] ?? "",
		/more than two concerns, more than 50 lines across more than two files, structure and behaviour mixed.*In doubt do not split/s,
	);
	const filed = site.filed();
	assert.deepEqual(
		filed.map((f) => f.label),
		["split-from-run", "split-from-run"],
	);
	for (const [i, { id, text }] of filed.entries()) {
		const n = i + 2;
		assert.ok(exists(site.agent.home, "todo-then", `${id}.md`), `${id} was there before the tests`);
		assert.match(text, /^status: Todo$/m);
		assert.match(text, new RegExp(`^parent: ${ISSUE}$`, "m"));
		for (const part of [
			`words-of-task-${n}`,
			`- [ ] ${CRITERIA[n - 1]}`,
			`context-of-task-${n}`,
			`design-of-task-${n}`,
			"words-of-the-plan",
			BRANCH,
			`\`${ISSUE}\``,
		])
			assert.ok(text.includes(part), `${id}: ${part}`);
		assert.ok(read(site.tree, "TODO/README.md").includes(id));
		assert.ok(site.issue().split("## Sub-issues")[1]?.includes(id));
	}
	assert.match(filed[1]?.text ?? "", new RegExp(`^depends-on: \\[${filed[0]?.id}\\]$`, "m"));
	for (const type of ["tests", "implement"]) for (const prompt of site.prompts(type)) assert.doesNotMatch(prompt, /task-[23]\.md/);
	assert.equal(site.agent.of("implement").length, 1, "one task a run");
	assertLanded(site);
	assert.equal(site.status(), "In Progress");
	assert.ok(site.issue().includes(`- [x] ${CRITERIA[0]}`) && site.issue().includes(`- [ ] ${CRITERIA[1]}`));
	for (const { id } of filed) assert.ok(site.summary().includes(`- ${id} (split-from-run)`));
});

describe("phase 1 refuses with exit 2, before anybody is called, and leaves no trace", () => {
	const refused = async (site: ReturnType<typeof issueSite>, says: string | RegExp, cwd = site.tree, id: string = ISSUE) => {
		const before = userView(site.repo);
		const ended = await pawl(["run", "gated", id, "--agent-command", site.agent.command], { cwd });
		assert.equal(ended.code, 2, ended.all);
		assert.ok(typeof says === "string" ? ended.stderr.includes(says) : says.test(ended.stderr), ended.stderr);
		assert.deepEqual(site.agent.calls(), []);
		assert.deepEqual(userView(site.repo), before);
		assert.ok(!exists(site.tree, ".workflow") && !exists(site.repo, ".pawl"));
	};
	const DIRTY = "Working tree must be clean. Commit or stash uncommitted changes before running the workflow.";

	test("O-27 the base branch, a detached HEAD, no such issue, no id, a bare repository", async () => {
		const site = issueSite();
		await refused(site, "main, the base", site.repo);
		await refused(site, "GAL-77", site.tree, "GAL-77");
		await refused(site, /not an issue id/, site.tree, "../../etc/passwd");
		const bare = join(scratchFolder("bare"), "b.git");
		git(site.repo, "clone", "-q", "--bare", site.repo, bare);
		await refused(site, "bare", bare);
		git(site.tree, "checkout", "-q", "--detach");
		await refused(site, "detached");
	});

	test("O-28 a changed file, an untracked file", async () => {
		const site = issueSite();
		put(site.tree, { "src/other.mjs": "export const other = 2;\n" });
		await refused(site, DIRTY);
		git(site.tree, "checkout", "-q", "--", ".");
		put(site.tree, { "notes.txt": "x\n" });
		await refused(site, DIRTY);
	});

	test("O-29 O-32 a dependency that is In Progress, or has no file; an issue that is Done; --push; --base that is not there", async () => {
		const issues = {
			[ISSUE]: {},
			"GAL-38": { status: "In Progress" },
			"GAL-40": { depends: ["GAL-38"] },
			"GAL-41": { depends: ["GAL-12"] },
			"GAL-42": { status: "Done" },
		};
		const site = issueSite([], { issues });
		await refused(site, "GAL-38 (In Progress)", site.tree, "GAL-40");
		await refused(site, "GAL-12 (not there)", site.tree, "GAL-41");
		await refused(site, "Done already", site.tree, "GAL-42");
		const push = await site.run("--push");
		assert.deepEqual([push.code, /--push/.test(push.stderr), site.agent.calls().length], [2, true, 0]);
		const base = await site.run("--base", "nowhere");
		assert.deepEqual([base.code, /nowhere/.test(base.stderr)], [2, true]);
	});
});

test("O-14 a folder for the artifacts that cannot be made: nobody is called", async () => {
	const site = issueSite();
	put(site.tree, { ".workflow": "a file of somebody's\n" });
	git(site.tree, "add", "-A");
	git(site.tree, "commit", "-q", "-m", "in the way");
	const ended = await site.runs(2);
	assert.match(ended.all, /\.workflow is no folder/);
	assert.deepEqual(site.agent.calls(), []);
	assert.equal(site.status(), "Todo");
});

test("O-31 pm does not find the issue: it stops with an error, and the issue is as it was", async () => {
	const site = quickIssueSite([on("context", undefined, say("STATUS: MISSING"))]);
	await site.runs(2);
	assert.deepEqual([site.order(), site.status(), site.commits()], ["", "Todo", []]);
	assert.equal(site.dirty(), "");
	const again = issueSite([on("context", 1, say("STATUS: MISSING"))]);
	await again.runs(2);
	await again.runs(0);
	assert.equal(again.status(), "Done", "nothing was begun, so the same worktree can be used");
});

test("O-32 O-16 an issue that is In Progress continues; an earlier run's files are moved aside, never mixed", async () => {
	const again = [
		on("tests", 2, write("test/sum.test.mjs", testText('"5"')), ready()),
		on("implement", 2, write("src/sum.mjs", "export const sum = (a, b) => String(a + b);\n"), complete()),
	];
	const site = issueSite(again, { tasks: three() });
	await site.runs(0);
	assert.equal(site.status(), "In Progress");
	await site.runs(0);
	assert.deepEqual(list(site.tree, ".workflow"), [`run-${ISSUE}`, `run-${ISSUE}.old-1`]);
	assert.ok(exists(site.tree, ".workflow", `run-${ISSUE}.old-1`, "task-3.md"));
});

test("O-33 O-15 a plan with traces of thinking aloud is written again; if it stays so, that is noted, and the run continues", async () => {
	const dirty = (text: string) =>
		`mkdir -p .workflow/run-${ISSUE}; printf '%s' '# Plan\n\n## Goal\nAdd. ${text}\n' > .workflow/run-${ISSUE}/plan.md`;
	const once = quickIssueSite([on("plan", 1, dirty("Let me reconsider: a list."), say("STATUS: done"))]);
	await once.runs(0);
	assert.equal(once.order(), "OOCOTMC");
	assert.match(once.prompts("plan")[1] ?? "", /plan\.md:4: thinking aloud: "Let me reconsider"/);
	assert.equal(read(once.dir, "plan.md").startsWith(PLAN.slice(0, 20)), true);
	const ever = quickIssueSite([on("plan", undefined, dirty("Let me reconsider: a list."), say("STATUS: done"))]);
	await ever.runs(0);
	assert.match(ever.summary(), /not clean[\s\S]*thinking aloud/);
});
