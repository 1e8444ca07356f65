// Most builds of git compare the times of files in whole seconds. A file that is changed in the second in which git last looked at it, with its size and mtime
// kept, would stay hidden from git for good. The index has the nanoseconds all the same, so such a file is found here.
import { join } from "node:path";
import { raw, textOf } from "../git/file-names.ts";
import { type IndexEntry, type IndexFile, idOf } from "../git/index-file.ts";
import { type Stat, statOf } from "./stat.ts";

const SECOND = 1_000_000_000n;

/** Files that changed since a second in which git looked, and that git does not see; as `git update-index --index-info` takes them, which makes git
 * read them again. */
export function unseenIn(file: IndexFile, root: string, second: number): string[] {
	return file.entries.flatMap((entry) => {
		// The next change of an older one gets a later second.
		if (fieldOf(file, entry, "ctime") < second) return [];
		const path = textOf(Buffer.from(entry.path, "latin1"));
		const now = statOf(raw(join(root, path)));
		return now !== null && isUnseen(file, entry, now) ? [`${entry.mode.toString(8)} ${idOf(file, entry)}\t${path}`] : [];
	});
}

function isUnseen(file: IndexFile, entry: IndexEntry, { ctimeNs, mtimeNs, ino, size }: Stat): boolean {
	const isAsBefore = (field: keyof typeof FIELDS, now: bigint): boolean => BigInt.asUintN(32, now) === BigInt(fieldOf(file, entry, field));
	// git would see it, or does not keep nanoseconds.
	if (!isAsBefore("ctime", ctimeNs / SECOND) || !isAsBefore("mtime", mtimeNs / SECOND)) return false;
	if (!isAsBefore("ino", ino) || !isAsBefore("size", size) || fieldOf(file, entry, "ctimeNs") === 0) return false;
	return !isAsBefore("ctimeNs", ctimeNs % SECOND);
}

/** Where they are, from the beginning of an entry; its id comes after 40 bytes. */
const FIELDS = { ctime: 0, ctimeNs: 4, mtime: 8, ino: 20, size: 36 };

const fieldOf = ({ bytes }: IndexFile, { at }: IndexEntry, field: keyof typeof FIELDS): number =>
	bytes.readUInt32BE(at - 40 + FIELDS[field]);
