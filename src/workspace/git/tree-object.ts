// The tree of an index, made without a process: the folders that changed since git last noted their trees are made anew.
import type { IndexFile, NotedTree } from "./index-file.ts";
import { type GitObject, gitObject, writeObjects } from "./object-file.ts";

/** With more than this, git makes the tree, and notes it in the index for the next time. */
const MOST = 32;

/** Its id; null if git has to make it. */
export async function writeTreeOf(commonDir: string, file: IndexFile): Promise<string | null> {
	const fresh: GitObject[] = [];
	const root = build(file, file.noted, 0, file.entries.length, 0, fresh);
	return root !== null && (await writeObjects(commonDir, fresh)) ? root.toString("hex") : null;
}

/** The id of the folder with the entries `from` to `to`, whose paths have `depth` characters in common; `fresh` gets it and those below it. */
function build(file: IndexFile, noted: NotedTree | null, from: number, to: number, depth: number, fresh: GitObject[]): Buffer | null {
	if (noted !== null && noted.count >= 0) return noted.count === to - from ? noted.id : null;
	const { entries, bytes, size } = file;
	const parts: Buffer[] = [];
	// In a tree a folder is sorted as if its name ended with a slash: the order of the index.
	for (let i = from; i < to; ) {
		const entry = entries[i];
		if (entry === undefined) return null;
		const slash = entry.path.indexOf("/", depth);
		if (slash < 0) {
			parts.push(
				Buffer.from(`${entry.mode.toString(8)} ${entry.path.slice(depth)}\0`, "latin1"),
				bytes.subarray(entry.at, entry.at + size),
			);
			i++;
			continue;
		}
		const folder = entry.path.slice(0, slash + 1);
		const name = entry.path.slice(depth, slash);
		let end = i + 1;
		while (end < to && entries[end]?.path.startsWith(folder)) end++;
		const id = build(file, noted?.below.get(name) ?? null, i, end, slash + 1, fresh);
		if (id === null) return null;
		parts.push(Buffer.from(`40000 ${name}\0`, "latin1"), id);
		i = end;
	}
	if (fresh.length >= MOST) return null;
	const made = gitObject("tree", Buffer.concat(parts), size);
	fresh.push(made);
	return Buffer.from(made.id, "hex");
}
