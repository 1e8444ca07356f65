// The published schemas: up to date with the code, listed on the page about files, and neither too strict nor too loose for documents
// that pawl reads and refuses. That the output of real runs fits: test/demos/demos.long.test.ts.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { prdJsonSchema } from "../../src/format/prd/json-schema.ts";
import { documentTypes, publishedText, SCHEMAS, type SchemaName } from "../../src/schemas/all.ts";
import { readPrd } from "../../src/text/story-list.ts";
import { services } from "../../src/wiring.ts";
import { assertFits, faultsOf } from "../support/schemas.ts";
import { PROJECT, page } from "./pages.ts";

const NAMES = Object.keys(SCHEMAS) as SchemaName[];

test("T-62 the files in schema/ are what the code gives: node src/schemas/write-schemas.ts", () => {
	const file = (name: string): string => readFileSync(join(PROJECT, "schema", `${name}.schema.json`), "utf8");
	for (const name of NAMES) assert.equal(file(name), publishedText(name), name);
	assert.equal(readFileSync(join(PROJECT, "src", "library", "documents.ts"), "utf8"), documentTypes(services.flags));
	assert.equal(file("prd"), `${JSON.stringify(prdJsonSchema(), null, 2)}\n`, "node src/format/prd/write-schema.ts");
});

test("T-62 docs/files.md lists every schema of the package", () => {
	const files = globSync("*.schema.json", { cwd: join(PROJECT, "schema") }).map((file) => basename(file, ".schema.json"));
	assert.ok(files.length >= 6);
	const { text } = page("docs/files.md");
	assert.deepEqual(
		files.filter((name) => !text.includes(`| [\`${name}\`](../schema/${name}.schema.json)`)),
		[],
	);
});

const story = { id: "US-1", title: "Say hello" };
const ACCEPTED: readonly unknown[] = [
	{ userStories: [story] },
	{ name: "n", stories: [{ ...story, depends_on: [], passes: true, priority: 2, notes: "kept" }], loop_settings: {} },
	[{ ...story, acceptanceCriteria: ["a"], description: null }],
];
const REFUSED: readonly unknown[] = [
	{},
	[],
	{ stories: [] },
	{ stories: [{ id: "US-1" }] },
	{ stories: [{ id: "a b", title: "x" }] },
	{ stories: [{ ...story, title: " " }] },
	{ stories: [{ ...story, passes: "yes" }] },
	{ stories: [{ ...story, dependsOn: "US-2" }] },
];

test("T-62 the schema of prd.json accepts and refuses what the reader does", () => {
	for (const document of ACCEPTED) {
		assert.equal(readPrd(JSON.stringify(document)).ok, true, JSON.stringify(document));
		assert.equal(faultsOf("prd", document, false), "");
	}
	for (const document of REFUSED) {
		assert.equal(readPrd(JSON.stringify(document)).ok, false, JSON.stringify(document));
		assert.notEqual(faultsOf("prd", document, false), "", JSON.stringify(document));
	}
	for (const file of globSync("workflows/*/demo*.json", { cwd: PROJECT })) {
		const document: unknown = JSON.parse(readFileSync(join(PROJECT, file), "utf8"));
		if (readPrd(JSON.stringify(document)).ok) assert.equal(faultsOf("prd", document, false), "", file);
	}
});

test("T-62 an event that lacks a key or has one too many is noticed", () => {
	const event = { event: "story_claimed", at: 1, version: 3, scope: "US-1", slot: 1 };
	assertFits("event", event);
	const { slot: _, ...less } = event;
	assert.notEqual(faultsOf("event", less, false), "");
	const more = { ...event, added: "later" };
	assert.equal(faultsOf("event", more, false), "", "a new version may add a key");
	assert.notEqual(faultsOf("event", more, true), "");
});
