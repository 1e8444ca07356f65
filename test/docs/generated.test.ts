// docs/reference/ is what the code gives, and the list of documents has every page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { referencePages } from "../../scripts/reference.ts";
import { forSite, sitePages } from "../../scripts/site-pages.ts";
import { PAGES, PROJECT, page } from "./pages.ts";

test("docs/reference/ is up to date: npm run reference", async () => {
	for (const [name, text] of Object.entries(await referencePages()))
		assert.equal(readFileSync(join(PROJECT, "docs", "reference", name), "utf8"), text, `docs/reference/${name}: npm run reference`);
});

test("every key of pawl.yml and workflow.yml says what it is for", async () => {
	const pages = await referencePages();
	const silent = ["pawl-yml.md", "workflow-yml.md"].flatMap((name) =>
		(pages[name] ?? "").split("\n").filter((line) => /^\| `.*\| \|$/.test(line)),
	);
	assert.deepEqual(silent, []);
});

test("docs/README.md lists every page, in groups that become the sidebar", () => {
	const { text } = page("docs/README.md");
	const listed = new Set([...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path = ""]) => path));
	const pages = PAGES.map(({ path }) => path).filter((path) => /^docs\/(reference\/)?[^/]+\.md$/.test(path) && path !== "docs/README.md");
	assert.deepEqual(
		pages.filter((path) => !listed.has(path.slice("docs/".length))),
		[],
	);
	// Pages of a folder that has a list of its own.
	const decisions = page("docs/adr/README.md").text;
	const missing = PAGES.filter(({ path }) => path.startsWith("docs/adr/0") && !decisions.includes(`](${path.slice("docs/adr/".length)})`));
	assert.deepEqual(
		missing.map(({ path }) => path),
		[],
	);
});

test("the site has every document, and every link of one as the site has it", () => {
	const pages = new Map(sitePages(PROJECT).map(({ path, text }) => [path, text]));
	for (const path of ["index.md", "cli.md", "adr/index.md", "project/architecture.md", "source/workflows/plan/workflow-yml.md"])
		assert.ok(pages.has(path), path);
	assert.match(pages.get("index.md") ?? "", /\]\(\.\/project\/architecture\.md\)/);
	assert.match(pages.get("project/readme.md") ?? "", /\]\(\.\.\/cli\.md\)/);
});

test("only prose is rewritten for the site, never code", () => {
	const text = '[a](b.md) ![c](d.png) <img src="e.svg" alt="">\n\n```sh\n[a](b.md)\n```\n\n````text\n```\n[a](b.md)\n````\n';
	const site = forSite(
		text,
		() => "X",
		() => "Y",
	);
	assert.equal(site, text.replace("[a](b.md)", "[a](X)").replace("e.svg", "Y"));
});
