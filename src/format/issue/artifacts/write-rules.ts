// Where roles may write, by rules that know the files: `task-files` (what stands under ## Files of the specs that are worked on),
// `test-files` (tests by their path, and in Rust what lies inside of #[cfg(test)] modules), `changed-files` (what the run changed).

import { join, matchesGlob } from "node:path";
import { startedWith } from "../../../core/started-with.ts";
import { textIn } from "../../../files/read.ts";
import type { StepContext, WriteRule } from "../../../format.ts";
import { detectToolchain, isTestFile } from "../../../toolchain/detect.ts";
import { outsideTestModules } from "../../../toolchain/rust/test-modules.ts";
import { currentSpecs } from "./place.ts";

const OURS = /^(?:TODO|\.workflow|\.pawl)(?:\/|$)/;
const MAX_BYTES = 4 * 1024 * 1024;

export const taskFiles: WriteRule = async (place, paths) => {
	const globs = currentSpecs(place).flatMap(({ spec }) => spec.files);
	return paths.filter(
		(path) => OURS.test(path) || !(isLock(path, place) || globs.some((glob) => path === glob || matchesGlob(path, glob))),
	);
};

/** Cargo writes it by itself, whoever calls it. */
const isLock = (path: string, place: StepContext): boolean =>
	/(?:^|\/)Cargo\.lock$/.test(path) && detectToolchain(place.workspace.path).kinds.includes("rust");

export const testFiles: WriteRule = async (place, paths) => {
	const toolchain = detectToolchain(place.workspace.path);
	const outside: string[] = [];
	for (const path of paths) {
		if (OURS.test(path)) outside.push(path);
		else if (isTestFile(path, toolchain) || isLock(path, place)) continue;
		else if (/^(?:.*\/)?src\/.*\.rs$/.test(path)) {
			const drift = await driftOf(place, path);
			if (drift !== null) outside.push(drift);
		} else outside.push(path);
	}
	return outside;
};

/** null: the change stayed inside of test modules. */
async function driftOf(place: StepContext, path: string): Promise<string | null> {
	if (place.point === null) return path;
	const drift = outsideTestModules(await place.workspace.read(place.point, path), textOf(join(place.workspace.path, path)));
	return drift === null ? null : `${path}:${drift.line} (${drift.why})`;
}

const textOf = (file: string): string | null => textIn(file, { max: MAX_BYTES });

export const changedFiles: WriteRule = async (place, paths) => {
	const from = startedWith(place.state).startCommit;
	const changed = new Set(await place.repository.changedPaths(from, place.point?.commit ?? place.workspace.branch));
	return paths.filter((path) => OURS.test(path) || !changed.has(path));
};
