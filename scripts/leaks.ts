// What a test run left behind: processes and folders that belong to its temporary folder.
// Processes are read from /proc; where there is none (macOS) only folders are checked.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { sep } from "node:path";

export interface LeftProcess {
	readonly pid: number;
	readonly command: string;
	/** It certainly came from this run, so it may be killed. */
	readonly inside: boolean;
}

export const runningPids = (): ReadonlySet<number> =>
	new Set(
		existsSync("/proc/self/stat")
			? readdirSync("/proc")
					.filter((name) => /^\d+$/.test(name))
					.map(Number)
			: [],
	);

/**
 * A process belongs to the run when its environment or working directory lies in the run's temporary folder. One with neither, but with
 * the mark of an agent, counts when it is new and an orphan: with a living parent it belongs to another pawl on this machine.
 */
export const leftProcesses = (temporary: string, before: ReadonlySet<number>): readonly LeftProcess[] =>
	[...runningPids()].flatMap((pid) => {
		if (pid === process.pid || before.has(pid)) return [];
		try {
			const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
			const folder = readlinkSync(`/proc/${pid}/cwd`);
			const inside = environment.includes(temporary) || folder === temporary || folder.startsWith(temporary + sep);
			const orphan = /\) \S+ 1 /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
			const marked = /(^|\0)PAWL_MARK=/.test(environment) && orphan;
			if (!inside && !marked) return [];
			return [{ pid, inside, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() }];
		} catch {
			// It ended meanwhile, belongs to another user, or is a zombie: not a leak of this run.
			return [];
		}
	});

// Node's compile cache, for programs that enable it without naming a folder.
const harmless = new Set(["node-compile-cache"]);

export const leftFolders = (temporary: string): readonly string[] => readdirSync(temporary).filter((name) => !harmless.has(name));
