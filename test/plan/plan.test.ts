// The workflow `plan`, in process: what its planner is told, what goes back to it, and what is written.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { inOrder, type Part } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../../src/engine/testing/harness.suite.ts";
import { write } from "../../src/format/prd/plan/write.ts";
import { goOn, retried } from "../guarantees/walk.ts";

const usual = BUILT_IN["plan"] ?? assert.fail("there is no plan");
const story = (id: string, more: object = {}) => ({
	id,
	title: `Do ${id}`,
	description: "Why",
	acceptanceCriteria: ["`npm test`"],
	...more,
});
const says = (...stories: object[]): string =>
	`I looked.\n\nSTATUS: done\nPRD_JSON: ${JSON.stringify({ name: "P", userStories: stories }, null, 2)}\n`;
const run = (t: TestContext, planner: Part, more: Partial<HarnessOptions> = {}): Promise<Harness> =>
	harness(t, { ...usual, ...more, cast: { planner } });
const fileOf = (h: Harness): string => join(h.site.root, "prd.json");
const idsIn = (h: Harness): string[] =>
	(JSON.parse(readFileSync(fileOf(h), "utf8")) as { userStories: { id: string }[] }).userStories.map(({ id }) => id);
const promptOf = (h: Harness, n: number): string => h.prompts[n]?.prompt ?? "";

test("a PRD that pawl would not take goes back with what is wrong, at most three times", async (t) => {
	const wrong = says(story("US-001", { depends_on: ["US-009"] }));
	const h = await run(t, inOrder(wrong, says(story("US-001")), says(story("US-002"))));
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(idsIn(h), ["US-001"]);
	assert.match(promptOf(h, 1), /## What fails now[\s\S]*story "US-001" depends on "US-009", which is not there/);
	const never = await run(t, wrong);
	const { status, reason } = await never.toHalt();
	assert.deepEqual([status, never.prompts.length, existsSync(fileOf(never))], ["failed", 4, false]);
	assert.match(reason ?? "", /depends on "US-009", which is not there/);
});

const ASKS = "STATUS: questions\nQUESTIONS:\n- JSON or YAML?\n- For whom?\n";

test("a planner that asks is answered by a person, and reads question and answer; the run waits meanwhile", async (t) => {
	const h = await run(t, inOrder(ASKS, says(story("US-001"))), { options: { yes: false } });
	const waiting = await h.toHalt();
	assert.deepEqual(
		[waiting.status, waiting.root.steps[0]?.question?.asks, waiting.root.steps[0]?.feedback],
		["waiting", true, "- JSON or YAML?\n- For whom?"],
	);
	assert.match(promptOf(h, 0), /ask: once, at most five questions[\s\S]*STATUS: questions/);
	assert.deepEqual(
		h.notices.map(({ about, asks }) => [about, asks]),
		[["waiting", true]],
	);
	const done = await goOn(h, {
		type: "decide",
		scope: null,
		step: null,
		verdict: "answer",
		reason: "1. YAML\n2. Children",
		at: h.clock.now(),
	});
	assert.equal(done.status, "completed");
	assert.match(promptOf(h, 1), /You have asked your questions/);
	assert.doesNotMatch(promptOf(h, 1), /STATUS: questions/);
	assert.match(promptOf(h, 1), /<reason>\nYou asked:\n- JSON or YAML\?\n- For whom\?\n\nThe answer:\n1\. YAML\n2\. Children\n<\/reason>/);
});

test("where nobody answers the planner is told so from the start, and once more if it asks", async (t) => {
	const h = await run(t, inOrder(ASKS, says(story("US-001"))), { options: { yes: true } });
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(promptOf(h, 0), /Nobody answers questions: decide, and write down under `assumptions`/);
	assert.doesNotMatch(promptOf(h, 0), /STATUS: questions/);
	assert.match(promptOf(h, 1), /JSON or YAML\?[\s\S]*Nobody answers\. Decide it yourself/);
	const again = await run(t, ASKS, { options: { yes: true } });
	assert.deepEqual([(await again.toHalt()).status, again.prompts.length], ["failed", 4]);
});

test("G-22 a planner that writes is put back, and fails the second time", async (t) => {
	const writes: Part = ({ files }) => {
		files.write("src/new.txt", "no plan\n");
		return says(story("US-001"));
	};
	const h = await run(t, inOrder(writes, says(story("US-001"))));
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(promptOf(h, 1), /may not write in the worktree, but changed src\/new\.txt/);
	const never = await run(t, writes);
	assert.deepEqual([(await never.toHalt()).status, existsSync(fileOf(never))], ["failed", false]);
});

test("nothing that appeared meanwhile is overwritten; the plan is in the run's folder", async (t) => {
	const h = await run(t, () => {
		writeFileSync(fileOf(h), "mine\n");
		return says(story("US-001"));
	});
	const { status, reason } = await h.toHalt();
	assert.deepEqual([status, readFileSync(fileOf(h), "utf8")], ["failed", "mine\n"]);
	const [, copy = ""] = /prd\.json is there by now, and was left as it is; the plan is in (.*)$/.exec(reason ?? "") ?? [];
	assert.match(readFileSync(copy, "utf8"), /"US-001"/);
});

const CURRENT = `${JSON.stringify({ userStories: [story("US-001", { passes: true }), story("US-002"), story("US-003")] }, null, 2)}\n`;
/** Where US-002 says that it passes. */
const PASSES = /("id": "US-002",[\s\S]*?\]\n)( {4}\})/;
const revises = (planner: Part, t: TestContext, actions: HarnessOptions["actions"] = {}): Promise<Harness> =>
	run(t, planner, {
		actions,
		reader: "none",
		user: ({ user }) => user.files.write("prd.json", CURRENT),
		inputOf: (root) => ({ request: "Drop the third", planned_prd: join(root, "prd.json"), revised_prd: join(root, "prd.json") }),
	});

test("a plan that changes a story that has passed goes back; what passes while it is made stays", async (t) => {
	const h = await revises(
		inOrder(says(story("US-001", { title: "Other" }), story("US-002")), () => {
			writeFileSync(fileOf(h), CURRENT.replace(PASSES, '$1,"passes": true$2'));
			return says(story("US-004", { depends_on: ["US-002"] }));
		}),
		t,
	);
	const state = await h.toHalt();
	assert.equal(state.status, "completed", state.reason ?? "");
	assert.match(promptOf(h, 0), /<current_prd>\n\{[\s\S]*"US-003"/);
	assert.match(promptOf(h, 1), /US-001 has passed and stays as it is: leave it out/);
	assert.deepEqual(idsIn(h), ["US-001", "US-002", "US-004"]);
	assert.match(state.root.steps.at(-1)?.notes ?? "", /3 stories; new: US-004; dropped: US-003$/);
});

/** US-002 passes after pawl has looked at the plan: only the step that writes it can notice. */
const passesLate: HarnessOptions["actions"] = {
	"prd.write": (context) => {
		const file = context.state.input["planned_prd"] ?? "";
		writeFileSync(file, CURRENT.replace(PASSES, '$1,"passes": true$2'));
		return write(context);
	},
};

test("I17 a plan that no longer fits when it is to be written goes back to the planner, also when a person retries", async (t) => {
	const stale = says(story("US-002", { title: "Other" }), story("US-004"));
	const h = await revises(inOrder(stale, says(story("US-004"))), t, passesLate);
	const state = await h.toHalt();
	assert.deepEqual([state.status, idsIn(h)], ["completed", ["US-001", "US-002", "US-004"]], state.reason ?? "");
	assert.match(promptOf(h, 1), /US-002 has passed and stays as it is: leave it out/);
	// The evidence `prd` sees the file as it was before the run began, each time.
	const asBefore: Part = () => {
		writeFileSync(fileOf(never), CURRENT);
		return stale;
	};
	const never: Harness = await revises(inOrder(asBefore, asBefore, asBefore, says(story("US-004"))), t, passesLate);
	const failed = await never.toHalt();
	assert.deepEqual([failed.status, never.prompts.length], ["failed", 3]);
	assert.match(failed.reason ?? "", /US-002 has passed and stays as it is/);
	assert.deepEqual([(await retried(never)).status, never.prompts.length], ["completed", 4]);
});

test("I17 a planner that a person skipped is asked all the same: without a plan there is nothing to write", async (t) => {
	const h = await run(t, says(story("US-001")));
	const state = await goOn(h, { type: "skip_step", at: h.clock.now(), scope: "@run", step: "step-001", reason: "not needed" });
	assert.equal(state.status, "completed", state.reason ?? "");
	assert.deepEqual([idsIn(h), h.prompts.length], [["US-001"], 1]);
	assert.match(promptOf(h, 0), /the planner has not written one/);
});
