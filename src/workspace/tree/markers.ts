// Finds the conflict markers that a story adds: a conflict that was committed as git left it is not resolved.
// Only added lines count, so a file that documents markers and had them before passes.
import { textOf } from "../git/file-names.ts";
import { git } from "../git/git.ts";

export interface Marker {
	readonly path: string;
	/** In the story's version of the file. */
	readonly line: number;
}

/** The two lines that enclose a conflict. One of them alone means that somebody removed half of a conflict. */
const ENCLOSES = /^(?:<{7,}|>{7,})(?: |\r?$)/;
/** The lines between them. Alone, seven equals signs may underline a title and seven bars may be a row of a table. */
const BASE = /^\|{7,}(?: |\r?$)/;
const DIVIDES = /^={7,}\r?$/;

const DIFF = ["diff-tree", "-r", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
// Leaves out files in which no such line changed.
const ONLY = ["-G", "^([<>]{7,}|[|]{7,})", "--src-prefix=a/", "--dst-prefix=b/"];

export async function addedMarkers(root: string, base: string, story: string): Promise<Marker[]> {
	const lines = new Lines();
	await git(root, [...DIFF, ...ONLY, base, story], { onStdout: (chunk) => lines.take(chunk) });
	return markersOf(lines);
}

/** Those of one checkout. Neither a commit nor a tree changes, so it keeps the last answer: steps often end where the one before ended. */
export class MarkersSince {
	private readonly root: string;
	private last: { readonly commit: string; readonly tree: string; readonly found: readonly string[] } | null = null;

	constructor(root: string) {
		this.root = root;
	}

	/** Each as `path:line`. */
	async in(tree: string, commit: string): Promise<readonly string[]> {
		if (this.last?.commit !== commit || this.last.tree !== tree) {
			const found = (await addedMarkers(this.root, commit, tree)).map(({ path, line }) => `${path}:${line}`);
			this.last = { commit, tree, found };
		}
		return this.last.found;
	}
}

/** Those that a patch without context adds, given in pieces. */
export function markersIn(pieces: readonly Buffer[]): Marker[] {
	const lines = new Lines();
	for (const piece of pieces) lines.take(piece);
	return markersOf(lines);
}

function markersOf(lines: Lines): Marker[] {
	lines.end();
	// A line that only moved, within its file or to another one, is not new.
	const moved = new Map<string, number>();
	for (const text of lines.removed) moved.set(text, (moved.get(text) ?? 0) + 1);
	const isNew = ({ text }: Added): boolean => {
		const left = moved.get(text) ?? 0;
		if (left > 0) moved.set(text, left - 1);
		return left === 0;
	};
	return lines.added.filter(isNew).map(({ path, line }) => ({ path, line }));
}

interface Added extends Marker {
	readonly text: string;
}

/** Reads a patch without context, chunk by chunk. Counts the lines of each hunk, because they may look like headers. */
class Lines {
	readonly added: Added[] = [];
	readonly removed: string[] = [];
	private rest = "";
	private path = "";
	private line = 0;
	private fewer = 0;
	private more = 0;
	/** A `|||||||` that no `=======` has followed yet. */
	private base: Added | null = null;

	take(chunk: Buffer): void {
		// Markers are ASCII; pathOf() puts the bytes of a path together again.
		const lines = (this.rest + chunk.toString("latin1")).split("\n");
		this.rest = lines.pop() ?? "";
		for (const line of lines) this.read(line);
	}

	end(): void {
		if (this.rest !== "") this.read(this.rest);
	}

	private read(line: string): void {
		if (this.fewer + this.more > 0) {
			if (line.startsWith("-")) {
				this.fewer--;
				if (ENCLOSES.test(line.slice(1)) || BASE.test(line.slice(1))) this.removed.push(line.slice(1));
			} else if (line.startsWith("+")) {
				this.more--;
				this.add(line.slice(1));
			}
			return;
		}
		const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
		if (hunk) {
			this.fewer = Number(hunk[1] ?? 1);
			this.line = Number(hunk[2]);
			this.more = Number(hunk[3] ?? 1);
		} else if (line.startsWith("+++ ")) {
			this.path = pathOf(line.slice(4));
			this.base = null;
		}
	}

	private add(text: string): void {
		const added = { path: this.path, line: this.line++, text };
		if (ENCLOSES.test(text)) this.added.push(added);
		else if (BASE.test(text)) this.base = added;
		else if (this.base !== null && DIVIDES.test(text)) {
			this.added.push(this.base);
			this.base = null;
		}
	}
}

/** git quotes a path that holds control characters or quotes, and ends one that holds spaces with a tab. */
function pathOf(name: string): string {
	const plain = name.replace(/\t$/, "");
	const quoted = /^"(.*)"$/.exec(plain)?.[1];
	const bytes = quoted === undefined ? plain : quoted.replace(/\\(?:([0-7]{3})|(.))/g, unescaped);
	return textOf(Buffer.from(bytes, "latin1")).replace(/^b\//, "");
}

const ESCAPES: Readonly<Record<string, string>> = { a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" };

const unescaped = (_: string, octal: string | undefined, letter: string): string =>
	octal === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8));
