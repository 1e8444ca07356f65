// Finding and ending processes by their mark. It needs no knowledge of what this engine started, so it also finds what a killed engine left
// behind. On Linux the mark is in the environment, which everything that is started inherits; elsewhere see ps-table.ts.
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessTable } from "./process-table.ts";
import { processTable } from "./system.ts";

/** A pid alone may be somebody else's by now; together with its start time it is one process of this boot. */
export interface ProcessId {
	readonly pid: number;
	readonly startTime: string;
}

/** Every live process with this mark. */
export function markedProcesses(mark: string, table: ProcessTable = processTable()): ProcessId[] {
	return table.marked(mark).flatMap((pid) => (pid === process.pid ? [] : idOf(pid, table)));
}

const idOf = (pid: number, table: ProcessTable): ProcessId[] => {
	const stat = table.stat(pid);
	return stat === null ? [] : [{ pid, startTime: stat.startTime }];
};

const GIVE_UP_MS = 5000;
/** For processes that were ending before we looked: some may be somebody else's, and stuck. */
const ENDING_MS = 1000;

/** The system does not say which processes there are: what a session started may still be at work. */
export class ProcessesUnknown extends Error {
	override name = "ProcessesUnknown";
}

/** Between two looks that found out nothing. */
const UNKNOWN_PAUSE_MS = 100;

/** Kills until none is left; returns those that could not be killed (blocked in the kernel, or not ours to kill). A process that ends
 * gives up its memory first, and the mark with it, and its open files and locks after that: so those that were seen, and those that were
 * ending already, are waited for. Throws if it cannot be found out what is left. `also`: others that are known to belong to it. */
export async function sweep(mark: string, also: readonly ProcessId[] = []): Promise<readonly ProcessId[]> {
	const start = performance.now();
	let seen = also;
	let ending: readonly ProcessId[] | null = null;
	for (let pause = 0; ; pause = Math.min(pause + 1, 20)) {
		const table = processTable();
		const isThere = ({ pid, startTime }: ProcessId): boolean => table.stat(pid)?.startTime === startTime;
		const since = performance.now() - start;
		if (!table.known) {
			if (since > GIVE_UP_MS) throw new ProcessesUnknown(`\`ps\` does not list processes, so what ${mark} started may still be at work`);
			await sleep(UNKNOWN_PAUSE_MS);
			continue;
		}
		ending = since > ENDING_MS ? [] : (ending ?? endingProcesses(table)).filter(isThere);
		const found = [...markedProcesses(mark, table), ...also.filter(isThere)];
		seen = [...seen.filter(isThere), ...found];
		if ((seen.length === 0 && ending.length === 0) || since > GIVE_UP_MS) return found;
		for (const one of found) if (isThere(one)) signalProcess(one.pid, "SIGKILL");
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

/** What belongs to a process group or a mark, other than the leader of the group. */
export function membersOf(group: number, mark: string | undefined, table: ProcessTable = processTable()): ProcessId[] {
	const marked = mark === undefined ? [] : table.marked(mark);
	const pids = new Set([...table.pids().filter((pid) => table.stat(pid)?.group === group), ...marked]);
	return [...pids].flatMap((pid) => (pid === group || pid === process.pid ? [] : idOf(pid, table)));
}

/** It is no error if the pid is gone or not ours. Negative: the whole group. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
	try {
		return process.kill(pid, signal);
	} catch {
		return false;
	}
}

/** When a process began, to tell it from a later one with its pid; null: it is not there; undefined: the system does not say. */
export function startTimeOf(pid: number): string | null | undefined {
	const table = processTable();
	return table.known ? (table.stat(pid)?.startTime ?? null) : undefined;
}

/** Whoever they belong to: their environment is gone. */
const endingProcesses = (table: ProcessTable): ProcessId[] =>
	table.pids().flatMap((pid) => (table.stat(pid)?.ending === true ? idOf(pid, table) : []));
