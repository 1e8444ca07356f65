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
		"feature/x\nBUILD_CMD: npm run build": "feature/x",
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

test("G-20 what is around a name, and what git refuses in one", () => {
	const names = {
		"  feature/x  ": "feature/x",
		'"feature/x"': "feature/x",
		"it's-a/name'": "it's-a/name'",
		"feature/x(new)": "feature/x",
		"feature/x   (new) or so": "feature/x",
		"`feature/x`   (new)": "feature/x",
		"feature/x  -  new": "feature/x",
		"feature/x; then": "feature/x",
		"feature/x\t# new": "feature/x",
		"feature/x, y": "feature/x",
		"feature/x off main": "feature/x",
		"feature/x ,y": "feature/x",
		"feature/x page, from main": "feature/x-page-from-main",
		"\nfeature/x\n": "feature/x",
		"` feature/x `": "feature/x",
		"`feature/x` from main": "feature/x",
		"`fix` the page": "fix-the-page",
		"feature/x offside": "feature/x-offside",
		"fix from main": "fix-from-main",
		"feature/x page from main": "feature/x-page-from-main",
		"feat~1/x from main": "feat-1/x-from-main",
		"a@b": "a@b",
		"@a": "@a",
		"a@": "a@",
		"a@{b": "a-b",
		"a//b": "a/b",
		"a/.b": "a/b",
		"--a--": "a",
		"..a..": "a",
		"a...b": "a.b",
		"a.lock.b": "a.lock.b",
		"a.lock/b": "a-lock/b",
		"a.lock.b c": "a.lock.b-c",
		"a:b": "a-b",
		"a?b*c[d\\e^f": "a-b-c-d-e-f",
	};
	for (const [said, name] of Object.entries(names)) assert.equal(branchName(said), name, said);
	assert.equal(branchName(`${"long words ".repeat(20)}`)?.length, 100, "no longer than a hundred letters");
});
