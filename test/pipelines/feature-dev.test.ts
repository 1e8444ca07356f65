// The workflow feature-dev to its end: tables, files and history, and the ways that are not straight.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { commit, fakeAgent, say, write } from "../support/fake-agent.ts";
import { exited, kill9, runFolder, startPawl } from "../support/pawl.ts";
import { develops, plans, quickPipes, says, script, site, story, touch, waitFor } from "../support/pipeline-site.ts";
import { exists, git, list, put, read, scratchFolder, until, userView } from "../support/scratch.ts";

const TASK = "Add a status field to profiles";
const run = (s: ReturnType<typeof site>, file: string, ...more: string[]) =>
	s.pawl("run", "feature-dev", TASK, "--agent", "scripted", "--script", file, ...more);

test("A-01 A-62 A-74 the straight way: a branch, a text for the pull request, an archived log, the checkout untouched", async () => {
	const s = site();
	const before = userView(s.repo);
	const file = script([
		plans({ step: "plan" }, [story(1), story(2)]),
		{
			on: { step: "implement" },
			do: [{ append_shared: { path: "progress.txt", content: "learned in {story}\n" } }, ...(develops({}) as { do: object[] }).do],
		},
		says({ step: "test" }, "STATUS: done\nRESULTS: 12 passed\n"),
		says({ step: "pr" }, "STATUS: done\nPR_TITLE: Give profiles a status\nPR_BODY: ## Why\n\nBecause.\n"),
	]);
	const ended = exited(await run(s, file), 0);
	assert.deepEqual(s.steps(), { plan: "done", implement: "done", verify: "done", test: "done", pr: "done", review: "done" });
	assert.deepEqual(s.stories(), ["US-001 done 0", "US-002 done 0"]);
	assert.deepEqual(s.rows("select status from runs"), [{ status: "completed" }]);
	assert.deepEqual(s.git("log", "--reverse", "--format=%s", "main..feature/status").split("\n"), [
		"feat: US-001 of attempt 1",
		"feat: US-002 of attempt 1",
	]);
	assert.match(ended.stdout, /branch: feature\/status \(2 commits on top of main/);
	const text = read(runFolder(s.repo), "pull-request.md");
	for (const part of ["# Give profiles a status", "Because.", "US-002: Title 2", "criterion 1"]) assert.ok(text.includes(part), part);
	const [id = ""] = s.rows("select id from runs").map((r) => String(r["id"]));
	assert.equal(read(runFolder(s.repo), "archive", id, "progress.txt"), "learned in US-001\nlearned in US-002\n");
	assert.equal(exists(runFolder(s.repo), "progress.txt"), false);
	assert.equal(exists(s.repo, ".pawl/worktrees"), false);
	const { branches: _, ...rest } = userView(s.repo);
	const { branches: __, ...was } = before;
	assert.deepEqual(rest, was);
});

test("A-44 A-51 what the planner gets wrong it is told and asked again; used up, a person decides, and retry goes on", async () => {
	const s = quickPipes();
	const file = script([
		says({ step: "plan", attempt: [1, 2, 3] }, "STATUS: done\nSTORIES_JSON: [{}]\n"),
		plans({ step: "plan" }, [story(1)]),
		develops({ step: "implement" }),
	]);
	const waits = exited(await run(s, file), 3);
	assert.match(waits.stdout, /pawl approve .*pawl reject [\s\S]*pawl retry/);
	assert.deepEqual([s.stories(), s.steps()["plan"], s.steps()["implement"]], [[], "waiting", "waiting"]);
	exited(await s.pawl("retry"), 0);
	assert.deepEqual(s.stories(), ["US-001 done 0"]);
});

test("A-06 A-07 tester and reviewer send work back to the developer a bounded number of times; approve takes it as it is", async () => {
	const s = quickPipes();
	const file = script([
		plans({ step: "plan" }, [story(1)]),
		develops({ step: "implement" }),
		says({ type: "test", attempt: 1 }, "STATUS: retry\nFAILURES: it is slow\n"),
		says({ type: "review" }, "STATUS: retry\nFEEDBACK: rename it\n"),
		develops({ type: ["test-fix", "review-fix"] }, "fix: after {type}"),
	]);
	exited(await run(s, file), 3);
	const subjects = () => s.subjects("feature/status");
	assert.deepEqual(subjects(), [
		"feat: US-001 of attempt 1",
		"fix: after test-fix",
		...Array.from({ length: 3 }, () => "fix: after review-fix"),
	]);
	assert.deepEqual([s.steps()["review"], s.stories()], ["waiting", ["US-001 done 0"]]);
	exited(await s.pawl("approve", "latest", "review", "--reason", "good enough"), 0);
	exited(await s.pawl("resume"), 0);
	assert.deepEqual(s.rows("select status from runs"), [{ status: "completed" }]);
	assert.equal(subjects().length, 5);
});

test("reject ends an escalated run", async () => {
	const s = quickPipes();
	exited(await run(s, script([says({ step: "plan" }, "no idea")])), 3);
	exited(await s.pawl("reject", "latest", "--reason", "not now"), 0);
	assert.deepEqual([s.rows("select status from runs"), s.steps()["plan"]], [[{ status: "failed" }], "failed"]);
});

test("a verifier that writes is put back and never passes; the developer's work stays", async () => {
	const s = quickPipes();
	const bad = {
		on: { step: "verify" },
		do: [{ write: { path: "mine.txt", content: "x" } }, { commit: "mine" }, { say: "STATUS: done\n" }],
	};
	exited(await run(s, script([plans({ step: "plan" }, [story(1)]), develops({ step: "implement" }), bad])), 1);
	assert.deepEqual(s.subjects("feature/status"), ["feat: US-001 of attempt 1"]);
	assert.ok(list(runFolder(s.repo), "failures").some((name) => name.endsWith(".diff")));
});

test("a story whose developer changed nothing does not pass", async () => {
	const s = quickPipes();
	exited(await run(s, script([plans({ step: "plan" }, [story(1)]), says({ step: "implement" }, "STATUS: done\n")])), 1);
	assert.deepEqual(s.stories(), ["US-001 failed 0"]);
	assert.ok(!s.branches().includes("feature/status"));
});

test("stories that say what they need run side by side and meet on the branch; without that, one by one", async () => {
	const s = quickPipes();
	const file = (stories: object[]) => script([plans({ step: "plan" }, stories), develops({ step: "implement" })]);
	exited(await run(s, file([story(1), story(2), story(3, { depends_on: ["US-001", "US-002"] })]), "--agents", "2"), 0);
	const first = s.subjects("feature/status");
	assert.deepEqual(first.slice(0, 2).sort(), ["feat(ralph): US-001 - Title 1", "feat(ralph): US-002 - Title 2"]);
	assert.deepEqual(first.slice(2), ["feat(ralph): US-003 - Title 3"]);
	exited(await run(s, file([story(1), story(2)]), "--agents", "2"), 0);
	const names = s.branches().filter((name) => name.startsWith("pawl/"));
	assert.equal(names.length, 1, "feature/status is taken, so the second run keeps its own name");
	assert.deepEqual(s.subjects(names[0] ?? ""), ["feat: US-001 of attempt 1", "feat: US-002 of attempt 1"]);
});

test("kill -9 while a story is verified: the same story is verified again, nothing is developed twice", async () => {
	const s = site();
	const gate = scratchFolder("gate");
	const agent = fakeAgent([
		{ when: { type: "plan" }, do: [say(`STATUS: done\nBRANCH: feature/status\nSTORIES_JSON: ${JSON.stringify([story(1), story(2)])}`)] },
		{
			when: { type: "implement" },
			do: ['mkdir -p work && date +%N > "work/$PAWL_STORY_ID-$(date +%N).txt"', commit("work"), say("STATUS: done")],
		},
		{ when: { type: "verify", story: "US-002", nth: 1 }, do: [touch(join(gate, "there")), waitFor(join(gate, "go")), say("STATUS: done")] },
		{ do: [say("STATUS: done")] },
	]);
	const started = startPawl(["run", "feature-dev", TASK, "--agent-command", agent.command], { cwd: s.repo, env: s.env });
	await until("the verifier of the second story", () => exists(gate, "there"));
	await kill9(started);
	assert.deepEqual([s.stories(), s.steps()["verify"], s.steps()["implement"]], [["US-001 done 0", "US-002 done 0"], "running", "running"]);
	put(gate, { go: "" });
	exited(await s.pawl("resume"), 0);
	assert.deepEqual(agent.types(), ["plan", "implement", "verify", "implement", "verify", "verify", "test", "pr", "review"]);
	assert.deepEqual(
		agent.of("verify").map((c) => c.story),
		["US-001", "US-002", "US-002"],
	);
	assert.equal(s.git("rev-list", "--count", "main..feature/status"), "2");
	assert.deepEqual(s.stories(), ["US-001 done 0", "US-002 done 0"]);
});

test("A-64 two runs at once have two progress logs, also in one folder of openclaw", async () => {
	const s = site();
	put(s.home, {
		".openclaw/openclaw.json": JSON.stringify({ agents: { list: [{ id: "feature-dev_developer", workspace: join(s.home, "ws") }] } }),
		"ws/AGENTS.md": "# mine\n\n## Codebase Knowledge\n\nknown-4411\n",
	});
	const gate = scratchFolder("gate");
	const agent = fakeAgent([
		{ when: { type: "plan" }, do: [say(`STATUS: done\nSTORIES_JSON: ${JSON.stringify([story(1)])}`)] },
		{
			when: { type: "implement" },
			do: [
				'echo "log of $PAWL_RUN_ID" >> "$PAWL_PROGRESS_FILE"',
				`: > ${gate}/$PAWL_RUN_ID`,
				waitFor(join(gate, "go")),
				write("w.txt", "w"),
				commit("w"),
				say("STATUS: done"),
			],
		},
		{ do: [say("STATUS: done")] },
	]);
	const start = () => startPawl(["run", "feature-dev", TASK, "--agent-command", agent.command], { cwd: s.repo, env: s.env });
	const first = start();
	await until("the first developer", () => list(gate).length === 1);
	const second = start();
	await until("the second developer", () => list(gate).length === 2);
	const ids = list(gate);
	put(gate, { go: "" });
	exited(await first.done, 0);
	exited(await second.done, 0);
	for (const id of ids) assert.equal(read(s.home, "ws/archive", id, "progress.txt"), `log of ${id}\n`);
	assert.deepEqual(list(s.home, "ws"), ["AGENTS.md", "archive"]);
	for (const call of agent.of("verify")) assert.match(call.prompt, new RegExp(`log of ${call.env["PAWL_RUN_ID"]}`));
	assert.match(agent.of("implement")[0]?.prompt ?? "", /known-4411/);
	assert.equal(git(s.repo, "status", "--porcelain"), "");
});

test("X-23 a run that failed in a step of its own goes on from there with retry; a failed story too", async () => {
	const s = quickPipes();
	const file = script([
		plans({ step: "plan" }, [story(1)]),
		develops({ step: "implement" }),
		says({ step: "verify", attempt: [1, 2] }, "STATUS: retry\nISSUES: no\n"),
	]);
	exited(await run(s, file), 1);
	assert.deepEqual(s.stories(), ["US-001 failed 2"]);
	exited(await s.pawl("retry"), 0);
	assert.deepEqual([s.stories(), s.rows("select status from runs")], [["US-001 done 0"], [{ status: "completed" }]]);

	const flow = scratchFolder("flow");
	put(flow, { "workflow.yml": "id: one\nagents: [{id: a, role: coding}]\nsteps: [{id: only, agent: a, input: Do it, max_retries: 0}]\n" });
	const once = script([says({ step: "only", attempt: 1 }, "no"), develops({ step: "only" }, "done")]);
	const failed = exited(await s.pawl("run", flow, "x", "--agent", "scripted", "--script", once), 1);
	assert.match(failed.stdout, /pawl retry/);
	exited(await s.pawl("retry"), 0);
	assert.equal(s.rows("select status from steps where step_id = 'only'")[0]?.["status"], "done");
});

test("diff shows what one story changed, and --dry-run the prompts of the run's own steps", async () => {
	const s = quickPipes();
	exited(await run(s, script([plans({ step: "plan" }, [story(1), story(2)]), develops({ step: "implement" })])), 0);
	const patch = exited(await s.pawl("diff", "latest", "US-002"), 0).stdout;
	assert.match(patch, /\+\+\+ b\/work\/US-002/);
	assert.doesNotMatch(patch, /US-001-implement/);
	const dry = exited(await run(s, script([]), "--dry-run"), 0).stdout;
	for (const part of ["Split this task", TASK, "Name: Planner", "How to end"]) assert.ok(dry.includes(part), part);
});

test("X-23 Ctrl-C in the middle of a story, then resume: the same step, under the same name", async () => {
	const s = site();
	const gate = scratchFolder("gate");
	const agent = fakeAgent([
		{ when: { type: "plan" }, do: [say(`STATUS: done\nSTORIES_JSON: ${JSON.stringify([story(1)])}`)] },
		{ when: { type: "implement", nth: 1 }, do: [write("half.txt", "half"), touch(join(gate, "there")), waitFor(join(gate, "never"))] },
		{ when: { type: "implement" }, do: [write("whole.txt", "whole"), commit("whole"), say("STATUS: done")] },
		{ do: [say("STATUS: done")] },
	]);
	const started = startPawl(["run", "feature-dev", TASK, "--agent-command", agent.command], { cwd: s.repo, env: s.env });
	await until("the developer", () => exists(gate, "there"));
	started.child.kill("SIGINT");
	exited(await started.done, 130);
	assert.deepEqual(s.stories(), ["US-001 pending 0"]);
	exited(await s.pawl("resume"), 0);
	assert.deepEqual(
		agent.of("implement").map((c) => c.step),
		["implement", "implement"],
	);
	assert.deepEqual(s.stories(), ["US-001 done 0"]);
	const branch = s.git("for-each-ref", "--format=%(refname:short)", "refs/heads/pawl");
	assert.deepEqual(s.git("diff", "--name-only", `main..${branch}`), "whole.txt");
});
