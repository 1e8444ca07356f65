// A planner's answer becomes the text of a PRD, or everything that is wrong with it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_STORIES, planned } from "./document.ts";

const story = (id: string, more: object = {}) => ({
	id,
	title: `Do ${id}`,
	description: "Why",
	acceptanceCriteria: ["`npm test`"],
	...more,
});
const answer = (...stories: object[]) => JSON.stringify({ name: "Plan", assumptions: ["Node 24"], userStories: stories });
const textOf = (said: string, current: string | null = null) => {
	const plan = planned(said, current);
	assert.ok(plan.ok, plan.ok ? "" : plan.problems.join("\n"));
	return plan;
};
const problems = (said: string, current: string | null = null) => {
	const plan = planned(said, current);
	return plan.ok ? [] : plan.problems;
};

test("a new PRD holds what the planner says about the whole and its stories, none of which passes", () => {
	const { text, changes } = textOf(
		`Here it is:\n\`\`\`json\n${answer(story("US-001"), story("US-002", { depends_on: ["US-001"], size: "S" }))}\n\`\`\``,
	);
	assert.deepEqual(JSON.parse(text), {
		name: "Plan",
		assumptions: ["Node 24"],
		userStories: [
			{ ...story("US-001"), passes: false },
			{ ...story("US-002"), depends_on: ["US-001"], passes: false },
		],
	});
	assert.match(text, /^\{\n {2}"name": "Plan",[\s\S]*\n\}\n$/);
	assert.deepEqual(changes, { added: ["US-001", "US-002"], changed: [], dropped: [] });
});

test("everything that is wrong is told, with its place", () => {
	assert.deepEqual(problems("no plan"), ["there is no JSON object in it, or its brackets are not closed"]);
	assert.match(problems('{"userStories": [{"id": 1,}]}').join(), /^1:\d+: this is not JSON/);
	assert.match(problems(answer(story("US-001", { depends_on: ["US-009"] }))).join(), /^1:\d+: story "US-001" depends on "US-009"/);
	assert.deepEqual(
		problems(answer(story("A", { description: " " }), story("B", { acceptanceCriteria: [] }), story("C", { passes: true }))),
		[
			"A has no `description`",
			"B has no `acceptanceCriteria`, or an empty one",
			"C says that it passes: that is for pawl to say, once it is delivered",
		],
	);
	const many = Array.from({ length: MOST_STORIES + 1 }, (_, n) => story(`S${n}`));
	assert.match(problems(answer(...many)).join(), /there are 51 stories, and 50 are the most/);
});

const CURRENT = `{\r\n\t"project": "Mine",\r\n\t"stories": [\r\n\t\t{"id": "US-001", "title": "Do US-001", "description": "Why", "acceptance_criteria": ["a"], "passes": true, "notes": "n"},\r\n\t\t{"id": "US-002", "title": "Do US-002", "description": "Why", "acceptance_criteria": ["b"], "dependsOn": ["US-001"], "priority": 2, "size": "S"},\r\n\t\t{"id": "US-003", "title": "Do US-003", "description": "Why"}\r\n\t],\r\n\t"loop_settings": {"n": 1}\r\n}`;

test("a revised PRD keeps what has passed, ids, foreign keys and the user's manner of writing", () => {
	const said = answer(
		story("US-002", { title: "Do it better", depends_on: ["US-001"] }),
		story("US-004", { depends_on: ["US-002", "US-001"] }),
	);
	const { text, changes, stories } = textOf(said, CURRENT);
	assert.deepEqual(changes, { added: ["US-004"], changed: ["US-002"], dropped: ["US-003"] });
	assert.deepEqual(
		stories.map(({ id, passes }) => [id, passes === true]),
		[
			["US-001", true],
			["US-002", false],
			["US-004", false],
		],
	);
	const now = JSON.parse(text) as Record<string, unknown> & { stories: Record<string, unknown>[] };
	const was = JSON.parse(CURRENT) as typeof now;
	assert.deepEqual([now["project"], now["loop_settings"], now.stories[0]], ["Mine", { n: 1 }, was.stories[0]]);
	assert.deepEqual(now.stories[1], {
		...{ id: "US-002", title: "Do it better", description: "Why", acceptance_criteria: ["`npm test`"], dependsOn: ["US-001"] },
		...{ priority: 2, passes: false, size: "S" },
	});
	assert.match(text, /^\{\r\n\t"project": "Mine",\r\n\t"stories": \[\r\n\t\t\{/);
	assert.equal(text.endsWith("}"), true);
});

test("a story that is the same stays word for word; a story that has passed cannot be changed, only repeated or left out", () => {
	const same = JSON.stringify({ stories: [{ id: "US-003", title: "Do US-003", description: "Why", acceptance_criteria: ["c"] }] });
	const current = CURRENT.replace(
		'"title": "Do US-003", "description": "Why"',
		'"title": "Do US-003", "description": "Why", "acceptanceCriteria": ["c"], "x": 1',
	);
	assert.match(
		JSON.stringify(JSON.parse(textOf(same, current).text)),
		/\{"id":"US-003","title":"Do US-003","description":"Why","acceptanceCriteria":\["c"\],"x":1\}/,
	);
	const passed = { id: "US-001", title: "Do US-001", description: "Why", acceptance_criteria: ["a"] };
	assert.deepEqual(textOf(answer(passed, story("US-005")), CURRENT).changes.added, ["US-005"]);
	assert.match(problems(answer({ ...passed, title: "Other" }, story("US-005")), CURRENT).join(), /^US-001 has passed and stays as it is/);
	assert.deepEqual(problems(answer(passed), CURRENT), ["it has no story that is to be done"]);
	assert.deepEqual(problems(answer(story("A")), "{}"), ["the file that is revised is no longer a PRD"]);
});

test("a PRD that is a bare list stays one", () => {
	const { text } = textOf(answer(story("B")), '[{"id": "A", "title": "a", "passes": true}]');
	assert.deepEqual(
		(JSON.parse(text) as { id: string }[]).map(({ id }) => id),
		["A", "B"],
	);
});
