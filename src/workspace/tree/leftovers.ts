// Sorts what an attempt left uncommitted into what belongs to the work, which is committed for it, and litter, which is put aside.
// Nothing is thrown away, and everything is named.
import { copyFile, cp, lstat, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Leftover } from "../../workspace.ts";
import { globOf, isText, raw } from "../git/file-names.ts";
import { cacheFolderOf, litter } from "./litter.ts";
import type { OwnIndex } from "./own-index.ts";

/** How a path differs from the tree of the commit: A, M, D or T. */
export type Change = readonly [status: string, path: string];

/** `before` is the tree of the commit, `changes` are the paths that differ. Files in `aside` have been moved to the folder. */
export async function sortLeftovers(
	index: OwnIndex,
	before: string,
	changes: readonly Change[],
	folder: string,
): Promise<{ readonly work: readonly Leftover[]; readonly aside: readonly Leftover[] }> {
	const { path: root } = index.checkout;
	const work: Leftover[] = [];
	const aside: Leftover[] = [];
	const caches = new Map<string, number>();
	const known = new KnownNames(index, before);
	for (const [status, path] of changes) {
		const bytes = status === "D" ? null : ((await statOf(join(root, path)))?.size ?? null);
		const cache = status === "A" ? cacheFolderOf(path) : null;
		if (cache !== null && (await known.in(cache)).length === 0) {
			caches.set(cache, (caches.get(cache) ?? 0) + (bytes ?? 0));
			continue;
		}
		const why = status === "A" ? await litter(root, path, () => known.in(dirname(path))) : null;
		if (why === null) work.push({ path, bytes });
		else {
			await putAside(root, path, folder);
			aside.push({ path, bytes, why });
		}
	}
	for (const [path, bytes] of caches) {
		await putAside(root, path, folder);
		aside.push({ path: `${path}/`, bytes, why: "a cache" });
	}
	return { work, aside };
}

const SECRET = ["may hold secrets", "a key", "holds a key"];

/** Of files that were added since a tree: those that hold secrets, or look so. A copy of each goes to a folder beside the diff that leaves them out. */
export async function keepSecretsApart(index: OwnIndex, before: string, added: readonly string[], folder: string): Promise<string[]> {
	const { path: root } = index.checkout;
	const known = new KnownNames(index, before);
	const secret: string[] = [];
	for (const path of added) {
		const why = await litter(root, path, () => known.in(dirname(path)));
		if (why === null || !SECRET.includes(why)) continue;
		secret.push(path);
		const to = join(folder, path);
		await mkdir(raw(dirname(to)), { recursive: true, mode: 0o700 });
		await copy(join(root, path), to);
	}
	return secret;
}

/** For a comparison: everything but these paths. */
export const leaveOut = (paths: readonly string[]): string[] =>
	paths.length === 0
		? []
		: ["--", ".", ...paths.map((path) => (isText(path) ? `:(top,exclude,literal)${path}` : `:(top,exclude,glob)${globOf(path)}`))];

/** Moves files of a checkout to a folder. */
export async function moveAside(root: string, paths: readonly string[], folder: string): Promise<Leftover[]> {
	const moved: Leftover[] = [];
	for (const path of paths) {
		const bytes = (await statOf(join(root, path)))?.size ?? null;
		await putAside(root, path, folder);
		moved.push({ path, bytes });
	}
	return moved;
}

/** The names that git has in the folders of a tree. */
class KnownNames {
	private readonly index: OwnIndex;
	private readonly tree: string;
	private readonly folders = new Map<string, readonly string[]>();

	constructor(index: OwnIndex, tree: string) {
		this.index = index;
		this.tree = tree;
	}

	async in(folder: string): Promise<readonly string[]> {
		const known = this.folders.get(folder);
		if (known !== undefined) return known;
		const start = folder === "." ? "" : `${folder}/`;
		const below = start === "" ? [] : ["--", start];
		// git cannot be asked for that folder alone.
		const which = isText(folder) ? [this.tree, ...below] : ["-r", this.tree];
		const listed = await this.index.run(["ls-tree", "-z", "--name-only", "--full-tree", ...which]);
		const names = listed.split("\0").filter((name) => name !== "" && name.startsWith(start));
		this.folders.set(folder, names);
		return names;
	}
}

/** Moves a file or folder of a checkout to the same path below another folder. */
async function putAside(root: string, path: string, folder: string): Promise<void> {
	const to = await freeName(join(folder, path));
	await mkdir(raw(dirname(to)), { recursive: true });
	try {
		await rename(raw(join(root, path)), raw(to));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
		await copy(join(root, path), to);
		await rm(raw(join(root, path)), { recursive: true, force: true });
	}
	// git has no empty folders, so nobody would notice one that is left.
	for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) {
		const removed = await rmdir(raw(join(root, parent))).then(
			() => true,
			() => false,
		);
		if (!removed) return;
	}
}

/** `cp` takes no bytes. */
const copy = (from: string, to: string): Promise<void> =>
	isText(from) ? cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true }) : copyFile(raw(from), raw(to));

async function freeName(path: string): Promise<string> {
	for (let n = 1; ; n++) {
		const name = n === 1 ? path : `${path}.${n}`;
		if ((await statOf(name)) === null) return name;
	}
}

const statOf = (path: string) => lstat(raw(path)).catch(() => null);

/** A change as a patch, whatever is set in the repository. */
export const PATCH = ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
