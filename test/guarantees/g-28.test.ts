// G-28: any file may have been replaced by anything; a database that was harmed under a running engine stops the run: it is said, and nothing
// more is begun. How such files are read and written is tested with real ones.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Harness } from "../../src/engine/testing/harness.suite.ts";
import type { Decide } from "../../src/engine/testing/life.suite.ts";
import { alsoIn } from "./also-in.ts";
import { driversOf, PATHS } from "./paths.ts";

const HARMED = new Error("pawl.db was replaced while the run was at work");

describe("G-28 the database is harmed in the middle of a run: the engine says so and begins nothing more", () => {
	for (const path of PATHS)
		for (const driver of driversOf(path))
			test(`${path.name}, ${driver}`, async () => {
				const h = new Harness({ ...path.options, options: { ...path.options.options, agents: 1 }, pulled: driver === "pulled" });
				try {
					await h.create();
					const drive = (decide?: Decide) => (driver === "pulled" ? h.pull(decide) : h.drive(decide));
					if (driver === "resumed") await drive((at, nth) => (at === "after commit" && nth === 3 ? "die" : "go"));
					let [sessions, harmed] = [0, false];
					const ended = await drive((at, nth) => {
						if (at !== "before commit" || nth < 5) return "go";
						if (!harmed) sessions = h.prompts.length;
						harmed = true;
						return { fail: HARMED };
					});
					assert.ok(harmed);
					assert.equal(ended.how, "failed");
					if (ended.how === "failed") assert.equal(ended.error, HARMED);
					assert.equal(h.prompts.length, sessions, "a session was begun that nobody could note down");
				} finally {
					h.remove();
				}
			});
});

alsoIn(
	"G-28",
	"test/scenario/bad-trees.test.ts",
	"src/files/files.test.ts",
	"src/store/sqlite-guard.test.ts",
	"src/format/prd/prd-file.test.ts",
);
