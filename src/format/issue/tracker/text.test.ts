// Random issues and lists: what is changed is exactly what was meant, whatever else a person wrote.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../core/testing/any-text.suite.ts";
import { isIssueId, parseIssue, renderIssue, STATUSES, withStatus, withTicks } from "./issue.ts";
import { inOrder, linkOf, listedIn, markedIn, statusOfLine, withoutLine, withSubIssues } from "./listing.ts";

const status = fc.constantFrom(...STATUSES);
const eol = fc.constantFrom("\n", "\r\n");
const written = fc
	.tuple(status, fc.constantFrom("", "'", '"'), fc.constantFrom("", "  # mine", " # status: Done"))
	.map(([s, q, c]) => ({ value: s, line: `status: ${q}${s}${q}${c}` }));
const others = fc.array(
	fc.constantFrom(
		"# a remark",
		"title: 'it''s: \"x\"'",
		"owner:   me",
		"labels:\n  - a # b\n  - c",
		"notes: |\n  status: Done\n  ---x",
		"",
		"estimate: 3",
		"depends-on: [A-1, 'A-2']",
	),
	{ maxLength: 5 },
);
const body = fc.array(
	fc.constantFrom(
		"text",
		"status: Todo",
		"- [ ] open",
		"- [x] done",
		"  * [ ] deeper",
		"```",
		"~~~",
		"## Acceptance criteria",
		"## Sub-issues",
		"# Title",
		"---",
		"",
		"> - [ ] quoted",
		"1. one",
	),
	{ maxLength: 14 },
);

test("O-20 O-21: setting a status changes that word and nothing else", () => {
	fc.assert(
		fc.property(written, others, others, body, eol, status, ({ value, line }, before, after, lines, end, wanted) => {
			const rest = [...new Set([...before, ...after])];
			const whole = (own: string) =>
				["---", ...rest.slice(0, before.length), own, ...rest.slice(before.length), "---", ...lines].join("\n").replaceAll("\n", end);
			const text = whole(line);
			const issue = parseIssue("A-9", text);
			assert.ok(!("problem" in issue), JSON.stringify([issue, text]));
			assert.equal(issue.status, value);
			const changed = withStatus(text, wanted);
			assert.equal(changed, whole(line.replace(value, wanted)));
		}),
	);
});

test("O-21: ticking changes boxes of criteria and nothing else", () => {
	fc.assert(
		fc.property(body, eol, (lines, end) => {
			const text = ["---", "status: Todo", "---", ...lines].join(end);
			const issue = parseIssue("A-9", text);
			assert.ok(!("problem" in issue));
			const ticked = parseIssue("A-9", withTicks(issue, "all"));
			assert.ok(!("problem" in ticked));
			assert.ok(ticked.criteria.every(({ done }) => done) && ticked.criteria.length === issue.criteria.length);
			const blank = (t: string) => t.replace(/\[[ x]\]/g, "[]");
			assert.equal(blank(ticked.text), blank(text));
			assert.equal(withTicks(issue, []), text);
			for (const { line, text: said } of issue.criteria) assert.ok(text.split(/\r?\n/)[line - 1]?.endsWith(said));
		}),
	);
});

test("O-21: any title, label and category comes back as it was written", () => {
	const word = anyText({ minLength: 1, maxLength: 30 })
		.map((t) => t.replace(/[\p{Cc}\p{Cs}\s]+/gu, " ").trim())
		.filter((t) => t !== "");
	fc.assert(
		fc.property(word, word, fc.array(word, { maxLength: 3 }), fc.string({ unit: "grapheme" }), (title, category, labels, text) => {
			const issue = parseIssue(
				"A-1",
				renderIssue({
					id: "A-1",
					title,
					status: "Todo",
					category,
					parent: null,
					labels,
					dependsOn: ["B-2"],
					filedBy: "run/key",
					body: text,
				}),
			);
			assert.ok(!("problem" in issue), JSON.stringify(issue));
			assert.deepEqual(
				[issue.title, issue.category, issue.labels, issue.dependsOn, issue.filedBy],
				[title, category, [...new Set(labels)], ["B-2"], "run/key"],
			);
			assert.equal(issue.status, "Todo");
		}),
	);
});

const title = fc.constantFrom(
	"Add numbers",
	"Mark Done things Todo",
	"In Progress: A-2",
	"a [link](x) and `code`",
	"x, Done",
	"<!-- comment",
	"100% *bold*",
);
const lines = fc.array(
	fc.constantFrom(
		"## Core",
		"## Later",
		"- A-3 by hand, Done",
		"text about A-1",
		"| A-3 | Todo |",
		"",
		"```",
		"- something, Todo",
		"  indented",
		"- A-10: ten, Todo",
	),
	{ maxLength: 10 },
);

test("O-19 O-26: a line for an issue is added once, says its status, and goes again without a trace of it", () => {
	fc.assert(
		fc.property(lines, title, status, status, fc.constantFrom("Core", "New"), (readme, name, first, second, category) => {
			// An open fence swallows everything after it; that is the writer's doing.
			fc.pre(readme.filter((line) => line === "```").length % 2 === 0);
			const text = `# TODO\n\n${readme.join("\n")}\n`;
			const entry = { id: "A-1", title: name, status: first, dependsOn: [] };
			const listed = listedIn(text, entry, category, null);
			assert.equal(listedIn(listed, entry, category, null), listed);
			const marked = markedIn(listed, "A-1", name, second);
			const own = marked.split("\n").filter((line) => line.startsWith("- [A-1](A-1.md)"));
			assert.equal(own.length, 1, marked);
			assert.equal(statusOfLine(own[0] ?? "", name), second);
			const rest = (t: string) => t.split("\n").filter((line) => line !== "" && !line.startsWith("## "));
			assert.deepEqual(rest(withoutLine(marked, "A-1")), rest(text));
		}),
	);
});

test("O-25: in the list of sub-issues everything comes after what it depends on, once, and a second time changes nothing", () => {
	const ids = ["A-1", "A-2", "A-3", "A-4", "A-5"];
	const graph = fc.array(fc.subarray(ids), { minLength: 5, maxLength: 5 });
	fc.assert(
		fc.property(graph, lines, (edges, more) => {
			fc.pre(more.filter((line) => line === "```").length % 2 === 0 && !more.some((line) => line.includes("A-")));
			const entries = ids.map((id, i) => ({
				id,
				title: `t ${id}`,
				status: "Todo" as const,
				dependsOn: (edges[i] ?? []).filter((other) => other < id),
			}));
			const order = inOrder([...entries].reverse());
			const at = new Map(order.map(({ entry }, index) => [entry.id, index]));
			assert.equal(at.size, 5);
			for (const { entry } of order) for (const id of entry.dependsOn) assert.ok((at.get(id) ?? 9) < (at.get(entry.id) ?? 0));
			for (const { entry, depth } of order) assert.equal(depth > 0, entry.dependsOn.length > 0);
			const text = `# P\n\n## Sub-issues\n\n${more.filter((line) => !line.startsWith("#")).join("\n")}\n\n## After\n\nx\n`;
			const once = withSubIssues(text, entries);
			assert.equal(withSubIssues(once, entries), once);
			assert.ok(once.endsWith("\n\n## After\n\nx\n"));
			for (const entry of entries) assert.ok(once.includes(linkOf(entry)));
			const cyclic = entries.map((entry) => ({ ...entry, dependsOn: [...entry.dependsOn, "A-5", "A-1"] }));
			assert.deepEqual(
				inOrder(cyclic)
					.map(({ entry }) => entry.id)
					.sort(),
				ids,
			);
		}),
	);
});

test("O-21: valid and invalid ids of issues", () => {
	for (const id of ["GAL-39", "a-1", "X9-007", "MY_TEAM-4", "a-b-12"]) assert.ok(isIssueId(id), id);
	for (const id of [
		"GAL",
		"GAL-",
		"-1",
		"9-1",
		"GAL-1x",
		"../GAL-1",
		"GAL-1/x",
		"GAL--1",
		"GAL-1234567890",
		`${"A".repeat(64)}-1`,
		"GAL-1\n",
		"GAL 1",
		"ÄB-1",
	])
		assert.ok(!isIssueId(id), id);
});
