// Processes as `ps` lists them, for systems without /proc (macOS): one call, and all answers are about that moment. macOS shows no environment of
// its own programs (/bin/sh, /usr/bin/…), so the shell that pawl puts in front of a command there has the mark among its arguments
// (isolation.ts), and what descends from a marked process, or is in the group that one leads, counts as marked.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { MARK_VARIABLE, type ProcessTable, type Stat } from "./process-table.ts";

interface Row extends Stat {
	readonly pid: number;
	/** The command with its arguments and, where it can be read, its environment. */
	readonly text: string;
}

/** Each column on its own: in `pid=,ppid=` a BSD takes all after the first `=` as a title. */
const COLUMNS = ["pid", "ppid", "pgid", "stat", "lstart", "command"].flatMap((name) => ["-o", `${name}=`]);
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+\S+\s+(\S+\s+\S+\s+\S+\s+\S+)\s(.*)$/;

/** Not the first in PATH: an agent that asks as a person could put another one there. */
const PLACES = ["/bin/ps", "/usr/bin/ps"];

const TRIES = 3;
/** For all tries together: nothing else of pawl goes on meanwhile. */
const PATIENCE_MS = 10_000;

/** A list without the one who asks comes of a `ps` that failed: it is asked again, since a moment later it may succeed. */
export function psTable(environments: boolean, list: (environments: boolean, timeoutMs: number) => string = listing): ProcessTable {
	const end = performance.now() + PATIENCE_MS;
	for (let tried = 1; ; tried++) {
		const left = Math.ceil(end - performance.now());
		const table = left > 0 ? tableOf(list(environments, left)) : UNKNOWN;
		if (table.known || left <= 0 || tried === TRIES) return table;
		pause(tried * 20);
	}
}

function pause(ms: number): void {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function listing(environments: boolean, timeoutMs: number): string {
	const withThem = process.platform === "darwin" ? ["-A", "-E", "-ww"] : ["axeww"];
	const args = [...(environments ? withThem : ["-A", "-ww"]), ...COLUMNS];
	try {
		return execFileSync(PLACES.find((path) => existsSync(path)) ?? "ps", args, {
			// In words and hours that do not depend on who asks.
			env: { PATH: `${process.env["PATH"] ?? ""}:/usr/bin:/bin`, LC_ALL: "C", TZ: "UTC" },
			stdio: ["ignore", "pipe", "ignore"],
			encoding: "latin1",
			maxBuffer: 256 * 1024 * 1024,
			timeout: timeoutMs,
			killSignal: "SIGKILL",
		});
	} catch {
		return "";
	}
}

export function tableOf(text: string): ProcessTable {
	const rows = new Map(text.split("\n").flatMap((line) => rowOf(line)));
	return {
		known: rows.has(process.pid),
		pids: () => [...rows.keys()],
		stat: (pid) => rows.get(pid) ?? null,
		marks: (pid) => [...(rows.get(pid)?.text ?? "").matchAll(MARKS)].map(([, mark = ""]) => mark),
		marked: (mark) => {
			const wanted = ` ${MARK_VARIABLE}=${Buffer.from(mark).toString("latin1")} `;
			const found = new Set([...rows.values()].flatMap(({ pid, text }) => (` ${text} `.includes(wanted) ? [pid] : [])));
			for (let before = -1; before < found.size; ) {
				before = found.size;
				for (const { pid, parent, group } of rows.values()) if (found.has(parent) || found.has(group)) found.add(pid);
			}
			return [...found];
		},
		arguments: () => [],
	};
}

/** What is told if no list could be had. */
export const UNKNOWN: ProcessTable = tableOf("");

const MARKS = new RegExp(`(?<=^| )${MARK_VARIABLE}=(\\S+)`, "g");

function rowOf(line: string): [number, Row][] {
	const [, pid, parent, group, state = "", started = "", text = ""] = LINE.exec(line) ?? [];
	// One that has ended, and nobody has asked how. `l`, on Linux: only its first thread has.
	if (pid === undefined || (state.startsWith("Z") && !state.includes("l"))) return [];
	const startTime = String(Date.parse(`${started} UTC`) / 1000);
	// `E` of a BSD; Linux has no word for it.
	const ending = state.includes("E");
	return [[Number(pid), { pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, startTime, ending, text }]];
}
