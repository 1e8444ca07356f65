import assert from "node:assert/strict";
import { test } from "node:test";
import { paint } from "../../../cli/text/text.ts";
import { checksText } from "../../../cli/watch/checks.ts";
import { stories } from "../../../core/testing/builders.suite.ts";
import { World } from "../../../core/testing/world.suite.ts";
import { checksView } from "./checks.ts";

test("the checks of a run are listed as they ended, with those that were not run again", () => {
	const w = new World(stories({ work: { on: { checks_failed: { action: "next" } } }, more: {} }), { stories: ["A"] });
	const none = checksText(checksView(w.state, w.events), 80, paint(false));
	assert.equal(none, "no check of run run-1 has ended yet\n");
	const lint = { name: "lint", command: "npm run lint", exitCode: 0, output: "", tree: "t1" };
	w.end("work", { checks: [lint, { name: "test", command: "npm test", exitCode: 2, output: "boom" }] });
	w.end("more", {
		checks: [
			{ ...lint, reused: true },
			{ name: "word", command: "", exitCode: 1, output: "its word", said: true },
		],
	});
	const view = checksView(w.state, w.events);
	assert.deepEqual(
		[view.ran, view.reused, view.checks.map((one) => [one.story, one.type, one.check, one.exit_code, one.reused, one.tree])],
		[
			2,
			1,
			[
				["A", "work", "lint", 0, false, "t1"],
				["A", "work", "test", 2, false, null],
				["A", "more", "lint", 0, true, "t1"],
			],
		],
	);
	assert.equal(
		checksText(view, 80, paint(false)),
		[
			"  A  step-001 (work)  lint  passed",
			"  A  step-001 (work)  test  failed, exit 2",
			"  A  step-002 (more)  lint  passed before, on the same files",
			"2 checks ran, 1 not run again: they had passed on the same files",
			"",
		].join("\n"),
	);
});
