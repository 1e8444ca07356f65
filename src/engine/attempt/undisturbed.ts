// Checks look at what was made and leave it as it is: one that mends files as it goes, or commits, must not slip its changes in.
import type { CheckResult } from "../../core/input.ts";
import type { Workspace } from "../../workspace.ts";

const SHOWN_BYTES = 2000;

/** Does the work, then puts the workspace back to what it was before. */
export async function undisturbed<T>(workspace: Workspace, work: () => Promise<T>): Promise<T> {
	const before = await workspace.point();
	const result = await work();
	const { paths, committed } = await workspace.changes(before);
	if (paths.length > 0 || committed) await workspace.rollback(before);
	return result;
}

/** What failed, each with its command and the end of what it printed. */
export const failuresIn = (results: readonly CheckResult[]): string[] =>
	results.flatMap(({ name, command, exitCode, output }) =>
		exitCode === 0
			? []
			: [`${name}: \`${command}\` ${exitCode === null ? "did not end" : `exited ${exitCode}`}\n${output.slice(-SHOWN_BYTES)}`],
	);
