// ADR 17: one place decides and commits. What is decided beside it is a second driver, and the second one forgets what the first one keeps.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const src = join(import.meta.dirname, "..", "..", "src");

/** The dry run and the estimate decide the first steps of a run and commit nothing. */
const DECIDES = ["engine/run.ts", "runs/look/estimate.ts", "runs/start/dry-run.ts"];
const COMMITS = ["engine/run.ts"];

const product = globSync("**/*.ts", { cwd: src })
	.filter((file) => !/\.(test|suite|child)\.ts$|(^|\/)testing\//.test(file) && !file.startsWith("core/"))
	.sort();
const holding = (pattern: RegExp): string[] => product.filter((file) => pattern.test(readFileSync(join(src, file), "utf8")));

test("only run.ts, the dry run and the estimate call transition, under whatever name they import it", () => {
	assert.ok(product.length > 200);
	assert.deepEqual(holding(/\btransition\(/), DECIDES);
	assert.deepEqual(holding(/\bimport\b(?! type\b)[^;]*\bfrom "[^"]*\/core\/transition\.ts"/), DECIDES);
});

test("only run.ts commits to the store", () => {
	assert.deepEqual(holding(/\.commit\(|\bstore\.commit\b|\bcommit\b[^;\n]*\} = [\w.]*store\b/), COMMITS);
});
