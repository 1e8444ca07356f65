// Makes the commits of a checkout that pawl makes itself. No branch has them yet: whoever moves one names the commit that it was at.
import { writeCommit } from "../git/commit-object.ts";
import { type Identity, identityOf } from "../git/identity.ts";
import type { OwnIndex } from "./own-index.ts";

export class Commits {
	private readonly index: OwnIndex;
	/** Asked for once: a run keeps the settings that it began with. */
	private identity: Promise<Identity> | null = null;

	constructor(index: OwnIndex) {
		this.index = index;
	}

	treeOf(commit: string): Promise<string> {
		return this.index.treeOf(commit);
	}

	async make(tree: string, parent: string, message: string): Promise<string> {
		const { path, commonDir } = this.index.checkout;
		this.identity ??= identityOf(path);
		const commit = await writeCommit(commonDir, { tree, parent, message, identity: await this.identity }, this.index);
		this.index.know(commit, tree);
		return commit;
	}
}
