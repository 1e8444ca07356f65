// Our own folder in a checkout, `.pawl/`, stays out of git whatever an attempt did to it: `git clean -fdx` takes its ignore file along,
// and the next `git add -A` would then commit the run's own state.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folderOf = (checkout: string): string => join(checkout, ".pawl");

export const hasPlace = (checkout: string): boolean => existsSync(folderOf(checkout));

/** For a checkout that had the folder: it is made again, since the run goes on writing there. */
export function keepIgnored(checkout: string): void {
	const file = join(folderOf(checkout), ".gitignore");
	if (existsSync(file)) return;
	try {
		mkdirSync(folderOf(checkout), { recursive: true });
		writeFileSync(file, "/*\n!/workflows/\n");
	} catch {
		// There is something else in its place: then there is nothing of ours to ignore.
	}
}
