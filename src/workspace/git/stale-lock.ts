// Lock files that a killed git left on refs: git itself never removes them, and every later write of that ref fails. A
// live git holds a lock for milliseconds only, so a lock that does not change for a while is dead.
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const OURS_MS = 2_000;
const SHARED_MS = 10_000;
const LOOK_MS = 50;
const startedAt = Date.now();

/** Reads git's complaint; true: the lock is gone, and the call can be repeated. */
export async function clearStaleLock(complaint: string): Promise<boolean> {
	// Not in what a server says: it does not decide which files go here.
	const path = /^(?!remote:).*Unable to create '([^'\n]+\.lock)': File exists/m.exec(complaint)?.[1];
	return path !== undefined && (await clearIfStale(path));
}

/** Deleting a ref takes this lock; a git that was killed then leaves it, and nobody could delete a ref any more. */
export async function clearPackedRefsLock(commonDir: string): Promise<void> {
	const path = join(commonDir, "packed-refs.lock");
	if ((await signOf(path)) !== null) await clearIfStale(path);
}

/** In a clone that is pawl's alone, when no process of pawl's works in it: what a killed git left anywhere in it. One that was killed together with pawl may still
 * be at work for a moment. */
export async function clearLocksIn(gitDir: string): Promise<void> {
	const found: string[] = [];
	const isLock = (name: string): boolean => name.endsWith(".lock");
	for (const name of await readdir(gitDir).catch(() => [])) if (isLock(name)) found.push(join(gitDir, name));
	for (const name of await readdir(join(gitDir, "refs"), { recursive: true }).catch(() => []))
		if (isLock(name)) found.push(join(gitDir, "refs", name));
	await Promise.all(found.map((path) => outwait(path, OURS_MS)));
}

async function clearIfStale(path: string): Promise<boolean> {
	const patience = await patienceWith(path);
	if (patience === null) return false;
	await outwait(path, patience);
	return true;
}

async function outwait(path: string, patience: number): Promise<void> {
	let last = await signOf(path);
	for (let still = 0; last !== null && still < patience; still += LOOK_MS) {
		await wait(LOOK_MS);
		const now = await signOf(path);
		if (now !== last) still = 0;
		last = now;
	}
	if (last !== null) await rm(path, { force: true });
}

/** How long it must stay unchanged to count as dead; null: it may be the user's, so pawl never touches it. */
async function patienceWith(path: string): Promise<number | null> {
	// Only pawl and its agents write these.
	if (/\/refs\/(?:(?:heads\/ralph|heads\/pawl|pawl)\/|notes\/pawl\.lock$)/.test(path)) return OURS_MS;
	if (!/\/\.git\/packed-refs\.lock$/.test(path)) return null;
	// Deleting one of our branches also takes this lock. If it is younger than this process, it may belong to a user's garbage collection.
	const found = await lstat(path).catch(() => null);
	if (found === null) return 0;
	return found.mtimeMs < startedAt ? Math.max(0, SHARED_MS - (Date.now() - found.mtimeMs)) : null;
}

async function signOf(path: string): Promise<string | null> {
	const found = await lstat(path, { bigint: true }).catch(() => null);
	return found === null ? null : `${found.ino} ${found.mtimeNs}`;
}
