// Write rules: `task-files` (what the current specs list under ## Files, without tests), `test-files` (tests by path, and in Rust the
// inside of #[cfg(test)] modules), `changed-files` (what the run has changed), `issue-file` (the file of the issue that is worked on).

import { join, matchesGlob } from "node:path";
import { startedWith } from "../../../core/started-with.ts";
import { textIn } from "../../../files/read.ts";
import type { StepContext, WriteRule } from "../../../format.ts";
import { detectToolchain, isTestFile } from "../../../toolchain/detect.ts";
import { changedTest } from "../../../toolchain/known-tests.ts";
import { outsideTestModules } from "../../../toolchain/rust/test-modules.ts";
import { currentSpecs } from "./context.ts";

const OURS = /^(?:TODO|\.workflow|\.pawl)(?:\/|$)/;
const MAX_BYTES = 4 * 1024 * 1024;

export const taskFiles: WriteRule = async (context, paths) => {
	const globs = currentSpecs(context).flatMap(({ spec }) => spec.files);
	const toolchain = detectToolchain(context.workspace.path);
	const outside: string[] = [];
	for (const path of paths) {
		if (isLock(path, context)) continue;
		if (OURS.test(path) || !globs.some((glob) => path === glob || matchesGlob(path, glob))) outside.push(path);
		// Even if the spec lists it: the author of the code must not change the tests that prove it right.
		else if (isTestFile(path, toolchain)) outside.push(`${path} (a test)`);
		else {
			const test =
				context.point === null
					? null
					: changedTest(path, await context.workspace.read(context.point, path), textOf(join(context.workspace.path, path)));
			if (test !== null) outside.push(`${path} (its test ${test})`);
		}
	}
	return outside;
};

export const issueFile: WriteRule = async ({ state }, paths) => {
	const own = `TODO/${state.input["issue_id"] ?? ""}.md`;
	return paths.filter((path) => path !== own);
};

/** Cargo writes it itself, no matter who runs cargo. */
const isLock = (path: string, context: StepContext): boolean =>
	/(?:^|\/)Cargo\.lock$/.test(path) && detectToolchain(context.workspace.path).kinds.includes("rust");

export const testFiles: WriteRule = async (context, paths) => {
	const toolchain = detectToolchain(context.workspace.path);
	const outside: string[] = [];
	for (const path of paths) {
		if (OURS.test(path)) outside.push(path);
		else if (isTestFile(path, toolchain) || isLock(path, context)) continue;
		else if (/^(?:.*\/)?src\/.*\.rs$/.test(path)) {
			const drift = await driftOf(context, path);
			if (drift !== null) outside.push(drift);
		} else outside.push(path);
	}
	return outside;
};

/** null: the change stayed inside of test modules. */
async function driftOf(context: StepContext, path: string): Promise<string | null> {
	if (context.point === null) return path;
	const drift = outsideTestModules(await context.workspace.read(context.point, path), textOf(join(context.workspace.path, path)));
	return drift === null ? null : `${path}:${drift.line} (${drift.why})`;
}

const textOf = (file: string): string | null => textIn(file, { max: MAX_BYTES });

export const changedFiles: WriteRule = async (context, paths) => {
	const from = startedWith(context.state).startCommit;
	const changed = new Set(await context.repository.changedPaths(from, context.point?.commit ?? context.workspace.branch));
	return paths.filter((path) => OURS.test(path) || !changed.has(path));
};
