// The issue and the README that docs/todo.md shows are read as the page says, and every field that is read is on it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseIssue, renderIssue } from "../../src/format/issue/tracker/issue.ts";
import { categoriesOf, inOrder, withSubIssues } from "../../src/format/issue/tracker/listing.ts";
import { FILED_LABELS } from "../../src/format/issue/tracker/tracker.ts";
import { page, spans } from "./pages.ts";

describe("docs/todo.md", () => {
	const [issue = "", readme = ""] = page("docs/todo.md").blocks.flatMap((block) => (block.language === "markdown" ? [block.text] : []));

	it("O-21: shows an issue that is read", () => {
		const read = parseIssue("GAL-39", issue);
		assert.ok(!("problem" in read), JSON.stringify(read));
		assert.deepEqual([read.title, read.status, read.category, read.parent], ["Add numbers", "Todo", "Core", "GAL-12"]);
		assert.deepEqual([read.labels, read.dependsOn], [["feature"], ["GAL-38"]]);
		assert.deepEqual(
			read.criteria.map((one) => one.text),
			["`sum(2, 3)` gives 5", "`sum(0, 0)` gives 0"],
		);
	});

	it("O-25: shows sub-issues as they are listed", () => {
		const entries = [
			{ id: "GAL-41", title: "Print the sum", status: "Todo" as const, dependsOn: ["GAL-40"] },
			{ id: "GAL-40", title: "Read the numbers", status: "Done" as const, dependsOn: [] },
		];
		assert.deepEqual(
			inOrder(entries).map(({ entry, depth }) => [entry.id, depth]),
			[
				["GAL-40", 0],
				["GAL-41", 1],
			],
		);
		assert.equal(withSubIssues(issue.replace(/## Sub-issues[\s\S]*$/, "## Sub-issues\n"), entries).trim(), issue.trim());
	});

	it("O-19 O-21: has every field and label that is written, and the README's form", () => {
		const text = renderIssue({
			id: "A-1",
			title: "t",
			status: "Todo",
			category: "c",
			parent: "A-2",
			labels: [],
			dependsOn: [],
			filedBy: "r/k",
			body: "",
		});
		const fields = [...text.matchAll(/^([a-z-]+):/gm)].map(([, name = ""]) => name);
		const said = new Set(spans(page("docs/todo.md")).map((span) => span.text));
		assert.deepEqual(
			[...fields, ...FILED_LABELS].filter((name) => !said.has(name)),
			[],
		);
		assert.deepEqual(categoriesOf(readme), ["Core"]);
	});
});
