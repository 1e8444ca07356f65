// Processes as Linux shows them in /proc: read anew with each question, without a process of our own.
import { readdirSync, readFileSync } from "node:fs";
import { MARK_VARIABLE, type ProcessTable, type Stat } from "./process-table.ts";

export const PROC: ProcessTable = {
	known: true,
	pids,
	stat,
	marks: (pid) =>
		String(read(pid, "environ") ?? "")
			.split("\0")
			.flatMap((entry) => (entry.startsWith(`${MARK_VARIABLE}=`) ? [entry.slice(MARK_VARIABLE.length + 1)] : [])),
	marked: (mark) => {
		const wanted = Buffer.from(`${MARK_VARIABLE}=${mark}`);
		return pids().filter((pid) => carries(pid, wanted));
	},
	arguments: (pid) => String(read(pid, "cmdline") ?? "").split("\0"),
};

function pids(): number[] {
	try {
		return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
	} catch {
		return [];
	}
}

function carries(pid: number, wanted: Buffer): boolean {
	const environ = read(pid, "environ");
	if (environ === null) return false;
	for (let at = environ.indexOf(wanted); at >= 0; at = environ.indexOf(wanted, at + 1)) {
		const end = at + wanted.length;
		// A whole entry, not a part of another one.
		if ((at === 0 || environ[at - 1] === 0) && (end === environ.length || environ[end] === 0)) return true;
	}
	return false;
}

/** PF_EXITING of the kernel. */
const ENDING = 0x4;

function stat(pid: number): Stat | null {
	const text = read(pid, "stat")?.toString("latin1");
	if (text === undefined) return null;
	// The name in parentheses may hold spaces and parentheses itself; the fields after it do not.
	const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
	const [state, parent, group, session] = fields;
	// Clock ticks since boot.
	const startTime = fields[19];
	// Its first thread may end before the others do.
	const ended = (state === "Z" || state === "X") && Number(fields[17]) <= 1;
	if (session === undefined || startTime === undefined || ended) return null;
	const ending = (Number(fields[6]) & ENDING) !== 0;
	return { parent: Number(parent), group: Number(group), session: Number(session), startTime, ending };
}

function read(pid: number, what: string): Buffer | null {
	try {
		return readFileSync(`/proc/${pid}/${what}`);
	} catch {
		return null;
	}
}
