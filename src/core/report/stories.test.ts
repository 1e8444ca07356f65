import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import { readReport } from "./report.ts";

const PLAN: ReportGrammar = {
	notes: "text",
	keys: ["STATUS", "REPO", "BRANCH", "STORIES_JSON"],
	required: ["STATUS", "STORIES_JSON"],
	stories: "STORIES_JSON",
	signals: [{ signal: "done", when: { STATUS: "done" } }],
};

describe("stories", () => {
	const story = (n: number, more: object = {}) => ({
		id: `US-00${n}`,
		title: `T${n}`,
		description: 'd: "]" \\\\ {y',
		acceptanceCriteria: ["BRANCH: stays"],
		...more,
	});
	const planned = (json: string) => readReport(PLAN, `STATUS: done\n${json}`);
	const list = JSON.stringify([story(1), story(2, { depends_on: ["US-001"], priority: 7 })]);
	const pretty = JSON.stringify([story(1), story(2, { depends_on: ["US-001"], priority: 7 })], null, 2);
	const forms = [
		`STORIES_JSON: ${list}`,
		`STORIES_JSON: ${list} and that is all [of it]`,
		`STORIES_JSON:\n${pretty}\n`,
		`STORIES_JSON:\n\`\`\`json\n${pretty}\n\`\`\`\nI hope you like it.`,
		`**STORIES_JSON:**\n${pretty}\nBRANCH: x`,
		`stories_json: ${list}\nREPO: /x\nKEY2: y`,
		`\`\`\`\nSTORIES_JSON: ${pretty}\n\`\`\``,
		`STORIES_JSON: []\nBRANCH: x\nNo, better:\nSTORIES_JSON: ${list}`,
	];
	for (const [index, form] of forms.entries())
		it(`A-47 A-48 are found by their brackets, form ${index + 1}`, () => {
			const report = planned(form);
			assert.equal(report.problem, null);
			assert.equal(report.signal, "done");
			assert.deepEqual(report.stories, [
				{ id: "US-001", title: "T1", description: 'd: "]" \\\\ {y', criteria: ["BRANCH: stays"], priority: 1, dependsOn: [] },
				{ id: "US-002", title: "T2", description: 'd: "]" \\\\ {y', criteria: ["BRANCH: stays"], priority: 7, dependsOn: ["US-001"] },
			]);
		});
	it("T-18 an empty `depends_on` says that a story needs no other; without it nothing is said", () => {
		const listed = planned(
			`STORIES_JSON: ${JSON.stringify([story(1, { depends_on: [] }), story(2, { dependsOn: [] }), story(3)])}`,
		).stories;
		assert.deepEqual(
			listed?.map(({ independent }) => independent),
			[true, true, undefined],
		);
	});
	it("may use the words of the other documents", () => {
		const item = { task: "1.2", name: "n", description: "", criteria: ["c"], dependsOn: ["1.1"] };
		assert.deepEqual(planned(`STORIES_JSON: ${JSON.stringify([item])}`).stories, [
			{ id: "1.2", title: "n", description: "", criteria: ["c"], priority: 1, dependsOn: ["1.1"] },
		]);
		const snake = { ...story(1), acceptanceCriteria: undefined, acceptance_criteria: ["s"] };
		assert.deepEqual(planned(`STORIES_JSON: ${JSON.stringify([snake])}`).stories?.[0]?.criteria, ["s"]);
	});
	const bad: Record<string, unknown> = {
		"no id": [story(1), story(2, { id: undefined })],
		"an id that is a number": [story(1, { id: 2 })],
		"an id that is an option": [story(1, { id: "--exec=x" })],
		"an id that climbs": [story(1, { id: "a..b" })],
		"an id that git refuses": [story(1, { id: "a.lock" })],
		"no title": [story(1, { title: undefined })],
		"no description": [story(1, { description: undefined })],
		"no criteria": [story(1, { acceptanceCriteria: undefined })],
		"empty criteria": [story(1, { acceptanceCriteria: [] })],
		"criteria that are not text": [story(1, { acceptanceCriteria: [1] })],
		"dependencies that are not text": [story(1, { depends_on: [1] })],
		"the same id twice": [story(1), story(1)],
		"no story at all": [],
		"an object": { stories: [story(1)] },
		"a list of lists": [[]],
		"a null": [null],
	};
	for (const [what, value] of Object.entries(bad))
		it(`A-49 A-51 A-52 ${what}: none is taken, and it is no pass`, () => {
			const report = planned(`STORIES_JSON: ${JSON.stringify(value)}`);
			assert.deepEqual([report.signal, report.stories], ["unreadable", null]);
			assert.match(report.problem ?? "", /^STORIES_JSON: /);
		});
	it("A-51 JSON that is broken, missing or nested absurdly deep is not a pass", () => {
		for (const text of [
			"",
			"soon",
			list.slice(0, -1),
			"[}",
			'["',
			"[".repeat(100_000),
			"[".repeat(100_000) + "]".repeat(100_000),
			'{"a":'.repeat(100_000),
		])
			assert.deepEqual([planned(`STORIES_JSON: ${text}`).signal, planned(`STORIES_JSON: ${text}`).stories], ["unreadable", null]);
	});
	it("A-51 tells everything that is wrong at once, so that it does not take a session for each", () => {
		const value = [story(1, { acceptanceCriteria: [], title: "" }), story(2, { depends_on: ["US-9"] }), story(2)];
		assert.equal(
			readReport({ ...PLAN, open: true }, `STATUS: done\nSTORIES_JSON: ${JSON.stringify(value)}`).problem,
			"STORIES_JSON: story 1: it has no title; it has no acceptance criteria. story 3: the id US-002 is used twice. US-002 depends on US-9, which is not in the list",
		);
	});
	it("A-51 reports a bracket that is nested too deep", () => {
		assert.match(planned(`STORIES_JSON: ${"[".repeat(100_000)}${"]".repeat(100_000)}`).problem ?? "", /nested too deeply/);
	});
	it("that nobody requires may be missing", () => {
		const { required: _, ...grammar } = PLAN;
		assert.deepEqual([readReport(grammar, "STATUS: done").signal, readReport(grammar, "STATUS: done").stories], ["done", null]);
	});
});

describe("a list of tasks", () => {
	const TASKS: ReportGrammar = { ...PLAN, keys: ["STATUS", "TASKS_JSON"], required: ["STATUS", "TASKS_JSON"], stories: "TASKS_JSON" };
	const planned = (list: unknown) => readReport(TASKS, `STATUS: done\nTASKS_JSON: ${JSON.stringify(list)}`);
	const whole = { task: "1.1", name: "n", description: "d", criteria: ["c"] };
	it("G-15 is complained of in its own words: task, `task`, `name`, criteria", () => {
		const { problem } = planned([whole, { description: "d" }, { ...whole, criteria: [] }]);
		assert.equal(
			problem,
			"TASKS_JSON: task 2: its `task` is not text; it has no `name`; it has no criteria. task 3: it has no criteria; the `task` 1.1 is used twice",
		);
		assert.equal(planned([]).problem, "TASKS_JSON: the list of tasks is empty");
	});
});
