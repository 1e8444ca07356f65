// What happens, and what the next session is told, when a supervisor, a planner, an executor or a repairer of a phased run does not do what
// it was asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitingSteps } from "../../core/query.ts";
import type { Script, World } from "../../core/testing/world.suite.ts";
import { conflict, failed, promptIn, SHA, seed, USUAL, world } from "./phased-world.suite.ts";
import { AgentStateView } from "./view.ts";

const LOW = { ...conflict("auto_fix", "low"), notes: "the-whole-story-75\n\nACTION: auto_fix" };
const kept = (text: string) => ({ kept: [{ name: "resolutions", text }] });
const idle: Script = {
	...USUAL,
	fix: { changed: false },
	fixed: { changed: false, notes: "fix worked on it and changed nothing", facts: { fixed_files: "" } },
};
const interventions = (w: World): string[] => {
	const view = new AgentStateView();
	for (const event of w.events) view.apply(event);
	return view.document().supervisor.interventions.map((one) => `${one.action} ${one.conflict_type}: ${one.resolution}`);
};

test("S-28 G-16: a conflict that three repairs have not settled asks a person; it is never a pass", async () => {
	const w = world().until("1.1 post_task", USUAL);
	w.end("1.1 post_task", LOW);
	w.until("1.1 post_task", idle);
	assert.match(await promptIn(w), /you look again\. It can be repaired 2 times more; after that a person is asked\./);
	for (let n = 0; n < 2; n++) {
		w.end("1.1 post_task", LOW);
		w.until("1.1 post_task", idle);
	}
	assert.match(await promptIn(w), /This is your last look: it was repaired 3 times\. If you do not pass it, a person is asked\./);
	w.end("1.1 post_task", LOW);
	const [asked] = waitingSteps(w.state);
	assert.deepEqual([asked?.step.type, w.story("1.1").status], ["post_task", "in_progress"]);
	assert.match(asked?.step.feedback ?? "", /why-74/);
	const last = interventions(w).at(-1) ?? "";
	assert.match(last, /^auto_fix api: rename it, why-74 \(not settled/);
	w.feed({ type: "decide", id: "d", scope: "1.1", step: null, verdict: "approve", reason: "" });
	w.until("2.1 pre_task", USUAL);
	assert.equal(w.story("1.1").status, "completed");
});

test("G-19: a new plan that changes nothing asks for approval like any other, and the executor reads what led to it", async () => {
	const w = world({ yes: false }).play(USUAL);
	const approve = () => w.feed({ type: "decide", scope: null, step: null, verdict: "approve", reason: "" });
	approve();
	w.until("1.1 pre_task", { ...USUAL, begin: { facts: { start: SHA.first }, changed: false } });
	w.end("1.1 pre_task", conflict("re_plan", "high"));
	w.until("1.1 replan", { save_point: { facts: { save_point: SHA.first }, changed: false } });
	assert.match(await promptIn(w), /1\.1: Job 1\.1 \(begun, nothing is done of it yet\)/);
	w.end("1.1 replan", { stories: [seed("1.1"), seed("2.1")] });
	const [asked] = waitingSteps(w.state);
	assert.match(
		`${asked?.step.type}: ${asked?.step.feedback}`,
		/^approve: .*the new plan changes nothing, so what led to it is not settled/,
	);
	approve();
	w.until("1.1 execute", USUAL);
	assert.match(await promptIn(w), /<why_it_was_planned_anew>\n- at task 1\.1: rename it, why-74/);
});

test("G-15: what a supervisor said before the task stays beside what it says on demand, also if that is a pass", async () => {
	const w = world().until("1.1 pre_task", USUAL);
	w.end("1.1 pre_task", { ...conflict("auto_fix", "low"), ...kept("use the helper, first-76") });
	w.until("1.1 execute", USUAL);
	w.feed({ type: "call", step: "on_demand", scope: "1.1", reason: "a person asked for it" });
	w.end("1.1 execute", { signal: "incomplete", notes: "half of it, said-77" });
	assert.match(await promptIn(w), /What the executor has been told[\s\S]*- use the helper, first-76/);
	w.end("1.1 on_demand", { signal: "pass", changed: false, fields: { ACTION: "pass" } });
	const prompt = await promptIn(w);
	assert.match(prompt, /- use the helper, first-76/);
	assert.match(prompt, /<report_of_the_iteration_before>\nhalf of it, said-77/);
	w.end("1.1 execute", { checks: [failed("x")], notes: "said-78" });
	assert.match(await promptIn(w), /said-78/);
	w.end("1.1 execute");
	w.end("1.1 post_task", LOW);
	// The lines that decide stand above it already.
	assert.match(await promptIn(w), /<report_of_the_supervisor>\nthe-whole-story-75\n<\/report_of_the_supervisor>/);
	assert.doesNotMatch(await promptIn(w), /said-78/);
});

test("G-15 G-19: after a new plan everybody is told that the list counts, what it settled, and which work is there already", async () => {
	const w = world().until("1.1 post_task", USUAL);
	w.end("1.1 post_task", conflict("re_plan", "high"));
	w.until("1.1 replan", { save_point: { facts: { save_point: SHA.saved } } });
	assert.match(await promptIn(w), /1\.1: Job 1\.1 \(under way\)/);
	w.end("1.1 replan", { stories: [seed("1.1", { criteria: ["Other"] }), seed("3.1", { title: "Job 2.1", description: "Do 2.1." })] });
	const then: Script = {
		...USUAL,
		begin: { facts: { start: SHA.second } },
		checkpoint: { facts: { checkpoint: SHA.second, files: "[]" } },
	};
	for (const type of ["1.1 pre_task", "1.1 execute"]) {
		w.until(type, then);
		const prompt = await promptIn(w);
		assert.match(prompt, /planned anew during this run, and that was approved\. [\s\S]*- at task 1\.1: rename it, why-74/, type);
		assert.match(prompt, new RegExp(`Work on this task is in the tree already, .*\`${SHA.first}\\.\\.${SHA.saved}\``), type);
	}
	w.until("3.1 pre_task", then);
	assert.doesNotMatch(await promptIn(w), /Dropped by a new plan|Work on this task is in the tree/);
	w.until("3.1 execute", then);
	w.until("scan", then);
	const scan = await promptIn(w);
	assert.match(scan, /^Phase 3, Job 2\.1:\n\n3\.1: Job 2\.1 /m, "a phase that only the new plan has is called by its first task");
	assert.match(scan, new RegExp(`1\\.1: Job 1\\.1 \\(completed, commits ${SHA.first.slice(0, 12)}\\.\\.${SHA.saved.slice(0, 12)}\\)`));
	assert.doesNotMatch(scan, /Dropped by a new plan/);
});

test("G-18: a finding without a key is shown with the one that it has; the example contradicts itself nowhere", async () => {
	const w = world().until("scan", USUAL);
	w.end("scan", { signal: "findings", changed: false, fields: { FINDINGS: "1. No test for empty input\n2. [twice] two parsers" } });
	const prompt = await promptIn(w);
	assert.match(prompt, /- \[no test for empty input\] No test for empty input\n- \[twice\] two parsers/);
	assert.match(prompt, /- no test for empty input: true\n- twice: false\nREFUSED: \[twice\] /);
	w.end("improve", { signal: "done", changed: false });
	assert.match(await promptIn(w), /^## Why this step runs again\n\n<reason>\nimprove says that it is done, and changed nothing/);
});

test("G-15: without a supervisor nobody is promised that it decides", async () => {
	const w = world();
	w.state = { ...w.state, root: { ...w.state.root, fields: { ...w.state.root.fields, supervisor: "false" } } };
	w.until("1.1 execute", USUAL);
	assert.doesNotMatch(await promptIn(w), /the supervisor decides/);
	assert.match(await promptIn(world().until("1.1 execute", USUAL)), /say so and where; the supervisor decides\./);
});
