import assert from "node:assert/strict";
import { test } from "node:test";
import type { Definition } from "../../core/definition.ts";
import { parse, workflow } from "../marked.suite.ts";
import { label, mermaid } from "./mermaid.ts";
import { showDefinition } from "./show.ts";

function definition(text: string): Definition {
	const loaded = parse(text);
	assert.ok(loaded.ok, JSON.stringify(loaded));
	return loaded.definition;
}

const shown = definition(
	workflow(
		`  stories: {each: {steps: [code, check]}}
  code: {description: 'Write "it" <well> & [soon]', role: dev, timeout: 30m, edits: true}
  check: {role: judge, writes: none, on: {good: next, bad: {goto: code, max: 2/story, exhausted: fail story}}}
  end: {role: dev, when: stories > 1, on: {lost: {insert: [fix-it], max: 1/run, exhausted: wait person}}}
  fix-it: {role: dev, by: engine}`,
		"[stories, end]",
		"budgets: {cost: {limit: $10/run, warn: [75%]}}",
	),
);

test("the text shows steps in order, their own routes, caps and limits, and shared routes once", () => {
	const text = showDefinition(shown);
	for (const part of [
		"budget cost: $10 a run, warns at 75%",
		"limits: 30 steps a story, 3 restarts a step",
		"1. stories: stories",
		'     1. code: Write "it" <well> & [soon]',
		"agent dev, 30m, may edit steps",
		"bad → goto code, at most 2 a story; then: fail story",
		"2. end: end",
		"when stories > 1",
		"lost → insert fix-it, at most 1 a run; then: wait person",
		"Reached by a route\n  - fix-it",
	])
		assert.ok(text.includes(part), `${part}\n${text}`);
	assert.equal(text.split("rate_limited").length, 3, "shared routes are shown once, and those of the repair");
	for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
});

test("the flowchart has valid ids and escaped labels, whatever types are called", () => {
	const lines = mermaid(shown).trimEnd().split("\n");
	assert.equal(lines[0], "flowchart TD");
	const text = '"(?:[^"#]|#\\d+;)*"';
	const node = `[a-z][a-z0-9_]*(?:\\[${text}\\]|\\{${text}\\}|\\(\\[(?:${text}|[a-z ]+)\\]\\))?`;
	const line = new RegExp(`^ +(?:${node}(?: (?:-->|-\\.->)(?:\\|${text}\\|)? ${node}|)|${node} -\\.-> ${node}|subgraph ${node}|end)$`);
	for (const l of lines.slice(1)) assert.match(l, line);
	assert.ok(lines.includes('  s_check -->|"bad, max 2/story"| s_code'));
	assert.ok(lines.includes('  s_end -.->|"lost, max 1/run"| s_fix_45_it'));
	assert.equal(label('a"b<c>\n#x|'), '"a#34;b#60;c#62; #35;x#124;"');
});
