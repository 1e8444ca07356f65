// The repository's own exclude file: keeps files of a run out of git without a change that anybody would have to commit.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "../files/write.ts";
import { withExcludeLock } from "./git/lock.ts";
import { noteOwnLines } from "./guard/own-lines.ts";

const HEAD = "# files of pawl's runs";

/** Adds missing patterns; does not touch what others wrote there. One at a time: two runs that start at once must not overwrite what the
 * other one added. */
export function excludePatterns(commonDir: string, patterns: readonly string[]): Promise<void> {
	return patterns.length === 0 ? Promise.resolve() : withExcludeLock(commonDir, () => addTo(commonDir, patterns));
}

async function addTo(commonDir: string, patterns: readonly string[]): Promise<void> {
	const file = join(commonDir, "info", "exclude");
	const text = await readFile(file, "utf8").catch(() => "");
	const lines = text.split(/\r?\n/);
	const missing = patterns.filter((pattern) => !lines.includes(pattern));
	if (missing.length === 0) return;
	const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
	const head = lines.includes(HEAD) ? [] : [HEAD];
	await noteOwnLines(commonDir, [HEAD, ...missing]);
	await writeWhole(file, `${before}${[...head, ...missing].join("\n")}\n`, { durable: true });
}
