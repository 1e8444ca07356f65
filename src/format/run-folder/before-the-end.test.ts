// A run of ralph ends only on a tree on which every story that passes still passes, by criteria that nobody made smaller: whole runs in this process.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { inOrder, type Part, type Turn } from "../../engine/testing/cast.suite.ts";
import { type Harness, harness } from "../../engine/testing/harness.suite.ts";
import { FOLDER, ralph, read, remarks, roles } from "./ralph-runs.suite.ts";

const TAG = "<promise>ALL STORIES PASS</promise>";
const PRD = `${FOLDER}/prd.json`;
const story = (n: number) => ({
	...{ id: `S${n}`, title: `s${n}.txt is there`, size: "XS", passes: false, notes: "" },
	...{ acceptance_criteria: [`s${n}.txt is there`, "it says done"], verification_commands: [`test -f s${n}.txt`] },
});
const start = (t: TestContext, worker: Part, more: Partial<Parameters<typeof harness>[1]["cast"]> = {}): Promise<Harness> => {
	const prd = { run_id: "demo", title: "A demo", stories: [story(1), story(2)] };
	const files: Record<string, string> = { ...ralph.files, [PRD]: `${JSON.stringify(prd, null, 2)}\n` };
	return harness(t, {
		...ralph,
		files: { ...files, [`${FOLDER}/orchestration.json`]: '{"scheme": "W"}\n' },
		cast: { ...ralph.cast, ...more, worker },
	});
};
/** Says that these stories pass, and commits. */
function claim({ files, checkout }: Turn, ids: readonly string[], change: Readonly<Record<string, unknown>> = {}): void {
	const prd = JSON.parse(files.read(PRD) ?? "{}") as { stories: { id: string }[] };
	const stories = prd.stories.map((s) => (ids.includes(s.id) ? { ...s, passes: true, ...change } : s));
	files.write(PRD, `${JSON.stringify({ ...prd, stories }, null, 2)}\n`);
	files.write(`${FOLDER}/progress.md`, `${files.read(`${FOLDER}/progress.md`) ?? ""}\n- ${ids.join()}\n---\n`);
	checkout.commitAll(`work on ${ids.join()}`);
}
const passing = (text: string): boolean[] => (JSON.parse(text) as { stories: { passes: boolean }[] }).stories.map((s) => s.passes);

const first: Part = (turn) => {
	turn.files.write("s1.txt", "done\n");
	claim(turn, ["S1"]);
	return "S1 is done.";
};
const moves =
	(end: string): Part =>
	(turn) => {
		turn.files.remove("s1.txt");
		turn.files.write("s2.txt", "done\n");
		claim(turn, ["S2"]);
		return `S2 is done.\n\n${end}`;
	};

test("I21 R-23 a promise does not count if later work broke a story that passes: the story is open again, in the repository too", async (t) => {
	let committed = "";
	const mends: Part = (turn) => {
		committed = h.site.show("main")[PRD] ?? "";
		turn.files.write("s1.txt", "done\n");
		claim(turn, ["S1"]);
		return `S1 is back.\n\n${TAG}`;
	};
	const h = await start(t, inOrder(first, moves(TAG), mends));
	assert.equal((await h.toHalt()).status, "completed");
	assert.equal(roles(h), "WWW");
	assert.deepEqual(passing(committed), [false, true], "what is committed says so, too");
	assert.deepEqual(passing(read(h, "prd.json")), [true, true]);
	assert.match(await remarks(h), /^S1 passed before and no longer does, `passes` is false again: `test -f s1\.txt` exited 1$/m);
	assert.match(read(h, "progress.md"), /after iteration 2: S1 passed before and no longer does/);
});

test("I21 R-31 an acceptance by a final review does not count either: the run goes on", async (t) => {
	const breaks: Part = (turn) => {
		turn.files.remove("s1.txt");
		turn.checkout.commitAll("tidy up");
		return `Nothing is left.\n\n${TAG}`;
	};
	const mends: Part = (turn) => {
		turn.files.write("s1.txt", "done\n");
		turn.files.write("s2.txt", "done\n");
		claim(turn, ["S1", "S2"]);
		return `All is there.\n\n${TAG}`;
	};
	const accepts = "ACCEPTED: yes\nSTEERING_NEEDED: no\nREASON: S2 is no longer needed\nSUGGESTED_ACTIONS: none";
	const asks: Part = (turn) => {
		// A request claims nothing, so that no command runs until the review accepts.
		turn.files.write(`${FOLDER}/output/worker_result.json`, '{"complete": true}\n');
		turn.files.remove("s1.txt");
		turn.checkout.commitAll("tidy up");
		return "Please look.";
	};
	for (const [worker, who] of [
		[inOrder(first, asks, mends), "WWRW"],
		[inOrder(first, breaks, mends), "WWW"],
	] as const) {
		const h = await start(t, worker, { reviewer: accepts });
		assert.equal((await h.toHalt()).status, "completed");
		assert.equal(roles(h), who);
		assert.deepEqual(passing(read(h, "prd.json")), [true, true]);
		if (who === "WWRW") assert.match(read(h, "progress.md"), /the acceptance does not count: the command of a story that passed fails/);
	}
});

test("I21 R-36 who makes the criteria of a story smaller cannot claim it in the same iteration, and is told the field", async (t) => {
	const cheats: Part = (turn) => {
		turn.files.write("s1.txt", "done\n");
		claim(turn, ["S1"], { acceptance_criteria: ["s1.txt is there"] });
		return "S1 is done.";
	};
	const second: Part = (turn) => {
		turn.files.write("s2.txt", "done\n");
		claim(turn, ["S1", "S2"]);
		return `All is done.\n\n${TAG}`;
	};
	let seen = "";
	const looks: Part = (turn) => {
		seen = turn.files.read(PRD) ?? "";
		return typeof second === "function" ? second(turn) : second;
	};
	const h = await start(t, inOrder(cheats, looks));
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(passing(seen), [false, false]);
	assert.match(seen, /it says done[\s\S]*it says done/, "the criterion is back");
	assert.match(await remarks(h), /S1 was said to pass and does not, `passes` is false again: `acceptance_criteria` of it was changed/);
	assert.match(await remarks(h), /put back: .*prd\.json: story S1 \(acceptance_criteria\)/);
});

test("R-23 a pass that does not hold and was committed is undone by a commit", async (t) => {
	let committed = "";
	const lies: Part = (turn) => {
		turn.files.write("other.txt", "done\n");
		claim(turn, ["S1"]);
		return "S1 is done.";
	};
	const ends: Part = (turn) => {
		committed = h.site.show("main")[PRD] ?? "";
		for (const n of [1, 2]) turn.files.write(`s${n}.txt`, "done\n");
		claim(turn, ["S1", "S2"]);
		return TAG;
	};
	const h = await start(t, inOrder(lies, ends));
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(passing(committed), [false, false]);
});
