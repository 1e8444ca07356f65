import assert from "node:assert/strict";
import { delimiter } from "node:path";
import { it } from "node:test";
import { gitEnvironment } from "./environment.ts";
import { addPin, NOTHING } from "./pins.ts";

it("G-26 pawl's own git is not one that an agent put into a folder of its repository that is in PATH", (t) => {
	const path = process.env["PATH"];
	t.after(() => {
		process.env["PATH"] = path;
	});
	const all = ["/a/repo/node_modules/.bin", "/a/repository/bin", "bin", "/usr/bin"].join(delimiter);
	process.env["PATH"] = all;
	assert.equal(gitEnvironment()["PATH"], all);
	t.after(addPin({ root: "/a/repo", extra: async () => NOTHING }));
	assert.equal(gitEnvironment()["PATH"], ["/a/repository/bin", "/usr/bin"].join(delimiter));
});
