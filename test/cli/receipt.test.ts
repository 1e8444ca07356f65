// pawl receipt: how a commit came to be, where it was made and in a clone.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pawl } from "../support/pawl.ts";
import { ok, prd, scratch, WORKS } from "./scratch.ts";

interface Receipt {
	readonly story: string | null;
	readonly commits: readonly string[];
	readonly cost: { readonly sessions: number };
	readonly steps: readonly {
		readonly type: string;
		readonly attempts: readonly { readonly agent: string; readonly prompt: string | null }[];
	}[];
}

describe("receipts", () => {
	const s = scratch({ "script.yml": WORKS, "pawl.yml": "checks: {test: 'true'}\n" });
	const clone = mkdtempSync(join(tmpdir(), "pawl-receipt-"));
	after(() => rmSync(clone, { recursive: true, force: true }));
	const inClone = (...args: string[]) => pawl(["receipt", ...args], { cwd: clone, env: { NO_COLOR: "1", HOME: clone } });
	const git = (...args: string[]) => execFileSync("git", args, { cwd: clone, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

	before(async () => {
		s.write({ "prd.json": prd({ id: "A" }, { id: "B" }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"));
	});

	it("a run that pushes nothing leaves the notes of the repository alone until somebody asks", () => {
		assert.equal(s.git("for-each-ref", "refs/notes"), "");
	});

	it("a commit and its story have one receipt, with the sessions and what each was told", async () => {
		const ofCommit = await s.json<Receipt>("receipt");
		assert.deepEqual(ofCommit.commits, [s.git("rev-parse", "HEAD")]);
		assert.deepEqual(await s.json<Receipt>("receipt", ofCommit.story ?? ""), ofCommit);
		const coding = ofCommit.steps.find(({ type }) => type === "coding")?.attempts ?? [];
		assert.deepEqual(
			coding.map(({ agent, prompt }) => [agent, /^[0-9a-f]{16}$/.test(prompt ?? "")]),
			[["scripted", true]],
		);
		const text = ok(await s.pawl("receipt", "HEAD~1")).stdout;
		assert.match(text, /^Made by pawl: [AB] of run \S+, workflow dynamic, completed\.$/m);
		assert.match(text, /^- test \(`true`\): passed on tree [0-9a-f]{12}$/m);
	});

	it("a run as a whole had the sessions of all its stories", async () => {
		const [a, b, whole] = await Promise.all(
			[["A"], ["B"], []].map(async (story) => (await s.json<Receipt>("receipt", "--run", "latest", ...story)).cost.sessions),
		);
		assert.equal(whole, (a ?? 0) + (b ?? 0));
		assert.notEqual(whole, 0);
	});

	it("says what to do where there is none", async () => {
		assert.match(
			ok(await s.pawl("receipt", "HEAD~2"), 2).stderr,
			/no run of pawl that is known here made the commit .* git fetch REMOTE refs\/notes\/pawl/,
		);
		assert.match(
			ok(await s.pawl("receipt", "nowhere"), 2).stderr,
			/there is no commit and no story of the latest run that is called nowhere/,
		);
	});

	it("travels as a note; a receipt that somebody forged for another commit does not count where the journal is", async () => {
		git("clone", "-q", s.root, ".");
		assert.equal((await inClone()).code, 2);
		git("fetch", "-q", "origin", "refs/notes/pawl:refs/notes/pawl");
		const there = await inClone();
		assert.match(there.stderr, /from a note in the repository/);
		assert.equal(there.stdout, ok(await s.pawl("receipt")).stdout);
		s.git("notes", "--ref=pawl", "copy", "HEAD", "HEAD~2");
		assert.match(ok(await s.pawl("receipt", "HEAD~2")).stderr, /nothing confirms it/);
	});

	it("a run in the user's own tree has receipts on its commits too", async () => {
		ok(await s.pawl("write a file", "--script", "script.yml"));
		const { story, commits } = await s.json<Receipt>("receipt", "HEAD");
		assert.ok(story !== null && commits.includes(s.git("rev-parse", "HEAD")), `${story}: ${commits}`);
		const noted = s
			.git("notes", "--ref=pawl", "list")
			.split("\n")
			.map((line) => line.split(" ")[1] ?? "");
		for (const commit of commits) assert.ok(noted.includes(commit), `${commit} has no note`);
	});
});
