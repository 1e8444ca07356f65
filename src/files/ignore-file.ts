// The file that keeps `.pawl/` out of git, except for the workflows that a team commits.
import { statSync } from "node:fs";
import { join } from "node:path";
import { writeWholeSync } from "./write.ts";

/** Leaves one alone that has any content: it may be the user's own. An empty one is what a loss of power left. */
export function keepOutOfGit(folder: string): void {
	const file = join(folder, ".gitignore");
	if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) writeWholeSync(file, "/*\n!/workflows/\n", { durable: true });
}
