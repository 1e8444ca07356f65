// pawl undo: what a story or a run delivered is taken back, and said so in the PRD and in the journal.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { ok, prd, scratch, WORKS } from "./scratch.ts";

describe("undo", () => {
	const s = scratch({ "script.yml": WORKS });
	const passing = (): string[] => {
		const { stories, userStories } = JSON.parse(readFileSync(join(s.root, "prd.json"), "utf8")) as Record<
			string,
			{ id: string; passes?: boolean }[]
		>;
		return (stories ?? userStories ?? []).filter(({ passes }) => passes === true).map(({ id }) => id);
	};
	let start = "";

	before(async () => {
		s.write({ "prd.json": prd({ id: "A" }, { id: "B", dependsOn: ["A"] }) });
		start = s.git("rev-parse", "HEAD^{tree}");
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"));
	});

	it("says what it would undo, and refuses what is not there", async () => {
		const head = s.git("rev-parse", "HEAD");
		assert.match(
			ok(await s.pawl("undo", "B", "--dry-run")).stdout,
			/^[0-9a-f]{12} {2}feat\(ralph\): B - .*\nwould undo B: 1 commit on main\n$/,
		);
		assert.equal(s.git("rev-parse", "HEAD"), head);
		assert.match(ok(await s.pawl("undo", "latest", "C"), 2).stderr, /has no story C; there are A, B/);
		assert.match(ok(await s.pawl("undo", "nothing"), 2).stderr, /there is no run nothing/);
	});

	it("undoes a story: a revert commit, passes: false, an event with who did it; a second time is refused", async () => {
		const undone = ok(await s.pawl("undo", "A"));
		assert.match(undone.stderr, /B needs A/);
		assert.match(
			s.git("log", "-1", "--format=%B"),
			/^Revert "feat\(ralph\): A - [\s\S]*This reverts commit [0-9a-f]{40}\.[\s\S]*^Pawl-Undoes: \S+ A$/m,
		);
		assert.deepEqual(passing(), ["B"]);
		assert.match(ok(await s.pawl("history", "latest")).stdout, /A .* undid [0-9a-f]{12} by [0-9a-f]{12}/);
		assert.deepEqual(
			(await s.json<{ stories: { id: string; undone: boolean }[] }>("status")).stories.map(({ id, undone: is }) => [id, is]),
			[
				["A", true],
				["B", false],
			],
		);
		assert.match(ok(await s.pawl("status")).stdout, /^ *A +completed .*\(undone\)$/m);
		assert.match(ok(await s.pawl("undo", "A"), 2).stderr, /A was undone before; pawl history/);
	});

	it("refuses where a later commit changed the same lines, and says how to do it by hand; --dry-run says the same", async () => {
		const [path = ""] = s.git("show", "--format=", "--name-only", s.git("log", "-1", "--format=%H", "--grep=^feat(ralph): B")).split("\n");
		s.write({ [path]: "by hand\n" });
		s.git("commit", "-qm", "by hand", path);
		const head = s.git("rev-parse", "HEAD");
		for (const flags of [["--dry-run"], []])
			assert.match(
				ok(await s.pawl("undo", "B", ...flags), 2).stderr,
				/B cannot be undone: what came after [0-9a-f]{12} changed the same lines of \S+\. Nothing was changed\. By hand, on main: git revert [0-9a-f]{12}, resolve/,
			);
		assert.equal(s.git("rev-parse", "HEAD"), head);
		assert.deepEqual(passing(), ["B"]);
		s.git("reset", "-q", "--keep", "HEAD^");
	});

	it("undoes what is left of a run, and the tree is what it was before it", async () => {
		const { commits } = await s.json<{ commits: { by: string | null }[] }>("undo", "latest");
		assert.equal(commits.length, 1);
		assert.equal(s.git("rev-parse", "HEAD^{tree}"), start);
		assert.deepEqual(passing(), []);
	});

	it("leaves a run alone that works in the user's tree and is not over", async () => {
		s.git("add", "-A");
		s.git("commit", "-qm", "put away");
		const run = ok(await s.pawl("workflow", "run", "dynamic", "Write a file")).stdout.trim();
		assert.match(ok(await s.pawl("undo", run), 2).stderr, /is running: it can be undone when it is over \(pawl cancel /);
	});
});
