import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { missingSymbols, namedSymbols } from "./symbols.ts";

describe("T-50 names that a Rust spec needs and the crate does not have", () => {
	it("reads calls and declarations in backticks, not methods, paths, macros or prose", () => {
		assert.deepEqual(
			namedSymbols("`sum(2, 3)` gives 5, `struct Total` holds it, `x.len()`, `Vec::new()`, `assert_eq!(a, b)`, call sum(1)"),
			["sum", "Total"],
		);
	});
	it("leaves out what a source declares, and does not believe comments", () => {
		const folder = mkdtempSync(join(tmpdir(), "pawl-symbols-"));
		try {
			mkdirSync(join(folder, "src"));
			writeFileSync(join(folder, "src/lib.rs"), "// fn sum() is to come\npub fn one() -> i32 {\n    1\n}\n");
			assert.deepEqual(missingSymbols("`one()` is there, `sum(2, 3)` is not", folder), ["sum"]);
			assert.deepEqual(missingSymbols("`one()` is there", folder), []);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
