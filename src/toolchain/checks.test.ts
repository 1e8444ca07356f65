import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { renderInitialConfig } from "../config/initial.ts";
import { parseConfig } from "../config.ts";
import { type DetectedChecks, detectChecks, withoutPlaceholders } from "./checks.ts";

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const detect = (files: Record<string, string>): DetectedChecks => {
	const root = mkdtempSync(join(tmpdir(), "pawl-detect-"));
	folders.push(root);
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
	return detectChecks(root);
};
const scripts = (value: Record<string, string>, more: object = {}) => JSON.stringify({ scripts: value, ...more });

test("D-25 D-26 Python projects: the document's own commands", () => {
	assert.deepEqual(detect({ "pyproject.toml": "", ".pre-commit-config.yaml": "", "bin/run_agent_tests.sh": "#!/bin/sh\n" }), {
		lint: "uv run pre-commit run -a",
		test: "./bin/run_agent_tests.sh <test_path>",
		from: ".pre-commit-config.yaml, bin/run_agent_tests.sh",
	});
	assert.deepEqual(detect({ "pyproject.toml": "", "uv.lock": "" }), { test: "uv run pytest", from: "pyproject.toml" });
	assert.equal(withoutPlaceholders("./bin/run_agent_tests.sh <test_path>"), "./bin/run_agent_tests.sh");
	assert.equal(withoutPlaceholders("sh -c 'sort < in > out'"), "sh -c 'sort < in > out'");
});

test("Python projects: tests run in the environment that the repository is made for", () => {
	const test = (more: Record<string, string>, project = "[project]\n") => detect({ "pyproject.toml": project, ...more }).test;
	assert.equal(test({}), "pytest");
	assert.equal(test({}, "[project]\n[tool.uv]\n"), "uv run pytest");
	assert.equal(test({ "poetry.lock": "" }), "poetry run pytest");
	assert.equal(test({ "Pipfile.lock": "" }), "pipenv run pytest");
});

test("Node projects: only scripts that are there, run by the package manager of the lockfile", () => {
	const both = scripts({ lint: "biome check", test: "node --test" });
	assert.deepEqual(detect({ "package.json": both }), { lint: "npm run lint", test: "npm test", from: "package.json" });
	assert.equal(detect({ "package.json": both, "pnpm-lock.yaml": "" }).lint, "pnpm run lint");
	assert.equal(detect({ "package.json": both, "yarn.lock": "" }).test, "yarn test");
	assert.equal(detect({ "package.json": both, "bun.lockb": "" }).test, "bun run test");
	assert.equal(detect({ "package.json": scripts({ test: "x" }, { packageManager: "pnpm@10.0.0" }) }).test, "pnpm test");
	assert.deepEqual(detect({ "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1' }) }), { from: "" });
	for (const broken of ["{", "null", '{"scripts": 3}', '{"scripts": {"test": 3}}'])
		assert.deepEqual(detect({ "package.json": broken }), { from: "" });
});

test("Rust, Go and make", () => {
	assert.deepEqual(detect({ "Cargo.toml": "" }), {
		lint: "cargo clippy --all-targets -- -D warnings",
		test: "cargo test",
		from: "Cargo.toml",
	});
	assert.deepEqual(detect({ "go.mod": "" }), { lint: "go vet ./...", test: "go test ./...", from: "go.mod" });
	assert.deepEqual(detect({ Makefile: ".PHONY: lint test\nlint fmt: deps\n\truff\ncheck ::\n\tx\ntest := no\n" }), {
		lint: "make lint",
		test: "make check",
		from: "Makefile",
	});
	assert.deepEqual(detect({ Makefile: "lint := x\n# test:\n\ttest: y\n" }), { from: "" });
});

test("several at once: for each kind the first that is there", () => {
	assert.deepEqual(detect({ "pyproject.toml": "", Makefile: "lint:\ntest:\n" }), {
		lint: "make lint",
		test: "pytest",
		from: "Makefile, pyproject.toml",
	});
	assert.deepEqual(detect({}), { from: "" });
});

test("the first pawl.yml is valid as it is, and with everything uncommented", () => {
	for (const checks of [{}, { lint: 'sh -c "a: b # c"', test: "./t <test_path>" }]) {
		const draft = { agent: null, lint: null, test: null, setup: null, ...checks };
		const text = renderInitialConfig({ ...draft, from: { checks: "Makefile", setup: "" } }, "schema.json");
		const asWritten = parseConfig(text);
		assert.ok(asWritten.ok, JSON.stringify(asWritten));
		assert.deepEqual(asWritten.config.checks, checks);
		const whole = parseConfig(text.replace(/^# ((?: {2})*[a-z]+:(?: .*)?)$/gm, "$1"));
		assert.ok(whole.ok, JSON.stringify(whole));
		assert.equal(whole.config.agents["local"]?.command, "./bin/agent.sh");
		for (const key of ["agent", "base", "parallel", "setup"] as const) assert.notEqual(whole.config[key], null, key);
		assert.deepEqual(
			[whole.config.limits.costUsd, whole.config.timeouts["coding"], whole.config.env],
			[10, 2_700_000, ["ANTHROPIC_API_KEY"]],
		);
	}
});
