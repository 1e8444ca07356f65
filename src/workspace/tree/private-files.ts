// Our own folder in a checkout, `.pawl/`, stays out of git whatever an attempt did to it: `git clean -fdx` removes its ignore file,
// and the next `git add -A` would then commit the run's own state.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { keepOutOfGit } from "../../files/ignore-file.ts";

const folderOf = (checkout: string): string => join(checkout, ".pawl");

export const hasPrivateFolder = (checkout: string): boolean => existsSync(folderOf(checkout));

/** For a checkout that had the folder: makes it again, because the run continues to write there. */
export function keepIgnored(checkout: string): void {
	try {
		keepOutOfGit(folderOf(checkout));
	} catch {
		// Something else is in its place, so there is nothing of ours to ignore.
	}
}
