// The right to work in a checkout that a person works in as well: at most one run has it. Who that is stands in a file beside the lock, for
// those who wait.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Lock, privateFolder, tryLock } from "./lock.ts";

/** A process that only asks holds the lock for a moment. */
const PATIENCE_MS = 200;

const holderFile = (gitDir: string): string => join(privateFolder(gitDir), "tree-holder");

/** null where another process has it. */
export const holdTree = (gitDir: string): Lock | null => tryLock(gitDir, "tree", PATIENCE_MS);

export function noteHolder(gitDir: string, run: string): void {
	mkdirSync(dirname(holderFile(gitDir)), { recursive: true });
	writeFileSync(holderFile(gitDir), run);
}

export function forgetHolder(gitDir: string): void {
	rmSync(holderFile(gitDir), { force: true });
}

/** The run that has it, "" if that is not known yet; null if nobody has it. */
export function treeHolder(gitDir: string): string | null {
	const lock = tryLock(gitDir, "tree");
	if (lock === null) return readHolder(gitDir);
	lock.free();
	return null;
}

function readHolder(gitDir: string): string {
	try {
		return readFileSync(holderFile(gitDir), "utf8").trim().slice(0, 200);
	} catch {
		return "";
	}
}
