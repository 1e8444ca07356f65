// Which part of a change is about tests, where tests and code share a file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOfDiff, testsBeside } from "./tests-diff.ts";

const BEFORE = `pub fn sum(a: i32, b: i32) -> i32 {
    todo!()
}

#[cfg(test)]
mod tests {
    use super::*;
}
`;
const AFTER = `pub fn sum(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(sum(2, 3), 5);
    }
}
`;
const DIFF = `diff --git a/src/lib.rs b/src/lib.rs
index 1..2 100644
--- a/src/lib.rs
+++ b/src/lib.rs
@@ -1,8 +1,13 @@
 pub fn sum(a: i32, b: i32) -> i32 {
-    todo!()
+    a + b
 }
 
 #[cfg(test)]
 mod tests {
     use super::*;
+
+    #[test]
+    fn adds() {
+        assert_eq!(sum(2, 3), 5);
+    }
 }
`;

test("T-51 of a Rust file with code and tests, only what is inside of test modules is shown as a change of tests", () => {
	const [file] = filesOfDiff(DIFF);
	assert.equal(file?.path, "src/lib.rs");
	const shown = testsBeside(file!, BEFORE, AFTER) ?? "";
	assert.match(shown, /^--- a\/src\/lib\.rs$/m);
	assert.match(shown, /^@@ -7,1 \+7,6 @@\n {5}use super::\*;\n\+\n\+ {4}#\[test\]/m);
	assert.match(shown, /assert_eq!\(sum\(2, 3\), 5\)/);
	assert.doesNotMatch(shown, /a \+ b|todo!/);
});

test("T-51 a new file with tests shows its tests; a change of code alone shows nothing; other languages show the whole file", () => {
	const added = `diff --git a/src/lib.rs b/src/lib.rs\n--- /dev/null\n+++ b/src/lib.rs\n@@ -0,0 +1,13 @@\n${AFTER.trimEnd()
		.split("\n")
		.map((line) => `+${line}`)
		.join("\n")}\n`;
	assert.match(testsBeside(filesOfDiff(added)[0]!, null, AFTER) ?? "", /^@@ -0,0 \+7,6 @@\n\+ {4}use super/m);
	const code = DIFF.replace(/^\+(?! {4}a \+ b|\+\+).*\n/gm, "");
	assert.equal(testsBeside({ path: "src/lib.rs", text: code }, BEFORE, BEFORE.replace("todo!()", "a + b")), null);
	const python = { path: "sums.py", text: "--- a/sums.py\n+++ b/sums.py\n@@ -1 +1,2 @@\n x = 1\n+def test_sum(): pass\n" };
	assert.equal(testsBeside(python, "", ""), python.text);
	assert.equal(testsBeside({ ...python, text: python.text.replace("test_sum", "total") }, "", ""), null);
});
