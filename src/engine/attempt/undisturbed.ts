// Checks must leave the tree as it is: a check that fixes files or commits must not get its changes delivered.
import type { CheckResult } from "../../core/input.ts";
import type { Workspace } from "../../workspace.ts";

const SHOWN_BYTES = 2000;

/** Does the work, then puts the workspace back if the work changed it. */
export async function undisturbed<T>(workspace: Workspace, work: () => Promise<T>): Promise<T> {
	const before = await workspace.point();
	const result = await work();
	const { paths, committed } = await workspace.changes(before);
	if (paths.length > 0 || committed) await workspace.rollback(before);
	return result;
}

/** The failed ones, each with its command and the end of its output. */
export const failuresIn = (results: readonly CheckResult[]): string[] =>
	results.flatMap(({ name, command, exitCode, output }) =>
		exitCode === 0
			? []
			: [`${name}: \`${command}\` ${exitCode === null ? "did not end" : `exited ${exitCode}`}\n${output.slice(-SHOWN_BYTES)}`],
	);
