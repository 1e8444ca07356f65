// Finding and ending processes by a mark in their environment. It needs no knowledge of what this engine started, so
// it also finds what a killed engine left behind. Linux only; elsewhere there is no /proc to read and it finds none.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export const MARK_VARIABLE = "PAWL_MARK";

/** A pid alone may be somebody else's by now; together with its start time it is one process of this boot. */
export interface ProcessId {
	readonly pid: number;
	/** Clock ticks since boot. */
	readonly startTime: string;
}

/** Every live process with this mark in its environment. */
export function markedProcesses(mark: string): ProcessId[] {
	const wanted = Buffer.from(`${MARK_VARIABLE}=${mark}`);
	return allPids().flatMap((pid) => {
		if (pid === process.pid || !hasMark(pid, wanted)) return [];
		const stat = statOf(pid);
		return stat === null ? [] : [{ pid, startTime: stat.startTime }];
	});
}

const GIVE_UP_MS = 5000;
/** For processes that were ending before we looked: some may be somebody else's, and stuck. */
const ENDING_MS = 1000;

/** Kills until none is left; returns those that could not be killed (blocked in the kernel, or not ours to kill). A process that ends
 * gives up its memory first, and the mark with it, and its open files and locks after that: so those that were seen, and those that were
 * ending already, are waited for. */
export async function sweep(mark: string): Promise<readonly ProcessId[]> {
	const wanted = Buffer.from(`${MARK_VARIABLE}=${mark}`);
	const start = performance.now();
	let seen: readonly ProcessId[] = [];
	let ending = endingProcesses();
	for (let pause = 0; ; pause = Math.min(pause + 1, 20)) {
		const found = markedProcesses(mark);
		const since = performance.now() - start;
		seen = [...seen.filter(isThere), ...found];
		ending = since > ENDING_MS ? [] : ending.filter(isThere);
		if ((seen.length === 0 && ending.length === 0) || since > GIVE_UP_MS) return found;
		for (const { pid, startTime } of found) {
			if (statOf(pid)?.startTime === startTime && hasMark(pid, wanted)) signalProcess(pid, "SIGKILL");
		}
		await sleep(pause);
	}
}

/** The same, synchronously and without retries, for a process that is about to exit. */
export function sweepNow(mark: string): void {
	for (let round = 0; round < 50; round++) {
		const found = markedProcesses(mark);
		if (found.length === 0) return;
		for (const { pid } of found) signalProcess(pid, "SIGKILL");
	}
}

/** The members of a process group other than its leader. */
export function groupMembers(group: number): number[] {
	return allPids().filter((pid) => pid !== group && statOf(pid)?.group === group);
}

/** It is no error if the pid is gone or not ours. Negative: the whole group. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
	try {
		return process.kill(pid, signal);
	} catch {
		return false;
	}
}

function allPids(): number[] {
	try {
		return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
	} catch {
		return [];
	}
}

function hasMark(pid: number, wanted: Buffer): boolean {
	try {
		const environ = readFileSync(`/proc/${pid}/environ`);
		for (let at = environ.indexOf(wanted); at >= 0; at = environ.indexOf(wanted, at + 1)) {
			const end = at + wanted.length;
			// A whole entry, not a part of another one.
			if ((at === 0 || environ[at - 1] === 0) && (end === environ.length || environ[end] === 0)) return true;
		}
		return false;
	} catch {
		return false;
	}
}

const isThere = ({ pid, startTime }: ProcessId): boolean => statOf(pid)?.startTime === startTime;

/** Whoever they belong to: their environment is gone. */
const endingProcesses = (): ProcessId[] =>
	allPids().flatMap((pid) => {
		const stat = statOf(pid);
		return stat?.ending ? [{ pid, startTime: stat.startTime }] : [];
	});

/** PF_EXITING of the kernel. */
const ENDING = 0x4;

interface Stat {
	readonly group: number;
	readonly startTime: string;
	readonly ending: boolean;
}

/** Of a process that has not ended. */
function statOf(pid: number): Stat | null {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, "latin1");
		// The name in parentheses may hold spaces and parentheses itself; the fields after it do not.
		const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
		const [state, , group] = fields;
		const startTime = fields[19];
		// Its first thread may end before the others do.
		const ended = (state === "Z" || state === "X") && Number(fields[17]) <= 1;
		if (group === undefined || startTime === undefined || ended) return null;
		return { group: Number(group), startTime, ending: (Number(fields[6]) & ENDING) !== 0 };
	} catch {
		return null;
	}
}
