// The tree that checks run on. Whoever ran them has just looked at it: it is looked at again as soon as something that pawl started or wrote can have
// changed it.
import { hasWritten } from "../../files/written.ts";
import type { Workspace } from "../../workspace.ts";

export class FoundTree {
	private readonly workspace: Pick<Workspace, "path" | "point">;
	private found: { readonly tree: string; readonly at: number } | null = null;

	constructor(workspace: Pick<Workspace, "path" | "point">) {
		this.workspace = workspace;
	}

	/** `at`: when the look began, by `performance.now()`. */
	saw(tree: string, at: number): void {
		this.found = { tree, at };
	}

	/** A command starts: whatever it changes shows only in another look. */
	forget(): void {
		this.found = null;
	}

	async now(): Promise<string> {
		const { found, workspace } = this;
		if (found !== null && !hasWritten(workspace.path, found.at, isWork)) return found.tree;
		return (await workspace.point()).tree;
	}
}

/** Not git's own files, nor pawl's. */
const isWork = (path: string): boolean => !/^\.(?:git|pawl(?!\/workflows\/))\//.test(path);
