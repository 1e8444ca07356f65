// Names of code that is not there are found when a workflow loads, with their places.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDefinition } from "../parse.ts";
import type { Names } from "./names.ts";

const NAMES: Names = {
	readers: ["request"],
	actions: ["merge"],
	keepers: ["folder"],
	writeRules: ["spec"],
	inboxes: ["control"],
	projections: ["workflow_state"],
};

const text = (words: Partial<Record<keyof Names, string>> = {}): string => `name: small
title: Small
inputs: {request: {reader: ${words.readers ?? "request"}, workspace: tree}}
roles: {worker: {report: {notes: text}}}
types:
  work: {role: worker, keeper: ${words.keepers ?? "folder"}, writes: {rule: ${words.writeRules ?? "spec"}}}
  join: {action: ${words.actions ?? "merge"}}
steps: [work, join]
inboxes: [${words.inboxes ?? "control"}]
projections: [${words.projections ?? "workflow_state"}]
on: {done: next, "unreadable|*": fail run}
`;
const load = (yaml: string, names?: Names) =>
	parseDefinition(yaml, { file: "workflow.yml", readPrompt: () => ({ text: "Work." }), ...(names ? { names } : {}) });

test("U-06: everything that is named exists", () => {
	assert.equal(load(text(), NAMES).ok, true);
	for (const [kind, line, what] of [
		["readers", 3, "reader"],
		["keepers", 6, "keeper"],
		["writeRules", 6, "write rule"],
		["actions", 7, "action"],
		["inboxes", 9, "inbox"],
		["projections", 10, "projection"],
	] as const) {
		const loaded = load(text({ [kind]: "elsewhere" }), NAMES);
		assert.ok(!loaded.ok, kind);
		assert.deepEqual(
			loaded.problems.map((p) => p.line),
			[line],
		);
		assert.match(loaded.problems[0]?.message ?? "", new RegExp(`there is no ${what} \`elsewhere\``));
	}
	const typed = load(text({ actions: "merg" }), NAMES);
	assert.match(typed.ok ? "" : (typed.problems[0]?.message ?? ""), /did you mean `merge`/);
	assert.equal(load(text({ actions: "elsewhere" })).ok, true, "without a list, names are taken as they are");
});
