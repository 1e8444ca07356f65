// Links between documents, and into the sources, lead somewhere.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, it } from "node:test";
import { anchorOf, PAGES, type Page, PROJECT, readPage, withoutSpans } from "./pages.ts";

function broken(page: Page): string[] {
	return page.prose.flatMap((line, index) =>
		[...line.replace(/`([^`]*)`(?=[^\]]*\]\()/g, "$1").matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
			const problem = problemOf(page, target);
			return problem === null ? [] : [`${page.path}:${index + 1}: ${target}: ${problem}`];
		}),
	);
}

function problemOf(from: Page, target: string): string | null {
	if (/^[a-z]+:/.test(target)) return null;
	const [path = "", anchor] = target.split("#");
	const file = path === "" ? from.path : normalize(join(dirname(from.path), path));
	if (path !== "" && !existsSync(join(PROJECT, file))) return "there is no such file";
	if (anchor === undefined) return null;
	const to = file === from.path ? from : PAGES.find((one) => one.path === file);
	return to && headings(to).includes(anchor) ? null : "there is no such heading";
}

const headings = (page: Page): string[] => page.prose.flatMap((line) => (/^#+ /.test(line) ? [anchorOf(line.replace(/^#+ /, ""))] : []));

describe("links in the documents", () => {
	it("lead to files and headings that are there", () => assert.deepEqual(PAGES.flatMap(broken), []));

	it("are found broken by this test where they are", () => {
		const bad = readPage("docs/made-up.md", "# One\n\n[a](no.md) [b](#one) [c](#two) [`d`](cli.md#nothing)\n");
		assert.deepEqual(
			broken(bad).map((line) => line.split(": ").slice(1).join(": ")),
			["no.md: there is no such file", "#two: there is no such heading", "cli.md#nothing: there is no such heading"],
		);
	});

	it("reach every page of docs/ from the README", () => {
		const seen = new Set(["README.md"]);
		for (const path of seen) {
			const text = PAGES.find((one) => one.path === path)?.prose.join("\n") ?? "";
			for (const [, target = ""] of text.matchAll(/\]\(([^)\s#]+)/g)) {
				const file = normalize(join(dirname(path), target));
				for (const one of PAGES) if (one.path === file || one.path.startsWith(`${file}/`)) seen.add(one.path);
			}
		}
		assert.deepEqual(
			PAGES.map((one) => one.path).filter((path) => path.startsWith("docs/") && !seen.has(path)),
			[],
		);
	});

	it("name no path of this or that machine", () => {
		const found = PAGES.flatMap(({ path, text }) =>
			[...text.matchAll(/(?<![\w.~-])\/(?:work|root|home|tmp|Users)\/\S*/g)].map(([hit]) => `${path}: ${hit}`),
		);
		assert.deepEqual(found, []);
		assert.equal(withoutSpans("a `b` c"), "a  c");
	});
});
