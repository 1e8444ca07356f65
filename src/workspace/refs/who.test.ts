// Telling a session's git commands from others, without running any.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Move } from "./reflog.ts";
import { SessionCommands } from "./who.ts";
import { means, writtenBy } from "./writers.ts";

const words = (line: string): string[] => line.split(" ");

const cases: readonly (readonly [command: string, written: string])[] = [
	["commit -m main", "head"],
	["merge main", "head"],
	["rebase main", "head"],
	["rebase --onto main topic", "head"],
	["rebase main topic", "topic head"],
	["log main", ""],
	["diff main...HEAD", ""],
	["checkout main -- a.txt", "head"],
	["checkout -b topic main", "topic head"],
	["switch -C topic", "topic head"],
	["branch", ""],
	["branch -a", ""],
	["branch --contains main", ""],
	["branch topic main", "topic"],
	["branch -f main HEAD", "main"],
	["branch -D one two", "one two"],
	["branch -m old new", "old new head"],
	["tag", ""],
	["tag -l v*", ""],
	["tag -a -m main v1 HEAD", "v1"],
	["tag -d v1 v2", "v1 v2"],
	["update-ref -m why refs/heads/main abc", "refs/heads/main"],
	["update-ref --stdin", "any"],
	["update-ref HEAD abc", "HEAD head"],
	["stash", "stash"],
	["stash push -m main", "stash"],
	["stash drop", "stash"],
	["stash list", ""],
	["stash apply", ""],
	["fetch origin", ""],
	["fetch . HEAD:main", "main"],
	["pull --rebase origin main", "head"],
	["push origin main", ""],
	["push . HEAD:main", "main"],
	["push --mirror ../copy", "any"],
	["worktree list", ""],
	["worktree add -b topic ../x main", "topic worktrees"],
	["worktree remove ../x", "worktrees"],
	["reflog", ""],
	["reflog expire --all", "any"],
	["filter-branch -- --all", "any"],
	["status", ""],
];
for (const [command, expected] of cases) {
	test(`G-22: what \`git ${command}\` may write`, () => {
		const { names, head, stash, worktrees, any } = writtenBy(words(command));
		const said = [...names, head && "head", stash && "stash", worktrees && "worktrees", any && "any"].filter(Boolean);
		assert.equal(said.join(" "), expected);
	});
}

test("G-22: names mean refs as git reads them", () => {
	assert.ok(means("main", "refs/heads/main") && means("v1", "refs/tags/v1") && means("refs/heads/a/b", "refs/heads/a/b"));
	assert.ok(means("heads/x", "refs/heads/x") && means("+x", "refs/heads/x"));
	assert.ok(!means("main", "refs/heads/other/main"));
});

const move = (why: string, at: number): Move => ({ from: `before ${why}`, to: `after ${why}`, at, why });
const command = (line: string, from: number, to: number, worktree = "/w") => ({ args: line.split("|"), worktree, from, to });

test("G-03: of two commits in the same second, the session's is the one whose message it gave", () => {
	const [theirs, ours] = [move("commit: of a person", 100), move("commit: half of it", 100)];
	const session = new SessionCommands([command("commit|-m|half of it", 100_200, 100_300)], ["/w"]);
	assert.deepEqual(session.madeBySession("refs/heads/main", [theirs, ours], ["/w"]), new Set([ours]));
});

test("G-03: a commit by an editor takes one move of its time, a cherry-pick several; none is taken from another checkout or time", () => {
	const moves = [
		move("commit: one", 100),
		move("commit: two", 101),
		move("cherry-pick: a", 105),
		move("cherry-pick: b", 106),
		move("commit: late", 200),
	];
	const [one, , a, b] = moves;
	const session = new SessionCommands(
		[
			command("commit", 100_500, 101_500),
			command("cherry-pick|x..y", 105_000, 106_900),
			command("commit|-m|late", 200_000, 200_500, "/elsewhere"),
		],
		["/w", "/elsewhere"],
	);
	assert.deepEqual(session.madeBySession("refs/heads/main", moves, ["/w"]), new Set([one, a, b]));
});

test("G-22: what ran in another repository does not count", () => {
	const session = new SessionCommands([command("branch|-D|main", 1, 2, "/tmp/other")], ["/w"]);
	assert.equal(session.names("refs/heads/main"), false);
	assert.equal(new SessionCommands([command("branch|-D|main", 1, 2)], ["/w"]).names("refs/heads/main"), true);
});

test("G-22: git's log may say the second before the command began, because its clock lags some milliseconds behind", () => {
	const merge = move("merge ralph/US-001: Fast-forward", 100);
	const made = (from: number) =>
		new SessionCommands([command("merge|ralph/US-001", from, from + 20)], ["/w"]).madeBySession("refs/heads/main", [merge], ["/w"]);
	assert.deepEqual(made(101_003), new Set([merge]));
	assert.deepEqual(made(101_400), new Set());
});
