// A session that works in a checkout of the run's, and changes files in the person's own: git does not see that, and nothing of it is put back,
// because the person may be at work there too. Where the session's log names a file there that changed while it ran, the person is told.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { readBounded } from "../../files/read.ts";

/** The end of a log: that of an attempt is rarely longer. */
const LOG_BYTES = 4 * 1024 * 1024;
const MOST_NAMED = 200;
const MOST_SAID = 10;
const ENDS = /["'`\s\\<>:;,|)\]}]/;

export interface Stray {
	/** The person's checkout. */
	readonly root: string;
	readonly log: string;
	/** When the session began. */
	readonly since: number;
	/** Files there that pawl itself writes; absolute. */
	readonly pawls: readonly string[];
}

/** Empty if there is nothing to say. */
export function strayRemarks(of: Stray): string[] {
	const files = strayFiles(of);
	if (files.length === 0) return [];
	const more = files.length > MOST_SAID ? ` and ${files.length - MOST_SAID} more` : "";
	return [
		`while it ran, files changed in your own checkout ${of.root} that its log names: ${files.slice(0, MOST_SAID).join(", ")}${more}. It was to stay in a checkout of its own; if that was not you, look at them: pawl puts nothing back there`,
	];
}

function strayFiles({ root, log, since, pawls }: Stray): string[] {
	const read = readBounded(log, { max: LOG_BYTES, tail: true });
	const text = "text" in read ? read.text : "";
	const named = new Set<string>();
	for (let at = text.indexOf(`${root}/`); at >= 0 && named.size < MOST_NAMED; at = text.indexOf(`${root}/`, at + 1)) {
		const from = at + root.length + 1;
		// The run's own checkouts and files, and git's.
		if (text.startsWith(".pawl/", from) || text.startsWith(".git/", from)) continue;
		const [path = ""] = text.slice(from, from + 1000).split(ENDS, 1);
		if (path !== "") named.add(path);
	}
	return [...named].filter((path) => !pawls.includes(join(root, path)) && changedSince(join(root, path), since)).sort();
}

function changedSince(file: string, since: number): boolean {
	try {
		const stat = lstatSync(file);
		return stat.isFile() && stat.mtimeMs >= since;
	} catch {
		return false;
	}
}
