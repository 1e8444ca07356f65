// Whether a story changed anything is judged by its whole work. Attempt 1 commits and its report cannot be read; attempt 2 finds that all is there,
// changes nothing and reports well: the story has its change.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../testing/built-in.suite.ts";
import type { Part } from "../testing/cast.suite.ts";
import { harness } from "../testing/harness.suite.ts";

/** The first attempt at each story works and does not report; the second reports and does nothing. */
function forgetful(type: string, report: string): Part {
	const worked = new Set<string>();
	return (turn) => {
		const story = turn.story ?? "";
		if (turn.type !== type || worked.has(story)) return report;
		worked.add(story);
		turn.files.write(`work/${story}.txt`, `${story}\n`);
		turn.checkout.commitAll("work");
		return "It is written.";
	};
}

const CASTS = {
	phased: () => ({ "task-executor": forgetful("execute", "STATUS: done\nCRITERIA:\n- file_exists: true\n- notes_are_written: true\n") }),
	"feature-dev": () => ({ developer: forgetful("implement", "STATUS: done\nCHANGES: a file\nTESTS: none\n"), verifier: "STATUS: done\n" }),
};

for (const [name, cast] of Object.entries(CASTS))
	for (const pulled of [false, true])
		test(`I7 ${name}${pulled ? ", pulled" : ""}: the work of an attempt whose report could not be read is its story's change`, async (t) => {
			const of = BUILT_IN[name]!;
			const h = await harness(t, { ...of, pulled, cast: { ...of.cast, ...cast() } });
			const { stories } = await h.toHalt();
			assert.deepEqual([...new Set(stories.map(({ status, changed }) => `${status} ${changed}`))], ["completed true"]);
		});

for (const supervisor of ["true", "false"])
	test(`I7 phased, supervisor ${supervisor}: a task without any work does not pass, and the reason names only who is there`, async (t) => {
		const of = BUILT_IN["phased"]!;
		const task = "# Demo\n\n## Phase 1: Part 1\n\n### Task 1.1: Job 1.1\n\nDo it.\n\n- [ ] Notes are written\n";
		const h = await harness(t, {
			...of,
			files: { ...of.files, "tasks/demo.md": task },
			cast: { ...of.cast, "task-executor": "STATUS: done\nCRITERIA:\n- notes_are_written: true\n" },
			fields: { supervisor },
		});
		const state = await h.toHalt();
		assert.equal(state.status, "failed");
		assert.match(state.reason ?? "", supervisor === "true" ? /unless the supervisor finds/ : /does not pass$/);
	});
