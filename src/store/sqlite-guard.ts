// Notices that somebody truncated, deleted or replaced the database's files. SQLite does not: it continues with files that nobody can
// find any more, or the process dies of SIGBUS, because the shared index beside the database is mapped into memory. It looks at file names only:
// opening a database file with fs would drop our locks on it.
import { statSync, truncateSync } from "node:fs";

interface FileIdentity {
	readonly id: string;
	readonly size: number;
}

export interface FileGuard {
	/** Throws if a file has changed. Call it before every use of the connection. */
	check(): void;
	/** The files are damaged: closing the connection would write to them. */
	readonly damaged: boolean;
}

/** For a connection that is open already. */
export function guardFiles(database: string): FileGuard {
	const index = `${database}-shm`;
	let [last, lastIndex] = [look(database), look(index)];
	let problem: string | null = null;
	const find = (): string | null => {
		const [now, nowIndex] = [look(database), look(index)];
		if (lastIndex !== null && nowIndex?.id === lastIndex.id && nowIndex.size < lastIndex.size) {
			// Memory mapped beyond the end of a file must not be touched, not even to close the connection.
			truncateSync(index, lastIndex.size);
			return "truncated";
		}
		if (last !== null) {
			if (now === null) return "deleted";
			if (now.id !== last.id) return "replaced";
			if (now.size < last.size) return "truncated";
		}
		if (lastIndex !== null && nowIndex === null) return "deleted in part (its -shm file)";
		if (lastIndex !== null && nowIndex?.id !== lastIndex.id) return "replaced in part (its -shm file)";
		[last, lastIndex] = [now, nowIndex];
		return null;
	};
	return {
		check: () => {
			problem ??= find();
			if (problem !== null)
				throw new Error(
					`it was ${problem} while pawl was using it; pawl stops here and starts nothing more, because nothing can be recorded any longer`,
				);
		},
		get damaged() {
			return problem !== null;
		},
	};
}

function look(file: string): FileIdentity | null {
	const stat = statSync(file, { throwIfNoEntry: false });
	return stat === undefined ? null : { id: `${stat.dev}:${stat.ino}`, size: stat.size };
}
