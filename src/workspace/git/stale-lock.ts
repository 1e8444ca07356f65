// Lock files that a killed git left on refs: git itself never takes them away, and every later write of that ref fails. A
// lock that is held by a live git is gone within milliseconds, so one that does not change for a while is dead.
import { lstat, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

const OURS_MS = 2_000;
const SHARED_MS = 10_000;
const LOOK_MS = 50;
const startedAt = Date.now();

/** From what git complained about; true: the lock is gone, and the call can be made again. */
export async function clearStaleLock(complaint: string): Promise<boolean> {
	const path = /Unable to create '([^'\n]+\.lock)': File exists/.exec(complaint)?.[1];
	if (path === undefined) return false;
	const patience = await patienceWith(path);
	if (patience === null) return false;
	let last = await signOf(path);
	for (let still = 0; last !== null && still < patience; still += LOOK_MS) {
		await wait(LOOK_MS);
		const now = await signOf(path);
		if (now !== last) still = 0;
		last = now;
	}
	if (last !== null) await rm(path, { force: true });
	return true;
}

/** How long it must be still to count as dead; null: it may be the user's, and is never touched. */
async function patienceWith(path: string): Promise<number | null> {
	// Only pawl and the agent of the story write these.
	if (/\/refs\/(?:heads\/ralph|pawl)\//.test(path)) return OURS_MS;
	if (!/\/\.git\/packed-refs\.lock$/.test(path)) return null;
	// Deleting a branch of ours takes it as well. One that is younger than we are may be a user's garbage collection.
	const found = await lstat(path).catch(() => null);
	return found === null ? 0 : found.mtimeMs < startedAt ? SHARED_MS : null;
}

async function signOf(path: string): Promise<string | null> {
	const found = await lstat(path, { bigint: true }).catch(() => null);
	return found === null ? null : `${found.ino} ${found.mtimeNs}`;
}
