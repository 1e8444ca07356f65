import assert from "node:assert/strict";
import { test } from "node:test";
import { withRemarks } from "../../core/report/remarks.ts";
import { leftoverRemarks } from "./leftovers.ts";

test("G-10: every leftover is named with its size, and what became of it", () => {
	const committed = [
		{ path: "a.txt", bytes: 1 },
		{ path: "gone.txt", bytes: null },
	];
	const aside = [{ path: "core.1", bytes: 2_097_152, why: "large" }];
	assert.deepEqual(leftoverRemarks({ commit: "c", committed, aside }, "/run/put_aside/x"), [
		"a.txt (1 byte), gone.txt (removed): left uncommitted, and committed by pawl",
		"core.1 (2.1 MB, large): left uncommitted, and put aside as no part of the work (now in /run/put_aside/x)",
	]);
	assert.deepEqual(leftoverRemarks({ commit: null, committed: [], aside: [] }, "/x"), []);
	const many = Array.from({ length: 25 }, (_, i) => ({ path: `f${i}`, bytes: 12_345 }));
	assert.match(leftoverRemarks({ commit: "c", committed: many, aside: [] }, "/x")[0] ?? "", /f19 \(12 kB\) and 5 more: /);
});

test("G-10: the notes of the step carry it to the next one", () => {
	assert.equal(withRemarks("all done\n", ["x"]), "all done\n\n- pawl: x");
	assert.equal(withRemarks(null, ["x"]), "- pawl: x");
	assert.equal(withRemarks(null, []), null);
});
