// Sample repositories, and the commands that roles may and may not have run in them.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { commandProblem, toolCommand, wrappedCommand } from "./command.ts";
import { detectToolchain, isTestFile, type Toolchain } from "./detect.ts";

const made: string[] = [];
after(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function detect(files: Readonly<Record<string, string>>): Toolchain {
	const root = mkdtempSync(join(tmpdir(), "pawl-toolchain-"));
	made.push(root);
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
	return detectToolchain(root);
}
const commands = (files: Readonly<Record<string, string>>) => {
	const { kind, test, check, wrapped } = detect(files);
	return { kind, test, check, wrapped };
};
const NODE = JSON.stringify({ scripts: { test: "node --test" } });
const FLAKE = "{ outputs = { self, nixpkgs }: { devShells.x86_64-linux.default = pkgs.mkShell { }; }; }";

test("O-08: each marker file has its commands", () => {
	assert.deepEqual(commands({ "pyproject.toml": "" }), {
		kind: "python",
		test: "pytest",
		check: "python -m compileall -q .",
		wrapped: false,
	});
	assert.equal(detect({ "pyproject.toml": "", "uv.lock": "" }).test, "uv run pytest");
	assert.deepEqual(commands({ "Cargo.toml": "" }), {
		kind: "rust",
		test: "cargo test",
		check: "cargo check --all-targets",
		wrapped: false,
	});
	assert.deepEqual(commands({ "package.json": NODE }), { kind: "node", test: "npm test", check: null, wrapped: false });
	assert.equal(detect({ "package.json": NODE, "pnpm-lock.yaml": "" }).test, "pnpm test");
	assert.equal(detect({ "package.json": "{}" }).test, null);
	assert.deepEqual(commands({ "go.mod": "" }), { kind: "go", test: "go test ./...", check: "go vet ./...", wrapped: false });
	assert.deepEqual(commands({}), { kind: null, test: null, check: null, wrapped: false });
	assert.deepEqual(detect({ "Cargo.toml": "", "package.json": NODE }).kinds, ["rust", "node"]);
});

test("O-08: with a shell in flake.nix every command is wrapped; a flake without one changes nothing", () => {
	const { test: run, check, wrapped, from } = detect({ "Cargo.toml": "", "flake.nix": FLAKE });
	assert.deepEqual([run, check, wrapped], ["nix develop -c cargo test", "nix develop -c cargo check --all-targets", true]);
	assert.deepEqual(from, ["Cargo.toml", "flake.nix"]);
	assert.equal(detect({ "pyproject.toml": "", "uv.lock": "", "flake.nix": FLAKE }).test, "nix develop -c uv run pytest");
	for (const flake of ["{ outputs = { packages = 1; }; }", "# devShell\n{ /* mkShell */ }"])
		assert.equal(detect({ "Cargo.toml": "", "flake.nix": flake }).test, "cargo test");
	assert.equal(detect({ "flake.nix": FLAKE }).wrapped, true);
	assert.equal(wrappedCommand("nix develop -c cargo test"), "nix develop -c cargo test");
	assert.equal(wrappedCommand("CI=1 TZ=UTC cargo test a=b"), "CI=1 TZ=UTC nix develop -c cargo test a=b");
});

test("O-08: tools and the repository's own scripts are allowed, with and without the wrapper", () => {
	const fine = [
		"cargo test --lib -- --nocapture",
		"nix develop -c cargo test 'a name; with signs'",
		"uv run pytest -c setup.cfg tests/test_a.py",
		"uv run --frozen -q pytest",
		"nix develop --command uv run python -m pytest",
		"node --test test/a.test.mjs -e",
		"npm test -- --grep x",
		"npx vitest run",
		"pnpm exec jest",
		"go test ./...",
		"make check",
		"CI=1 NODE_ENV=test npm test",
		"RUST_BACKTRACE=0 nix develop -c cargo test",
		"./check.sh",
		"sh check.sh",
		"bash scripts/test.sh --all",
		"scripts/test.sh --all",
		"nix develop -c ./check.sh",
	];
	for (const command of fine) assert.equal(commandProblem(command), null, command);
	assert.equal(commandProblem("own-tool x", ["own-tool"]), null);
});

test("O-08: shell escapes are refused, within the wrapper as well", () => {
	const bad = [
		"sh -c 'cargo test'",
		"bash",
		"bash -x check.sh",
		"sh ../check.sh",
		"sh /tmp/check.sh",
		"sh .git/check.sh",
		"cargo test; rm -rf .",
		"cargo test && git push",
		"cargo test | sh",
		"cargo test > src/lib.rs",
		"cargo test $(id)",
		'cargo test "`id`"',
		'cargo test "$HOME"',
		"cargo test\nsh",
		"python -c 'import os'",
		"python3 -Sc 'import os'",
		"node -e 1",
		"node --eval=1",
		"npm exec sh",
		"npx sh",
		"npx -c sh",
		"pnpm exec bash",
		"poetry run sh",
		"make SHELL=x check",
		"deno eval 1",
		"../up/x.sh",
		"a/../../x.sh",
		".git/hooks/x",
		"~/x.sh",
		"xargs sh",
		"eval x",
		"exec sh",
		"env sh",
		"PATH=/x cargo test",
		"CI=1 LD_PRELOAD=/x cargo test",
		"CI=1 sh",
		"NODE_OPTIONS=--import=x node --test",
		"CI=1",
		"git push",
		"gh pr create",
		"curl http://example.invalid",
		"/bin/sh",
		"nix develop",
		"nix run nixpkgs#bash",
		"nix shell nixpkgs#x -c sh",
		"'unbalanced",
		"",
	];
	for (const command of bad)
		for (const line of [command, `nix develop -c ${command}`, `nix develop -c nix develop --command ${command}`, `uv run ${command}`])
			assert.notEqual(commandProblem(line), null, line);
	for (const starter of ["nix develop -c", "uv run", "npx"]) assert.notEqual(commandProblem(`${starter} sh check.sh`), null, starter);
	const flake = detect({ "Cargo.toml": "", "flake.nix": FLAKE });
	assert.deepEqual(toolCommand("cargo test x", flake), { command: "nix develop -c cargo test x" });
	assert.deepEqual(toolCommand("cargo test && true", flake), { problem: "it has a &: one plain command is needed" });
	assert.deepEqual(toolCommand(" cargo test && true", detect({ "Cargo.toml": "" })), { command: "cargo test && true" });
	assert.match(commandProblem("own-tool x") ?? "", /own-tool is neither a known tool/);
});

test("O-04: which files are tests by their paths", () => {
	const is = (files: Readonly<Record<string, string>>, path: string) => isTestFile(path, detect(files));
	const rust = { "Cargo.toml": "" };
	const cases: readonly (readonly [Readonly<Record<string, string>>, string, boolean])[] = [
		[rust, "tests/a.rs", true],
		[rust, "crates/x/tests/deep/a.rs", true],
		[rust, "src/lib.rs", false],
		[rust, "src/tests.rs", false],
		[rust, "tests/../src/lib.rs", false],
		[rust, "/tests/a.rs", false],
		[rust, "test_x.py", false],
		[{ "go.mod": "" }, "pkg/a_test.go", true],
		[{ "go.mod": "" }, "pkg/a.go", false],
		[{ "pyproject.toml": "" }, "pkg/test_a.py", true],
		[{ "pyproject.toml": "" }, "pkg/a_test.py", true],
		[{ "pyproject.toml": "" }, "pkg/latest.py", false],
		[{ "package.json": NODE }, "src/a.test.ts", true],
		[{ "package.json": NODE }, "a.spec.jsx", true],
		[{ "package.json": NODE }, "src/__tests__/a.ts", true],
		[{ "package.json": NODE }, "test/sum.test.mjs", true],
		[{ "package.json": NODE }, "src/sum.mjs", false],
		[{ "package.json": NODE }, "src/testing.ts", false],
		[{}, "pkg/a_test.go", true],
		[{}, "main.go", false],
	];
	for (const [files, path, wanted] of cases) assert.equal(is(files, path), wanted, `${Object.keys(files)} ${path}`);
});
