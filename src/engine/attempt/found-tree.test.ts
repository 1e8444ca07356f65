import assert from "node:assert/strict";
import { test } from "node:test";
import { noteWritten } from "../../files/written.ts";
import { FoundTree } from "./found-tree.ts";

function workspace() {
	let looks = 0;
	const point = async () => ({ commit: "c", tree: `looked ${++looks}` });
	return new FoundTree({ path: "/checkout", point });
}

test("a tree that was just found is not looked at again", async () => {
	const found = workspace();
	found.saw("found", performance.now());
	assert.deepEqual([await found.now(), await found.now()], ["found", "found"]);
});

test("G-04 once a command was started it is looked at each time: the command may have changed it, and may still run", async () => {
	const found = workspace();
	found.saw("found", performance.now());
	found.forget();
	assert.deepEqual([await found.now(), await found.now()], ["looked 1", "looked 2"]);
});

for (const [path, tree] of Object.entries({
	"state.json": "looked 1",
	".pawl/workflows/own.yml": "looked 1",
	".gitignore": "looked 1",
	".pawl/runs/1/run.log": "found",
	".git/pawl/sessions/1.json": "found",
	"../elsewhere.json": "found",
}))
	test(`after pawl itself wrote ${path} the tree is the one that was ${tree}`, async () => {
		const found = workspace();
		found.saw("found", performance.now());
		noteWritten(`/checkout/${path}`);
		assert.equal(await found.now(), tree);
	});
