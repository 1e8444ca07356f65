// The tree of an index, made without a process: the folders that changed since git last noted their trees are made anew.
import { entryOf, type IndexFile, idOf, type NotedTree, nameInIndex } from "./index-file.ts";
import { freshenObject, type GitObject, gitObject, writeObjects } from "./object-file.ts";

/** With more than this, git makes the tree, and notes it in the index for the next time. */
const MOST = 32;

/** Its id; null if git has to make it. `unsure`: paths that were taken into the index before and that nobody has committed. What they held may have
 * been pruned since, and so may the trees of their folders: those are made anew. */
export async function writeTreeOf(commonDir: string, file: IndexFile, unsure: readonly string[] = []): Promise<string | null> {
	if (unsure.length > MOST || !(await areThere(commonDir, file, unsure))) return null;
	const fresh: GitObject[] = [];
	const noted = file.noted === null ? null : without(file.noted, unsure.map(nameInIndex), 0);
	const root = build(file, noted, 0, file.entries.length, 0, fresh);
	return root !== null && (await writeObjects(commonDir, fresh)) ? root.toString("hex") : null;
}

async function areThere(commonDir: string, file: IndexFile, paths: readonly string[]): Promise<boolean> {
	for (const path of paths) {
		const entry = entryOf(file, nameInIndex(path));
		if (entry !== null && !(await freshenObject(commonDir, idOf(file, entry)))) return false;
	}
	return true;
}

/** Without the trees of the folders that hold these paths, whose names begin at `depth`. */
function without(noted: NotedTree, paths: readonly string[], depth: number): NotedTree {
	if (paths.length === 0) return noted;
	const below = new Map(noted.below);
	for (const [name, folder] of noted.below) {
		const start = `${name}/`;
		const inside = paths.filter((path) => path.startsWith(start, depth));
		below.set(name, without(folder, inside, depth + start.length));
	}
	return { ...noted, count: -1, below };
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
