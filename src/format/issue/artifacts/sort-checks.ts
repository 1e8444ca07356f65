// The action `artifacts.sort-checks`: whose work a failed check of the repository is about. What a linter finds in tests only goes straight back to
// the author of the tests: nobody else may change them.
import { startedWith } from "../../../core/started-with.ts";
import type { Action } from "../../../format.ts";
import { detectToolchain, isTestFile } from "../../../toolchain/detect.ts";

/** A check that runs the tests names test files whatever is wrong. */
const RUNS_TESTS = /tests?\b|spec\b|coverage|jest|vitest|mocha|pytest|nextest/i;

/** Signals `tests`, `code`. */
export const sortChecks: Action = async ({ state, workspace, repository }) => {
	const failing = state.root.failing ?? [];
	const changed = await repository.changedPaths(startedWith(state).startCommit, workspace.branch);
	const toolchain = detectToolchain(workspace.path);
	const isAboutTests = failing.every(({ name, command, output }) => {
		const named = RUNS_TESTS.test(`${name} ${command}`) ? [] : changed.filter((path) => names(output, path));
		return named.length > 0 && named.every((path) => isTestFile(path, toolchain));
	});
	return { signal: failing.length > 0 && isAboutTests ? "tests" : "code" };
};

/** As a path of its own, perhaps with the folder of the checkout before it. */
function names(output: string, path: string): boolean {
	for (let at = output.indexOf(path); at >= 0; at = output.indexOf(path, at + 1)) {
		const [before = "", after = ""] = [output[at - 1], output[at + path.length]];
		if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true;
	}
	return false;
}
