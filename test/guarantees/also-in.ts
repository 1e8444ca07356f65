// Which tests show a guarantee with real git and real processes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

/** Each of them has to be there, with the id in the name of a test. */
export function alsoIn(id: string, ...files: readonly [string, ...string[]]): void {
	for (const file of files)
		test(`${id} is also shown with real git or processes by ${file}`, () => {
			const text = readFileSync(join(import.meta.dirname, "..", "..", file), "utf8");
			assert.match(text, new RegExp(`\\b(test|it|describe)\\(\\s*["'\`][^"'\`\\n]*\\b${id}\\b`));
		});
}
