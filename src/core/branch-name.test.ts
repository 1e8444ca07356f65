import assert from "node:assert/strict";
import { test } from "node:test";
import { branchName } from "./branch-name.ts";

test("G-20 the name of a branch in what an agent says: a valid name stays, words become one", () => {
	const names = {
		"feature/x": "feature/x",
		"Feature/JIRA-12_a.b": "Feature/JIRA-12_a.b",
		"`fix/empty-list`": "fix/empty-list",
		"feature/x (new)": "feature/x",
		"feature/x, from main": "feature/x",
		main: "main",
		"Fix First Page!!": "fix-first-page",
		"fix: the first page": "fix-the-first-page",
		"feature/x from main": "feature/x",
		"feature/x - new": "feature/x",
		"feature/first page": "feature/first-page",
		"../../evil": "evil",
		"-f": "f",
		"a..b": "a.b",
		"x.lock": "x-lock",
		"Größe prüfen": "größe-prüfen",
	};
	for (const [said, name] of Object.entries(names)) assert.equal(branchName(said), name, said);
	for (const said of ["", "!!", "(none)", "..", "/"]) assert.equal(branchName(said), null, said);
});
