// Writes trees and commits into a repository without a process, as git writes them: whole, synced, under the hash of what they hold. Never the
// files of a checkout, whose filters and line ends are git's business.
import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";

const compress = promisify(deflate);
const expand = promisify(inflate);
/** A commit is far smaller. */
const MOST_BYTES = 1_000_000;

export interface GitObject {
	readonly id: string;
	/** With its header, as it is hashed. */
	readonly bytes: Buffer;
}

/** `size`: of an id in bytes. A repository with ids of 32 bytes uses another hash. */
export function gitObject(kind: "tree" | "commit", body: Buffer, size: number): GitObject {
	const bytes = Buffer.concat([Buffer.from(`${kind} ${body.length}\0`), body]);
	return {
		id: createHash(size === 20 ? "sha1" : "sha256")
			.update(bytes)
			.digest("hex"),
		bytes,
	};
}

/** They are on the disk when this returns true. False: whatever is wrong, git has to do it, or to say what is wrong. */
export async function writeObjects(commonDir: string, objects: readonly GitObject[]): Promise<boolean> {
	const folder = join(commonDir, "objects");
	try {
		// Whoever may read the folder may read what lies in it: a repository can be shared among several users.
		const { mode } = await stat(folder);
		const written = await Promise.allSettled(objects.map((object) => writeObject(folder, mode, object)));
		return written.every(({ status }) => status === "fulfilled");
	} catch {
		return false;
	}
}

/** True if it is there, in a file of its own, and looks new now. */
export const freshenObject = (commonDir: string, id: string): Promise<boolean> =>
	freshen(join(commonDir, "objects", id.slice(0, 2), id.slice(2)));

/** The tree of a commit that lies in a file of its own and is what its name says; null if git has to be asked. */
export async function treeOfCommit(commonDir: string, id: string): Promise<string | null> {
	try {
		const file = join(commonDir, "objects", id.slice(0, 2), id.slice(2));
		if ((await stat(file)).size > MOST_BYTES) return null;
		const bytes = await expand(await readFile(file), { maxOutputLength: MOST_BYTES });
		const hash = createHash(id.length === 40 ? "sha1" : "sha256").update(bytes);
		const tree = /^commit \d+\0tree ([0-9a-f]+)\n/.exec(bytes.toString("latin1", 0, 200))?.[1];
		return hash.digest("hex") === id && tree?.length === id.length ? tree : null;
	} catch {
		return null;
	}
}

async function writeObject(folder: string, mode: number, { id, bytes }: GitObject): Promise<void> {
	const file = join(folder, id.slice(0, 2), id.slice(2));
	if (await freshen(file)) return;
	// Under this name git removes it if we are killed.
	const temporary = join(dirname(file), `tmp_obj_${randomBytes(6).toString("hex")}`);
	try {
		const handle = await openIn(dirname(file), temporary, mode);
		try {
			await handle.writeFile(await compress(bytes));
			await handle.chmod(mode & 0o444);
			await handle.sync();
		} finally {
			await handle.close();
		}
		await rename(temporary, file);
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
}

/** True if it exists. Like git, makes it look new, so that nobody's `git gc` removes it before something refers to it. */
async function freshen(file: string): Promise<boolean> {
	const now = new Date();
	return utimes(file, now, now).then(
		() => true,
		() => false,
	);
}

async function openIn(folder: string, file: string, mode: number) {
	try {
		return await open(file, "wx", 0o600);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		await mkdir(folder, { recursive: true });
		await chmod(folder, mode & 0o7777);
		return open(file, "wx", 0o600);
	}
}
