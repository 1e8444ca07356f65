// The folders between a trusted folder and a file below it. An agent can replace any of them by a link, which would redirect
// everything that is read or written below it.
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** The first part of the path to `file` that is not a folder, relative to `root`; null if all are folders or do not exist yet. */
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

/** Makes the folders of the path. Removes anything else in their place; does not touch the target of a link. */
export function clearWay(root: string, file: string): void {
	for (let stray = strayFolder(root, file); stray !== null; stray = strayFolder(root, file)) rmSync(join(root, stray), { force: true });
	if (lstatSync(dirname(file), { throwIfNoEntry: false }) === undefined) mkdirSync(dirname(file), { recursive: true });
}
