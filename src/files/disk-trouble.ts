// Tells from what a program said whether the disk was full or broken, whoever noticed it: Node, SQLite, git, or the git of an agent.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/** maybe full: a write failed and nobody said why. */
export type DiskTrouble = "full" | "broken" | "maybe full";

const FULL = /\bENOSPC\b|\bEDQUOT\b|No space left on device|disk quota exceeded|out of disk ?space/i;
const BROKEN = /\bEIO\b|Input\/output error|disk I\/O error/i;
/** git drops the reason when a lock file or an index cannot be written, or the folder of one cannot be made. */
const UNWRITTEN =
	/\b(?:fatal|error): .*\b(?:couldn't|could not|unable to|failed to|cannot) (?:write|store|set|rename|append|sync|fsync|close|finalize|flush|save|create (?:leading |temporary |work ?tree )?(?:directory|directories|dir|file))\b([^\n]*)/i;
const OTHER_REASON = /permission denied|read-only|not permitted|is a directory|not a directory|file exists|too large|file name too long/i;

export function diskTroubleIn(text: string): DiskTrouble | null {
	if (FULL.test(text)) return "full";
	if (BROKEN.test(text)) return "broken";
	const line = UNWRITTEN.exec(text);
	if (line === null || OTHER_REASON.test(line[0])) return null;
	return isFull(/'(\/[^']+)'/.exec(line[1] ?? "")?.[1] ?? ".") ? "full" : "maybe full";
}

const ADVICE: Readonly<Record<DiskTrouble, string>> = {
	full: "The disk is full: make room before this is tried again.",
	broken: "Check the disk before this is tried again.",
	"maybe full": "Check that the disk is not full or broken before this is tried again.",
};

/** The text, and what a person can do about it if it tells of the disk. */
export function withDiskAdvice(text: string): string {
	const trouble = diskTroubleIn(text);
	return trouble === null ? text : `${text.trimEnd()}\n${ADVICE[trouble]}`;
}

/** Fewer bytes than this are too few for git to write a small object. */
const SMALLEST_ROOM = 64 * 1024;

function isFull(file: string): boolean {
	try {
		const { bavail, bsize, files, ffree } = statfsSync(dirname(file));
		return bavail * bsize < SMALLEST_ROOM || (files > 0 && ffree === 0);
	} catch {
		return false;
	}
}
