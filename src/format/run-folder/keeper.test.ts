// What the keeper of a run folder prepares, even if the process that began was killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../../engine/testing/built-in.suite.ts";
import { harness } from "../../engine/testing/harness.suite.ts";
import { dieBy } from "../../engine/testing/life.suite.ts";

const FOLDER = "ralph/runs/demo";
const RESULT = `${FOLDER}/output/worker_result.json`;

test("leftovers of a finished run do not count in the next one, even if that is killed before its first session", async (t) => {
	const ralph = BUILT_IN["ralph"]!;
	const seen: (string | null)[] = [];
	const h = await harness(t, {
		...ralph,
		files: { ...ralph.files, [RESULT]: '{"status":"completed"}\n', [`${FOLDER}/run.json`]: '{"status":"completed","iteration":4}\n' },
		cast: {
			...ralph.cast,
			worker: (turn) => {
				seen.push(turn.files.read(RESULT));
				const { worker } = ralph.cast;
				return typeof worker === "function" ? worker(turn) : worker;
			},
		},
	});
	assert.equal((await h.toHalt(dieBy("prepared#1"))).status, "completed");
	assert.deepEqual(seen[0], null);
	assert.match(h.site.user.files.read("ralph/templates/CONTROL_PLANE.md") ?? "", /Who may change what/);
});
