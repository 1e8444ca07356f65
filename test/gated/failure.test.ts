// The failure handler of gated, and everything that ends a run early: nothing continues, nothing is lost, nothing looks done.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { usage, write } from "../support/fake-agent.ts";
import {
	assertGivenUp,
	assertLanded,
	BRANCH,
	CRITERIA,
	complete,
	diagnosis,
	ISSUE,
	incomplete,
	issueSite,
	on,
	ready,
	taskText,
	tracker,
	turn,
	verdict,
} from "../support/issue-site.ts";
import { kill9 } from "../support/pawl.ts";
import { quickIssueSite } from "../support/quick-issue-site.ts";
import { exists, git, list, put, read, repository, until } from "../support/scratch.ts";

/** Says that it is there, and waits to be let go. */
const held = (name: string): string => `: > "$home/at-${name}"; while [ ! -e "$home/go-${name}" ]; do sleep 0.1; done`;

test("O-63 O-80 X-31 split_needed gives up at once: the issue is Todo with the diagnosis, the recovery works as it is printed", async () => {
	const site = issueSite(
		[
			on("implement", undefined, write("src/sum.mjs", "half\n"), incomplete()),
			on("diagnose", undefined, diagnosis("split_needed", "two concerns, notes-1")),
		],
		{ tasks: [1, 2].map((n) => taskText(n, { criteria: [CRITERIA[n - 1] ?? ""] })) },
	);
	const main = git(site.repo, "rev-parse", "main");
	const ended = await site.run();
	assertGivenUp(site, ended);
	assert.equal(site.order(), "OCOCTMC", "nobody after the diagnosis");
	assert.match(site.issue(), /## Comments[\s\S]*> .*split_needed[\s\S]*notes-1/);
	assert.match(read(site.tree, "TODO/README.md"), new RegExp(`${ISSUE}.*Todo`));
	assert.match(site.summary(), /given up[\s\S]*notes-1[\s\S]*git worktree remove/);
	assert.equal(git(site.repo, "rev-parse", "main"), main);
	assert.equal(git(site.tree, "status", "--porcelain"), "", "what there was is in the wip commit");
	// The words of the handler, as a person pastes them.
	const commands = ended.stdout
		.split("\n")
		.filter((line) => /^ {2}(?:cd|git) /.test(line))
		.map((line) => line.trim());
	assert.equal(commands.length, 5);
	execFileSync("sh", ["-ec", commands.join("\n")], { stdio: "pipe" });
	assert.equal(git(site.tree, "rev-parse", "HEAD"), main);
	assert.ok(!exists(site.tree, ".workflow"));
	// The worktree is gone, what was found out is not.
	assert.match(read(site.shared(), "failure.md"), /notes-1/);
	for (const name of ["plan.md", "task-1.md", "task-2.md"]) assert.ok(exists(site.shared(), "artifacts", name), name);
	assert.match((await site.cmd("history", "latest", "--json")).stdout, /notes-1/);
});

test("O-14 a plan or a task that was announced and not written: the failure handler, and nobody is dispatched on it", async () => {
	const plan = quickIssueSite([on("plan", undefined, "printf 'STATUS: done\\n'; said=1")]);
	const ended = await plan.run();
	assertGivenUp(plan, ended);
	assert.equal(plan.order(), "O");
	assert.match(ended.all, /plan\.md was not written/);
	const task = quickIssueSite([
		on("split", undefined, write(`.workflow/run-${ISSUE}/task-1.md`, taskText(1)), "printf 'STATUS: done\\nTASKS: 2\\n'; said=1"),
	]);
	assert.match((await task.run()).all, /task-2\.md was not written/);
	assert.equal(task.order(), "OCO");
	const fix = quickIssueSite([
		turn("check", 2, verdict("BLOCK", "[a] production: no")),
		on("write_fixes", undefined, "printf 'STATUS: done\\n'; said=1"),
	]);
	assert.match((await fix.run()).all, /task-fix-1\.md was not written/);
	assert.equal(fix.order(), "OCOTMCO");
	const link = quickIssueSite([
		on(
			"plan",
			undefined,
			`mkdir -p .workflow/run-${ISSUE}; ln -s /etc/hosts .workflow/run-${ISSUE}/plan.md`,
			"printf 'STATUS: done\\n'; said=1",
		),
	]);
	assert.match((await link.run()).all, /plan\.md was not written/, "a link to elsewhere is no plan");
});

test("O-05 a spec that reaches out of the worktree, or whose test command is more than a plain one, is asked for again, then given up", async () => {
	for (const more of [
		{ files: ["../elsewhere.mjs"] },
		{ files: ["TODO/GAL-39.md"] },
		{ command: "node a.mjs; rm -rf src" },
		{ command: "sh -c true" },
	]) {
		const site = quickIssueSite([], { tasks: [taskText(1, more)] });
		assertGivenUp(site, await site.run());
		assert.equal(site.order(), "OCOO", JSON.stringify(more));
	}
});

test("O-81 killed: neither resume nor a second run continues in the used worktree, and both say what to do", async () => {
	const site = issueSite([on("implement", undefined, held("make"), complete())]);
	const run = site.start();
	await until("make", () => exists(site.agent.home, "at-make"));
	await kill9(run);
	put(site.agent.home, { "go-make": "" });
	const called = site.agent.calls().length;
	// As a git that died with it leaves them; what is advised would fail because of them.
	const locks = [join(git(site.tree, "rev-parse", "--git-dir"), "index.lock"), join(site.repo, ".git", "refs", "heads", `${BRANCH}.lock`)];
	for (const lock of locks) writeFileSync(lock, "");
	for (const args of [
		["resume", "latest"],
		["retry", "latest"],
		["run", "gated", ISSUE, "--agent-command", site.agent.command],
	]) {
		const ended = await site.cmd(...args);
		assert.equal(ended.code, 2, args.join(" "));
		for (const text of ["git worktree remove --force", site.tree, BRANCH])
			assert.ok(ended.stderr.includes(text), `${args[0]}: ${text} in ${ended.stderr}`);
		for (const lock of locks) assert.ok(!existsSync(lock), `${lock} is there after ${args[0]}`);
	}
	assert.match((await site.cmd("pause", "latest")).stderr, /cannot be paused/);
	assert.equal(site.agent.calls().length, called, "nobody was started");
	assert.ok(site.commits().every((c) => !/^(?:feat|chore)/.test(c.subject)));
	// Without the marker of the run its journal still knows.
	rmSync(join(site.dir, "run.json"));
	assert.equal((await site.cmd("resume", "latest")).code, 2);
});

test("O-81 O-80 Ctrl-C: the failure handler runs, exit 130, and a second run in the worktree is refused", async () => {
	const site = issueSite([on("implement", undefined, held("make"), complete())]);
	const run = site.start();
	await until("make", () => exists(site.agent.home, "at-make"));
	process.kill(-(run.child.pid ?? 0), "SIGINT");
	const ended = await run.done;
	assert.equal(ended.code, 130, ended.all);
	assert.equal(site.status(), "Todo");
	assert.match(ended.all, /git worktree remove --force/);
	assert.doesNotMatch(ended.all, /pawl resume/);
	assert.deepEqual(
		site.commits().map((c) => c.subject),
		[`wip: ${ISSUE}, given up`],
	);
	assert.equal((await site.run()).code, 2);
});

test("O-81 a budget that is used up: exit 4, given up like any other", async () => {
	const site = quickIssueSite([on("split", undefined, usage({ cost_usd: 2 }), "printf 'no report\\n'; said=1")], { maxCost: 1 });
	const ended = await site.run();
	assert.equal(ended.code, 4, ended.all);
	assert.equal(site.status(), "Todo");
	assert.match(ended.all, /git worktree remove/);
});

test("O-82 two runs side by side in two worktrees of one repository do not disturb each other", async () => {
	const repo = repository({
		"src/sum.mjs": 'export const sum = () => { throw new Error("sum is not there yet"); };\n',
		...tracker({ [ISSUE]: {}, "GAL-50": {} }),
	});
	const tasks = [1, 2].map((n) => taskText(n, { criteria: [CRITERIA[n - 1] ?? ""] }));
	const meet = (own: string, other: string): string =>
		`: > "${repo}/../at-${own}"; while [ ! -e "${repo}/../at-${other}" ]; do sleep 0.1; done`;
	const shared = list(join(repo, "..")).length;
	assert.ok(shared > 0);
	const one = issueSite(
		[
			turn(
				"make",
				1,
				meet(`${repo.split("/").pop()}-1`, `${repo.split("/").pop()}-2`),
				write("src/sum.mjs", "export const sum = (a, b) => a + b;\n"),
				complete(),
			),
		],
		{ repo, tasks },
	);
	const two = issueSite(
		[
			turn(
				"make",
				1,
				meet(`${repo.split("/").pop()}-2`, `${repo.split("/").pop()}-1`),
				write("src/sum.mjs", "export const sum = (a, b) => b + a;\n"),
				complete(),
			),
		],
		{ repo, id: "GAL-50", branch: "feature/gal-50", tasks },
	);
	const [first, second] = await Promise.all([one.run(), two.run()]);
	for (const name of ["1", "2"]) rmSync(`${repo}/../at-${repo.split("/").pop()}-${name}`, { force: true });
	assert.deepEqual([first.code, second.code], [0, 0], first.all + second.all);
	assertLanded(one);
	assertLanded(two);
	const filed = [...one.filed(), ...two.filed()].map((f) => f.id);
	assert.equal(new Set(filed).size, 2, `distinct ids: ${filed.join(" ")}`);
	assert.match(git(one.tree, "show", "HEAD:src/sum.mjs"), /a \+ b/);
	assert.match(git(two.tree, "show", "HEAD:src/sum.mjs"), /b \+ a/);
});

test("G-16 O-80 a run that is given up says its cause once, briefly in the issue; earlier findings are no cause, and all criteria are open", async () => {
	const long = "x".repeat(4000);
	const site = quickIssueSite([
		turn("check", 1, verdict("NEEDS WORK", "[vague] plan: say more, finding-1")),
		on("tests", undefined, write("test/sum.test.mjs", `console.log("${long}"); process.exit(0);\n`), ready()),
	]);
	assertGivenUp(site, await site.run());
	assert.match(site.issue(), /the tests pass before there is anything to test/);
	assert.doesNotMatch(site.issue(), /finding-1|Diagnosis:/);
	assert.ok(site.issue().length < 4000, "the output stays in the summary");
	for (const criterion of CRITERIA) assert.ok(site.summary().split("## Open acceptance criteria")[1]?.includes(`- ${criterion}`));
});
