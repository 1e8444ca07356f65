// Which repositories have settings of their own for pawl's git calls (pinned.ts). A process that drives no run has none.

export interface Extra {
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
}

export interface Pinned {
	/** Calls in this folder and below are those of the repository. */
	readonly root: string;
	extra(cwd: string): Promise<Extra>;
}

export const NOTHING: Extra = { args: [], env: {} };

/** For calls in folders of an unknown repository, the last pinned settings count. */
const pins: Pinned[] = [];

/** Returns what removes it. */
export function addPin(made: Pinned): () => void {
	pins.push(made);
	return () => {
		const at = pins.indexOf(made);
		if (at >= 0) pins.splice(at, 1);
	};
}

/** The repositories in which this process drives a run. */
export const pinnedRoots = (): readonly string[] => pins.map(({ root }) => root);

/** What a git call in a folder gets besides its own arguments and environment. */
export async function pinned(cwd: string): Promise<Extra> {
	const made = pins.findLast(({ root }) => cwd === root || cwd.startsWith(`${root}/`)) ?? pins.at(-1);
	return made === undefined ? NOTHING : made.extra(cwd);
}
