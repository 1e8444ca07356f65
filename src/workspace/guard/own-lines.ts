// The lines that runs of pawl have added to the repository's exclude file, in a list of their own: a run that starts while another one's session works must not
// look like that session's doing.
import { join } from "node:path";
import { writeWhole } from "../../files/write.ts";
import { privateFolder } from "../git/lock.ts";
import { readPlain } from "./guarded-file.ts";

const listOf = (commonDir: string): string => join(privateFolder(commonDir), "excluded");

/** Before they are added to the exclude file. */
export function noteOwnLines(commonDir: string, lines: readonly string[]): Promise<void> {
	return writeWhole(listOf(commonDir), `${[...new Set([...ownLines(commonDir), ...lines])].join("\n")}\n`);
}

/** The exclude file as it was, with the lines that runs of pawl have added since. */
export function withOwnLines(commonDir: string, before: string, now: string): string {
	const own = ownLines(commonDir);
	const old = new Set(before.split("\n"));
	const added = now.split("\n").filter((line) => own.has(line) && !old.has(line));
	if (added.length === 0) return before;
	return `${before === "" || before.endsWith("\n") ? before : `${before}\n`}${added.join("\n")}\n`;
}

function ownLines(commonDir: string): ReadonlySet<string> {
	const text = readPlain(listOf(commonDir))?.toString("utf8") ?? "";
	return new Set(text.split("\n").filter((line) => line !== ""));
}
