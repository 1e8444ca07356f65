// What cargo really prints: recorded, and run here and now on a crate without dependencies.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { panicCoverage, readCargoTests } from "./panics.ts";

const recorded = (name: string) => readFileSync(join(import.meta.dirname, "fixtures", `${name}.txt`), "utf8");
const short = (output: string) =>
	readCargoTests(output)
		.tests.map(({ suite, name, result, todo }) => `${suite} ${name} ${result}${todo === null ? "" : ` ${todo}`}`)
		.sort();

const LIB = [
	"1 tests::adds failed src/lib.rs:4:39",
	"1 tests::expects ok",
	"1 tests::muls failed src/lib.rs:5:39",
	"1 tests::other failed",
	"1 tests::res failed",
	"1 tests::shape ok",
	"1 tests::skipped ignored",
	"1 tests::threaded failed src/lib.rs:4:39",
];

test("O-58: every test of several programs is read, with whether it panicked on todo!()", () => {
	assert.deepEqual(short(recorded("all")), [...LIB, "2 adds failed src/lib.rs:4:39", "3 src/lib.rs - add (line 1) failed src/lib.rs:4:39"]);
	assert.deepEqual(readCargoTests(recorded("all")).totals, { passed: 2, failed: 7, ignored: 1 });
	const coloured = recorded("all")
		.replace(/FAILED/g, "\u001b[31mFAILED\u001b[0m")
		.replaceAll("\n", "\r\n");
	assert.deepEqual(short(coloured), short(recorded("all")));
});

test("O-58: output between a test's name and its result is not a result", () => {
	const found = short(recorded("nocapture"));
	assert.deepEqual(
		found.map((one) => one.replace("expects ok src/lib.rs:4:39", "expects ok")),
		LIB,
	);
	assert.equal(panicCoverage(recorded("nocapture")).verdict, "structural_only");
});

test("O-58: with one test that passes, or none that is named, the tests are structural only", () => {
	assert.deepEqual(
		[panicCoverage(recorded("all")).verdict, panicCoverage(recorded("all")).offending],
		["structural_only", ["tests::expects", "tests::shape"]],
	);
	assert.deepEqual(panicCoverage(recorded("quiet")).offending, ["2 that the output does not name"]);
	const passes = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
	assert.equal(panicCoverage(passes).verdict, "structural_only");
});

const failing = (...names: readonly string[]) =>
	`running ${names.length} tests\n${names.map((n) => `test ${n} ... FAILED\n`).join("")}\nfailures:\n\n${names.map((n) => `---- ${n} stdout ----\n\nthread '${n}' (7) panicked at src/lib.rs:1:1:\nnot yet implemented\n\n`).join("")}\nfailures:\n${names.map((n) => `    ${n}\n`).join("")}\ntest result: FAILED. 0 passed; ${names.length} failed; 0 ignored; 0 measured; 0 filtered out\n`;

test("O-58: covered means all of them, and tests from before can be left out", () => {
	assert.equal(panicCoverage(failing("a", "b")).verdict, "covered");
	assert.equal(panicCoverage(failing("a") + failing("b")).verdict, "covered");
	assert.deepEqual(panicCoverage(failing("a", "b").replace("not yet implemented", "not implemented")).offending, ["a"]);
	assert.equal(panicCoverage(failing("a", "b").replace("not yet implemented", "not yet implementedly")).verdict, "not_on_todo");
	const except = new Set(["tests::expects", "tests::shape", "tests::other", "tests::res", "tests::skipped"]);
	assert.equal(panicCoverage(recorded("all"), except).verdict, "covered");
	assert.deepEqual(panicCoverage(recorded("all"), new Set([...except].slice(0, 4))), {
		...panicCoverage(recorded("all"), new Set([...except].slice(0, 4))),
		verdict: "not_on_todo",
		offending: ["tests::skipped"],
	});
	const old =
		"running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\nthread 'a' panicked at 'not yet implemented: x', src/lib.rs:4:39\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured\n";
	assert.deepEqual([panicCoverage(old).verdict, short(old)], ["covered", ["1 a failed src/lib.rs:4:39"]]);
});

test("O-58: text that was cut, or of a build that failed, is not covered", () => {
	const whole = failing("a", "b");
	for (let length = 0; length < whole.length - 60; length += 7)
		assert.notEqual(panicCoverage(whole.slice(0, length)).verdict, "covered", `${length}`);
	for (let from = 20; from < whole.length; from += 7) assert.notEqual(panicCoverage(whole.slice(from)).verdict, "covered", `${from}`);
	for (const text of [
		"",
		"error[E0425]: cannot find function `x`\nerror: could not compile `sums`\n",
		"running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n",
	])
		assert.equal(panicCoverage(text).verdict, "nothing_ran", text);
	assert.equal(
		panicCoverage(`${failing("a")}test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured\n`).verdict,
		"structural_only",
		"a pass cannot be hidden",
	);
});

const made: string[] = [];
after(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
const cargo = spawnSync("cargo", ["--version"]).status === 0;

function crate(tests: string): string {
	const folder = mkdtempSync(join(tmpdir(), "pawl-crate-"));
	made.push(folder);
	mkdirSync(join(folder, "src"));
	writeFileSync(join(folder, "Cargo.toml"), '[package]\nname = "stubs"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n');
	writeFileSync(
		join(folder, "src", "lib.rs"),
		`pub fn add(_a: i32, _b: i32) -> i32 {\n    todo!()\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n${tests}\n}\n`,
	);
	const run = spawnSync("cargo", ["test", "--offline", "--no-fail-fast"], {
		cwd: folder,
		encoding: "utf8",
		env: { ...process.env, CARGO_TARGET_DIR: join(folder, "target") },
	});
	return run.stdout + run.stderr;
}

test("O-58: real cargo, real stubs", { skip: !cargo && "there is no cargo here" }, () => {
	const good = "    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }";
	const covered = panicCoverage(crate(good));
	assert.deepEqual([covered.verdict, covered.tests.map(({ todo }) => todo)], ["covered", ["src/lib.rs:2:5"]]);
	const mixed = panicCoverage(crate(`${good}\n    #[test]\n    fn shape() {\n        let _: fn(i32, i32) -> i32 = add;\n    }`));
	assert.deepEqual([mixed.verdict, mixed.offending], ["structural_only", ["tests::shape"]]);
	assert.equal(panicCoverage(crate("    nonsense")).verdict, "nothing_ran");
});
