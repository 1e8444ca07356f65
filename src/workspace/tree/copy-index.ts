// Copies an index, in one move.
import { randomUUID } from "node:crypto";
import { copyFile, rename, stat, utimes } from "node:fs/promises";

/** False if there is none. git treats a file as possibly changed if it is not older than its index, so a copy
 * must not look younger than what it copies. */
export async function copyIndex(from: string, to: string, finish: (file: string) => Promise<void> = async () => {}): Promise<boolean> {
	const found = await stat(from).catch(() => null);
	if (found?.isFile() !== true) return false;
	const fresh = `${to}.${randomUUID()}`;
	await copyFile(from, fresh);
	const when = new Date(Math.floor(found.mtimeMs));
	await utimes(fresh, when, when);
	await finish(fresh);
	await rename(fresh, to);
	return true;
}
