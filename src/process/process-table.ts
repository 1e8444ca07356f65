// What can be told about the processes of this system, wherever it is read.

export interface Stat {
	readonly parent: number;
	readonly group: number;
	/** 0: not known. */
	readonly session: number;
	/** The same for as long as the process lives; what it means depends on where it is read. */
	readonly startTime: string;
	/** It gives up its memory, and its mark with it, before its open files. */
	readonly ending: boolean;
}

export interface ProcessTable {
	/** False: the system did not say which processes there are, so that one that is not listed may be there all the same. */
	readonly known: boolean;
	pids(): readonly number[];
	/** Of a process that has not ended; null also for one that we cannot inspect. */
	stat(pid: number): Stat | null;
	/** All that it carries: none also where that cannot be read. */
	marks(pid: number): readonly string[];
	/** The processes that belong to a mark, as far as this can be told. */
	marked(mark: string): readonly number[];
	arguments(pid: number): readonly string[];
}

export const MARK_VARIABLE = "PAWL_MARK";
