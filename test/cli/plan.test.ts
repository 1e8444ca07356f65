// `pawl plan` as a user calls it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { git } from "../support/scratch.ts";
import { quickScratch, scratch } from "./scratch.ts";

const plan = (...stories: object[]): string =>
	JSON.stringify(`STATUS: done\nPRD_JSON: ${JSON.stringify({ assumptions: ["plain sh"], userStories: stories })}`);
const story = (id: string, ...needs: string[]) => ({
	id,
	title: `Do ${id}`,
	description: "Why",
	acceptanceCriteria: ["`true`"],
	depends_on: needs,
});
const SCRIPT = `steps:
  - on: {type: plan}
    do: [{usage: {cost_usd: 0.5}}, {say: ${plan(story("US-001"), story("US-002", "US-001"))}}]
`;

const REVISE = `steps: [{on: {type: plan}, do: [{say: ${plan(story("US-001"), story("US-003", "US-001"))}}]}]\n`;

describe("pawl plan", () => {
	it("writes prd.json whatever the checkout looks like, shows the stories and says what next; it overwrites nothing", async () => {
		const s = scratch({ "script.yml": SCRIPT, "README.md": "a project\n" });
		s.write({ "README.md": "not committed\n" });
		const { code, stdout, stderr } = await s.pawl("plan", "Greet louder", "--script", "script.yml");
		assert.equal(code, 0, stderr);
		assert.match(stdout, /\n {2}US-001 {4}Do US-001\n {2}└ US-002 {2}Do US-002\n\nassumptions\n {2}- plain sh\n/);
		assert.match(stdout, /start it with: pawl run dynamic --prd prd\.json\n$/);
		assert.deepEqual(git(s.root, "status", "--porcelain").split("\n").toSorted(), [" M README.md", "?? prd.json"].toSorted());
		assert.equal(git(s.root, "branch", "--format=%(refname:short)"), "main");
		const before = readFileSync(join(s.root, "prd.json"), "utf8");
		const again = await s.pawl("plan", "Greet louder", "--script", "script.yml");
		assert.equal(again.code, 2);
		assert.match(again.stderr, /prd\.json is there already: pawl plan --revise prd\.json/);
		assert.equal(readFileSync(join(s.root, "prd.json"), "utf8"), before);
		assert.equal((await s.pawl("plan", "Greet louder", "--script", "script.yml", "--force", "--quiet")).code, 0);
		assert.match((await s.pawl("runs")).stdout, /plan/);
	});

	it("-o - prints the PRD alone; --json ends with it; --revise needs a PRD", async () => {
		const s = quickScratch({ "script.yml": SCRIPT, "revise.yml": REVISE });
		const printed = await s.pawl("plan", "Greet louder", "--script", "script.yml", "-o", "-");
		assert.equal(printed.code, 0, printed.stderr);
		assert.deepEqual(
			(JSON.parse(printed.stdout) as { userStories: { id: string }[] }).userStories.map(({ id }) => id),
			["US-001", "US-002"],
		);
		assert.equal(existsSync(join(s.root, "prd.json")), false);
		const json = await s.pawl("plan", "Greet louder", "--script", "script.yml", "--json", "-o", "plans.json");
		const lines = json.stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as { event: string; file?: string });
		assert.deepEqual(
			[lines.at(-2)?.event, lines.at(-1)?.event, lines.at(-1)?.file],
			["run_finished", "planned", join(s.root, "plans.json")],
		);
		const revised = await s.pawl("plan", "Other", "--revise", "plans.json", "--script", "revise.yml", "--quiet");
		assert.equal(revised.code, 0, revised.stderr);
		assert.match(revised.stdout, /US-001 +Do US-001\n +└ US-003 +Do US-003 +new\n\ndropped: US-002\n/);
		const none = await s.pawl("plan", "Less", "--revise", "nosuch.json", "--script", "script.yml");
		assert.deepEqual([none.code, /nosuch\.json cannot be read: there is no such file/.test(none.stderr)], [2, true]);
	});
});
