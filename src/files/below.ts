// The regular files below a folder that agents write in. Node's own recursive listing goes into folders that a link leads to, and so out of the folder.
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Paths in order; none if there is no such folder. */
export function filesBelow(folder: string): string[] {
	const found: string[] = [];
	const open = [folder];
	for (let at = open.pop(); at !== undefined; at = open.pop())
		for (const entry of listed(at)) {
			if (entry.isFile()) found.push(join(at, entry.name));
			else if (entry.isDirectory()) open.push(join(at, entry.name));
		}
	return found.sort();
}

function listed(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}
