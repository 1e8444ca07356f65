// Which files this process wrote lately: whoever remembers what a folder looked like asks here whether pawl itself has written there since.
import { resolve, sep } from "node:path";

interface Written {
	readonly file: string;
	readonly at: number;
}

const MOST = 256;
let recent: Written[] = [];
/** When the newest write that is no longer remembered was made. */
let forgotten = 0;

/** Called by everything in pawl that writes, moves or removes a file outside of a git folder. */
export function noteWritten(file: string): void {
	if (recent.length >= MOST) {
		forgotten = recent[MOST / 2 - 1]?.at ?? 0;
		recent = recent.slice(MOST / 2);
	}
	recent.push({ file: resolve(file), at: performance.now() });
}

/** Whether a file in the folder was written since, at the time of `performance.now()`; `counts` is asked with paths relative to the folder.
 * true also where it is no longer known. */
export function hasWritten(folder: string, since: number, counts: (path: string) => boolean): boolean {
	if (forgotten >= since) return true;
	const start = folder.endsWith(sep) ? folder : folder + sep;
	return recent.some(({ file, at }) => at >= since && file.startsWith(start) && counts(file.slice(start.length)));
}
