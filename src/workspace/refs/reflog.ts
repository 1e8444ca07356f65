// The log that git keeps of a ref, read as a file: every move, no matter who made it.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Move {
	readonly from: string;
	readonly to: string;
	/** Seconds, as git has them. */
	readonly at: number;
	/** What git noted: `commit: subject`, `reset: moving to HEAD~1`. */
	readonly why: string;
}

interface Checkout {
	readonly commonDir: string;
	readonly gitDir: string;
	/** null if HEAD is on none. */
	readonly branch: string | null;
}

/** The log of the branch that a session works on, or of its HEAD. */
export const logOf = ({ commonDir, gitDir, branch }: Checkout): string =>
	branch === null ? join(gitDir, "logs", "HEAD") : join(commonDir, "logs", "refs", "heads", branch);

/** Its current length; 0 if there is none. */
export const logLength = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The moves after the first `skip` bytes; all of them if the log was rewritten since. */
export function movesIn(file: string, skip = 0): Move[] {
	return movesOf(textOf(file, skip) ?? textOf(file, 0) ?? "");
}

/** Leaves out lines that are not moves, and moves that came to nothing: git logs each before it makes it, and a full disk or a loss of power may come in
 * between. The next one then begins where that one did. Of the last one only the ref itself can tell. */
export function movesOf(text: string): Move[] {
	const moves = linesOf(text);
	return moves.filter(({ from, to }, n) => moves[n + 1]?.from !== from || from === to);
}

function linesOf(text: string): Move[] {
	return text.split("\n").flatMap((line) => {
		const parts = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t(.*))?$/.exec(line);
		const [, from = "", to = "", at = "", why = ""] = parts ?? [];
		return parts === null ? [] : [{ from, to, at: Number(at), why }];
	});
}

export const isNull = (id: string): boolean => /^0+$/.test(id);

/** null if the position is not the beginning of a line. */
function textOf(file: string, skip: number): string | null {
	let handle: number;
	try {
		handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return null;
	}
	try {
		const info = fstatSync(handle);
		if (!info.isFile() || info.size < skip) return null;
		const from = Math.max(0, skip - 1);
		const buffer = Buffer.alloc(info.size - from);
		const text = buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, from)).toString("utf8");
		if (skip === 0) return text;
		return text.startsWith("\n") ? text.slice(1) : null;
	} finally {
		closeSync(handle);
	}
}
