// One word a thing: the glossary's words to avoid are avoided, and the words of the code are in the glossary.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PAGES, page, withoutSpans } from "./pages.ts";

const glossary = page("CONTEXT.md");
const rows = glossary.prose.filter((line) => line.startsWith("| "));
const split = rows.findIndex((line) => line.startsWith("| instead of"));
const avoided = rows.slice(split + 1).flatMap((line) => (line.split("|")[1] ?? "").split(",").map((word) => word.trim()));

const used = (text: string): string[] => avoided.filter((word) => new RegExp(`\\b${word}s?\\b`, "i").test(text));

describe("CONTEXT.md", () => {
	it("has words to avoid, which the other pages avoid", () => {
		assert.ok(avoided.includes("orchestrator"));
		const found = PAGES.filter((one) => one !== glossary).flatMap((one) =>
			one.prose.flatMap((line, index) =>
				used(withoutSpans(line).replace(/"[^"]*"/g, "")).map((word) => `${one.path}:${index + 1}: ${word}`),
			),
		);
		assert.deepEqual(found, []);
	});

	it("explains the words that the others are made of", () => {
		const said = rows.slice(0, split).join("\n");
		const words =
			"workflow run story step attempt role report signal route gate edit budget evidence journal projection inbox check slot base".split(
				" ",
			);
		assert.deepEqual(
			words.filter((word) => !said.includes(`**${word}**`)),
			[],
		);
	});
});
