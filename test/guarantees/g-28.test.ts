// G-28: any file may have been replaced by anything; a database that was harmed under a running engine stops the run: it is said, and nothing
// more is begun. How such files are read and written is tested with real ones.
import assert from "node:assert/strict";
import { Harness } from "../../src/engine/testing/harness.suite.ts";
import type { Decide } from "../../src/engine/testing/life.suite.ts";
import { share, type Worker } from "../../src/engine/testing/shared.suite.ts";
import { alsoIn } from "./also-in.ts";
import { databaseFor } from "./databases.ts";
import { rows } from "./walk.ts";

const HARMED = new Error("pawl.db was replaced while the run was at work");

/** How the process that drives it ended; of a worker, what it said each time that it tried again. */
async function drive(h: Harness, decide?: Decide): Promise<readonly unknown[]> {
	if (!h.options.shared) {
		const ended = await (h.options.pulled ? h.pull(decide) : h.drive(decide));
		return ended.how === "failed" ? [ended.error] : [];
	}
	await h.advance();
	const errors: unknown[] = [];
	let worker: Worker | null = null;
	await share(h, [decide], {
		machines: true,
		onBegun: (one) => {
			worker = one;
		},
		onFailed: (error) => {
			// It goes on trying until somebody ends it.
			if (errors.push(error) > 2) worker?.life.kill();
		},
	});
	return errors;
}

rows("G-28 the database is harmed in the middle of a run: the engine says so and begins nothing more", async (path, driver) => {
	const options = { ...path.options.options, agents: 1 };
	const how = { pulled: driver === "pulled", shared: driver === "shared" };
	const h = new Harness({ ...path.options, options, ...how, ...(await databaseFor(path, driver)) });
	try {
		await h.create();
		if (driver === "resumed") await drive(h, (at, nth) => (at === "after commit" && nth === 3 ? "die" : "go"));
		let [sessions, harmed] = [0, false];
		const errors = await drive(h, (at, nth) => {
			if (at !== "before commit" || nth < 5) return "go";
			if (!harmed) sessions = h.prompts.length;
			harmed = true;
			return { fail: HARMED };
		});
		assert.ok(harmed);
		assert.ok(errors.length > 0, "nobody says it");
		for (const error of errors) assert.equal(error, HARMED);
		assert.equal(h.prompts.length, sessions, "a session was begun that nobody could note down");
		return null;
	} finally {
		h.remove();
	}
});

alsoIn(
	"G-28",
	"test/scenario/bad-trees.test.ts",
	"src/files/files.test.ts",
	"src/store/sqlite-guard.test.ts",
	"src/format/prd/prd-file.test.ts",
);
