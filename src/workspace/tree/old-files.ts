// Files as earlier trees have them. A tree never changes, so the last ones that were read are kept: a rule about what a step may write is asked
// about the same files several times.
import type { OwnIndex } from "./own-index.ts";

const MOST = 32;
const MOST_CHARACTERS = 100_000;

export class OldFiles {
	private readonly index: OwnIndex;
	private readonly known = new Map<string, string>();

	constructor(index: OwnIndex) {
		this.index = index;
	}

	/** null if the tree has no such file. */
	async read(tree: string, path: string): Promise<string | null> {
		const name = `${tree}:${path}`;
		const known = this.known.get(name);
		if (known !== undefined) return known;
		const blob = await this.index.try(["cat-file", "blob", name]);
		const text = blob.code === 0 ? blob.stdout.toString("utf8") : await this.readListed(tree, path);
		if (this.known.size >= MOST) this.known.clear();
		if (text !== null && text.length <= MOST_CHARACTERS) this.known.set(name, text);
		return text;
	}

	/** Fails if the tree cannot be read. */
	private async readListed(tree: string, path: string): Promise<string | null> {
		const [entry = ""] = (await this.index.run(["ls-tree", "-z", "--full-tree", tree, "--", path])).split("\0");
		const [, kind, id] = /^\d+ (\w+) ([0-9a-f]+)\t/.exec(entry) ?? [];
		if (kind !== "blob" || id === undefined) return null;
		return (await this.index.try(["cat-file", "blob", id])).stdout.toString("utf8");
	}
}
