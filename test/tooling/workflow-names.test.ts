// The law that no code knows one workflow from another: core and engine do not even hold their names. What a workflow needs and the
// language lacks becomes a construct of the language.
import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const names = readdirSync(join(root, "workflows"));

test("no file of core or engine holds the name of a workflow", () => {
	assert.ok(names.length >= 5);
	// Tests run the built-in workflows by their names.
	const files = globSync(["src/core/**/*.ts", "src/engine/**/*.ts"], { cwd: root }).filter(
		(file) => !/\.(test|suite|child)\.ts$/.test(file),
	);
	assert.ok(files.length > 50);
	// `dynamic` is an English word too: only the name itself, in quotes, counts.
	const words = names.map((name) => (name === "dynamic" ? `["'\`]dynamic["'\`]` : `(?<![a-z])${name}(?![a-z])`));
	const pattern = new RegExp(words.join("|"), "i");
	const found = files.flatMap((file) =>
		readFileSync(join(root, file), "utf8")
			.split("\n")
			.flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
	);
	assert.deepEqual(found, []);
});
