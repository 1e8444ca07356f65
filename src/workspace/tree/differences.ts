// How the trees that were looked at one after the other differ: known from the looks themselves, so that nobody has to compare them. A tree never
// changes, so what was once seen of two of them holds for good.
import { bytesOf } from "../git/file-names.ts";
import { entryOf, type IndexFile, idOf, nameInIndex } from "../git/index-file.ts";
import type { Entry, Status } from "../git/status.ts";
import type { Change } from "./leftovers.ts";

interface Difference {
	readonly path: string;
	readonly was: Entry | null;
	readonly now: Entry | null;
}

interface Step {
	readonly from: string;
	readonly to: string;
	readonly differences: readonly Difference[];
}

const MOST_STEPS = 8;
const MOST_PATHS = 10_000;

export class SeenDifferences {
	private steps: Step[] = [];

	/** A look found this index after it had left the one before at a tree. */
	saw(from: string, to: string, was: NonNullable<Status["was"]>, file: IndexFile | null): void {
		if (from === to || file === null) return;
		const differences = was.map(([path, before]) => ({ path, was: before, now: entryAt(file, path) }));
		this.steps = [...(differences.length > MOST_PATHS ? [] : this.steps), { from, to, differences }].slice(-MOST_STEPS);
	}

	/** As `git diff-tree --name-status` says it; null if it was not seen. */
	between(from: string, to: string): readonly Change[] | null {
		if (from === to) return [];
		const end = this.steps.findLastIndex((step) => step.to === to);
		const seen = new Map<string, Difference>();
		for (let at = end, next = to; at >= 0; at--) {
			const step = this.steps[at];
			if (step?.to !== next) return null;
			for (const one of step.differences) seen.set(one.path, { ...one, now: (seen.get(one.path) ?? one).now });
			if (step.from === from) return inOrder([...seen.values()]).flatMap(changeOf);
			next = step.from;
		}
		return null;
	}
}

/** Whether an index holds what a commit does. */
export const isCommitted = (committed: NonNullable<Status["committed"]>, file: IndexFile): boolean =>
	[...committed].every(([path, entry]) => isSame(entry, entryAt(file, path)));

function entryAt(file: IndexFile, path: string): Entry | null {
	const found = entryOf(file, nameInIndex(path));
	return found === null ? null : { mode: found.mode, id: idOf(file, found) };
}

const isSame = (a: Entry | null, b: Entry | null): boolean => a?.mode === b?.mode && a?.id === b?.id;

/** A file that status calls changed may differ in nothing but line ends that git converts, or be again what it was. */
function changeOf({ path, was, now }: Difference): Change[] {
	if (isSame(was, now)) return [];
	if (now === null) return [["D", path]];
	if (was === null) return [["A", path]];
	return [[(was.mode ^ now.mode) & 0o170000 ? "T" : "M", path]];
}

/** As git has them in its trees: by bytes. */
const inOrder = (those: readonly Difference[]): Difference[] => those.toSorted((a, b) => Buffer.compare(bytesOf(a.path), bytesOf(b.path)));
