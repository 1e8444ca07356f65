// What this system can do that another cannot. Whatever needs such a feature asks here and has another way without it; PAWL_WITHOUT hides
// features (`proc,namespaces`), so that the tests try those other ways on a system that has everything.
import { existsSync, statfsSync } from "node:fs";
import { release } from "node:os";
import { PROC } from "./proc-table.ts";
import type { ProcessTable } from "./process-table.ts";
import { psTable, UNKNOWN } from "./ps-table.ts";

/** `environments`: those of other programs can be read with `ps`. macOS hides those of its own programs. `shm`: a folder in memory. */
export type Feature = "proc" | "ps" | "environments" | "namespaces" | "fifos" | "shm";

const TESTS: Readonly<Record<Feature, () => boolean>> = {
	proc: () => existsSync("/proc/self/stat"),
	ps: () => true,
	environments: () => true,
	// Whether they work here is found out by trying (isolation.ts).
	namespaces: () => process.platform === "linux",
	// Elsewhere (kqueue) nobody is told that the last writer of a FIFO is gone: nodejs/node#45210.
	fifos: () => process.platform === "linux",
	shm: () => existsSync("/dev/shm"),
};

export function has(feature: Feature): boolean {
	return !(process.env["PAWL_WITHOUT"] ?? "").split(",").includes(feature) && TESTS[feature]();
}

/** For one look: where there is no /proc it is as of now. */
export function processTable(): ProcessTable {
	if (has("proc")) return PROC;
	return has("ps") ? psTable(has("environments")) : UNKNOWN;
}

/** For the question who asks: an agent can set PAWL_WITHOUT, so that hides nothing here. */
export const wholeTable = (): ProcessTable => (TESTS.proc() ? PROC : psTable(true));

const NAMES: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS" };

export const systemName = (): string => (isWsl() ? "Linux in WSL" : (NAMES[process.platform] ?? process.platform));

const isWsl = (): boolean => process.platform === "linux" && /microsoft/i.test(release());

/** What pawl does less well here than it could, for people. Isolation is told apart. */
export function shortcomings(repository: string | null): string[] {
	const found: string[] = [];
	if (!has("proc"))
		found.push(
			"there is no /proc: pawl looks for what a session started with `ps`, and a process that hides from it can outlive the session",
		);
	if (!processTable().known)
		found.push(
			"`ps` does not list processes: sessions fail at their end, what was killed does not resume, and pawl takes nobody for a person",
		);
	if (process.platform !== "linux" && process.platform !== "darwin") found.push("pawl was never tried on this system");
	if (repository !== null && isWsl() && isOfWindows(repository))
		found.push(
			"the repository is on a drive of Windows: move it into the file system of WSL, since locks and syncs of a drive are not reliable",
		);
	return found;
}

/** By its type in statfs (9p), which is how WSL reaches the drives. */
function isOfWindows(folder: string): boolean {
	try {
		return statfsSync(folder).type === 0x01021997;
	} catch {
		return false;
	}
}
