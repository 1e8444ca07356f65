// What pawl does with the branch of a run: pushed or not, a pull request or its text.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { exited } from "../support/pawl.ts";
import { develops, plans, says, script, site, story } from "../support/pipeline-site.ts";
import { exists, git, put, read, scratchFolder } from "../support/scratch.ts";

const GH = (folder: string, create = "echo https://forge.invalid/pr/7") => `#!/bin/sh
echo "$*" >> ${folder}/calls
case "$1 $2" in
"auth status") exit 0 ;;
"pr list") [ -e ${folder}/open ] && echo https://forge.invalid/pr/7; exit 0 ;;
"pr create") : > ${folder}/open; ${create} ;;
esac
`;

function withRemote(s: ReturnType<typeof site>): string {
	const bare = scratchFolder("bare");
	git(bare, "init", "-q", "--bare", "-b", "main");
	s.git("remote", "add", "origin", bare);
	s.git("push", "-q", "origin", "main");
	return bare;
}
const heads = (bare: string) => git(bare, "for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
const straight = () =>
	script([
		plans({ step: "plan" }, [story(1)]),
		develops({ step: "implement" }),
		says({ type: "review", attempt: 1 }, "STATUS: retry\nFEEDBACK: more\n"),
		develops({ type: "review-fix" }, "fix: more"),
	]);
const run = (s: ReturnType<typeof site>, file: string, ...more: string[]) =>
	s.pawl("run", "feature-dev", "A task", "--agent", "scripted", "--script", file, ...more);

test("with --push the branch is pushed and one pull request opened; a fix is pushed on top", async () => {
	const s = site();
	const bare = withRemote(s);
	const folder = scratchFolder("gh");
	s.program("gh", GH(folder));
	const ended = exited(await run(s, straight(), "--push"), 0);
	assert.deepEqual(heads(bare), ["refs/heads/feature/status", "refs/heads/main"]);
	assert.equal(git(bare, "log", "-1", "--format=%s", "feature/status"), "fix: more");
	assert.match(ended.stdout, /pull request: https:\/\/forge\.invalid\/pr\/7/);
	assert.equal(
		read(folder, "calls")
			.split("\n")
			.filter((line) => line.startsWith("pr create")).length,
		1,
	);
	assert.match(read(folder, "calls"), /pr create --base main --head feature\/status --title A task --body-file/);
});

test("G-09 without --push nothing leaves the repository, whoever is logged in", async () => {
	const s = site();
	const bare = withRemote(s);
	const folder = scratchFolder("gh");
	s.program("gh", GH(folder));
	exited(await run(s, straight()), 0);
	assert.deepEqual(heads(bare), ["refs/heads/main"]);
	assert.equal(exists(folder, "calls"), false);
});

test("pushed, but nobody is logged in: the text is in a file", async () => {
	const s = site();
	const bare = withRemote(s);
	s.program("gh", "#!/bin/sh\nexit 1\n");
	s.program("glab", "#!/bin/sh\nexit 1\n");
	const ended = exited(await run(s, straight(), "--push"), 0);
	assert.deepEqual(heads(bare), ["refs/heads/feature/status", "refs/heads/main"]);
	assert.match(ended.stdout, /pull request: not opened; its text is in/);
});

test("a push that is refused is a person's to decide; when it works again, retry goes on", async () => {
	const s = site();
	const bare = withRemote(s);
	const folder = scratchFolder("gh");
	s.program("gh", GH(folder));
	s.git("remote", "set-url", "origin", join(bare, "nowhere"));
	exited(await run(s, straight(), "--push"), 3);
	assert.equal(exists(folder, "calls"), false);
	s.git("remote", "set-url", "origin", bare);
	exited(await s.pawl("retry"), 0);
	assert.deepEqual(heads(bare), ["refs/heads/feature/status", "refs/heads/main"]);
});

/** What glab prints. */
const REQUEST = '{"iid":4,"web_url":"https://gitlab.invalid/x/-/merge_requests/4"}';
const GLAB = (folder: string, create = `: > ${folder}/open; echo '${REQUEST}'`) => `#!/bin/sh
for word in "$@"; do printf '<%s> ' "$word"; done >> ${folder}/calls
echo >> ${folder}/calls
case "$1 $3 $4" in
"auth "*) exit 0 ;;
"api --method POST") ${create} ;;
"api "*) [ -e ${folder}/open ] && echo '[${REQUEST}]' || echo '[]' ;;
esac
`;
const created = (folder: string): string[] =>
	read(folder, "calls")
		.split("\n")
		.filter((line) => line.includes("<--method> <POST>"));

function onGitLab(create?: string) {
	const s = site();
	const bare = withRemote(s);
	const folder = scratchFolder("glab");
	s.program("gh", "#!/bin/sh\nexit 1\n");
	s.program("glab", GLAB(folder, create));
	return { s, bare, folder };
}

test("GitLab: with --push one merge request is opened; a fix is pushed on top of it", async () => {
	const { s, bare, folder } = onGitLab();
	const ended = exited(await run(s, straight(), "--push"), 0);
	assert.equal(git(bare, "log", "-1", "--format=%s", "feature/status"), "fix: more");
	assert.match(ended.stdout, /pull request: https:\/\/gitlab\.invalid\/x\/-\/merge_requests\/4/);
	const [call = "", ...more] = created(folder);
	assert.deepEqual(more, [], "the second time the one that is open is found");
	assert.match(
		call,
		/<--raw-field> <source_branch=feature\/status> <--raw-field> <target_branch=main> <--raw-field> <title=A task> <--raw-field> <description=/,
	);
});

test("GitLab: a merge request that somebody has opened already is taken", async () => {
	const { s, bare, folder } = onGitLab();
	put(folder, { open: "" });
	const ended = exited(await run(s, straight(), "--push"), 0);
	assert.deepEqual(created(folder), []);
	assert.match(ended.stdout, /pull request: https:\/\/gitlab\.invalid\/x\/-\/merge_requests\/4/);
	assert.deepEqual(heads(bare), ["refs/heads/feature/status", "refs/heads/main"]);
});

test("GitLab: what glab refuses is a person's to decide, with its words; when it works again, retry goes on", async () => {
	const { s, folder } = onGitLab("echo 'insufficient_scope: no rights' >&2; exit 1");
	const ended = exited(await run(s, straight(), "--push"), 3);
	assert.match(ended.all, /glab opened no pull request for feature\/status: insufficient_scope: no rights/);
	assert.equal(created(folder).length, 2, "it was tried twice");
	s.program("glab", GLAB(folder));
	exited(await s.pawl("retry"), 0);
	assert.deepEqual(s.rows("select status from runs"), [{ status: "completed" }]);
	assert.equal(created(folder).length, 3);
});

test("GitLab: glab that says it is done and prints no address is not believed", async () => {
	const { s } = onGitLab("echo {}");
	const ended = exited(await run(s, straight(), "--push"), 3);
	assert.match(ended.all, /glab printed no address/);
});
