// The folders between one that we trust and a file below it. An agent can put a link in the place of any of them, which would lead
// everything that is read or written below it elsewhere.
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** The first folder on the way to `file` that is something else, relative to `root`; null where all are folders, or not there yet. */
export function strayFolder(root: string, file: string): string | null {
	const way = relative(root, dirname(file));
	if (way === "") return null;
	if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) throw new Error(`${file} is not below ${root}`);
	const parts = way.split(sep);
	for (let n = 1; n <= parts.length; n++) {
		const part = join(...parts.slice(0, n));
		const stat = lstatSync(join(root, part), { throwIfNoEntry: false });
		if (stat === undefined) return null;
		if (!stat.isDirectory()) return part;
	}
	return null;
}

/** Makes the folders on the way. What stands where one belongs goes; what a link leads to stays as it is. */
export function clearWay(root: string, file: string): void {
	for (let stray = strayFolder(root, file); stray !== null; stray = strayFolder(root, file)) rmSync(join(root, stray), { force: true });
	if (lstatSync(dirname(file), { throwIfNoEntry: false }) === undefined) mkdirSync(dirname(file), { recursive: true });
}
