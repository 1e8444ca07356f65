// The scanner against sources that try to lead it astray, and against random ones whose answer is known from how they were made.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { linesInsideTestModules, outsideTestModules, testModules } from "./test-modules.ts";

const paths = (source: string) => testModules(source)?.map(({ path }) => path) ?? null;
/** The lines that end in `// in`. */
const marked = (source: string) => source.split("\n").flatMap((line, i) => (line.endsWith("// in") ? [i + 1] : []));

const LIB = `//! #[cfg(test)] mod not_this {
pub fn add(a: i32, b: i32) -> i32 {
    a + b // }
}

/* /* nested */ #[cfg(test)] mod nor_this { */
const S: &str = "#[cfg(test)] mod nor { \\" ";
const R: &str = r##"#[cfg(test)] mod raw { "# "##;
const B: &[u8] = b"}"; const BR: &[u8] = br#"{"#; const C: char = '{'; const Q: char = '\\''; const BQ: u8 = b'"';
fn life<'a>(x: &'a str) -> &'a str { let _ = 'l: loop { break 'l; }; x }
fn r#type() -> u8 { b'{' }

#[cfg(test)]
#[allow(clippy::all)]
/// docs in between
mod tests { // the head
    use super::*; // in
    // in
    #[test] // in
    fn adds() { // in
        assert_eq!(add(1, 2), 3, "}} // {{"); // in
    } // in
    mod inner { // in
    } // in
}

mod outer {
    pub fn x() {}
    #[cfg(test)]
    pub(crate) mod tests {
        const N: u8 = 1; // in
    }
}

#[cfg(test)]
use std::fmt;
#[cfg(test)]
fn helper() {
    let _ = fmt::Error;
}
#[cfg(not(test))]
mod real {
    pub const A: u8 = 1;
}
`;

test("O-04: lines strictly inside of #[cfg(test)] mod blocks are found among comments, strings and characters", () => {
	assert.deepEqual(paths(LIB), ["tests", "outer::tests"]);
	assert.deepEqual([...linesInsideTestModules(LIB)], marked(LIB));
	assert.deepEqual([...linesInsideTestModules(LIB.replaceAll("\n", "\r\n"))], marked(LIB));
});

test("O-04: only an attribute that promises tests, on a module with a body, in a file or a module", () => {
	const yes = [
		"#[cfg(test)] mod t {}",
		"# [ cfg ( test ) ] pub mod t { }",
		'#[cfg(all(test, feature = "x"))] mod t {}',
		"#[cfg(all(unix, test))] mod t {}",
		'#[allow(x)] #[cfg(test)] #[path = "x"] mod r#t {}',
		"#![allow(x)]\n#[cfg(test)]\nmod t {}",
		"#!/usr/bin/env {\n#[cfg(test)] mod t {}",
		"#[cfg(test)] pub(in crate::a) mod t {}",
		"#[cfg(test)] mod tést {}",
		"fn f<'a>(_: &'a u8) {} #[cfg(test)] mod t {}",
		"const A: char = '\u{1F600}'; #[cfg(test)] mod t {}",
	];
	for (const source of yes) assert.equal(testModules(source)?.length, 1, source);
	const no = [
		"#[cfg(test)] mod t;",
		"mod tests {}",
		"#[cfg(not(test))] mod t {}",
		"#[cfg(any(test, unix))] mod t {}",
		"#[cfg(all(not(test), any(test, unix)))] mod t {}",
		'#[cfg(feature = "test")] mod t {}',
		"#[cfg(testing)] mod t {}",
		"#[cfg_attr(test, allow(x))] mod t {}",
		"#![cfg(test)] mod t {}",
		"#[cfg(test)] fn f() {} mod t {}",
		"#[cfg(test)] use x; mod t {}",
		"fn f() { #[cfg(test)] mod t {} }",
		"m! { #[cfg(test)] mod t {} }",
		"macro_rules! m { () => { #[cfg(test)] mod t {} } }",
		"// #[cfg(test)]\nmod t {}",
		'"#[cfg(test)]"; mod t {}',
		"#[cfg(test)] struct S { mod_: u8 }",
		"#[cfg(test)] modx t {}",
	];
	for (const source of no) assert.deepEqual(testModules(source), [], source);
	for (const broken of [
		"#[cfg(test)] mod t {",
		"} #[cfg(test)] mod t {}",
		"#[cfg(test)] mod t {} (",
		"#[cfg(test)] mod t {} /*",
		'#[cfg(test)] mod t {} "',
		"( } )",
	])
		assert.equal(testModules(broken), null, broken);
});

test("O-04: a change inside passes, with one outside anywhere it does not", () => {
	const inside = LIB.replace("assert_eq!(add(1, 2), 3", "assert_eq!(add(2, 2), 4").replace(
		"const N: u8 = 1;",
		"const N: u8 = 2;\n        const M: u8 = 3;",
	);
	assert.equal(outsideTestModules(LIB, inside), null);
	assert.equal(outsideTestModules(LIB, LIB), null);
	assert.equal(
		outsideTestModules("#[cfg(test)] mod t {}\n", "#[cfg(test)] mod t {\n    #[test] fn a() {}\n}\n"),
		null,
		"filling an empty one",
	);
	assert.deepEqual(outsideTestModules(LIB, inside.replace("a + b", "a - b")), {
		line: 3,
		text: "a - b // }",
		why: "a line outside of the test modules was changed",
	});
	const outer: readonly (readonly [string, string])[] = [
		["pub fn x() {}", "pub fn x() {}\n    pub fn y() {}"],
		["    pub fn x() {}\n", ""],
		["#[cfg(test)]\n#[allow(clippy::all)]", "#[allow(clippy::all)]"],
		["#[cfg(not(test))]\nmod real", "#[cfg(test)]\nmod real"],
		["mod tests { // the head", "mod probes { // the head"],
		["fn helper() {", "fn helper() { // x"],
		["// }", "// {"],
	];
	for (const [from, to] of outer) assert.notEqual(outsideTestModules(LIB, LIB.replace(from, to)), null, `${from} → ${to}`);
	assert.equal(outsideTestModules(LIB, null)?.why, "the file was removed");
	assert.match(outsideTestModules(LIB, `${LIB}}`)?.why ?? "", /cannot be read any more/);
	assert.match(outsideTestModules("{", "{}")?.why ?? "", /could not be read before/);
});

test("O-04: nobody gets out of a test module by closing it early or by hiding what is outside", () => {
	const source = "#[cfg(test)]\nmod a {\n    // one\n}\npub fn real() -> u8 { 1 }\n#[cfg(test)]\nmod b {\n    // two\n}\n";
	const tricks = [
		["    // one\n", "}\npub fn evil() {}\n#[cfg(test)]\nmod a2 {\n"],
		["    // one\n", "}\npub mod c {\n"],
		["    // one\n", "    }\n"],
	] as const;
	for (const [from, to] of tricks) assert.notEqual(outsideTestModules(source, source.replace(from, to)), null, to);
	for (const [open, close] of [
		["/*", "*/"],
		['const S: &str = r#"', '"#;'],
		['const S: &str = "', '";'],
		["m! {", "}"],
	] as const)
		assert.notEqual(outsideTestModules(source, source.replace("// one", open).replace("// two", close)), null, open);
});

test("O-04 T-55: a whole new test module may be added, with blank lines around it, also with its comment; one that was there may not be removed", () => {
	const code = "pub fn one() -> u8 {\n    1\n}\n// the last line";
	const block = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {}\n}\n";
	for (const added of [
		`\n\n${block}`,
		`\n${block}`,
		`\n\n// mine\n/// ours\n${block}`,
		`\n\n\n${block}\n\n${block.replace("mod tests", "mod more")}`,
	])
		assert.equal(outsideTestModules(code, code + added), null, added);
	assert.equal(outsideTestModules(`${code}\n`, `${block}\n${code}\n`), null, "before everything");
	assert.equal(outsideTestModules("", block), null, "in an empty file");
	assert.equal(outsideTestModules(null, block), null, "in a new file");
	assert.notEqual(outsideTestModules(null, code), null);
	assert.notEqual(outsideTestModules(code, `${code}\npub fn two() {}\n${block}`), null);
	assert.notEqual(outsideTestModules(code, `${code}\n${block.replace("#[cfg(test)]\n", "")}`), null);
	assert.notEqual(outsideTestModules(`${code}\n${block}`, `${code}\n`), null);
	assert.notEqual(
		outsideTestModules("#[inline]\nfn f() {}\n", `#[inline]\n${block}fn f() {}\n`),
		null,
		"an attribute would go to the wrong item",
	);
	assert.notEqual(outsideTestModules('const S: &str = "a\n\nb";\n', `const S: &str = "a\nb";\n${block}`), null, "a blank line of a string");
});

const outerPieces = fc.constantFrom(
	"pub fn a() { let _ = '{'; }",
	'const S: &str = "} #[cfg(test)] mod x {";',
	"// } { #[cfg(test)] mod y {",
	'/* } /* { */ " */',
	"fn l<'a>(x: &'a str) -> &'a str { x }",
	'const R: &str = r#"}"} "#;',
	"mod plain { pub fn z() {} }",
	"#[cfg(test)] fn only() {}",
	"#[derive(Debug)] struct T;",
	"",
);
const innerPieces = fc.constantFrom(
	"use super::*;",
	"#[test] fn t() { assert!(true); }",
	"// }",
	"/* { */",
	'const X: &str = "}";',
	"const C: char = '}';",
	"mod deep { }",
	"",
);
const file = fc.array(
	fc.oneof(
		outerPieces.map((text) => ({ text })),
		fc.array(innerPieces, { maxLength: 4 }).map((inner) => ({ inner })),
	),
	{ maxLength: 8 },
);
type Part = { readonly text: string } | { readonly inner: readonly string[] };
const render = (parts: readonly Part[]) =>
	parts
		.flatMap((part, i) =>
			"text" in part ? [part.text] : ["#[cfg(test)]", `mod t${i} {`, ...part.inner.map((line) => `    ${line} // in`), "}"],
		)
		.join("\n");

test("O-04: whatever a file is made of, exactly its test lines are found, and only changes of them pass", () => {
	fc.assert(
		fc.property(file, fc.nat(), innerPieces, (parts, where, piece) => {
			const source = render(parts);
			assert.deepEqual([...linesInsideTestModules(source)], marked(source));
			const at = where % Math.max(1, parts.length);
			const changed = parts.map(
				(part, i): Part => (i !== at ? part : "inner" in part ? { inner: [piece, ...part.inner] } : { text: `${part.text}\nfn new() {}` }),
			);
			const target = parts[at];
			if (target !== undefined) assert.equal(outsideTestModules(source, render(changed)) === null, "inner" in target);
		}),
		{ numRuns: 400 },
	);
});

test("O-04: no text makes the scanner fail, and no single edit outside of what it found passes", () => {
	const alphabet = fc.constantFrom(
		"#[cfg(test)]",
		"mod t",
		"{",
		"}",
		"(",
		")",
		'"',
		"'",
		"r#",
		"//",
		"/*",
		"*/",
		"\\",
		"\n",
		"a",
		" ",
		";",
		"[",
		"]",
		"#",
		"!",
	);
	fc.assert(
		fc.property(fc.array(alphabet, { maxLength: 40 }), fc.nat(), (words, where) => {
			const source = words.join("");
			const modules = testModules(source);
			if (modules === null) return;
			const at = where % (source.length + 1);
			const changed = `${source.slice(0, at)}x${source.slice(at)}`;
			if (!modules.some(({ open, close }) => at >= open && at <= close)) assert.notEqual(outsideTestModules(source, changed), null);
		}),
		{ numRuns: 2000 },
	);
});

const rustc = spawnSync("rustc", ["--version"]).status === 0;
test("O-04: rustc reads the hard source as the scanner does", { skip: !rustc && "there is no rustc here" }, () => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-rust-"));
	try {
		writeFileSync(join(folder, "lib.rs"), LIB);
		const built = spawnSync("rustc", ["--edition", "2021", "--crate-type", "lib", "--test", "-A", "warnings", "-o", "t", "lib.rs"], {
			cwd: folder,
			encoding: "utf8",
		});
		assert.equal(built.status, 0, built.stderr);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
