// What an attempt left uncommitted, in words: for people, and for the notes that the next step reads.
import type { Leftover, Leftovers, RolledBack } from "../../workspace.ts";
import { foreignRefs } from "./ref-text.ts";

const MOST_NAMED = 20;

/** One sentence for committed files and one for files that were put aside; `folder` is where those are now. */
export function leftoverRemarks({ committed, aside }: Omit<Leftovers, "commit"> & Partial<Leftovers>, folder: string): string[] {
	return [
		...(committed.length === 0 ? [] : [`${named(committed)}: left uncommitted, and committed by pawl`]),
		...(aside.length === 0 ? [] : [`${named(aside)}: left uncommitted, and put aside as no part of the work (now in ${folder})`]),
	];
}

/** What a person should know about an attempt that was rolled back; `folder` is where untracked files are now. */
export function rollbackRemarks({ stayed, aside, refs }: RolledBack, folder: string): string[] {
	const foreign = foreignRefs("it", refs);
	return [
		...(foreign === null ? [] : [foreign]),
		...(stayed.length === 0 ? [] : [`commits of others on the branch stayed: ${stayed.map((id) => id.slice(0, 12)).join(", ")}`]),
		...(aside.length === 0 ? [] : [`${named(aside)}: were not committed, now in ${folder}`]),
	];
}

function named(files: readonly Leftover[]): string {
	const names = files.slice(0, MOST_NAMED).map(({ path, bytes, why }) => {
		const facts = [bytes === null ? "removed" : sizeOf(bytes), ...(why === undefined ? [] : [why])];
		return `${path} (${facts.join(", ")})`;
	});
	return names.join(", ") + (files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : "");
}

function sizeOf(bytes: number): string {
	if (bytes < 1000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
	return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
