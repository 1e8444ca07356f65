// Checks must not change the tree: if a check fixes files or commits, its changes must not be delivered.
import { failureWithOutput } from "../../core/check/failure-text.ts";
import type { CheckResult } from "../../core/input.ts";
import type { Point, SessionStart, Workspace } from "../../workspace.ts";
import { foreignRefs } from "./ref-text.ts";

/** How to keep the work separate, and what to do with its changes. */
export interface Apart {
	readonly of: SessionStart;
	/** Keeps what it puts back in this file, as a diff: a person may have saved a file in the same checkout meanwhile. Never overwrites an
	 * existing file: the attempt goes into the name. */
	readonly keptAs: string;
	readonly attempt: number;
	warn(text: string): void;
	/** Paths that may change. */
	readonly isKept?: ((path: string) => boolean) | undefined;
}

/** Does the work, then puts the workspace back to its earlier state. Commits of others stay. `work` gives its commands the
 * environment of the point, so that pawl can tell them from those of others. */
export async function undisturbed<T>(workspace: Workspace, how: Apart, work: (before: Point) => Promise<T>): Promise<T> {
	const { isKept = () => false } = how;
	const before = await workspace.point(how.of);
	const result = await work(before);
	const { paths, committed, refs } = await workspace.changes(before);
	const foreign = foreignRefs("a check", refs);
	if (foreign !== null) how.warn(foreign);
	const wrong = paths.filter((path) => !isKept(path));
	if (wrong.length === 0 && !committed) return result;
	const file = await workspace.saveDiff(before, how.keptAs, how.attempt);
	if (committed || wrong.length === paths.length) await workspace.rollback(before);
	else await workspace.revert(wrong, before);
	const shown = wrong.slice(0, 5).join(", ") + (wrong.length > 5 ? ` and ${wrong.length - 5} more` : "");
	how.warn(`while checks ran, ${shown || "a commit"} changed: put back${file === null ? "" : `, kept as ${file}`}`);
	return result;
}

/** The failed ones, each with its command and the end of its output. */
export const failuresIn = (results: readonly CheckResult[]): string[] =>
	results.filter(({ exitCode }) => exitCode !== 0).map(failureWithOutput);
