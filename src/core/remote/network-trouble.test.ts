import assert from "node:assert/strict";
import { test } from "node:test";
import { isNetworkTrouble } from "./network-trouble.ts";

test("what git, gh and glab print when the network or the server is away", () => {
	for (const text of [
		"fatal: unable to access 'https://x/': Could not resolve host: x",
		"ssh: connect to host x port 22: Connection timed out",
		"error connecting to api.github.com\ncheck your internet connection",
		'Post "https://x/api/graphql": dial tcp 127.0.0.1:1: connect: connection refused',
		"HTTP 502: Bad Gateway (https://api.github.com/graphql)",
		"POST https://gitlab.com/api/v4/x: 503 {message: Service Unavailable}",
		"fatal: unable to access 'https://x/': The requested URL returned error: 503",
		"fatal: the remote end hung up unexpectedly",
	])
		assert.ok(isNetworkTrouble(text), text);
});

test("what a person has to settle is no trouble of the network", () => {
	for (const text of [
		"fatal: '/nowhere' does not appear to be a git repository",
		"! [rejected] main -> main (non-fast-forward)",
		"HTTP 401: Bad credentials (https://api.github.com/graphql)",
		"HTTP 422: Validation Failed: No commits between main and x",
		"insufficient_scope: no rights",
		"pull request create failed: GraphQL: was submitted too quickly, issue 5020 (createPullRequest)",
	])
		assert.ok(!isNetworkTrouble(text), text);
});
