// What pawl tells each step type, from the prompts that an agent really got.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { FakeAgent } from "../support/fake-agent.ts";
import { pawlExits } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import { put } from "../support/scratch.ts";

const EXPECTED: Readonly<Record<string, readonly [type: string, ...says: readonly RegExp[]]>> = {
	"D-20": [
		"context_gathering",
		/exploration/i,
		/no decisions/i,
		/no plan/i,
		/relevant files/i,
		/models and schemas/i,
		/patterns/i,
		/related tests/i,
		/current behaviour/i,
		/scratch_US-1\.md/,
	],
	"D-21": [
		"planning",
		/notes of `context_gathering`/,
		/what to change/i,
		/order/i,
		/approach/i,
		/files to modify/i,
		/split/i,
		/skip.*`test_architecture`.*migration-only/is,
		/scratch_US-1\.md/,
	],
	"D-22": [
		"architecture",
		/`context_gathering` and `planning`/,
		/new files and modified files/i,
		/schema changes/i,
		/migration/i,
		/import dependencies/i,
		/layer boundar/i,
		/api -> core -> common/,
		/split `coding`/,
	],
	"D-23": [
		"test_architecture",
		/notes of `architecture`/,
		/test files/i,
		/classes/i,
		/scenarios/i,
		/fixtures.*exist.*created/is,
		/edge cases/i,
		/independently of the implementation/i,
		/every acceptance criterion/i,
	],
	"D-24": [
		"coding",
		/`architecture` and `test_architecture`/,
		/committed to git/i,
		/production code together with its tests/i,
		/uv run/,
		/unexpected complexity/i,
	],
	"D-25": ["linting", /make lint-it/, /fix what it reports/i, /re-run it until clean/i, /commit the fixes/i],
	"D-26": ["initial_testing", /make test-it/, /pass or fail per test/i, /category/i, /coding → linting → initial_testing/],
	"D-27": [
		"review",
		/all notes/i,
		/cite the file and line/i,
		/without a citation counts as not met/i,
		/error handling/i,
		/edge cases/i,
		/layer boundaries/i,
		/fix steps/i,
	],
	"D-28": ["prune_tests", /duplicate/i, /implementation detail/i, /justif/i, /distinct edge case or an acceptance criterion/i, /commit/i],
	"D-29": [
		"final_review",
		/make lint-it/,
		/make test-it/,
		/verify all acceptance criteria/i,
		/fix steps before this step/i,
		/final commit/i,
		/all notes/i,
	],
};

describe("the prompts of a story", () => {
	let agent: FakeAgent;

	before(async () => {
		const repo = quickRepository({ "pawl.yml": "checks: {lint: 'true make lint-it', test: 'true make test-it'}\n" });
		const one = {
			id: "US-1",
			title: "Tabs in the parser",
			description: "Teach it tabs 4410",
			acceptanceCriteria: ["tabs are read 4411", "spaces still are 4412"],
			priority: 1,
			passes: false,
			notes: "",
		};
		put(repo, { "prd.json": JSON.stringify({ project: "p", branchName: "main", description: "d", userStories: [one] }) });
		agent = quickAgent();
		await pawlExits(0, ["run", "dynamic", "--prd", "prd.json", "--agent-command", agent.command], { cwd: repo });
	});

	for (const [id, [type, ...says]] of Object.entries(EXPECTED))
		it(`${id} ${type}`, () => {
			const prompt = agent.of(type)[0]?.prompt ?? "";
			for (const one of says) assert.match(prompt, one);
		});
	it("D-31 every step is told its exit criteria and what it may not do", () => {
		for (const call of agent.calls()) {
			assert.match(call.prompt, /## Exit criteria\n\n- \S/, call.type);
			assert.match(call.prompt, /## Prohibited actions\n\n- \S/, call.type);
		}
		assert.equal(new Set(agent.calls().map((call) => /## Prohibited actions\n([\s\S]*?)\n## /.exec(call.prompt)?.[1])).size, 10);
	});
	it("D-30 every prompt ends with the demand for a SUMMARY of 3 to 5 lines", () => {
		for (const call of agent.calls()) {
			const end = call.prompt.slice(call.prompt.lastIndexOf("\n## "));
			assert.match(end, /SUMMARY/, call.type);
			assert.match(end, /3(–|-| to )5/, call.type);
		}
	});
	it("D-20 D-112 every prompt has description and acceptance criteria", () => {
		for (const call of agent.calls())
			for (const mark of ["4410", "4411", "4412", "Tabs in the parser"]) assert.ok(call.prompt.includes(mark), call.type);
	});
});
