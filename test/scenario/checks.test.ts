// The checks of pawl.yml: what the engine runs itself is evidence, what an agent says about it is not.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commit, edit, fakeAgent, say, write } from "../support/fake-agent.ts";
import { runDynamic, runFolder, STEP_TYPES, step, story } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import { exists, git, read, repository } from "../support/scratch.ts";

const config = (checks: Readonly<Record<string, string>>) => ({
	"pawl.yml": `checks:\n${Object.entries(checks)
		.map(([name, command]) => `  ${name}: ${JSON.stringify(command)}\n`)
		.join("")}`,
	".gitignore": "trace\n",
});
/** Says yes to a file that has `good` in it; tells who was asked, and when, in an ignored file. */
const TEST = 'echo "test after $PAWL_STEP_TYPE" >> trace; grep -q good work.txt || { echo "clue-4411: work.txt is not good"; exit 9; }';
const bad = {
	when: { type: "coding", nth: 1 },
	do: [write("work.txt", "bad\n"), commit("bad work"), say("All tests pass.\n\n## SUMMARY\n- all tests pass")],
};
const good = { when: { type: "coding" }, do: [write("work.txt", "good\n"), commit("good work")] };

describe("checks that the engine runs", () => {
	it("D-25 D-26 D-29 G-02 runs both on base, lint after linting, test after initial_testing, nothing again on the same tree, and tells the agents the commands", async () => {
		const repo = quickRepository(config({ lint: 'echo "lint after $PAWL_STEP_TYPE" >> trace', test: TEST }));
		const agent = quickAgent([good]);
		const ended = await runDynamic(repo, agent);
		assert.deepEqual(read(repo, "trace").trimEnd().split("\n"), [
			"lint after ",
			"test after ",
			"lint after linting",
			"test after initial_testing",
		]);
		assert.deepEqual(agent.types(), STEP_TYPES);
		for (const type of ["linting", "final_review"]) assert.ok(agent.of(type)[0]?.prompt.includes('echo "lint after'), type);
		for (const type of ["initial_testing", "final_review"]) assert.ok(agent.of(type)[0]?.prompt.includes("grep -q good work.txt"), type);
		assert.match(ended.stderr, /check lint: passed/);
	});
	it("D-26 a failing test puts in coding, linting, initial_testing, with its output for the next agent", async () => {
		const repo = quickRepository(config({ test: TEST }));
		const agent = quickAgent([bad, good]);
		await runDynamic(repo, agent);
		assert.deepEqual(agent.types(), [...STEP_TYPES.slice(0, 7), "coding", "linting", "initial_testing", ...STEP_TYPES.slice(7)]);
		const fix = agent.of("coding")[1]?.prompt ?? "";
		assert.match(fix, /check test failed/);
		assert.match(fix, /clue-4411/);
		assert.deepEqual(
			agent
				.calls()
				.slice(7, 10)
				.map((call) => call.step),
			["step-011", "step-012", "step-013"],
		);
	});
	it("D-26 a failing test adds nothing of its own where the agent asked for a fix cycle", async () => {
		const repo = quickRepository(config({ test: TEST }));
		const cycle = ["coding", "linting", "initial_testing"].map((type) => ({ type, description: `${type} after the failure` }));
		const agent = quickAgent([
			bad,
			good,
			{
				when: { type: "initial_testing", nth: 1 },
				do: [edit([{ operation: "add_after", target_step_id: "step-007", reason: "it fails", new_steps: cycle }])],
			},
		]);
		await runDynamic(repo, agent);
		assert.deepEqual(agent.types(), [...STEP_TYPES.slice(0, 7), "coding", "linting", "initial_testing", ...STEP_TYPES.slice(7)]);
		assert.match(agent.of("coding")[1]?.prompt ?? "", /coding after the failure/);
	});
	it("D-26 an edit that has nothing to do with the failure does not stand in for a fix", async () => {
		const repo = quickRepository(config({ test: TEST }));
		const agent = quickAgent([
			bad,
			good,
			{ when: { type: "initial_testing", nth: 1 }, do: [edit([{ operation: "skip", target_step_id: "step-009", reason: "none added" }])] },
		]);
		await runDynamic(repo, agent);
		assert.deepEqual(agent.types().slice(7, 10), ["coding", "linting", "initial_testing"]);
		assert.equal(step(story(repo), "step-009").status, "skipped");
	});
	it("D-25 a failing lint puts in coding and linting", async () => {
		const repo = quickRepository(config({ lint: "grep -q good work.txt" }));
		const agent = quickAgent([bad, good]);
		await runDynamic(repo, agent);
		assert.deepEqual(agent.types().slice(4, 9), ["coding", "linting", "coding", "linting", "initial_testing"]);
	});
	it("D-29 D-60 final_review cannot pass while the checks fail: three rounds, then the story fails", async () => {
		const repo = quickRepository(config({ test: "test ! -e broken.txt" }));
		const agent = quickAgent([{ when: { type: "final_review" }, do: [write("broken.txt", "x\n")] }]);
		const ended = await runDynamic(repo, agent, [], 1);
		const round = ["coding", "linting", "final_review"];
		assert.deepEqual(agent.types(), [...STEP_TYPES, ...round, ...round, ...round]);
		const after = story(repo);
		assert.equal(after.status, "failed");
		assert.equal(step(after, "final_review").status, "failed");
		assert.match(step(after, "final_review").error ?? "", /check test failed/);
		assert.match(ended.all, /check test failed/);
		assert.equal(after.steps.at(-1)?.type, "final_review");
	});
	it("D-93 steps that final_review itself puts in run before the checks are asked again", async () => {
		const repo = quickRepository(config({ test: 'test "$PAWL_STEP_TYPE" != final_review || test -e work/step-011.txt' }));
		const add = {
			operation: "add_after",
			target_step_id: "step-009",
			reason: "it fails",
			new_steps: [{ type: "coding", description: "mend it" }],
		};
		const agent = quickAgent([{ when: { type: "final_review", nth: 1 }, do: [edit([add])] }]);
		await runDynamic(repo, agent);
		assert.deepEqual(agent.types().slice(9), ["final_review", "coding", "final_review"]);
	});
	it("does not let a check's own changes into the work", async () => {
		const repo = repository(
			config({ lint: "echo formatted >> work.txt; echo new > made-by-check.txt; git add -A; echo staged > staged.txt; git add -A" }),
		);
		const agent = fakeAgent([good]);
		await runDynamic(repo, agent);
		assert.equal(read(repo, "work.txt"), "good\n");
		assert.ok(!exists(repo, "made-by-check.txt") && !exists(repo, "staged.txt"));
		assert.equal(git(repo, "status", "--porcelain"), "");
		assert.doesNotMatch(git(repo, "log", "--stat"), /made-by-check|staged/);
	});
	it("does not let a check commit either", async () => {
		const repo = repository(config({ lint: "echo sneaky > sneaky.txt; git add -A; git commit -q -m sneaky; true" }));
		await runDynamic(repo, fakeAgent([good]));
		assert.doesNotMatch(git(repo, "log", "--format=%s"), /sneaky/);
		assert.ok(!exists(repo, "sneaky.txt"));
	});
	it("D-25 D-26 G-01 tells the agent what it found out about lint and tests by itself, and runs it where pawl.yml has no checks", async () => {
		const repo = quickRepository({ Makefile: "lint:\n\techo lint >> trace\ntest:\n\techo test >> trace\n", ".gitignore": "trace\n" });
		const agent = quickAgent();
		await runDynamic(repo, agent);
		assert.match(agent.of("linting")[0]?.prompt ?? "", /make lint/);
		assert.match(agent.of("initial_testing")[0]?.prompt ?? "", /make test/);
		assert.match(read(repo, "trace"), /lint[\s\S]*test/);
	});
	it("D-25 D-26 tells a Python repository with pre-commit and a test script what the document says", async () => {
		const repo = quickRepository({ "pyproject.toml": "", ".pre-commit-config.yaml": "", "bin/run_agent_tests.sh": "" });
		const agent = quickAgent();
		await runDynamic(repo, agent, ["--no-checks"]);
		assert.match(agent.of("linting")[0]?.prompt ?? "", /uv run pre-commit run -a/);
		assert.match(agent.of("initial_testing")[0]?.prompt ?? "", /\.\/bin\/run_agent_tests\.sh <test_path>/);
		assert.match(agent.of("coding")[0]?.prompt ?? "", /uv run/);
	});
	it("D-116 T-12 ends a check with the run; its output reaches every repair, and stays out of the story's scratch file", async () => {
		const repo = quickRepository(config({ test: TEST }));
		const agent = quickAgent([{ when: { type: "coding" }, do: [write("work.txt", "bad\n"), commit("bad")] }]);
		await runDynamic(repo, agent, [], 1);
		assert.equal(agent.of("initial_testing").length, 4, "one and three rounds of fixing");
		const repairs = agent
			.of("coding")
			.slice(1)
			.map((call) => call.prompt);
		assert.ok(repairs.length === 3 && repairs.every((prompt) => prompt.startsWith("## What fails now") && prompt.includes("clue-4411")));
		assert.ok(!exists(runFolder(repo), "scratch_one-shot.md"));
		assert.match(step(story(repo), "initial_testing").error ?? "", /exited 9/);
	});
});
