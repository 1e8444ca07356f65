// Checks must leave the tree as it is: a check that fixes files or commits must not get its changes delivered.
import type { CheckResult } from "../../core/input.ts";
import type { Workspace } from "../../workspace.ts";

const SHOWN_BYTES = 2000;

/** What is put back is kept: a person may have saved a file in the same checkout while the checks ran. */
export interface PutBack {
	/** The diff's file; one that is there is not overwritten, the attempt goes into the name. */
	readonly keptAs: string;
	readonly attempt: number;
	warn(text: string): void;
}

/** Does the work, then puts the workspace back if it changed meanwhile. */
export async function undisturbed<T>(workspace: Workspace, { keptAs, attempt, warn }: PutBack, work: () => Promise<T>): Promise<T> {
	const before = await workspace.point();
	const result = await work();
	const { paths, committed } = await workspace.changes(before);
	if (paths.length === 0 && !committed) return result;
	const file = await workspace.saveDiff(before, keptAs, attempt);
	await workspace.rollback(before);
	const shown = paths.slice(0, 5).join(", ") + (paths.length > 5 ? ` and ${paths.length - 5} more` : "");
	warn(`while checks ran, ${shown || "a commit"} changed: put back${file === null ? "" : `, kept as ${file}`}`);
	return result;
}

/** The failed ones, each with its command and the end of its output. */
export const failuresIn = (results: readonly CheckResult[]): string[] =>
	results.flatMap(({ name, command, exitCode, output }) =>
		exitCode === 0
			? []
			: [`${name}: \`${command}\` ${exitCode === null ? "did not end" : `exited ${exitCode}`}\n${output.slice(-SHOWN_BYTES)}`],
	);
