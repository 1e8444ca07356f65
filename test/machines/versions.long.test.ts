// Machines are updated one after the other: workers and commands of an earlier version, taken from git, beside those of this one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { git, site, until } from "../support/machines.ts";
import { PROJECT } from "../support/pawl.ts";
import { asked, withoutPostgres } from "../support/postgres.ts";
import { scratchFolder } from "../support/scratch.ts";

/** The version before this one, which CHANGELOG.md names: the first that has workers. Empty if the history does not reach so far. */
const EARLIER = git(PROJECT, "log", "--diff-filter=A", "--format=%H", "--", "src/cli/run/worker.ts").split("\n").at(-1) ?? "";

/** The earlier version hands out lanes of any run to any worker; the lease is refused. */
const TURNED_AWAY = "SELECT 1 FROM pawl_boss.job WHERE name = 'lanes' AND retry_count > 0 AND output::text LIKE '%requires a worker with%'";

describe("versions", { skip: withoutPostgres, concurrency: 2 }, () => {
	let earlier = "";
	let missing: string | false = false;

	before(() => {
		if (EARLIER === "") {
			missing = "this clone's history lacks the version before this one";
			if (process.env["CI"] === "true") throw new Error(missing);
			return console.error(`NOT TESTED: ${missing}`);
		}
		const folder = scratchFolder("earlier");
		const archive = execFileSync("git", ["archive", EARLIER, "bin", "src", "workflows", "package.json"], {
			cwd: PROJECT,
			maxBuffer: 1 << 28,
		});
		execFileSync("tar", ["-x"], { cwd: folder, input: archive });
		symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
		earlier = join(folder, "bin", "pawl");
	});

	test("A9 workers of two versions share a run of the earlier one, and leave alone what the earlier one would get wrong", async (t) => {
		if (missing !== false) return t.skip(missing);
		const s = await site("US-1", "US-2", "US-3", "US-4");
		mkdirSync(s.wait);
		const [old, current] = [s.worker("old", [], earlier), s.worker("new")];
		const first = s.run(earlier);
		await until("coding of all four", () => new Set(s.begun()).size === 4);
		const holders = await asked(s.url, "SELECT DISTINCT worker FROM pawl.lanes WHERE scope LIKE 'US-%'");
		assert.equal(holders.length, 2, "both work on it");
		writeFileSync(join(s.wait, "go"), "");
		const ended = await first.done;
		assert.equal(ended.code, 0, `${ended.all}\n${old.said()}\n${current.said()}`);
		assert.deepEqual(s.landed().sort(), s.stories);

		s.configure("requires: [linux]");
		s.plan(["US-5", "US-6", "US-7"]);
		rmSync(join(s.wait, "go"));
		const running = s.run();
		await until("the earlier version to be turned away", async () => (await asked(s.url, TURNED_AWAY)).length > 0);
		await until("coding of a story of this run", () => s.begun().some((id) => ["US-5", "US-6", "US-7"].includes(id)));
		// Not at the end: whoever comes for a lane when the run is over gets it, sees that, and leaves.
		const workers = await asked(s.url, "SELECT DISTINCT worker FROM pawl.lanes WHERE scope IN ('US-5', 'US-6', 'US-7')");
		assert.deepEqual(
			workers,
			await asked(s.url, "SELECT id AS worker FROM pawl.workers"),
			"the earlier version does not know what the run requires",
		);
		writeFileSync(join(s.wait, "go"), "");
		const second = await running.done;
		assert.equal(second.code, 0, `${second.all}\n${old.said()}\n${current.said()}`);
		assert.deepEqual(s.landed().slice(4).sort(), ["US-5", "US-6", "US-7"]);
		for (const worker of [old, current]) worker.child.kill("SIGTERM");
		for (const worker of [old, current]) assert.equal((await worker.done).code, 0, worker.said());
	});

	test("a database that needs a newer pawl is refused, with what to do", async () => {
		const s = await site("US-1");
		assert.equal((await s.pawl("workers").done).code, 0);
		await asked(s.url, "UPDATE pawl.schema_version SET version = 1000, oldest = 1000");
		for (const args of [["workers"], ["status"], ["worker", "--repo", s.shared]]) {
			const refused = await s.pawl(...args).done;
			assert.equal(refused.code, 2, refused.all);
			assert.match(refused.stderr, /made by a newer pawl \(it needs schema 1000, this one knows \d+\): update pawl to use it/);
			assert.doesNotMatch(refused.stderr, /pawl:.*@/, "no password");
		}
	});
});
