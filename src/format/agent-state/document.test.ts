// The format of agent-state.json: the published schema, and reading what others wrote.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readAgentState } from "./document.ts";
import { agentStateJsonSchema } from "./json-schema.ts";
import { cents, elapsedTime, limit, msOf, readLearning, taskTime, timeLimit } from "./values.ts";

const file = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
/** A state of a run in its third phase, as the format's own documentation would show it. */
const EXAMPLE = JSON.parse(file("fixtures/agent-state.json"));
const problems = (change: (state: typeof EXAMPLE) => void): readonly string[] => {
	const state = structuredClone(EXAMPLE);
	change(state);
	const read = readAgentState(JSON.stringify(state));
	return read.ok ? [] : read.problems;
};

test("X-21 S-02: a complete example is valid, and the published schema is that of the code", () => {
	assert.deepEqual(
		problems(() => {}),
		[],
	);
	assert.equal(file("../../../schema/agent-state.schema.json"), agentStateJsonSchema());
	const { required, additionalProperties } = JSON.parse(agentStateJsonSchema());
	assert.deepEqual(required, Object.keys(EXAMPLE));
	assert.equal(additionalProperties, false);
});

test("X-21 S-03 S-27 S-32: an invalid field is reported with its path", () => {
	const wrong: readonly [RegExp, (s: typeof EXAMPLE) => void][] = [
		[/^orchestrator\.status/, (s) => (s.orchestrator.status = "paused")],
		[/^orchestrator\.task_doc: an absolute path/, (s) => (s.orchestrator.task_doc = "tasks/x.md")],
		[/^orchestrator\.current_task/, (s) => (s.orchestrator.current_task = "3 of 5")],
		[/^orchestrator\.start_time/, (s) => (s.orchestrator.start_time = "yesterday")],
		[/^supervisor\.interventions\.0\.severity/, (s) => (s.supervisor.interventions[0].severity = "medium")],
		[/^supervisor\.interventions\.0\.action/, (s) => (s.supervisor.interventions[0].action = "ignore")],
		[/^active_agents\.0\.type/, (s) => (s.active_agents[0].type = "planner")],
		[/^safety_bounds\.max_cost/, (s) => (s.safety_bounds.max_cost = "10 dollars")],
		[/^checkpoints\.0\.state_snapshot/, (s) => (s.checkpoints[0].state_snapshot = "../../etc/passwd")],
		[/^learnings\.0\.type/, (s) => (s.learnings[0].type = "idea")],
		[/milestones/, (s) => delete s.milestones],
		[/the document/, (s) => (s.extra = 1)],
	];
	for (const [what, change] of wrong) assert.match(problems(change).join("\n"), what);
});

test("X-21 S-18 S-35 S-37: what the fields together do not allow: the slips of an example that counts phases from 1", () => {
	assert.match(problems((s) => (s.orchestrator.current_phase = 4)).join(), /phases count from 0/);
	assert.match(problems((s) => (s.milestones[0].phase = 4)).join(), /milestones\.0\.phase/);
	assert.match(problems((s) => (s.orchestrator.current_task = "3/2")).join(), /no task 3 of 2/);
	assert.deepEqual(
		problems((s) => s.pending_tasks.push({ phase: 2, task: "2.1", name: "x" })),
		[],
		"the task of an agent may be pending too, as in document 001's example",
	);
	assert.match(problems((s) => s.pending_tasks.push({ phase: 0, task: "1.1", name: "x" })).join(), /1\.1 is completed already/);
	assert.match(problems((s) => (s.completed_tasks[0].success_criteria_met.migration_created = false)).join(), /migration_created is false/);
	assert.match(problems((s) => (s.supervisor.conflicts_detected = 1)).join(), /more interventions/);
});

test("S-13 S-52: the old format and broken files are told apart", () => {
	const kind = (text: string) => {
		const read = readAgentState(text);
		return read.ok ? "ok" : read.kind;
	};
	assert.equal(kind('{"status": "executing", "current_step": 5, "total_steps": 10}'), "old");
	assert.equal(kind(JSON.stringify(EXAMPLE).slice(0, 100)), "corrupt");
	assert.equal(kind(""), "corrupt");
	assert.equal(kind('{"status": "x"}'), "invalid");
	assert.equal(kind("[]"), "invalid");
});

test("C-19 S-34 S-41: money and time are numbers inside and strings in the file", () => {
	assert.deepEqual([cents(0.75), cents(0), cents(12.5)], ["$0.75", "$0.00", "$12.50"]);
	assert.deepEqual([limit(10), limit(0.3), limit(2.5)], ["$10", "$0.30", "$2.50"]);
	assert.equal(elapsedTime(34 * 60_000 + 8000), "0h 34m 8s");
	assert.deepEqual([taskTime(15 * 60_000 + 23_000), taskTime(900), taskTime(3_723_000)], ["15m 23s", "0s", "1h 2m 3s"]);
	assert.deepEqual([timeLimit(7_200_000), timeLimit(5_400_000), timeLimit(90_000), timeLimit(500)], ["2h", "1h 30m", "1m 30s", "1s"]);
	for (const text of ["2h", "1h 30m", "0h 34m 8s", "15m 23s", "9s"])
		assert.equal(timeLimit(msOf(text)).replaceAll("0h ", ""), text.replaceAll("0h ", ""));
});

test("S-46: a learning line by its parts", () => {
	assert.deepEqual(readLearning("pattern | look first | always look | at the base"), {
		type: "pattern",
		lesson: "look first",
		pattern: "always look",
		context: "at the base",
	});
	assert.deepEqual(readLearning("ANTIPATTERN | a"), { type: "antipattern", lesson: "a", pattern: "", context: "" });
	assert.deepEqual(readLearning("just a thought"), { type: "insight", lesson: "just a thought", pattern: "", context: "" });
	assert.equal(readLearning(" insight | "), null);
});
