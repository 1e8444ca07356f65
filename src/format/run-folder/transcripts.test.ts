// The ancestor's prompt numbers its iteration: files in transcripts/ plus one, else entries in progress.md plus one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../../engine/testing/built-in.suite.ts";
import type { Part } from "../../engine/testing/cast.suite.ts";
import { harness } from "../../engine/testing/harness.suite.ts";

const FOLDER = "ralph/runs/demo";
const ralph = BUILT_IN["ralph"]!;

test("T-43: the iteration that a prompt counts from transcripts/ or progress.md is the right one, whoever wrote them", async (t) => {
	const counted: [number, number][] = [];
	const counts: Part = async (turn) => {
		const { files } = turn;
		const names = files.list().filter((path) => path.startsWith(`${FOLDER}/transcripts/`));
		const progress = files.read(`${FOLDER}/progress.md`) ?? "";
		const n = names.length + 1;
		counted.push([n, (progress.match(/^- Iteration:/gm)?.length ?? 0) + 1]);
		// Every second agent writes what its prompt asks for.
		if (n % 2 === 1) {
			files.write(`${FOLDER}/transcripts/iter-${String(n).padStart(4, "0")}.md`, `# Transcript, iteration ${n}\n`);
			files.write(`${FOLDER}/progress.md`, `${progress}\n- Iteration: ${n}\n- Story: S1\n---\n`);
		}
		// Put back, which is told in progress.md.
		files.write(`${FOLDER}/task.json`, "mine\n");
		files.write(`work/${n}.txt`, "work\n");
		return `said-${n}`;
	};
	const cast = { ...ralph.cast, worker: counts };
	const earlier = {
		[`${FOLDER}/transcripts/0001-worker.md`]: "of an earlier run\n",
		[`${FOLDER}/run.json`]: '{"status":"completed","iteration":1}\n',
	};
	const orchestration = { [`${FOLDER}/orchestration.json`]: '{"scheme": "W"}\n' };
	const h = await harness(t, { ...ralph, files: { ...ralph.files, ...earlier, ...orchestration }, cast });
	assert.equal((await h.toHalt()).status, "stopped");
	assert.deepEqual(
		counted,
		Array.from({ length: 10 }, (_, i) => [i + 1, i + 1]),
	);
	const { files } = h.site.user;
	assert.match(files.read(`${FOLDER}/transcripts/iter-0003.md`) ?? "", /# Transcript, iteration 3[\s\S]*said-3/);
	assert.match(files.read(`${FOLDER}/transcripts/0004-worker.md`) ?? "", /said-4/);
	assert.equal(files.read(`${FOLDER}/transcripts_before/1/0001-worker.md`), "of an earlier run\n");
});
