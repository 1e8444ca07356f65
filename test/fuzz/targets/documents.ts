// Files that people and other programs write: YAML of every kind, prd.json, task documents, issues, states, control files.
import assert from "node:assert/strict";
import { loadScript } from "../../../src/agent/scripted/script.ts";
import { parseConfig } from "../../../src/config.ts";
import { parseDefinition } from "../../../src/definition/parse.ts";
import { readAgentState } from "../../../src/format/agent-state/document.ts";
import { livingLocks, readLocks, renderLocks } from "../../../src/format/agent-state/locks.ts";
import { readTaskDocument } from "../../../src/format/agent-state/task-document.ts";
import { comparable, readLearning } from "../../../src/format/agent-state/values.ts";
import { parse as parsePipeline } from "../../../src/format/pipeline/pipeline.suite.ts";
import { markPassed } from "../../../src/format/prd/mark-passed.ts";
import { controlProblems } from "../../../src/format/run-folder/control-problems.ts";
import { promptProblems } from "../../../src/format/run-folder/readiness.ts";
import { permitted, readDoc, readSteered } from "../../../src/format/run-folder/stories.ts";
import { parseWorkflowState, renderWorkflowState } from "../../../src/format/workflow-state/document.ts";
import { findJsonError } from "../../../src/text/json-error.ts";
import { readPrd } from "../../../src/text/story-list.ts";
import { readYaml } from "../../../src/yaml.ts";
import type { Target } from "../target.ts";
import { jsonOf } from "./reports.ts";

interface Placed {
	readonly line: number;
	readonly column: number;
	readonly message: string;
}

function placed(problems: readonly Placed[], text: string): void {
	const lines = text.split(/\r\n|\r|\n/).length;
	assert.ok(problems.length > 0, "a refusal says why");
	for (const { line, column, message } of problems) {
		assert.ok(line >= 1 && line <= lines + 1 && column >= 1, `${line}:${column} is not in the text`);
		assert.ok(message !== "");
	}
}

const YAML_WORDS = [
	"- ",
	": ",
	"&a ",
	"*a",
	"<<: *a\n",
	"? ",
	"| \n",
	">-\n",
	"!!map ",
	"!!js/function ",
	"%YAML 1.1\n---\n",
	"---\n",
	"...\n",
	"{a: ",
	"[a, ",
	"#x\n",
	"'",
	'"',
	"~",
	"0o7",
	".nan",
	"2026-01-01",
];

const yaml: Target = {
	name: "yaml",
	// Refused above 128 KiB; below that, this is what the parser takes for its worst shapes.
	limitMs: 400,
	words: YAML_WORDS,
	run: (text) => {
		const read = readYaml(text, "x.yml");
		if (read.value === undefined) placed(read.problems, text);
		const { line, column } = read.at(["a", 0, "b"], "value");
		assert.ok(line >= 1 && column >= 1);
	},
};

const config: Target = {
	name: "config",
	limitMs: 400,
	words: [
		...YAML_WORDS,
		..."agent|agents|roles|checks|limits|cost|time|parallel|fallback|notify|timeouts|env|copy|link|prices|claude|command|acp|script|$2.50|1h30m|256MB".split(
			"|",
		),
	],
	run: (text) => {
		const read = parseConfig(text);
		if (!read.ok) placed(read.problems, text);
		else assert.ok(read.config.logs.maxBytes >= 64_000);
	},
};

const WORKFLOW_WORDS = [
	..."name|title|steps|types|roles|on|inputs|budgets|limits|each|loop|gate|approval|report|signals|writes|timeout|max: 3/run|exhausted|goto|insert|rollback|fail: story|wait: time".split(
		"|",
	),
	..."done: next|agent_error\\|timeout|{{request}}|{{x}}|15m|$agents|visits|detour|last: true|edits: true|fields|extends: a|extends: self|without: [plan]|after: code|before: plan|story: [plan]|workspace: branch|prompt: Do it.".split(
		"|",
	),
];

const PARENT = "name: a\nstory: [plan, code]\ntypes: {plan: {prompt: Do it.}, code: {prompt: Do it.}}\n";

const workflow: Target = {
	name: "workflow",
	limitMs: 400,
	words: [...YAML_WORDS, ...WORKFLOW_WORDS],
	run: (text) => {
		const read = parseDefinition(text, {
			file: "workflow.yml",
			readPrompt: (path) => (path.endsWith(".md") ? { text: "Do {{request}}.\n" } : { problem: "no", missing: true }),
			parent: (name, chain) =>
				chain.length > 3
					? { problem: "too many" }
					: { file: name, text: name === "a" ? PARENT : text, readPrompt: () => ({ text: "Do it.\n" }) },
		});
		if (!read.ok) assert.ok(read.problems.length > 0);
		else assert.equal(JSON.parse(JSON.stringify(read.definition)).hash, read.definition.hash);
	},
};

const pipeline: Target = {
	name: "pipeline",
	limitMs: 400,
	words: [
		...YAML_WORDS,
		..."id|agents|steps|agent|role|input|expects|loop|over: stories|verify_each|verify_step|on_fail|retry_step|on_exhausted|escalate_to|max_retries|cron|polling|notifications|workspace|files|STATUS: done|{{task}}".split(
			"|",
		),
	],
	run: (text) => {
		const read = parsePipeline(text);
		if (!read.ok) assert.ok(read.problems.length > 0);
	},
};

const script: Target = {
	name: "script",
	limitMs: 400,
	words: [...YAML_WORDS, ..."steps|on|do|write|commit|usage|path|content|report|type|story|attempt".split("|")],
	run: (text) => {
		const read = loadScript(text, "script.yml");
		if (!read.ok) placed(read.problems, text);
	},
};

const PRD_WORDS = [
	"userStories",
	"stories",
	"acceptanceCriteria",
	"acceptance_criteria",
	"depends_on",
	"dependsOn",
	"passes",
	"priority",
	"expects_change",
	"notes",
	'"id":"US-1",',
	"loop_settings",
	"verification_commands",
];

const prd: Target = {
	name: "prd",
	readers: 5,
	limitMs: 100,
	words: PRD_WORDS,
	run: (text) => {
		const read = readPrd(text);
		if (!read.ok) return placed(read.problems, text);
		for (const { id } of read.prd.stories.slice(0, 3)) {
			const marked = markPassed(text, id);
			assert.ok(marked !== null, "every story can be marked");
			assert.equal(markPassed(marked, id), marked, "marking twice is marking once");
			const again = readPrd(marked);
			assert.ok(again.ok && again.prd.stories.find((story) => story.id === id)?.passes === true);
		}
	},
};

const BEFORE = readDoc(
	'{"run_id":"r","stories":[{"id":"A","title":"a","passes":true},{"id":"B","title":"b","passes":false,"depends_on":["A"]}]}\n',
);

const runFolder: Target = {
	name: "run-folder",
	readers: 6,
	words: PRD_WORDS,
	run: (text) => {
		promptProblems(text);
		if (!BEFORE.ok) return;
		const steered = readSteered(BEFORE.doc, text);
		if (!steered.ok) return assert.ok(steered.problems.length > 0);
		for (const role of ["worker", "reviewer", "steering"]) {
			const { doc } = permitted(role, BEFORE.doc, steered.doc);
			assert.ok(
				doc.stories.some((story) => story["id"] === "A" && story["passes"] === true) || role !== "steering",
				"steering keeps what passes",
			);
		}
	},
};

const json: Target = {
	name: "json",
	readers: 2,
	words: ["{", "}", "[", "]", ",", ":", '"', "\\u00", "\\", "true", "-", "1e", ".5", "\uFEFF"],
	run: (text) => {
		const error = findJsonError(text);
		assert.equal(error === null, jsonOf(text.startsWith("\uFEFF") ? text.slice(1) : text) !== undefined, "it agrees with JSON.parse");
		if (error !== null) assert.ok(error.offset <= text.length && error.message !== "");
	},
};

const control: Target = {
	name: "control",
	readers: 2,
	words: ["pause", "stop", "stop_soft", "stop_hard", "skip_iteration", "add_iterations", "review_now", "reason", "pasue"],
	run: (text) => {
		for (const problem of controlProblems({ text })) assert.ok(problem.startsWith("control.json"));
	},
};

const taskDocument: Target = {
	name: "task-document",
	// It may have a problem in every line.
	limitMs: 200,
	words: [
		"# T\n",
		"## Phase 1: A\n",
		"### Task 1.1: B\n",
		"- [ ] c\n",
		"* [x] ",
		"### Success criteria\n",
		"```\n",
		"~~~",
		"## Notes\n",
		"Phase",
		"Task 1.1:",
		"#### Task 1.2: x\n",
		"  more\n",
		"1. ",
	],
	run: (text) => {
		const read = readTaskDocument(text);
		if (!read.ok)
			return placed(
				read.problems.map((problem) => ({ ...problem, column: 1 })),
				text,
			);
		const ids = read.document.tasks.map((task) => task.id);
		assert.equal(new Set(ids).size, ids.length);
		assert.ok(read.document.tasks.every((task) => task.criteria.length > 0));
	},
};

const agentState: Target = {
	name: "agent-state",
	readers: 4,
	words: [
		"orchestrator",
		"supervisor",
		"active_agents",
		"completed_tasks",
		"pending_tasks",
		"safety_bounds",
		"learnings",
		"milestones",
		"checkpoints",
		"$10",
		"2h",
		"2026-01-15T12:00:00Z",
		"checkpoint-001.json",
	],
	run: (text) => {
		const read = readAgentState(text);
		if (!read.ok) assert.ok(read.problems.length > 0 && read.problems.every((one) => one.length < 20_000));
		else assert.equal(comparable(JSON.parse(JSON.stringify(read.state))), comparable(read.state));
		const locks = readLocks(text);
		// JSON has no minus zero.
		assert.deepEqual(readLocks(renderLocks(locks)), JSON.parse(JSON.stringify(locks)));
		livingLocks(locks, () => false);
		const learned = readLearning(text);
		if (learned !== null) assert.ok(!learned.lesson.includes("\n"));
	},
};

const workflowState: Target = {
	name: "workflow-state",
	readers: 3,
	words: [
		"version",
		"created_at",
		"prd_file",
		"stories",
		"story_id",
		"steps",
		"history",
		"step-001",
		"in_progress",
		"details",
		"depends_on",
	],
	run: (text) => {
		const read = parseWorkflowState(text);
		if (!read.ok) return assert.ok(read.problems.length > 0);
		const rendered = renderWorkflowState(read.state);
		const again = parseWorkflowState(rendered);
		assert.ok(again.ok && renderWorkflowState(again.state) === rendered);
	},
};

export const documents: readonly Target[] = [
	yaml,
	config,
	workflow,
	pipeline,
	script,
	prd,
	runFolder,
	json,
	control,
	taskDocument,
	agentState,
	workflowState,
];
