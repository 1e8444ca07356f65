// pawl bundle: one archive about a run, without secrets.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { ok, prd, scratch, WORKS } from "./scratch.ts";

describe("bundle", () => {
	const token = `ghp_${"k9Z".repeat(10)}`;
	const s = scratch({ "script.yml": WORKS, "pawl.yml": `# ${token}\nchecks: {test: 'true'}\n` });
	const tar = (...args: string[]): string => execFileSync("tar", args, { cwd: s.root, encoding: "utf8" });
	let run = "";

	before(async () => {
		s.write({ "prd.json": prd({ id: "A" }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"));
		run = (await s.json<{ run: string }>("status")).run;
		const folder = join(s.root, ".pawl", "runs", run);
		writeFileSync(join(folder, "binary"), Buffer.from([0, 1]));
		writeFileSync(join(s.root, "outside.txt"), "not the run's");
		symlinkSync(join(s.root, "outside.txt"), join(folder, "link.txt"));
		s.write({ "elsewhere/key.txt": "not the run's either" });
		symlinkSync(join(s.root, "elsewhere"), join(folder, "linked"));
	});

	it("holds journal, state, logs, configuration and versions; no secret, no path of the home, nothing that a link leads to", async () => {
		const { stdout, stderr } = ok(await s.pawl("bundle"));
		assert.match(stdout, new RegExp(`pawl-${run}\\.tar\\.gz: \\d+ files, .*\nIt holds your prompts`));
		assert.match(stderr, /files\/binary is not in it: it is no text/);
		const names = tar("-tzf", `pawl-${run}.tar.gz`).split("\n");
		for (const name of ["versions.json", "status.json", "journal.jsonl", "pawl.yml", "files/workflow_state.json"])
			assert.ok(names.includes(`${run}/${name}`), name);
		assert.ok(names.some((name) => name.startsWith(`${run}/files/logs/A/step-`)));
		const all = tar("-xzOf", `pawl-${run}.tar.gz`);
		for (const secret of [token, s.root, "not the run's", "not the run's either"]) assert.equal(all.includes(secret), false, secret);
		assert.match(all, /"pawl": "\d/);
	});

	it("overwrites nothing, and leaves out the logs if asked", async () => {
		assert.match(ok(await s.pawl("bundle"), 2).stderr, /exists already: name another file with --output/);
		const { files } = await s.json<{ files: string[] }>("bundle", "latest", "-o", "small.tgz", "--no-logs");
		assert.ok(existsSync(join(s.root, "small.tgz")) && !files.some((file) => file.includes("/logs/")));
	});
});
