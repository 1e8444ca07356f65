import assert from "node:assert/strict";
import { test } from "node:test";
import { readTaskDocument } from "./task-document.ts";
import { TEMPLATE } from "./task-document-template.ts";

const GOOD = `# Demo

What this is about.

## Phase 1: Foundation

### Task 1.1: Lay the base

Do it.
Well.

- [ ] File exists \`test -f a\`
* [x] Notes are written,
  in two lines

### Task 1.2: Raise the walls

- [ ] Walls stand

## Phase 2: Roof

### Task 2.1: Close the roof

- [ ] It is dry
`;

const read = (text: string) => {
	const result = readTaskDocument(text);
	assert.ok(result.ok, result.ok ? "" : JSON.stringify(result.problems));
	return result.document;
};
/** Line and the beginning of each problem. */
const wrong = (text: string): string[] => {
	const result = readTaskDocument(text);
	return result.ok ? [] : result.problems.map((p) => `${p.line} ${p.message}`);
};

test("S-38: phases, tasks, descriptions and criteria, in the order of the document", () => {
	const { title, about, phases, tasks } = read(GOOD);
	assert.deepEqual([title, about], ["Demo", "What this is about."]);
	assert.deepEqual(phases, [
		{ label: "1", name: "Foundation" },
		{ label: "2", name: "Roof" },
	]);
	assert.deepEqual(
		tasks.map((t) => [t.id, t.title, t.group, t.description]),
		[
			["1.1", "Lay the base", "1", "Do it.\nWell."],
			["1.2", "Raise the walls", "1", ""],
			["2.1", "Close the roof", "2", ""],
		],
	);
	assert.deepEqual(tasks[0]?.criteria, ["File exists `test -f a`", "Notes are written, in two lines"]);
});

test("S-38: CRLF, a byte order mark, star and plus boxes, closing marks of headings", () => {
	const odd = `\uFEFF${GOOD.replaceAll("\n", "\r\n").replace("## Phase 1: Foundation", "## Phase 1: Foundation ##").replace("- [ ] It", "+ [X] It")}`;
	assert.deepEqual(
		read(odd).tasks.map((t) => t.criteria),
		read(GOOD).tasks.map((t) => t.criteria),
	);
	assert.equal(read(odd).phases[0]?.name, "Foundation");
});

test("S-38: headings and boxes inside of code fences are text, and so are other headings' texts", () => {
	const fenced = GOOD.replace("Do it.\n", "Do it.\n```md\n## Phase 9: no\n### Task 9.9: no\n- [ ] no\n~~~\n```\n").replace(
		"## Phase 2",
		"## Remarks\n\n- [ ] nobody's box\n\n### Something\n\nmore\n\n## Phase 2",
	);
	const { phases, tasks } = read(fenced);
	assert.deepEqual([phases.length, tasks.map((t) => t.criteria.length)], [2, [2, 1, 1]]);
	assert.match(tasks[0]?.description ?? "", /### Task 9\.9: no/);
	assert.doesNotMatch(tasks[1]?.description ?? "", /more/);
});

test("T-30: nothing of the document is dropped: sections go to everybody, the text of a phase to its tasks", () => {
	const text = GOOD.replace(
		"## Phase 1: Foundation\n",
		"## Constraints\n\n- no new dependency\n\n## Phase 1: Foundation\n\nMind the base.\n\n### Why\n\nIt is old.\n",
	)
		.replace("## Phase 2", "## Remarks\n\n- [ ] the whole is fast\n\n### Something\n\nmore\n\n## Phase 2")
		.concat("\n# Appendix\n\nlast words\n");
	const { about, phases, tasks, unplaced } = read(text);
	for (const part of [
		"What this is about.",
		"## Constraints",
		"no new dependency",
		"## Remarks",
		"the whole is fast",
		"more",
		"# Appendix",
		"last words",
	])
		assert.ok(about.includes(part), `${part}: ${about}`);
	assert.deepEqual(phases, [
		{ label: "1", name: "Foundation", about: "Mind the base.\n\n### Why\n\nIt is old." },
		{ label: "2", name: "Roof" },
	]);
	assert.deepEqual(
		tasks.map((t) => t.criteria.length),
		[2, 1, 1],
	);
	const line = text.slice(0, text.indexOf("- [ ] the whole")).split("\n").length;
	assert.deepEqual(
		unplaced.map((one) => one.line),
		[line],
		"a box that nobody checks is said",
	);
});

test("T-30: a heading inside of a task belongs to it; below `Success criteria` every entry of a list is one", () => {
	const text = GOOD.replace("- [ ] File exists", "### Hints\n\nLook around.\n\n### Success criteria\n\n- [ ] File exists").replace(
		"- [ ] Walls stand\n",
		"**Acceptance criteria:**\n\n- Walls stand\n1. They are white,\n   all of them\n\nAnd a list:\n\n- of no criteria\n",
	);
	const [first, second] = read(text).tasks;
	assert.deepEqual(first?.criteria, ["File exists `test -f a`", "Notes are written, in two lines"]);
	assert.match(first?.description ?? "", /### Hints\n\nLook around\./);
	assert.deepEqual(second?.criteria, ["Walls stand", "They are white, all of them"]);
	assert.match(second?.description ?? "", /And a list:\n\n- of no criteria/);
});

test("T-30: a phase or task with the wrong number of marks is refused, not taken for text", () => {
	assert.match(wrong(GOOD.replace("### Task 1.2", "## Task 1.2")).join("\n"), /three marks/);
	assert.match(wrong(GOOD.replace("### Task 1.2", "#### Task 1.2")).join("\n"), /three marks/);
	assert.match(wrong(GOOD.replace("## Phase 2", "### Phase 2")).join("\n"), /two marks/);
	assert.equal(read(GOOD.replace("# Demo", "# Phase 3: the title")).title, "Phase 3: the title");
});

test("S-38: every mistake is reported with its line", () => {
	const cases: readonly [string, string, RegExp][] = [
		[GOOD.replace("### Task 1.2: ", "### Task two: "), "### Task two", /N\.M/],
		[GOOD.replace("### Task 1.2: ", "### Task 1.1: "), "### Task 1.1: Raise", /already, in line 7/],
		[GOOD.replace("## Phase 1: Foundation\n", "\n"), "### Task 1.1", /before any phase/],
		[GOOD.replace("## Phase 2: Roof", "## Phase 2:"), "## Phase 2:", /no name/],
		[GOOD.replace("## Phase 2: Roof", "## Phase two: Roof"), "## Phase two", /number/],
		[GOOD.replace("## Phase 2: Roof", "## Phase 1: Roof"), "## Phase 1: Roof", /already/],
		[GOOD.replace("### Task 2.1: ", "### Task 1.3: "), "### Task 1.3", /is under phase 2/],
		[GOOD.replace("### Task 2.1: Close the roof", "### Task 2.1:"), "### Task 2.1:", /no name/],
		[GOOD.replace("- [ ] It is dry\n", ""), "### Task 2.1", /no success criterion/],
		[GOOD.replace("- [ ] It is dry", "- [ ]"), "- [ ]\n", /says nothing/],
		[`${GOOD}\n## Phase 3: Empty\n`, "## Phase 3", /no task/],
		["# Nothing\n", "# Nothing", /no phase/],
	];
	for (const [text, at, why] of cases) {
		const line = text.slice(0, text.indexOf(at)).split("\n").length;
		const found = wrong(text);
		assert.ok(
			found.some((p) => p.startsWith(`${line} `) && why.test(p)),
			`${at}: line ${line}, ${why}, but ${found.join(" / ")}`,
		);
	}
	assert.equal(wrong(GOOD.replace("### Task 1.2: ", "### Task two: ").replace("- [ ] It is dry\n", "")).length, 2);
});

test("S-38: the template is a document that can be run", () => {
	assert.deepEqual(
		read(TEMPLATE).tasks.map((t) => t.id),
		["1.1", "1.2", "2.1"],
	);
});

test("S-38: hostile text takes no time and breaks nothing", () => {
	for (const text of ["#".repeat(100_000), "- [ ] ".repeat(50_000), `${GOOD}\n\`\`\`\n${"x\n".repeat(50_000)}`, "\u0000## Phase"])
		readTaskDocument(text);
});
