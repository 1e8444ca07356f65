// The check of the built site finds links, pictures and anchors that lead nowhere, and only those.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenLinks } from "../../scripts/site-check.ts";
import { put, scratchFolder } from "../support/scratch.ts";

test("links of the built site are followed to their files and headings", () => {
	const folder = scratchFolder("site");
	put(folder, {
		"index.html": '<h2 id="one">One</h2><a href="/a/b.html#two">b</a><a href="https://example.com/x">elsewhere</a>',
		"a/b.html": '<h2 id="two">Two</h2><a href="./../#one">up</a><a href="#two">here</a><img alt="" src="../p.png">',
		"p.png": "",
	});
	assert.deepEqual(brokenLinks(folder), []);
	put(folder, { "a/c.html": '<a href="/no.html">x</a><a href="./b.html#three">x</a><a href="#four">x</a><img src="q.png">' });
	assert.deepEqual(brokenLinks(folder), [
		"a/c.html: /no.html: there is no such file",
		"a/c.html: ./b.html#three: there is no such heading",
		"a/c.html: #four: there is no such heading",
		"a/c.html: q.png: there is no such file",
	]);
	assert.deepEqual(brokenLinks(folder, "/below/").slice(-1), ["index.html: /a/b.html#two: it is outside of /below/"]);
});
