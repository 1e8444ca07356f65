// The repairs of what the scanner found: their work stays although their report is forgotten, and counts from the first attempt.
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedByHeading } from "../../core/recorded.ts";
import { BUILT_IN } from "../../engine/testing/built-in.suite.ts";
import { inOrder } from "../../engine/testing/cast.suite.ts";
import { harness } from "../../engine/testing/harness.suite.ts";

const phased = BUILT_IN["phased"]!;

for (const pulled of [false, true])
	test(`G-15 T-32 ${pulled ? "pulled: " : ""}a repair whose report was forgotten stays in the tree, and the next attempt only has to report`, async (t) => {
		let there: string | null = null;
		const h = await harness(t, {
			...phased,
			pulled,
			cast: {
				...phased.cast,
				"code-improvement-scanner": inOrder("FINDINGS:\n- [no-b] there is no b.txt: write it", "FINDINGS: none"),
				"outer-ralph": inOrder(
					(turn) => {
						turn.files.write("b.txt", "b\n");
						turn.checkout.commitAll("Add b.txt");
						return "I wrote b.txt and committed it.";
					},
					(turn) => {
						there = turn.files.read("b.txt");
						return "STATUS: done\nCRITERIA:\n- no-b: true\n";
					},
				),
			},
		});
		assert.equal((await h.toHalt()).status, "completed");
		assert.equal(there, "b\n", "the repair is still there");
		const repairs = h.prompts.filter(({ type }) => type === "improve");
		assert.equal(repairs.length, 2, "the second report is taken");
		assert.match(repairs[1]?.prompt ?? "", /What that attempt changed is still in the tree\. Check what still holds/);
		assert.doesNotMatch(repairs[1]?.prompt ?? "", /had done was put back|gone from the tree/);
	});

test("G-16 what a person reads of the scanner's findings at the end: nothing of those that were repaired, and why one was refused", async (t) => {
	let meanwhile: readonly string[] | undefined;
	const h = await harness(t, {
		...phased,
		cast: {
			...phased.cast,
			"code-improvement-scanner": inOrder(
				"FINDINGS:\n- [no-b] there is no b.txt: write it\n- [no-c] there is no c.txt: write it",
				"FINDINGS: none",
			),
			"outer-ralph": async (turn) => {
				meanwhile = recordedByHeading(await h.state()).get("found by the scanner");
				turn.files.write("b.txt", "b\n");
				turn.checkout.commitAll("Add b.txt");
				return "STATUS: done\nCRITERIA:\n- no-b: true\n- no-c: false\nREFUSED: [no-c] make writes it anew\n";
			},
		},
	});
	const state = await h.toHalt();
	assert.equal(state.status, "completed");
	assert.equal(meanwhile?.length, 2, "until somebody has looked again, both are open");
	assert.deepEqual(
		[...recordedByHeading(state)],
		[["found by the scanner", ["[no-c] there is no c.txt: write it (refused: make writes it anew)"]]],
	);
});
