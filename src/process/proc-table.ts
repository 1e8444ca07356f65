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
		return markedAmong(pids, (pid) => carries(pid, wanted), pause);
	},
	arguments: (pid) => String(read(pid, "cmdline") ?? "").split("\0"),
};

/** null: it cannot be told yet. */
type Carries = boolean | null;

const LOOKS = 20;

/** Looks until a list has nobody new: who ends before it is looked at may have started another one after the list was made. */
export function markedAmong(list: () => readonly number[], carries: (pid: number) => Carries, pause: () => void): number[] {
	const [found, known] = [new Set<number>(), new Set<number>()];
	for (let n = 0; n < LOOKS; n++) {
		const fresh = list().filter((pid) => !known.has(pid));
		if (fresh.length === 0) break;
		let unclear = 0;
		for (const pid of fresh) {
			const answer = carries(pid);
			if (answer === null) unclear++;
			else known.add(pid);
			if (answer === true) found.add(pid);
		}
		if (unclear > 0) pause();
	}
	return [...found];
}

/** Nothing else of pawl goes on meanwhile. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);

function pids(): number[] {
	try {
		return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
	} catch {
		return [];
	}
}

function carries(pid: number, wanted: Buffer): Carries {
	const environ = read(pid, "environ");
	if (environ === null) return false;
	if (environ.length === 0) return isBetween(pid) ? null : false;
	for (let at = environ.indexOf(wanted); at >= 0; at = environ.indexOf(wanted, at + 1)) {
		const end = at + wanted.length;
		// A whole entry, not a part of another one.
		if ((at === 0 || environ[at - 1] === 0) && (end === environ.length || environ[end] === 0)) return true;
	}
	return false;
}

/** A process that becomes another program has for a moment neither its environment nor its arguments. So have threads of the kernel, and what has ended. */
function isBetween(pid: number): boolean {
	const flags = flagsOf(pid);
	return flags !== null && (flags & (ENDING | KERNEL)) === 0 && read(pid, "cmdline")?.length === 0;
}

const flagsOf = (pid: number): number | null => {
	const text = read(pid, "stat")?.toString("latin1");
	return text === undefined ? null : Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[6]);
};

/** PF_EXITING and PF_KTHREAD of the kernel. */
const ENDING = 0x4;
const KERNEL = 0x200000;

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
