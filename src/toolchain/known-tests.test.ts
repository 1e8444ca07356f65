import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changedTest } from "./known-tests.ts";

describe("T-51 tests beside the code that they test", () => {
	const python =
		"def add(a, b):\n    return a\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\nclass TestMore:\n    def test_zero(self):\n        assert add(0, 0) == 0\n";
	it("Python: code may change, a test may not", () => {
		assert.equal(changedTest("add.py", python, python.replace("return a", "return a + b")), null);
		assert.equal(changedTest("add.py", python, python.replace("== 3", "== 1")), "test_add");
		assert.equal(changedTest("add.py", python, python.replace("== 0", "== 7")), "TestMore");
		assert.equal(changedTest("add.py", python, "def add(a, b):\n    return a + b\n"), "test_add");
	});
	it("Rust: what is inside of #[cfg(test)] modules", () => {
		const rust =
			"pub fn one() -> i32 {\n    2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn ones() {\n        assert_eq!(super::one(), 1);\n    }\n}\n";
		assert.equal(changedTest("src/lib.rs", rust, rust.replace("    2", "    1")), null);
		assert.equal(changedTest("src/lib.rs", rust, rust.replace("one(), 1", "one(), 2")), "tests");
		assert.equal(changedTest("src/lib.rs", rust, null), "tests");
	});
	it("vitest's tests in a source", () => {
		const source =
			"export const one = 2;\nif (import.meta.vitest) {\n\tconst { it } = import.meta.vitest;\n\tit('one', () => one === 1);\n}\n";
		assert.equal(changedTest("src/one.ts", source, source.replace("= 2", "= 1")), null);
		assert.notEqual(changedTest("src/one.ts", source, source.replace("=== 1", "=== 2")), null);
	});
	it("files without tests, and files that are new, hold nothing back", () => {
		assert.equal(changedTest("a.css", "a", "b"), null);
		assert.equal(changedTest("add.py", null, python), null);
	});
});
