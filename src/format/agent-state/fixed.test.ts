// A supervisor that looks again after a repair is a fresh session: it has to be told what was asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../../engine/testing/built-in.suite.ts";
import { inOrder } from "../../engine/testing/cast.suite.ts";
import { harness } from "../../engine/testing/harness.suite.ts";

const phased = BUILT_IN["phased"]!;

test("T-32 G-15 after a fix the supervisor reads the conflict that it had found, and what was changed about it", async (t) => {
	const conflict = "ACTION: auto_fix\nSEVERITY: low\nCONFLICT_TYPE: pattern\nRESOLUTION: call helper-61 instead";
	const looks = inOrder(conflict, "ACTION: pass");
	const h = await harness(t, {
		...phased,
		cast: {
			...phased.cast,
			supervisor: (turn) => (turn.type === "post_task" && typeof looks === "function" ? looks(turn) : "ACTION: pass"),
			"task-executor": async (turn) => {
				const works = phased.cast["task-executor"];
				const said = typeof works === "function" ? await works(turn) : works;
				if (turn.type !== "fix") return said;
				turn.files.write("work/helper.txt", "called\n");
				turn.checkout.commitAll("call the helper");
				return said;
			},
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	const [, again] = h.prompts.filter(({ type }) => type === "post_task");
	assert.match(
		again?.prompt ?? "",
		/<reason>\nfix worked on the conflict that you found \("call helper-61 instead"\) and changed work\/helper\.txt\n/,
	);
});

test("T-32 what a fix changed is counted from its first attempt, also if the second one only mends the report", async (t) => {
	const conflict = "ACTION: auto_fix\nSEVERITY: low\nCONFLICT_TYPE: pattern\nRESOLUTION: call helper-61 instead";
	const looks = inOrder(conflict, "ACTION: pass");
	let fixes = 0;
	const h = await harness(t, {
		...phased,
		cast: {
			...phased.cast,
			supervisor: (turn) => (turn.type === "post_task" && typeof looks === "function" ? looks(turn) : "ACTION: pass"),
			"task-executor": async (turn) => {
				const works = phased.cast["task-executor"];
				if (turn.type !== "fix") return typeof works === "function" ? works(turn) : works;
				fixes += 1;
				if (fixes > 1) return "STATUS: done\nCRITERIA:\n- file_exists: true\n- notes_are_written: true\n";
				turn.files.write("work/helper.txt", "called\n");
				turn.checkout.commitAll("call the helper");
				return "STATUS: done\nCRITERIA:\n- file_exists: true\n";
			},
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	const [, again] = h.prompts.filter(({ type }) => type === "post_task");
	assert.match(again?.prompt ?? "", /and changed work\/helper\.txt\n/);
});
