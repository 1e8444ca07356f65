import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { keepOutOfGit } from "../../files/ignore-file.ts";
import { tornOf } from "../tree/torn.ts";
import { mendWorktrees } from "./durable.ts";
import { durableArgs, durableEnv } from "./sync-setting.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-durable-")));
after(() => rmSync(folder, { recursive: true, force: true }));
const git = (args: readonly string[], cwd = folder, env: Readonly<Record<string, string>> = {}): string =>
	execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } }).trimEnd();

test("I1: git takes the settings that make commits survive a loss of power, from our arguments and from the environment of a session", () => {
	git(["init", "-q", "-b", "main"]);
	assert.equal(git([...durableArgs(false), "config", "core.fsync"]), "all");
	assert.equal(git([...durableArgs(true), "config", "core.fsync"]), "committed,derived-metadata,reference");
	assert.equal(git(["config", "core.fsync"], folder, durableEnv), "all");
	for (const own of [true, false]) assert.equal(git([...durableArgs(own), "config", "core.fsyncMethod"]), "fsync");
	assert.equal(git(["config", "core.fsyncMethod"], folder, durableEnv), "fsync");
	const user = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "Ada" };
	assert.equal(git(["config", "user.name"], folder, { ...durableEnv, ...user }), "Ada", "what the user has set stays");
	// A value that git does not understand would be an error of every call.
	git([...durableArgs(true), "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first"]);
});

test("I8: a worktree of ours whose files a loss of power left empty does not keep git from listing the others", async () => {
	git(["worktree", "add", "-q", "--detach", join(folder, ".pawl", "worktrees", "agent-1")]);
	truncateSync(join(folder, ".git", "worktrees", "agent-1", "commondir"));
	assert.throws(() => git(["worktree", "list"]), /commondir/);
	await mendWorktrees(join(folder, ".git"));
	assert.equal(git(["worktree", "list"]).split("\n").length, 2);
});

test("I5: an ignore file that a loss of power left empty is written again, one with content is left alone", () => {
	const file = join(folder, ".pawl", ".gitignore");
	writeFileSync(file, "");
	keepOutOfGit(join(folder, ".pawl"));
	assert.match(readFileSync(file, "utf8"), /^\/\*\n/);
	writeFileSync(file, "of the user\n");
	keepOutOfGit(join(folder, ".pawl"));
	assert.equal(readFileSync(file, "utf8"), "of the user\n");
});

test("I7: only changed files that hold nothing are taken for torn", () => {
	for (const [name, text] of Object.entries({ empty: "", zeros: "\0\0\0", text: "x", added: "" })) writeFileSync(join(folder, name), text);
	const changed = [
		["M", "empty"],
		["M", "zeros"],
		["M", "text"],
		["A", "added"],
		["D", "gone"],
	] as const;
	assert.deepEqual(tornOf(folder, changed), ["empty", "zeros"]);
});
