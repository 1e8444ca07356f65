// What reviewers read, because they cannot run anything: the output of the tests before and after, the whole change, and the change of the tests alone.
import { join } from "node:path";
import type { CheckResult } from "../../../core/input.ts";
import { startedWith } from "../../../core/started-with.ts";
import type { StepContext } from "../../../format.ts";
import { detectToolchain, isTestFile } from "../../../toolchain/detect.ts";
import { pathList, runDirOf, withOf } from "./context.ts";
import { readArtifact, writeArtifact } from "./folder.ts";

export const [RED, GREEN] = ["red.txt", "green.txt"] as const;
const TESTS_DIFF = "tests.diff";
/** Less than a file of the run's folder may have. */
const MOST_PRINTED = 512 * 1024;

export function printed(context: StepContext, name: string, results: readonly CheckResult[]): Record<string, string> {
	const dir = runDirOf(context);
	writeArtifact(
		dir,
		name,
		`${results.map((r) => `$ ${r.command}\n${r.output.trimEnd()}\n(${endOf(r)})`).join("\n\n")}\n`.slice(-MOST_PRINTED),
	);
	const there = [RED, GREEN].filter((file) => readArtifact(dir, file) !== null);
	return { evidence: pathList(dir, there) };
}

/** For the next plan or test step of this run. */
export const thereAlready = ({ state }: StepContext): string =>
	`An earlier plan of this run was built already: the whole change so far is in ${state.input["diff_file"] ?? ""}. Start from it. Tests of what works already may pass at once.`;

/** Writes the whole change, and that of the tests apart, to files for reviewers, who cannot run commands: `with: {diff: FILE}` in the run's
 * folder. */
export async function saveChanges(context: StepContext): Promise<Record<string, string>> {
	const { diff } = withOf(context);
	if (diff === undefined) return {};
	const dir = runDirOf(context);
	const start = startedWith(context.state).startCommit;
	await context.workspace.saveDiff({ commit: start, tree: `${start}^{tree}` }, join(dir, diff));
	const toolchain = detectToolchain(context.workspace.path);
	const parts = (readArtifact(dir, diff) ?? "").split(/^(?=diff --git )/m).flatMap((text) => {
		const path = /^\+\+\+ b\/(.*)$/m.exec(text)?.[1] ?? /^--- a\/(.*)$/m.exec(text)?.[1];
		return path === undefined ? [] : [{ path, text }];
	});
	const tests = parts.filter(({ path }) => isTestFile(path, toolchain));
	const mixed = parts.filter(
		({ path, text }) =>
			!tests.some((t) => t.path === path) && /^[+-].*(?:#\[(?:cfg\(test\)|test)\]|\bdef test_|import\.meta\.vitest)/m.test(text),
	);
	writeArtifact(dir, TESTS_DIFF, tests.map(({ text }) => text).join(""));
	const lines = [...tests.map(({ path }) => `- ${path}`), ...mixed.map(({ path }) => `- ${path} (tests beside the code)`)];
	return { changed_tests: lines.join("\n"), tests_diff: join(dir, TESTS_DIFF) };
}

export const endOf = ({ exitCode }: CheckResult): string => (exitCode === null ? "did not end by itself" : `exit ${exitCode}`);
