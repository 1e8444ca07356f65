// Our own index for a checkout, kept equal to its files. Flags that an agent sets in the checkout's index hide nothing
// from it, its stat cache makes a look at unchanged files cost one git call, and looking never writes the user's index.
import { randomUUID } from "node:crypto";
import { lstatSync } from "node:fs";
import { access, constants, lstat, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { WorkspaceError } from "../../workspace.ts";
import { syncFile } from "../git/durable.ts";
import { isText, raw, textOf } from "../git/file-names.ts";
import { type GitOptions, type GitResult, git, gitError, tryGit } from "../git/git.ts";
import { flaggedIn, type IndexFile, parseIndex } from "../git/index-file.ts";
import { treeOfCommit } from "../git/object-file.ts";
import { type Extra, NOTHING, pinned } from "../git/pins.ts";
import { parseStatus, type Status } from "../git/status.ts";
import { writeTreeOf } from "../git/tree-object.ts";
import { tipOf } from "./checkout-state.ts";
import { copyIndex } from "./copy-index.ts";
import { isCommitted, SeenDifferences } from "./differences.ts";
import type { Change } from "./leftovers.ts";
import { Still } from "./still.ts";
import { unseenIn } from "./whole-seconds.ts";

export interface CheckoutPaths {
	/** The checkout. */
	readonly path: string;
	/** Its git folder, absolute; that of a worktree is not the common one. */
	readonly gitDir: string;
	readonly commonDir: string;
	/** The file of our own index. */
	readonly index: string;
	/** Whether files that the user hid from git in this checkout stay hidden. Not in our own worktrees: only an agent
	 * hides anything there. */
	readonly userFlags: boolean;
}

export interface Look extends Pick<Status, "branch" | "commit"> {
	/** The tree of all files that are not ignored. */
	readonly tree: string;
	/** Paths that git cannot add: a pipe, an unreadable file. */
	readonly unreadable: readonly string[];
}

const STATUS = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"];

/** A file system's clock may be a moment behind. */
const CLOCK_BEHIND_MS = 200;

/** A larger index holds too many files to look at each of them. */
const MOST_BYTES = 1_000_000;

const TAKE = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];

// Settings must not influence how git detects a changed file.
const SETTINGS = {
	"core.trustctime": "true",
	"core.checkStat": "default",
	"core.splitIndex": "false",
	"core.ignoreStat": "false",
	"core.safecrlf": "false",
};

export class OwnIndex {
	readonly checkout: CheckoutPaths;
	private readonly env: Record<string, string>;
	/** Stat of the file after our last write; another one means that somebody else wrote it. */
	private sign = "";
	private tree: string | null = null;
	/** What each look found, against the one before. */
	private readonly seen = new SeenDifferences();
	private readonly trees = new Map<string, string>();
	/** What the user hid from git before anything of ours ran. */
	private flags: readonly (readonly [flag: string, paths: readonly string[]])[] = [];

	private readonly still: Still;
	/** When the last look began, and the commit that it saw. */
	private lookedAt: number | null = null;
	private tip: string | null = null;
	/** What git saw last, if all of it can be watched. */
	private last: { readonly look: Look; readonly settings: string } | null = null;
	private parsed: { readonly sign: string; readonly file: IndexFile | null } | null = null;

	constructor(checkout: CheckoutPaths) {
		this.checkout = checkout;
		this.still = new Still(checkout);
		this.env = environment(checkout);
	}

	/** git in this checkout, whatever its `.git` says; with our index. */
	run(args: readonly string[], options: GitOptions = {}): Promise<string> {
		return git(this.checkout.path, args, { index: this.checkout.index, ...options, env: { ...this.env, ...options.env } });
	}

	try(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
		return tryGit(this.checkout.path, args, { index: this.checkout.index, ...options, env: { ...this.env, ...options.env } });
	}

	/** Updates the index to the files, and returns their state. */
	async look(): Promise<Look> {
		await this.open();
		const settings = await pinned(this.checkout.path);
		const lastAt = this.lookedAt;
		this.lookedAt = Date.now();
		const same = this.lookAgain(settings);
		if (same !== null) return same;
		this.last = null;
		this.still.note();
		if (lastAt !== null) await this.showUnseen(lastAt);
		const { branch, commit, staged, changed, nested, was, committed } = await this.status();
		const before = this.tree;
		const unreadable = changed.length > 0 || nested.length > 0 ? await this.take(changed, nested) : [];
		if (this.tree !== null && staged.length === 0 && commit !== null) this.know(commit, this.tree);
		// Nothing staged and nothing added: the index equals the commit's tree, which may be known without a call.
		if (this.tree === null && staged.length === 0 && changed.length === 0 && nested.length === 0 && commit !== null)
			this.tree = await this.treeOf(commit);
		const file = this.tree === null ? await this.read(commit) : null;
		const fresh = new Set(changed);
		const unsure = staged.filter((path) => !fresh.has(path));
		this.tree ??= (file === null ? null : await writeTreeOf(this.checkout.commonDir, file, unsure)) ?? (await this.run(["write-tree"]));
		if (commit !== null && file !== null && committed !== null && isCommitted(committed, file)) this.know(commit, this.tree);
		if (before !== null && was !== null && unreadable.length === 0) this.seen.saw(before, this.tree, was, file);
		this.signNow();
		this.tip = commit;
		const look = { branch, commit, tree: this.tree, unreadable };
		// Without settings of the run's own, those of the user decide as well, and they are not watched.
		const canStay = settings !== NOTHING && unreadable.length === 0 && nested.length === 0;
		await this.still.looked(canStay ? await this.readAgain(file, commit) : null, (folders) => this.ignored(folders));
		if (canStay) this.last = { look, settings: JSON.stringify(settings) };
		return look;
	}

	/** `before`: when the last look began. */
	private async showUnseen(before: number): Promise<void> {
		const second = Math.floor((before - CLOCK_BEHIND_MS) / 1000);
		const written = lstatSync(this.checkout.index, { throwIfNoEntry: false })?.mtimeMs ?? 0;
		// What was recorded earlier was looked at since.
		if (written < second * 1000 || this.tip === null) return;
		const file = this.parsed?.sign === this.sign ? this.parsed.file : null;
		const index = file ?? (await this.read(this.tip));
		const unseen = index === null ? [] : unseenIn(index, this.checkout.path, second);
		if (unseen.length > 0) await this.run(["update-index", "-z", "--index-info"], { input: list(unseen) });
	}

	/** What git would see, without a process: null if something has changed since it looked. */
	private lookAgain(settings: Extra): Look | null {
		const { last, tree } = this;
		if (last === null || tree === null || last.settings !== JSON.stringify(settings)) return null;
		const commit = tipOf(this.checkout, last.look.branch);
		if (commit === null || (commit !== last.look.commit && !this.trees.has(commit))) return null;
		return this.still.isUnchanged ? { ...last.look, commit, tree } : null;
	}

	/** The index, where it is not too large to be read after each look. */
	private async readAgain(file: IndexFile | null, commit: string | null): Promise<IndexFile | null> {
		if (file === null && this.parsed?.sign === this.sign) return this.parsed.file;
		const isSmall = (lstatSync(this.checkout.index, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY) <= MOST_BYTES;
		this.parsed = { sign: this.sign, file: isSmall ? (file ?? (await this.read(commit))) : null };
		return this.parsed.file;
	}

	private async ignored(folders: readonly string[]): Promise<ReadonlySet<string> | null> {
		const result = await this.try(["check-ignore", "-z", "--stdin"], { input: list(folders) });
		return result.code > 1 ? null : new Set(textOf(result.stdout).split("\0"));
	}

	/** The index as it is now; null if only git can read it. */
	private async read(commit: string | null): Promise<IndexFile | null> {
		const bytes = commit === null ? null : await readFile(this.checkout.index).catch(() => null);
		return bytes === null || commit === null ? null : parseIndex(bytes, commit.length / 2);
	}

	/** How two trees differ, if looks saw it; null: git has to compare them. */
	differences(from: string, to: string): readonly Change[] | null {
		return this.seen.between(from, to);
	}

	/** How the trees of two commits differ, if that is known without a process. */
	differencesOfCommits(from: string, to: string): readonly Change[] | null {
		const [before, after] = [this.trees.get(from), this.trees.get(to)];
		return before === undefined || after === undefined ? null : this.differences(before, after);
	}

	/** The tree of a commit. */
	async treeOf(commit: string): Promise<string> {
		const known =
			this.trees.get(commit) ??
			(await treeOfCommit(this.checkout.commonDir, commit)) ??
			(await this.run(["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]));
		this.know(commit, known);
		return known;
	}

	know(commit: string, tree: string): void {
		if (this.trees.size > 100) this.trees.clear();
		this.trees.set(commit, tree);
	}

	/** A point's tree is an id, or `<commit>^{tree}` if only the commit was kept. */
	async resolve(tree: string): Promise<string> {
		return tree.endsWith("^{tree}") ? this.treeOf(tree.slice(0, -"^{tree}".length)) : tree;
	}

	/** Makes files and index equal to a tree, whatever is in the way; untracked files stay. */
	async checkOut(tree: string): Promise<void> {
		await this.open();
		const result = await this.try(["read-tree", "--reset", "-u", tree]);
		if (result.code !== 0) {
			await this.rebuild();
			await this.run(["read-tree", "--reset", "-u", tree]);
		}
		await this.wrote();
	}

	/** The tree of the index, but with these paths from another tree. */
	async treeWith(paths: readonly string[], other: string): Promise<string> {
		return this.withPaths(paths, other, (index) => this.run(["write-tree"], { index }));
	}

	private async withPaths<T>(paths: readonly string[], other: string, use: (index: string) => Promise<T>): Promise<T> {
		const wanted = new Set(paths);
		const old = (await this.run(["ls-tree", "-r", "-z", "--full-tree", other]))
			.split("\0")
			.filter((entry) => wanted.has(entry.slice(entry.indexOf("\t") + 1)));
		const gone = paths.map((path) => `0 ${"0".repeat(other.length)}\t${path}`);
		const index = `${this.checkout.index}.${randomUUID()}`;
		try {
			await copyIndex(this.checkout.index, index);
			await this.run(["update-index", "-z", "--index-info"], { index, input: list([...gone, ...old]) });
			return await use(index);
		} finally {
			await rm(index, { force: true });
		}
	}

	/** After a git call that wrote our index. */
	async wrote(): Promise<void> {
		this.tree = null;
		this.signNow();
	}

	/** Replaces the checkout's index by a copy of ours, in one move; these paths as in another tree. */
	async install(paths: readonly string[] = [], other = ""): Promise<void> {
		const to = join(this.checkout.gitDir, "index");
		// The checkout's own index has to survive a loss of power: git refuses to work with half of one.
		if (paths.length === 0) await copyIndex(this.checkout.index, to, syncFile);
		else await this.withPaths(paths, other, (index) => copyIndex(index, to, syncFile));
	}

	private async open(): Promise<void> {
		const sign = signOf(this.checkout.index);
		if (sign !== "" && sign === this.sign) return;
		await rm(`${this.checkout.index}.lock`, { force: true });
		await mkdir(dirname(this.checkout.index), { recursive: true });
		// The first look starts from the checkout's index for its stat cache; later ones do not trust it any more.
		if (this.sign !== "" || !(await copyIndex(join(this.checkout.gitDir, "index"), this.checkout.index))) return this.rebuild();
		const flagged = (await flaggedIn(this.checkout.index)) ?? (await this.listed());
		if (flagged === null) return this.rebuild();
		await this.readFlags(flagged);
		await this.wrote();
	}

	private async listed(): Promise<readonly string[] | null> {
		const { code, stdout } = await this.try(["ls-files", "-v", "-z"]);
		return code === 0 ? textOf(stdout).split("\0") : null;
	}

	private async rebuild(): Promise<void> {
		await rm(this.checkout.index, { force: true, recursive: true });
		await this.run(["read-tree", "HEAD"]);
		for (const [flag, paths] of this.flags) await this.run(["update-index", flag, "-z", "--stdin"], { input: list(paths) });
		await this.try(["update-index", "-q", "--refresh"]);
		await this.wrote();
	}

	/** Keeps the user's flags for good, and removes an agent's. */
	private async readFlags(entries: readonly string[]): Promise<void> {
		const assumed = entries.filter((entry) => /^[a-z] /.test(entry)).map((entry) => entry.slice(2));
		const skipped = entries.filter((entry) => /^[Ss] /.test(entry)).map((entry) => entry.slice(2));
		if (this.checkout.userFlags) {
			this.flags = [["--assume-unchanged", assumed] as const, ["--skip-worktree", skipped] as const].filter(
				([, paths]) => paths.length > 0,
			);
			return;
		}
		if (assumed.length > 0) await this.run(["update-index", "--no-assume-unchanged", "-z", "--stdin"], { input: list(assumed) });
		// A file that a sparse checkout leaves out is not deleted.
		const sparse =
			skipped.length > 0 && (await this.try(["config", "--type=bool", "core.sparseCheckout"])).stdout.toString("utf8").trim() === "true";
		const shown: string[] = [];
		for (const path of skipped) if (!sparse || (await kindOf(join(this.checkout.path, path))) !== "none") shown.push(path);
		if (shown.length > 0) await this.run(["update-index", "--no-skip-worktree", "-z", "--stdin"], { input: list(shown) });
	}

	private async status(): Promise<Status> {
		const result = await this.try(STATUS);
		if (result.code === 0) return parseStatus(textOf(result.stdout));
		await this.rebuild();
		return parseStatus(await this.run(STATUS));
	}

	private async take(changed: readonly string[], nested: readonly string[]): Promise<readonly string[]> {
		const paths = [...changed, ...(await this.nestedFiles(nested))];
		const result = await this.try(TAKE, { input: list(paths) });
		const unreadable: string[] = [];
		if (result.code !== 0) {
			// git stops at the first path that it cannot add. All others count, and that one is not part of the tree. Nor does it remove a path
			// below a folder that is a link now, unless it is told to.
			for (const path of paths) if ((await kindOf(join(this.checkout.path, path))) === "unreadable") unreadable.push(path);
			const left = new Set([...unreadable, ...paths.filter((path) => isBelowLink(this.checkout.path, path))]);
			if (left.size === 0) throw gitError(TAKE, result);
			await this.run(["update-index", "--force-remove", "-z", "--stdin"], { input: list([...left]) });
			await this.run(TAKE, { input: list(paths.filter((path) => !left.has(path))) });
		}
		await this.wrote();
		return unreadable;
	}

	/** A repository that was made inside this one is a folder like any other: its files belong to the work, a link to a commit
	 * that exists nowhere else does not. */
	private async nestedFiles(folders: readonly string[], depth = 0): Promise<string[]> {
		const files: string[] = [];
		for (const folder of folders) {
			const ask = (path: string) => tryGit(path, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
			const result = await this.inFolder(folder, ask).catch(() => null);
			if (result === null || result.code !== 0) continue;
			const paths = [...new Set(textOf(result.stdout).split("\0"))].filter((p) => p !== "").map((p) => folder + p);
			files.push(...paths.filter((p) => !p.endsWith("/")));
			if (depth < 5)
				files.push(
					...(await this.nestedFiles(
						paths.filter((p) => p.endsWith("/")),
						depth + 1,
					)),
				);
		}
		return files;
	}

	/** No program can be started in a folder whose name is not UTF-8, but in a link to it. */
	private async inFolder<T>(folder: string, use: (path: string) => Promise<T>): Promise<T> {
		const path = join(this.checkout.path, folder);
		if (isText(path)) return use(path);
		const link = `${this.checkout.index}.${randomUUID()}`;
		await symlink(raw(path), link);
		try {
			return await use(link);
		} finally {
			await rm(link, { force: true });
		}
	}

	private signNow(): void {
		this.sign = signOf(this.checkout.index);
		if (this.sign === "") throw new WorkspaceError(`${this.checkout.index} cannot be written`);
	}
}

const list = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join("");

function environment(checkout: CheckoutPaths): Record<string, string> {
	const settings = Object.entries(SETTINGS);
	return {
		GIT_DIR: checkout.gitDir,
		GIT_WORK_TREE: checkout.path,
		...(checkout.gitDir === checkout.commonDir ? {} : { GIT_COMMON_DIR: checkout.commonDir }),
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_CONFIG_COUNT: String(settings.length),
		...Object.fromEntries(
			settings.flatMap(([key, value], i) => [
				[`GIT_CONFIG_KEY_${i}`, key],
				[`GIT_CONFIG_VALUE_${i}`, value],
			]),
		),
	};
}

function signOf(file: string): string {
	const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
	return found?.isFile() === true ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "";
}

function isBelowLink(root: string, path: string): boolean {
	for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
		if (lstatSync(raw(join(root, folder)), { throwIfNoEntry: false })?.isSymbolicLink()) return true;
	return false;
}

async function kindOf(path: string): Promise<"none" | "readable" | "unreadable"> {
	const file = raw(path);
	const found = await lstat(file).catch(() => null);
	if (found === null) return "none";
	if (found.isSymbolicLink() || found.isDirectory()) return "readable";
	if (!found.isFile()) return "unreadable";
	return access(file, constants.R_OK).then(
		() => "readable",
		() => "unreadable",
	);
}
