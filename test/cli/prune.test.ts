// pawl prune: what a run left is gone afterwards, and what somebody may still need is not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { ok, prd, scratch, until, WORKS } from "./scratch.ts";

interface Found {
	readonly removed: boolean;
	readonly runs: readonly { readonly id: string; readonly bytes: number }[];
	readonly refs: readonly { readonly ref: string }[];
	readonly kept: number;
}

const FAILS = `${WORKS}  - on: {type: linting, story: BAD}
    do:
      - write: {path: half.txt, content: "half\\n"}
      - fail: {exit: 3, error: "it broke"}
`;

describe("old runs", () => {
	const s = scratch({ "script.yml": FAILS });
	const folder = (run: string): string => join(s.root, ".pawl", "runs", run);
	const kept = (): string[] =>
		s
			.git("for-each-ref", "--format=%(refname)", "refs/pawl/")
			.split("\n")
			.filter((line) => line !== "");
	let [failed, done, paused] = ["", "", ""];

	const newest = async (): Promise<string> => (await s.json<{ run: string }>("status")).run;

	before(async () => {
		s.write({ "prd.json": prd({ id: "BAD" }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"), 1);
		failed = await newest();
		s.write({ "prd.json": prd({ id: "GOOD" }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"));
		done = await newest();
	});

	it("says that there is nothing to remove, if nothing is old", async () => {
		assert.match(ok(await s.pawl("prune")).stdout, /^nothing to remove; 2 runs stay\n$/);
		assert.match((await s.pawl("prune", "--older-than", "soon")).stderr, /it must be an age such as 30d or 12h/);
		assert.match((await s.pawl("prune", "--keep-size", "big")).stderr, /it must be a size such as 500MB or 2GB/);
	});

	it("removes nothing without --yes, and says what it would remove", async () => {
		const before = kept();
		assert.ok(
			before.some((ref) => ref.startsWith(`refs/pawl/kept-by/${failed}/`)),
			before.join(" "),
		);
		const { stdout } = ok(await s.pawl("prune", "--older-than", "1ms"));
		assert.match(stdout, new RegExp(`^ *${failed} +dynamic +failed `, "m"));
		assert.match(stdout, new RegExp(`^ *${done} +dynamic +completed `, "m"));
		assert.match(stdout, /^would remove 2 runs, \d+ kept refs?: .*\nremove it with: pawl prune --yes, and the same options\n$/m);
		assert.deepEqual(kept(), before);
		assert.ok(existsSync(folder(failed)) && existsSync(folder(done)));
	});

	it("keeps the newest up to a size", async () => {
		const { runs, kept: staying } = await s.json<Found>("prune", "--keep-size", "100GB");
		assert.deepEqual([runs.length, staying], [0, 2]);
		const [first, ...more] = (await s.json<Found>("prune", "--keep-size", "1")).runs;
		assert.deepEqual([first?.id, more.map(({ id }) => id)], [failed, [done]], "the oldest first");
		assert.ok((first?.bytes ?? 0) > 1000);
		const half = (await s.json<Found>("prune", "--keep-size", `${more[0]?.bytes ?? 0}`)).runs;
		assert.deepEqual(
			half.map(({ id }) => id),
			[failed],
		);
	});

	it("removes journals, folders and kept refs of runs that are over, and leaves a paused run and its work alone", async () => {
		s.write({ "prd.json": prd({ id: "LATER" }), "slow.yml": "default: {do: [{wait: 60s}]}\n" });
		const run = s.start("run", "dynamic", "--prd", "prd.json", "--script", "slow.yml");
		await until(async () => {
			const [first] = await s.json<{ run: string; status: string }[]>("runs");
			paused = first?.status === "running" ? first.run : "";
			return paused !== "";
		});
		ok(await s.pawl("pause", paused));
		await run.ended;
		const work = (name: string, date: string): string => {
			const env = { ...process.env, GIT_COMMITTER_DATE: date };
			const commit = execFileSync("git", ["commit-tree", "HEAD^{tree}", "-m", name], { cwd: s.root, env, encoding: "utf8" }).trim();
			s.git("update-ref", `refs/pawl/backup/${name}/1`, commit);
			return `refs/pawl/backup/${name}/1`;
		};
		const [old, fresh] = [work("OLD", "2020-01-01T00:00:00Z"), work("FRESH", new Date().toISOString())];
		const found = await s.json<Found>("prune", "--older-than", "1ms", "--yes");
		assert.equal(found.removed, true);
		assert.deepEqual(
			(await s.json<{ run: string }[]>("runs")).map(({ run: id }) => id),
			[paused],
		);
		assert.ok(!existsSync(folder(failed)) && !existsSync(folder(done)) && existsSync(folder(paused)));
		const left = kept();
		assert.ok(!left.some((ref) => ref.includes(failed) || ref.includes(done)), left.join(" "));
		assert.ok(!left.includes(old) && left.includes(fresh), "what was kept since the paused run began may be its own");
		assert.match((await s.pawl("status", failed)).stderr, /there is no run/);
		s.write({ "slow.yml": WORKS });
		ok(await s.pawl("resume", paused));
		assert.match(ok(await s.pawl("prune", "--older-than", "1ms", "--yes")).stdout, /^removed 1 run/m);
		assert.deepEqual(await s.json("runs"), []);
		assert.ok(!kept().some((ref) => ref.startsWith("refs/pawl/kept-by/")), kept().join(" "));
	});
});

describe("a run that ends where a thousand refs are kept", () => {
	const s = scratch({ "script.yml": WORKS });

	it("leaves git one file to read for them, and keeps all of them", async () => {
		const names = Array.from({ length: 1000 }, (_, n) => `refs/pawl/backup/OLD/${n}`);
		execFileSync("git", ["update-ref", "--stdin"], { cwd: s.root, input: names.map((name) => `create ${name} HEAD\n`).join("") });
		ok(await s.pawl("run", "dynamic", "Add a file", "--script", "script.yml"));
		assert.deepEqual(
			readdirSync(join(s.root, ".git", "refs", "pawl"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
			[],
		);
		assert.equal(s.git("for-each-ref", "--format=%(refname)", "refs/pawl/backup/").split("\n").length, names.length);
	});
});
