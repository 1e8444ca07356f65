import assert from "node:assert/strict";
import { test } from "node:test";
import { hostOf, projectOf } from "./host.ts";

test("the host of a remote, in every form that git takes", () => {
	for (const [url, host] of [
		["https://github.com/a/b.git", "github.com"],
		["https://user:secret@git.example.org:8443/a/b", "git.example.org"],
		["git@github.com:a/b.git", "github.com"],
		["ssh://git@git.example.org:2222/a/b.git", "git.example.org"],
		["gitlab.example.org:group/sub/b.git", "gitlab.example.org"],
		["/srv/git/b.git", null],
		["../b.git", null],
		["file:///srv/b.git", null],
		["c:/code/b.git", null],
		["", null],
	] as const)
		assert.equal(hostOf(url), host, url);
});

test("a project has one name, however its remote is written, and never a password", () => {
	for (const url of ["https://me:pw@GitHub.com/A/b.git", "git@github.com:a/b.git", "ssh://git@github.com/a/b/", "https://github.com/a/b"])
		assert.equal(projectOf(url), "github.com/a/b", url);
	assert.equal(projectOf("/srv/git/b.git"), "/srv/git/b.git");
});
