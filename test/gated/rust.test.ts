// Stub-first in Rust, with the real cargo on a crate without dependencies. Skipped without cargo.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { Checked } from "../../src/engine/testing/engine-parts.suite.ts";
import type { Files } from "../../src/engine/testing/files.suite.ts";
import { findExecutable } from "../../src/process.ts";
import { say, write } from "../support/fake-agent.ts";
import { assertGivenUp, assertLanded, complete, issueSite, on, type SiteOptions, taskText, turn, verdict } from "../support/issue-site.ts";
import { quickIssueSite } from "../support/quick-issue-site.ts";
import { git, scratchFolder } from "../support/scratch.ts";

const none = findExecutable("cargo", "/", process.env["PATH"] ?? "") === null ? "there is no cargo here" : false;

const library = (more: string, tests = ""): string =>
	`pub fn other() -> i32 {\n    1\n}\n${more}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(other(), 1);\n    }\n${tests}}\n`;
const STUB = "\npub fn sum(_a: i32, _b: i32) -> i32 {\n    todo!()\n}\n";
const BODY = "\npub fn sum(a: i32, b: i32) -> i32 {\n    a + b\n}\n";
const UNIT = "\n    #[test]\n    fn adds() {\n        assert_eq!(sum(2, 3), 5);\n    }\n";
const STRUCTURAL = "\n    #[test]\n    fn exists() {\n        let _f: fn(i32, i32) -> i32 = sum;\n    }\n";
const CRATE: SiteOptions = {
	files: {
		// No documentation tests and nothing for a debugger: most of what the compiler would do.
		"Cargo.toml":
			'[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n\n[profile.dev]\ndebug = false\nincremental = false\n\n[profile.test]\ndebug = false\nincremental = false\n',
		"Cargo.lock": 'version = 3\n\n[[package]]\nname = "sums"\nversion = "0.1.0"\n',
		".gitignore": "target/\n",
		"src/lib.rs": library(""),
	},
	tasks: [taskText(1, { files: ["src/lib.rs"], command: "cargo test", symbols: "yes" })],
};
/** The real cargo; the same code is compiled once. */
const compiled = new Map<string, Checked>();
let target: string | null = null;
function cargo(command: string, files: Files): Checked | undefined {
	if (!command.includes("cargo")) return undefined;
	const key = JSON.stringify([command, files.read("src/lib.rs")]);
	const found = compiled.get(key) ?? run(command, files.path);
	compiled.set(key, found);
	return found;
}
function run(command: string, cwd: string): Checked {
	target ??= scratchFolder("target");
	const env = { ...process.env, CARGO_TARGET_DIR: target };
	const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd, encoding: "utf8", env });
	return { exitCode: status, output: stdout + stderr };
}

const written = say("STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: not yet implemented");
const stubs = on("stubs", undefined, write("src/lib.rs", library(STUB)), complete());
const tests = (nth: number | undefined, text: string) => on("tests", nth, write("src/lib.rs", text), written);
const bodies = on("implement", undefined, "perl -0pi -e 's/_a: i32, _b: i32/a: i32, b: i32/; s/todo!\\(\\)/a + b/' src/lib.rs", complete());

test("O-57 O-04 stubs first, then tests inside of the module, then bodies: three commits in order", { skip: none }, async () => {
	const site = issueSite([stubs, tests(undefined, library(STUB, UNIT)), bodies], CRATE);
	await site.runs(0);
	assert.equal(site.order(), "OCOMTMC");
	assertLanded(site, 2);
	assert.deepEqual(
		site.commits().map((c) => c.subject),
		["feat: scaffold part 1 of the sums with todo!() stubs", "feat: implement part 1 of the sums", "chore(todo): GAL-39 is Done"],
	);
	assert.match(git(site.tree, "show", "HEAD~2:src/lib.rs"), /todo!\(\)/);
	assert.doesNotMatch(git(site.tree, "show", "HEAD~2:src/lib.rs"), /fn adds/);
	assert.match(git(site.tree, "show", "HEAD~1:src/lib.rs"), /a \+ b[\s\S]*fn adds/);
	assert.ok(!git(site.tree, "ls-files").includes("target/"));
});

test("O-58 tests that pass on stubs are structural: rejected, also where others do reach a todo!(), though not those that were there before", {
	skip: none,
}, async () => {
	const site = quickIssueSite(
		[stubs, tests(1, library(STUB, STRUCTURAL)), tests(2, library(STUB, STRUCTURAL + UNIT)), tests(3, library(STUB, UNIT)), bodies],
		{ ...CRATE, commands: cargo },
	);
	await site.runs(0);
	assert.equal(site.order(), "OCOMTTTMC");
	assert.match(site.prompts("tests")[1] ?? "", /these pass on stubs.*tests::exists/);
	assert.match(site.prompts("tests")[2] ?? "", /these pass on stubs.*tests::exists/);
	const never = quickIssueSite([stubs, tests(undefined, library(STUB, STRUCTURAL)), bodies], { ...CRATE, commands: cargo });
	assertGivenUp(never, await never.run());
});

test("O-57 a stub pass that writes logic, or does not compile, is not taken", { skip: none }, async () => {
	const site = quickIssueSite(
		[on("stubs", 1, write("src/lib.rs", library(BODY)), complete()), stubs, tests(undefined, library(STUB, UNIT)), bodies],
		{ ...CRATE, commands: cargo },
	);
	await site.runs(0);
	assert.match(site.prompts("stubs")[1] ?? "", /the check `stubs`[\s\S]*the body of sum is not exactly todo!\(\)/);
	assert.equal(site.order(), "OCOMMTMC");
	const broken = quickIssueSite(
		[on("stubs", undefined, write("src/lib.rs", library("\npub fn sum(_a: Nowhere) -> i32 {\n    todo!()\n}\n")), complete())],
		{ ...CRATE, commands: cargo },
	);
	const given = await broken.run();
	assertGivenUp(broken, given);
	assert.match(broken.prompts("stubs")[1] ?? "", /the check `compiles`[\s\S]*Nowhere/);
});

test("O-04 O-07 lines outside of #[cfg(test)] modules are not test's to change, whatever the file", { skip: none }, async () => {
	const drift = library(STUB, UNIT).replace("    1\n", "    2\n");
	const site = quickIssueSite([stubs, tests(1, drift), tests(2, library(STUB, UNIT)), bodies], { ...CRATE, commands: cargo });
	const ended = await site.runs(0);
	assert.match(ended.all, /tests may only write what the rule test-files allows, but changed src\/lib\.rs:2/);
	assert.equal(site.order(), "OCOMTTMC");
	assertLanded(site, 2);
});

test("O-57 O-69 a plan made anew finds the names there, with bodies: nothing is scaffolded again, and tests need no todo!()", {
	skip: none,
}, async () => {
	const more = `${UNIT}\n    #[test]\n    fn wraps() {\n        assert_eq!(sum(i32::MAX, 1), i32::MIN);\n    }\n`;
	const site = quickIssueSite(
		[
			on("stubs", 2, complete()),
			stubs,
			on("tests", 2, write("src/lib.rs", library(BODY, more)), say("STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: overflow")),
			tests(undefined, library(STUB, UNIT)),
			on("implement", 2, "sed -i 's/a + b/a.wrapping_add(b)/' src/lib.rs", complete()),
			bodies,
			turn("check", 2, verdict("BLOCK", "[wrong] plan: it has to wrap")),
		],
		{ ...CRATE, commands: cargo },
	);
	await site.runs(0);
	assert.equal(site.order(), "OCOMTMCOCOMTMC");
	assertLanded(site, 2);
});
