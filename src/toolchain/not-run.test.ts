// What does not count as RED, from the output of real test runners.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { whyNotRun } from "./not-run.ts";

const creates = (name: string): boolean => ["sum", "src/sum.mjs", "../src/sum.mjs", "app.sum", "Sum"].includes(name);
const ran = (output: string, { exitCode = 1 as number | null, command = "test" } = {}) => whyNotRun({ command, exitCode, output }, creates);

describe("T-50 tests that did not run", () => {
	const broken: Record<string, string> = {
		"node: a file that cannot be parsed":
			"file:///r/test/sum.test.mjs:3\n\n\n\nSyntaxError: Unexpected end of input\n    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)\n    at ModuleLoader.moduleStrategy",
		"node: the same, as TAP":
			"# file:///r/test/sum.test.mjs:3\n# SyntaxError: Unexpected end of input\n#     at compileSourceTextModule (node:internal/modules/esm/utils:346:16)",
		"node: CommonJS": "/r/a.js:1\nlet (\n    ^\n\nSyntaxError: Unexpected token '('\n    at wrapSafe (node:internal/modules/cjs/loader:1)",
		"node: a package that is not installed":
			"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /r/test/sum.test.mjs\n  code: 'ERR_MODULE_NOT_FOUND'",
		"TypeScript: a mistake beside a missing name":
			"test/a.ts(1,1): error TS2304: Cannot find name 'sum'.\ntest/a.ts(2,1): error TS1005: ';' expected.",
		pytest:
			'ERROR collecting test_a.py\nE     File "/r/test_a.py", line 1\nE       def (:\nE           ^\nE   SyntaxError: invalid syntax\n1 error during collection',
		"pytest: a package that is not installed": "ERROR collecting test_a.py\nE   ModuleNotFoundError: No module named 'hypothesis'\n",
		"python -m unittest": "ImportError: Failed to import test module: test_a\nModuleNotFoundError: No module named 'nose'",
		go: "# x\n./a_test.go:5:1: syntax error: non-declaration statement outside function body\nFAIL\tx [build failed]",
		"go: a name of nobody's": "./a_test.go:5:2: undefined: Product\nFAIL\tx [build failed]",
		"rust: a mistake": "error: expected one of `!` or `::`, found `x`\n --> src/lib.rs:9\nerror: could not compile `sums` (lib test)",
		"rust: a type that does not fit": "error[E0308]: mismatched types\nerror: could not compile `sums` (lib test)",
	};
	for (const [name, output] of Object.entries(broken)) it(name, () => assert.match(ran(output) ?? "", /could not be loaded/));

	it("the command does not exist, does not end, or finds nothing", () => {
		assert.match(ran("", { exitCode: 127 }) ?? "", /cannot be run/);
		assert.match(ran("", { exitCode: 126 }) ?? "", /cannot be run/);
		assert.match(ran("", { exitCode: null }) ?? "", /did not end/);
		assert.match(ran("no tests ran", { exitCode: 5, command: "pytest -q" }) ?? "", /no tests/);
	});
});

describe("T-50 tests that count: they ran, or lack only what the spec creates", () => {
	const fine: Record<string, string> = {
		"an assertion": "not ok 1 - sum\n  AssertionError: 5 != undefined",
		"a SyntaxError that a test met while it ran":
			"not ok 1 - parses\nSyntaxError: Unexpected token 'x', \"x\" is not valid JSON\n    at JSON.parse (<anonymous>)\n    at TestContext.<anonymous> (file:///r/test/a.mjs:3:9)",
		"node: an export that is not there yet":
			"SyntaxError: The requested module '../src/sum.mjs' does not provide an export named 'sum'\n    at #asyncInstantiate (node:internal/modules/esm/module_job:302:21)",
		"node: a module that is not there yet":
			"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '../src/sum.mjs' imported from /r/test/sum.test.mjs",
		TypeScript: "test/a.ts(1,10): error TS2305: Module '\"../src/a\"' has no exported member 'sum'.",
		pytest: "ERROR collecting test_a.py\nE   ImportError: cannot import name 'sum' from 'app'\n1 error during collection",
		go: "./a_test.go:5:2: undefined: Sum\nFAIL\tx [build failed]",
		rust: "error[E0425]: cannot find function `sum` in this scope\nerror: aborting due to 1 previous error\nerror: could not compile `sums` (lib test)",
	};
	for (const [name, output] of Object.entries(fine)) it(name, () => assert.equal(ran(output), null));
});
