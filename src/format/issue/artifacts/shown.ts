// What reviewers read, because they cannot run anything: the output of the tests before and after, the whole change, and the change of the tests alone.
import { join } from "node:path";
import type { CheckResult } from "../../../core/input.ts";
import { startedWith } from "../../../core/started-with.ts";
import { textIn } from "../../../files/read.ts";
import type { StepContext } from "../../../format.ts";
import { detectToolchain, isTestFile } from "../../../toolchain/detect.ts";
import { fieldOf, type OfRun, pathList, runDirOf, withOf } from "./context.ts";
import { readArtifact, writeArtifact } from "./folder.ts";
import { filesOfDiff, testsBeside } from "./tests-diff.ts";

export const [RED, GREEN] = ["red.txt", "green.txt"] as const;
const TESTS_DIFF = "tests.diff";
/** What the tests said just before the attempt that is under way, as fields. */
export const TESTS_NOW = "tests-now.json";
/** Less than a file of the run's folder may have. */
const MOST_PRINTED = 512 * 1024;
const MOST_SOURCE = 4 * 1024 * 1024;

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
	const tests: { readonly line: string; readonly text: string }[] = [];
	for (const file of filesOfDiff(readArtifact(dir, diff) ?? "")) {
		const { path, text } = file;
		if (isTestFile(path, toolchain)) tests.push({ line: `- ${path}`, text });
		else {
			const now = textIn(join(context.workspace.path, path), { max: MOST_SOURCE });
			const beside = testsBeside(file, await context.workspace.read({ commit: start, tree: `${start}^{tree}` }, path), now);
			if (beside !== null) tests.push({ line: `- ${path} (tests beside the code)`, text: beside });
		}
	}
	writeArtifact(dir, TESTS_DIFF, tests.map(({ text }) => text).join(""));
	return { changed_tests: tests.map(({ line }) => line).join("\n"), tests_diff: join(dir, TESTS_DIFF) };
}

export const endOf = ({ exitCode }: CheckResult): string => (exitCode === null ? "did not end by itself" : `exit ${exitCode}`);

/** Empty where the fields of the run say what the tests say now. */
export function testsSeen(of: OfRun): Readonly<Record<string, string>> {
	if (fieldOf(of, "tests_stale") !== "yes") return {};
	try {
		return JSON.parse(readArtifact(runDirOf(of), TESTS_NOW) ?? "{}") as Record<string, string>;
	} catch {
		return {};
	}
}
