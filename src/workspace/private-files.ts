// Our own folder in a checkout, `.pawl/`, stays out of git whatever an attempt did to it: `git clean -fdx` takes its ignore file along,
// and the next `git add -A` would then commit the run's own state.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function keepIgnored(checkout: string): void {
	const folder = join(checkout, ".pawl");
	const file = join(folder, ".gitignore");
	if (!existsSync(folder) || existsSync(file)) return;
	try {
		writeFileSync(file, "/*\n!/workflows/\n");
	} catch {
		// The folder is no folder, or gone again: then there is nothing of ours to ignore.
	}
}
