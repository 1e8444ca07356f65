// What an attempt may not change in the repository itself: configuration, hooks, exclude and attributes files, the `.git`
// of a checkout. Remembers them before an attempt, compares them afterwards and puts them back. It must run before any git call on what an
// agent left: a filter or an exclude line of the agent would take effect in that call.
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { WorkspaceError } from "../../workspace.ts";
import { excludeFileOf } from "../git/git.ts";
import { type PathState, putBack, readPlain, replaceFile, same, see } from "./guarded-file.ts";
import { withOwnLines } from "./own-lines.ts";

/** Parents first, so that a folder that became a link is a folder again before its files are put back. */
const COMMON = ["config", "info", "info/exclude", "info/attributes", "info/grafts", "objects/info/alternates", "hooks"];
const OWN = ["config.worktree", "info/sparse-checkout", "commondir", "gitdir"];

/** What all checkouts of a repository share. Attempts in several of them run at once, so there is one guard for all: it
 * compares with the state before the first running attempt. */
export class SharedGuard {
	private readonly commonDir: string;
	private readonly holders = new Set<object>();
	private seen = new Map<string, PathState>();
	private pending: string[] = [];

	constructor(commonDir: string) {
		this.commonDir = commonDir;
	}

	/** An attempt begins. */
	enter(holder: object): void {
		if (this.holders.size === 0) this.seen = look(this.commonDir, COMMON, this.seen);
		else this.pending.push(...this.putBack());
		this.holders.add(holder);
	}

	/** Before a git call while sessions run: puts changes back now and reports them with the next session that ends. */
	putBackNow(): void {
		if (this.holders.size > 0) this.pending.push(...this.putBack());
	}

	/** Puts back what was changed since. Nobody can know which attempt did it, so the first one to look reports it. */
	check(): string[] {
		const found = [...this.pending, ...(this.holders.size > 0 ? this.putBack() : [])];
		this.pending = [];
		return [...new Set(found)];
	}

	/** The attempt ended; after the last one, people may change these files again. */
	leave(holder: object): void {
		this.holders.delete(holder);
	}

	/** A change of our own, for which no attempt is blamed. */
	async change<T>(work: () => Promise<T>): Promise<T> {
		if (this.holders.size === 0) return work();
		this.pending.push(...this.putBack());
		try {
			return await work();
		} finally {
			this.seen = look(this.commonDir, COMMON, this.seen);
		}
	}

	private putBack(): string[] {
		return restore(this.commonDir, COMMON, this.seen, this.commonDir);
	}
}

const guards = new Map<string, SharedGuard>();

export function sharedGuard(commonDir: string): SharedGuard {
	const known = guards.get(commonDir) ?? new SharedGuard(commonDir);
	guards.set(commonDir, known);
	return known;
}

/** What belongs to one checkout: its `.git`, and what its own git folder holds. */
export class TreeGuard {
	private readonly path: string;
	private readonly gitDir: string;
	private readonly commonDir: string;
	private readonly dotGit: string;
	private readonly identity: string;
	private seen: Map<string, PathState> | null = null;
	/** The list beside a worktree of what our setup put into it, which git must ignore. */
	private exclude: PathState | null = null;

	constructor(options: { readonly path: string; readonly gitDir: string; readonly commonDir: string }) {
		this.path = options.path;
		this.gitDir = options.gitDir;
		this.commonDir = options.commonDir;
		this.dotGit = dotGitOf(options.path, options.gitDir);
		this.identity = identityOf(options.gitDir);
	}

	remember(): void {
		this.seen = look(this.gitDir, OWN, this.seen ?? new Map());
		this.exclude = see(excludeFileOf(this.path), this.exclude ?? undefined);
	}

	/** Throws if the repository itself is gone: there is nothing left to restore. */
	check(): string[] {
		if (this.identity === "" || identityOf(this.gitDir) !== this.identity || identityOf(join(this.commonDir, "objects")) === "") {
			throw new WorkspaceError(
				`the git folder of ${this.path} (${this.gitDir}) was deleted or replaced; its files were left as they are. Put the folder back from a copy or clone the repository again`,
			);
		}
		const tampered = this.checkDotGit();
		if (this.seen === null || this.exclude === null) return tampered;
		const exclude = excludeFileOf(this.path);
		if (!same(this.exclude, see(exclude, this.exclude))) {
			putBack(exclude, this.exclude);
			tampered.push(basename(exclude));
		}
		return [...tampered, ...restore(this.gitDir, OWN, this.seen, this.commonDir)];
	}

	private checkDotGit(): string[] {
		if (this.dotGit === "") return [];
		const file = join(this.path, ".git");
		const now = see(file);
		if (now.kind === "file" && now.content.toString("utf8") === this.dotGit) return [];
		if (now.kind === "folder") putAside(file, this.commonDir);
		else rmSync(file, { force: true });
		replaceFile(file, this.dotGit);
		return [".git"];
	}
}

/** The text of a `.git` file; empty for a folder, which is the git folder itself. */
function dotGitOf(path: string, gitDir: string): string {
	const file = join(path, ".git");
	const now = see(file);
	if (now.kind === "folder" && real(file) === real(gitDir)) return "";
	const text = now.kind === "file" ? now.content.toString("utf8") : "";
	const target = /^gitdir: (.*)\n?$/.exec(text)?.[1];
	if (target !== undefined && real(resolve(path, target)) === real(gitDir)) return text;
	// Follows a `.git` that is a link to its folder; a `.git` that is gone was a file.
	return now.kind === "link" && real(file) === real(gitDir) ? "" : `gitdir: ${gitDir}\n`;
}

/** Empty if there is no git folder. */
function identityOf(folder: string): string {
	const stat = lstatSync(folder, { throwIfNoEntry: false });
	return stat?.isDirectory() === true ? `${stat.dev} ${stat.ino}` : "";
}

function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return "";
	}
}

function look(folder: string, names: readonly string[], before: ReadonlyMap<string, PathState>): Map<string, PathState> {
	const seen = new Map<string, PathState>();
	for (const name of [...names, ...(names === COMMON ? hookNames(folder) : [])]) seen.set(name, see(join(folder, name), before.get(name)));
	return seen;
}

function restore(folder: string, names: readonly string[], was: Map<string, PathState>, commonDir: string): string[] {
	const tampered: string[] = [];
	for (const name of new Set([...names, ...was.keys(), ...(names === COMMON ? hookNames(folder) : [])])) {
		const path = join(folder, name);
		const before = was.get(name) ?? { kind: "absent" };
		const now = see(path, before);
		if (same(before, now)) {
			if (now.kind === "file") was.set(name, now);
			continue;
		}
		if (name === "info/exclude" && now.kind === "file") {
			// Another run may have started meanwhile.
			const text = withOwnLines(commonDir, contentOf(before), contentOf(now));
			if (text === contentOf(now)) {
				was.set(name, now);
				continue;
			}
			if (text !== contentOf(before)) {
				keepCopy(path, commonDir);
				replaceFile(path, text, now.mode);
				was.set(name, see(path));
				tampered.push(`.git/${name}`);
				continue;
			}
		}
		// A person may have made the change during an attempt: it is undone, but not lost.
		if (now.kind === "file") keepCopy(path, commonDir);
		putBack(path, before);
		was.set(name, see(path));
		tampered.push(`.git/${name}`);
	}
	return tampered;
}

const contentOf = (state: PathState): string => (state.kind === "file" ? state.content.toString("utf8") : "");

/** git never runs its samples, and there are more of them than of anything else here. */
function hookNames(folder: string): string[] {
	if (see(join(folder, "hooks")).kind !== "folder") return [];
	return readdirSync(join(folder, "hooks")).flatMap((name) => (name.endsWith(".sample") ? [] : [`hooks/${name}`]));
}

function keepCopy(path: string, commonDir: string): void {
	const content = readPlain(path);
	if (content === null || content.length > 1024 * 1024) return;
	const folder = join(commonDir, "pawl", "put-aside");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, `${basename(path)}-${createHash("sha256").update(content).digest("hex").slice(0, 12)}`), content);
}

function putAside(path: string, commonDir: string): void {
	const folder = join(commonDir, "pawl", "put-aside");
	mkdirSync(folder, { recursive: true });
	try {
		renameSync(path, join(folder, `${basename(path)}-${Date.now()}-${process.pid}`));
	} catch {
		// Another file system: the content of its files is in the tree, and is saved from there.
		rmSync(path, { recursive: true, force: true });
	}
}
