import assert from "node:assert/strict";
import { test } from "node:test";
import { gitAddress, redactAddresses } from "./git-address.ts";

test("addresses that people use are taken as they are", () => {
	for (const address of [
		"https://example.org/team/project.git",
		"https://ann@example.org/team/project",
		"ssh://git@example.org:2222/team/project.git",
		"git+ssh://git@example.org/project",
		"git@example.org:team/project.git",
		"example.org:project",
		"git@[::1]:project",
		"file:///srv/git/project.git",
		"/srv/git/project.git",
		"http://127.0.0.1:8080/project",
		"http://[::1]:8080/project",
	])
		assert.deepEqual(gitAddress(address), { address });
});

test("what would run a program, be an option or travel in the clear is refused", () => {
	for (const address of [
		"ext::sh -c touch% /tmp/x",
		"ext::sh",
		"fd::3",
		"::x",
		"--upload-pack=touch",
		"-oProxyCommand=x",
		"ssh://-oProxyCommand=x/y",
		"ssh://-x@host/y",
		"-x@host:path",
		"host:-x",
		'"::',
		"$(x)@host:path",
		"http://example.org/project",
		"http://localhost.example.org/project",
		"git://example.org/project",
		"ftp://example.org/x",
		"file://elsewhere/srv/x",
		"project",
		"../project",
		"https:///project",
		"https://example.org/a b",
		"https://example.org/a\n",
		"https://example.org/a?token=1",
		"",
	])
		assert.ok("problem" in gitAddress(address), address);
});

test("a password in the address is refused, and the refusal does not repeat it", () => {
	for (const address of [
		"https://ann:s3cret@example.org/p",
		"https://:s3cret@example.org/p",
		"ssh://git:s3cret@example.org/p",
		"https://ghp_s3cret@example.org/p",
		"https://a:b@s3cret@example.org/p",
	]) {
		const { problem } = gitAddress(address) as { problem: string };
		assert.match(problem, /credential helper/, address);
		assert.doesNotMatch(problem, /s3cret/);
	}
});

test("messages of git show no login of a web address, wherever it stands", () => {
	const said =
		"fatal: unable to access 'https://ann:s3cret@example.org/p/': gone; see http://tok@h/ and ssh://git@h/p, ssh://git:s3cret@h/p";
	assert.equal(
		redactAddresses(said),
		"fatal: unable to access 'https://…@example.org/p/': gone; see http://…@h/ and ssh://git@h/p, ssh://…@h/p",
	);
});
