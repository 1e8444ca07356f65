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

test("R-29 a worker that writes output/worker_result.json at the root of the checkout is heard, and the file is no part of the work", async (t) => {
	const ralph = BUILT_IN["ralph"]!;
	const h = await harness(t, {
		...ralph,
		cast: {
			...ralph.cast,
			worker: async (turn) => {
				const { worker } = ralph.cast;
				const said = typeof worker === "function" ? await worker(turn) : worker;
				if (!turn.files.read(`${FOLDER}/prd.json`)?.includes('"passes": false'))
					turn.files.write("output/worker_result.json", '{ "complete": true, "reason": "worker_done" }\n');
				return said;
			},
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(h.site.user.files.read(`${FOLDER}/events.ndjson`) ?? "", /"output\/worker_result\.json asks for a final review/);
	assert.equal(h.site.user.files.read("output/worker_result.json"), null);
});

test("R-28 G-04 files that follow the journal stay while the final checks run, and run.json is not completed before they are over", async (t) => {
	const ralph = BUILT_IN["ralph"]!;
	const seen: unknown[] = [];
	const h = await harness(t, {
		...ralph,
		checks: {
			look: (files) => {
				const run = JSON.parse(files.read(`${FOLDER}/run.json`) ?? "{}") as Record<string, unknown>;
				seen.push(run["status"]);
				// As the engine does when an event comes in meanwhile.
				files.write(`${FOLDER}/events.ndjson`, `${files.read(`${FOLDER}/events.ndjson`) ?? ""}{"event":"late"}\n`);
				return 0;
			},
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual([...new Set(seen)], ["running"]);
	assert.equal(JSON.parse(h.site.user.files.read(`${FOLDER}/run.json`) ?? "{}").status, "completed");
	assert.doesNotMatch(h.warnings.join("\n"), /while checks ran/);
});
