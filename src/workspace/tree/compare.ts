// What differs between two trees of a repository.
import type { Change } from "./leftovers.ts";
import type { OwnIndex } from "./own-index.ts";

const COMPARE = ["diff-tree", "-r", "-z", "--no-renames"];

export class Compare {
	private readonly index: OwnIndex;
	private last: { readonly from: string; readonly to: string; readonly changes: readonly Change[] } | null = null;

	constructor(index: OwnIndex) {
		this.index = index;
	}

	/** Without a process where the last look saw it. Trees do not change, so it keeps the last answer: callers often ask twice. */
	async changed(from: string, to: string): Promise<readonly Change[]> {
		if (this.last?.from === from && this.last.to === to) return this.last.changes;
		const seen = this.index.differences(from, to);
		if (seen !== null) return seen;
		const raw = (await this.index.run([...COMPARE, "--name-status", from, to])).split("\0");
		const changes: Change[] = [];
		for (let i = 0; i + 1 < raw.length; i += 2) changes.push([raw[i] ?? "", raw[i + 1] ?? ""]);
		this.last = { from, to, changes };
		return changes;
	}

	/** The paths that differ, in all of the tree or in these places only. */
	async paths(from: string, to: string, ...only: string[]): Promise<string[]> {
		if (only.length === 0) return (await this.changed(from, to)).map(([, path]) => path);
		return this.names(["--name-only", from, to, "--", ...only]);
	}

	/** The paths in one folder at which two commits differ. */
	async committed(from: string, to: string, folder: string): Promise<string[]> {
		const seen = this.index.differencesOfCommits(from, to);
		return seen === null
			? this.paths(from, to, folder)
			: seen.map(([, path]) => path).filter((path) => `${path}/`.startsWith(`${folder}/`));
	}

	async added(from: string, to: string): Promise<string[]> {
		return (await this.changed(from, to)).flatMap(([status, path]) => (status === "A" ? [path] : []));
	}

	private async names(args: readonly string[]): Promise<string[]> {
		return (await this.index.run([...COMPARE, ...args])).split("\0").filter((path) => path !== "");
	}
}
