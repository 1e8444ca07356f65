// What a run leaves on one machine can be seen on every other one: logs while they are written, files, diffs.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { git, site, until } from "../support/machines.ts";
import { startPawl } from "../support/pawl.ts";
import { withoutPostgres } from "../support/postgres.ts";

const SCRIPT = 'steps: [{on: {type: retro}, do: [{say: "## What cost sessions\\n\\nNothing.\\n\\n## What to change\\n\\nNothing."}]}]\n';

describe("what travels", { skip: withoutPostgres }, () => {
	test("G-04 somebody with a clone of their own sees what agents print, what they noted, what they changed, and what was put back", async () => {
		const s = await site("US-1", "BAD");
		mkdirSync(s.wait);
		// Of somebody who fetches nothing.
		const late = join(s.folder, "late");
		git(s.folder, "clone", "-q", s.shared, late);
		const worker = s.worker("a");
		const run = s.run();
		await until("coding of both", () => new Set(s.begun()).size === 2);
		const attached = s.elsewhere("attach");
		const following = s.elsewhere("logs", "-f", "latest", "US-1");
		await until("the output of a session that runs", () => /US-1 step-\d+ coding.*US-1 begins/s.test(following.said()));
		assert.doesNotMatch(following.said(), /BAD begins/);
		assert.match((await s.elsewhere("diff", "latest", "US-1").done).all, /US-1 \(in_progress\) changed nothing/);
		writeFileSync(join(s.wait, "go"), "");
		assert.equal((await run.done).code, 1, worker.said());
		const end = await attached.done;
		assert.equal(end.code, 1, end.all);
		assert.match(end.all, /your checkout of main moved forward to [0-9a-f]{12}/);
		assert.equal(readFileSync(join(s.other(), "US-1.txt"), "utf8"), "US-1\n");
		assert.equal(git(s.other(), "status", "--porcelain"), "");
		assert.equal(git(s.other(), "rev-parse", "main"), git(s.shared, "rev-parse", "main"));
		const followed = await following.done;
		assert.equal(followed.code, 0, followed.all);
		const all = await s.elsewhere("logs", "latest", "--json").done;
		const records = all.stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as { type: string; text?: string });
		assert.equal(records.filter(({ type }) => type === "attempt").length, records.filter(({ type }) => type === "end").length);
		for (const story of s.stories) assert.ok(records.filter(({ text }) => text === `${story} begins`).length > 1, all.stdout);
		const diff = await s.elsewhere("diff", "latest", "US-1").done;
		assert.match(diff.stdout, /\+\+\+ b\/US-1\.txt/, diff.all);
		const bad = await s.elsewhere("diff", "latest", "BAD").done;
		const [, saved = ""] = /(\/\S+failures\/BAD-\S+\.diff)/.exec(bad.stderr) ?? [];
		assert.ok(saved.startsWith(s.other()), bad.all);
		assert.match(readFileSync(saved, "utf8"), /\+half/);
		const files = join(s.other(), ".pawl", "runs", readdirSync(join(s.other(), ".pawl", "runs"))[0] ?? "");
		for (const story of s.stories) assert.equal(readFileSync(join(files, "scratch.md"), "utf8").split(`${story} was here`).length, 2);
		const { stories } = JSON.parse(readFileSync(join(files, "workflow_state.json"), "utf8")) as {
			stories: Record<string, { status: string }>;
		};
		assert.deepEqual([stories["US-1"]?.status, stories["BAD"]?.status], ["completed", "failed"]);
		writeFileSync(join(s.folder, "script.yml"), SCRIPT);
		const id = readdirSync(join(s.other(), ".pawl", "runs"))[0] ?? "";
		const retro = await startPawl(["retro", id, "--script", join(s.folder, "script.yml")], { cwd: late, env: { PAWL_DB: s.url } }).done;
		assert.match(retro.stdout, /What cost sessions/, retro.all);
		worker.child.kill("SIGTERM");
		assert.equal((await worker.done).code, 0);
	});
});
