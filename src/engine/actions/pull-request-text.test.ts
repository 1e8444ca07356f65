import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunState } from "../../core/model.ts";
import { bodyOf, titleOf } from "./pull-request-text.ts";

test("T-27 the title of a pull request has no markup", () => {
	const title = (text: string) => titleOf({ title: "the task", root: { fields: { pr_title: text } } } as unknown as RunState);
	assert.equal(title("**`Add` a status field**"), "Add a status field");
	assert.equal(title("## Add snake_case\n"), "Add snake_case");
	assert.equal(title('"Add it"'), "Add it");
	assert.equal(title(" "), "the task");
});

test("T-27 a text that nobody wrote has the changes of every story, not only those that were told last", () => {
	const story = (id: string, changes: string) => ({ id, title: `Do ${id}`, criteria: [], scope: { id, fields: { changes }, kept: [] } });
	const body = (changes: string) =>
		bodyOf({
			id: "run-1",
			title: "the task",
			input: {},
			definition: { types: {} },
			root: { id: "@run", fields: { changes }, kept: [] },
			stories: [story("A-1", "A-1: a column\n- and a test"), story("A-2", "the label")],
		} as unknown as RunState);
	assert.match(body("the label"), /## Changes\n\n- A-1: a column\n {2}- and a test\n- A-2: the label\n\nMade by/);
	assert.match(body("the README"), /- A-2: the label\n- afterwards: the README\n\nMade by/);
});

test("G-16 the text names what was found and not repaired, once, under what became of it", () => {
	const record = (name: string, exhausted?: string): object => ({
		action: "next",
		record: name,
		...(exhausted ? { exhausted: record(exhausted) } : {}),
	});
	const kept = [
		{ name: "found", step: "s", text: "[a] repaired" },
		{ name: "found", step: "s", text: "[b] stays" },
		{ name: "not_improved", step: "s", text: "[b] stays" },
	];
	const body = bodyOf({
		id: "run-1",
		title: "the task",
		input: {},
		definition: { types: { scan: { routes: { findings: record("found", "not_improved") } } } },
		root: { id: "@run", fields: {}, kept },
		stories: [],
	} as unknown as RunState);
	assert.match(body, /## Found\n\n- \[a\] repaired\n\n## Not improved\n\n- \[b\] stays\n/);
});
