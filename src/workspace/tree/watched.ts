// What decides about git's answer to "what has changed here?": the files of the index, the folders that git walks, and the files that tell it what to
// ignore. Folders without a file of the index may be ignored, and git says once which are; all others are walked here as git does.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { excludeFileOf } from "../git/git.ts";
import type { IndexFile } from "../git/index-file.ts";
import type { CheckoutPaths } from "./own-index.ts";
import { isSame, type Stat } from "./stat.ts";

/** Which of these folders git ignores; null if it does not say. */
export type AskIgnored = (folders: readonly string[]) => Promise<ReadonlySet<string> | null>;

export interface Watch {
	/** Below the checkout, or absolute. */
	readonly paths: Iterable<string>;
	/** There is nothing else that decides. */
	readonly isSure: boolean;
}

type Noted = (path: string) => Stat | null;

interface Listing {
	/** Of the folder, before it was listed. */
	readonly stat: Stat | null;
	readonly folders: readonly string[];
	readonly hasRules: boolean;
	readonly hasRepository: boolean;
}

/** With more, looking at each costs about as much as git does. */
const MOST_PATHS = 5_000;
const MOST_ROUNDS = 8;
const LINK_TO_COMMIT = 0o160000;
const RULES = ".gitignore";
/** pawl writes there all the time, and nothing in it is part of the work but the workflows (isPrivate). */
const PRIVATE = ".pawl";
const WORKFLOWS = ".pawl/workflows";

const NOT_SURE: Watch = { paths: [], isSure: false };

interface Walk {
	readonly folders: readonly string[];
	/** Files that tell git what to ignore. */
	readonly rules: readonly string[];
	/** Folders that git has not judged yet. */
	readonly unclear: readonly string[];
}

export class Watched {
	private readonly checkout: CheckoutPaths;
	private readonly listings = new Map<string, Listing>();
	/** Folders without a file of the index, as git judged them by these rules. */
	private judged = { rules: "", ignored: new Set<string>(), walked: new Set<string>() };

	constructor(checkout: CheckoutPaths) {
		this.checkout = checkout;
	}

	/** `noted`: the stats from before git looked. */
	async by(file: IndexFile, noted: Noted, ask: AskIgnored): Promise<Watch> {
		const files = namesIn(file);
		if (files === null) return NOT_SURE;
		const tracked = foldersOf(files);
		let walk = this.walk(tracked, noted);
		if (walk !== null && signOf(walk.rules, noted) !== this.judged.rules) {
			this.judged = { rules: "", ignored: new Set(), walked: new Set() };
			walk = this.walk(tracked, noted);
		}
		for (let round = 0; walk !== null && walk.unclear.length > 0; round++) {
			// While the rules themselves are unclear, so is the answer.
			if (signOf(walk.rules, noted) === null) break;
			const ignored = round < MOST_ROUNDS && !walk.unclear.some(isOdd) ? await ask(walk.unclear) : null;
			if (ignored === null) return NOT_SURE;
			for (const path of walk.unclear) this.judged[ignored.has(path) ? "ignored" : "walked"].add(path);
			walk = this.walk(tracked, noted);
		}
		if (walk === null) return NOT_SURE;
		this.judged.rules = signOf(walk.rules, noted) ?? "";
		const paths = new Set([...files, ...walk.folders, ...walk.rules]);
		return paths.size > MOST_PATHS ? NOT_SURE : { paths, isSure: walk.unclear.length === 0 };
	}

	private walk(tracked: ReadonlySet<string>, noted: Noted): Walk | null {
		const { commonDir, gitDir, path: root } = this.checkout;
		const rules = [join(commonDir, "config"), join(gitDir, "config.worktree"), join(gitDir, "info", "sparse-checkout")];
		rules.push(join(commonDir, "info", "exclude"), excludeFileOf(root), `${PRIVATE}/${RULES}`);
		const unclear: string[] = [];
		const folders = new Set([...tracked, WORKFLOWS]);
		folders.delete(PRIVATE);
		// Grows meanwhile.
		for (const folder of folders) {
			const listing = this.list(folder, noted(folder));
			if (listing === null || folders.size > MOST_PATHS) return null;
			// A repository of its own, which git looks at in ways of its own.
			if (listing.hasRepository && folder !== "") return null;
			if (listing.hasRules) rules.push(below(folder, RULES));
			for (const name of listing.folders) {
				const path = below(folder, name);
				if (path === ".git" || path === PRIVATE || this.judged.ignored.has(path) || folders.has(path)) continue;
				if (this.judged.walked.has(path)) folders.add(path);
				else unclear.push(path);
			}
		}
		return { folders: [...folders], rules, unclear };
	}

	private list(folder: string, stat: Stat | null): Listing | null {
		const known = this.listings.get(folder);
		if (known !== undefined && isSame(known.stat, stat)) return known;
		const entries = entriesOf(join(this.checkout.path, folder));
		if (entries === null) return null;
		const listing = {
			stat,
			folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
			hasRules: entries.some(({ name }) => name === RULES),
			hasRepository: entries.some(({ name }) => name === ".git"),
		};
		this.listings.set(folder, listing);
		return listing;
	}
}

/** null if it holds what cannot be watched by name. */
function namesIn({ entries }: IndexFile): readonly string[] | null {
	if (entries.length > MOST_PATHS || entries.some(({ mode }) => mode === LINK_TO_COMMIT)) return null;
	const names = entries.map(({ path }) => (/[\x80-\xff]/.test(path) ? Buffer.from(path, "latin1").toString("utf8") : path));
	return names.some(isOdd) ? null : names;
}

/** It is not text, or would be an instruction to git. */
const isOdd = (name: string): boolean => name.includes("\ufffd") || name.startsWith(":");

function foldersOf(files: readonly string[]): Set<string> {
	const folders = new Set([""]);
	for (const file of files) {
		for (let at = file.lastIndexOf("/"); at > 0 && !folders.has(file.slice(0, at)); at = file.lastIndexOf("/", at - 1))
			folders.add(file.slice(0, at));
	}
	return folders;
}

/** null if one of them may have changed without a trace. */
function signOf(files: readonly string[], noted: Noted): string | null {
	const signs: string[] = [];
	for (const file of files) {
		const stat = noted(file);
		if (stat === null) return null;
		signs.push(`${file}\0${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`);
	}
	return signs.join("\0");
}

const below = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

/** Empty if there is no such folder. */
function entriesOf(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch (error) {
		return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "") ? [] : null;
	}
}
