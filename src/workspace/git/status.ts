// The output of `git status --porcelain=v2 --branch -z` as data.
import { bytesOf } from "./file-names.ts";

/** What a tree or an index holds at a path. */
export interface Entry {
	readonly mode: number;
	readonly id: string;
}

export interface Status {
	/** The branch that HEAD is on; null when detached. */
	readonly branch: string | null;
	/** null if the branch has no commit (any more). */
	readonly commit: string | null;
	/** Paths at which the index differs from the commit. */
	readonly staged: readonly string[];
	/** Paths at which the files differ from the index, including untracked ones. */
	readonly changed: readonly string[];
	/** Repositories inside this one that it does not track. */
	readonly nested: readonly string[];
	/** What the index held at the changed paths before they were taken into it, in the order of a tree: their mode and id, null where it held nothing.
	 * null if there is more to it: a conflict in the index, or another repository. */
	readonly was: readonly (readonly [path: string, entry: Entry | null])[] | null;
	/** What the commit holds at the staged and the changed paths, null where it holds nothing; at all others it holds what the index does.
	 * null if there is more to it. */
	readonly committed: ReadonlyMap<string, Entry | null> | null;
}

/** With --no-renames: an entry is one record. */
export function parseStatus(output: string): Status {
	let branch: string | null = null;
	let commit: string | null = null;
	const staged: string[] = [];
	const changed: string[] = [];
	const nested: string[] = [];
	const entries = new Map<string, Entry>();
	const committed = new Map<string, Entry | null>();
	let isPlain = true;
	let hasPrivate = false;
	for (const record of output.split("\0")) {
		if (record.startsWith("# branch.oid ")) commit = known(record.slice(13), "(initial)");
		else if (record.startsWith("# branch.head ")) branch = known(record.slice(14), "(detached)");
		else if (record.startsWith("? ")) {
			(record.endsWith("/") ? nested : changed).push(record.slice(2));
		} else if (/^[1u] /.test(record)) {
			const path = afterFields(record, record.startsWith("u") ? 10 : 8);
			if (isPrivate(path)) {
				hasPrivate ||= record[2] !== ".";
				continue;
			}
			const [, , , inCommit = "", mode = "", , committedId = "", id = ""] = record.split(" ", 8);
			committed.set(path, entryOf(inCommit, committedId));
			if (record.startsWith("u") || record[3] !== ".") {
				changed.push(path);
				isPlain &&= record.startsWith("1");
				// null where it is only announced by `git add -N`: in the index, but in no tree.
				const entry = entryOf(mode, id);
				if (entry !== null) entries.set(path, entry);
			}
			if (record[2] !== ".") staged.push(path);
		}
	}
	const kept = { changed: changed.filter((p) => !isPrivate(p)), nested: nested.filter((p) => !isPrivate(p)) };
	const was = isPlain && kept.nested.length === 0 ? inOrder(kept.changed).map((path) => [path, entries.get(path) ?? null] as const) : null;
	// Untracked files are not in the index. One that is in the commit all the same was listed before.
	for (const path of kept.changed) if (!committed.has(path)) committed.set(path, null);
	return { branch, commit, staged, ...kept, was, committed: was === null || hasPrivate ? null : committed };
}

const entryOf = (mode: string, id: string): Entry | null => (mode === "000000" ? null : { mode: Number.parseInt(mode, 8), id });

/** As git has them in its trees: by bytes. */
const inOrder = (paths: readonly string[]): string[] => paths.toSorted((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)));

/** Our own files in a checkout, which must stay out of every tree, even if their ignore file is gone. */
export const isPrivate = (path: string): boolean => /^\.pawl(\/|$)/.test(path) && !path.startsWith(".pawl/workflows/");

const known = (value: string, none: string): string | null => (value === none ? null : value);

function afterFields(record: string, fields: number): string {
	let at = 0;
	for (let i = 0; i < fields; i++) at = record.indexOf(" ", at) + 1;
	return record.slice(at);
}
