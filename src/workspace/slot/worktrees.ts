// The worktrees of the slots, `.pawl/worktrees/agent-<slot>`, each on the branch of the story that has it: `ralph/<story>`, or
// `ralph/<run>/<story>` for a run whose stories are known only later, so that nobody could refuse a second story of that name. It saves work that is in the way under a backup ref first. What a slot holds is recorded in
// git's own folder for the worktree, because an agent can move its HEAD.
import { execFile } from "node:child_process";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { WorkspaceError } from "../../workspace.ts";
import { removeHusk, syncWorktree } from "../git/durable.ts";
import { excludeFileOf, git, tryGit } from "../git/git.ts";
import { type Lock, tryLock, withWorktreeLock } from "../git/lock.ts";
import { adminOf, exists, names } from "../git/worktree-folders.ts";
import { keepFiles, keepWork } from "../refs/backup.ts";
import { backupRef, keptByRef, keptRef, startRef, storyBranch } from "../refs/names.ts";
import { GitTree } from "../tree/tree.ts";
import { clearOperations, putOn, relink, runNote } from "./linked.ts";
import { type Preparation, prepare, prepared } from "./prepare.ts";

export interface WorktreeOptions extends Preparation {
	/** The root of the main checkout. */
	readonly root: string;
	readonly commonDir: string;
}

/** What is known about the worktree of a slot. */
interface Note {
	/** null when it is free: then it holds nothing to keep. */
	readonly story: string | null;
	/** The run that has the story; null if that is not known. */
	readonly run: string | null;
	/** The branch carries the name of the run. */
	readonly apart: boolean;
	/** Which setup, copy and link it was prepared with; null until that is done. */
	readonly prepared: string | null;
}

const NOTHING: Note = { story: null, run: null, apart: false, prepared: null };

export class Worktrees {
	private readonly options: WorktreeOptions;
	/** Tells other processes that the stories in these slots are being worked on. */
	private readonly held = new Map<number, Lock>();

	constructor(options: WorktreeOptions) {
		this.options = options;
	}

	async claim(slot: number, story: string, base: string, run: string | null = null, apart = false): Promise<GitTree> {
		check(slot, story);
		await this.refuseOthers(slot, run);
		const of = { story, run, apart };
		const ref = branchOf(of);
		const refs = await this.refs(ref, `refs/heads/${base}`);
		const commit = refs.get(`refs/heads/${base}`) ?? (await this.commitOf(base));
		await this.takeFrom(slot, of, refs.get(ref));
		await this.emptySlot(slot);
		const start = run === null ? [] : [`update ${startRef(run, story)} ${commit}`];
		await this.write([
			...keep(story, refs.get(ref)),
			`update ${ref} ${commit}`,
			...start,
			...(apart ? [] : [`delete ${keptRef(story)}`]),
			...givenBack(run, story),
		]);
		return await this.open(slot, of);
	}

	async reopen(slot: number, story: string, run: string | null = null, apart = false): Promise<GitTree | null> {
		check(slot, story);
		const admin = await this.admin(slot);
		const note = admin === null ? NOTHING : await noteOf(admin);
		const isHere = note.story === story && !isOthers(note.run, run);
		// An earlier version named no branch after its run.
		const of = { story, run, apart: isHere ? note.apart : apart };
		const ref = branchOf(of);
		const { refs, tip } = await this.lastOf(of);
		if (tip === undefined) return null;
		if (refs.has(ref) && admin !== null && isHere && (await exists(this.path(slot)))) {
			this.hold(slot);
			await relink(this.path(slot), admin);
			// A setup that failed or was cut off runs again; one that changed since is applied.
			if (note.prepared !== prepared(this.options)) await this.makeReady(slot, of, admin, note.prepared !== null);
			return this.tree(slot, of, admin);
		}
		await this.refuseOthers(slot, run);
		await this.takeFrom(slot, of, refs.get(ref));
		await this.emptySlot(slot);
		await this.write([...(refs.get(ref) === tip ? [] : keep(story, refs.get(ref))), `update ${ref} ${tip}`, ...givenBack(run, story)]);
		return await this.open(slot, of);
	}

	/** Where the work of a run on a story stands. What another run kept of a story of that name is not it. */
	private async lastOf(of: Owned): Promise<{ refs: ReadonlyMap<string, string>; tip: string | undefined }> {
		const { story, run, apart } = of;
		const [ref, kept, own] = [branchOf(of), keptRef(story), run === null ? [] : [keptByRef(run, story)]];
		const refs = await this.refs(ref, ...(apart ? [] : [kept]), ...own);
		const tip = refs.get(own[0] ?? "") ?? refs.get(ref);
		if (tip !== undefined || !refs.has(kept) || run === null) return { refs, tip: tip ?? refs.get(kept) };
		// Of a run that began with a version which did not write down whose it is.
		const others = await git(this.options.root, ["for-each-ref", "--format=%(refname)", `refs/pawl/kept-by/*/${story}`]);
		return { refs, tip: others === "" ? refs.get(kept) : undefined };
	}

	/** Also if it is called again, or if another story has the slot by now. Leaves a branch alone that another run works on; does not delete one that
	 * a person has checked out. */
	async release(slot: number, story: string, run: string | null = null, apart = false): Promise<void> {
		check(slot, story);
		const admin = await this.admin(slot);
		const note = admin === null ? NOTHING : await noteOf(admin);
		const isHere = note.story === story && !isOthers(note.run, run);
		if (isHere) await this.emptySlot(slot);
		const of = { story, run, apart: isHere ? note.apart : apart };
		const ref = branchOf(of);
		const tip = (await this.refs(ref)).get(ref);
		const there = tip === undefined ? "" : await this.exclusively(["for-each-ref", "--format=%(worktreepath)", ref]);
		if (tip !== undefined && !(await this.isAtWorkFor(there, run)))
			await this.write([
				...keep(story, tip),
				`update ${keptRef(story)} ${tip}`,
				...(run === null ? [] : [`update ${keptByRef(run, story)} ${tip}`]),
				...(there === "" || dirname(there) === dirname(this.path(slot)) ? [`delete ${ref} ${tip}`] : []),
			]);
		await this.removeLocks(of);
		this.held.get(slot)?.free();
		this.held.delete(slot);
	}

	/** The worktree at this path belongs to another run than this one. */
	private async isAtWorkFor(path: string, run: string | null): Promise<boolean> {
		const admin = path === "" || dirname(path) !== dirname(this.path(0)) ? null : await adminOf(this.options.commonDir, path);
		return admin !== null && isOthers((await noteOf(admin)).run, run);
	}

	/** The store gives a slot to one run; this is for the case that it was wrong. */
	private async refuseOthers(slot: number, run: string | null): Promise<void> {
		const admin = await this.admin(slot);
		const note = admin === null ? NOTHING : await noteOf(admin);
		if (note.story === null || !isOthers(note.run, run) || this.held.has(slot)) return;
		const lock = tryLock(this.options.commonDir, `slot-${slot}`);
		if (lock === null) throw new WorkspaceError(`run ${note.run} works on ${note.story} in ${this.path(slot)}`);
		lock.free();
	}

	/** A git that was killed while it changed these refs left its locks. Only we write them, and nothing
	 * would ever clean some of them up. */
	private async removeLocks(of: Owned): Promise<void> {
		const { commonDir } = this.options;
		const { story, run } = of;
		const backups = dirname(join(commonDir, backupRef(story, "any")));
		const locks = (await names(backups)).filter((name) => name.endsWith(".lock")).map((name) => join(backups, name));
		for (const lock of [
			...locks,
			...[branchOf(of), keptRef(story), ...(run === null ? [] : [keptByRef(run, story)])].map((ref) => join(commonDir, `${ref}.lock`)),
		])
			await rm(lock, { force: true });
	}

	/** What another run has made in one of them since stays. */
	async close(slots: readonly number[], run: string | null = null): Promise<void> {
		for (const slot of slots) {
			const admin = await this.admin(slot);
			const note = admin === null ? NOTHING : await noteOf(admin);
			const others = note.story !== null && isOthers(note.run, run);
			if (note.story !== null && !others) await this.release(slot, note.story, run, note.apart);
			if (!others) await this.remove(slot);
			this.held.get(slot)?.free();
			this.held.delete(slot);
		}
		const folder = dirname(this.path(0));
		if ((await names(folder)).length === 0) await rm(folder, { recursive: true, force: true });
	}

	private path(slot: number): string {
		return join(this.options.root, ".pawl", "worktrees", `agent-${slot}`);
	}

	private admin(slot: number): Promise<string | null> {
		return adminOf(this.options.commonDir, this.path(slot));
	}

	private tree(slot: number, of: Owned, admin: string): GitTree {
		const { root, commonDir } = this.options;
		const options = { root, path: this.path(slot), branch: nameOf(of), gitDir: admin, commonDir };
		return new GitTree({ ...options, index: join(admin, "pawl", "index") });
	}

	private hold(slot: number): void {
		if (this.held.has(slot)) return;
		// The store decides whose slot it is; the lock only says that somebody works in it.
		const lock = tryLock(this.options.commonDir, `slot-${slot}`);
		if (lock !== null) this.held.set(slot, lock);
	}

	/** The story's branch may still be in another worktree: empties that of a dead run, leaves any other alone. A run that nobody drives at the moment may
	 * have a story of the same name: its work is kept for it. */
	private async takeFrom(slot: number, of: Owned, tip: string | undefined): Promise<void> {
		const { story, run } = of;
		if (tip === undefined) return;
		const there = await this.exclusively(["for-each-ref", "--format=%(worktreepath)", branchOf(of)]);
		if (there === "" || there === this.path(slot)) return;
		const other = Number(/^agent-(\d+)$/.exec(there.slice(dirname(this.path(slot)).length + 1))?.[1] ?? "NaN");
		if (dirname(there) !== dirname(this.path(slot)) || Number.isNaN(other))
			throw new WorkspaceError(`branch ${nameOf(of)} is checked out in ${there}; switch that to another branch`);
		const lock = this.held.has(other) ? null : tryLock(this.options.commonDir, `slot-${other}`);
		if (lock === null && !this.held.has(other)) throw new WorkspaceError(`story ${story} is being worked on by another run, in ${there}`);
		try {
			const admin = await this.admin(other);
			const note = admin === null ? NOTHING : await noteOf(admin);
			if (note.story === story && note.run !== null && isOthers(note.run, run))
				await this.write([`update ${keptByRef(note.run, story)} ${tip}`]);
			await this.emptySlot(other);
		} finally {
			lock?.free();
		}
	}

	/** Afterwards the slot holds nothing worth keeping, and its HEAD is on no branch. */
	private async emptySlot(slot: number): Promise<void> {
		const path = this.path(slot);
		const admin = await this.admin(slot);
		if (!(await exists(path))) return;
		if (admin === null) {
			await keepFiles(path, null, this.options.commonDir, `agent-${slot}`);
			return await this.remove(slot);
		}
		await relink(path, admin);
		const note = await noteOf(admin);
		await clearOperations(admin);
		const head = await tryGit(path, ["rev-parse", "--verify", "-q", "HEAD^{commit}"]);
		if (head.code !== 0) {
			await keepFiles(path, null, this.options.commonDir, note.story ?? `agent-${slot}`);
			return await this.remove(slot);
		}
		const tip = head.stdout.toString("utf8").trim();
		if (note.story !== null) {
			await keepWork(path, admin, note.story);
			// An agent may have left its branch: its commits elsewhere are on none of our branches.
			await this.write(keep(note.story, tip));
		} else if (await exists(runNote(admin))) {
			// Of a run on its own branch.
			await keepWork(path, admin, `agent-${slot}`);
		}
		await git(path, ["update-ref", "--no-deref", "HEAD", tip]);
		await writeNote(admin, { ...note, story: null });
	}

	/** Checks out its branch, which exists; reuses existing files if it can. */
	private async open(slot: number, of: Owned): Promise<GitTree> {
		const path = this.path(slot);
		const ref = branchOf(of);
		this.hold(slot);
		const there = await this.admin(slot);
		const reused = there !== null && (await exists(path)) && (await this.reuse(path, there, ref));
		if (!reused) {
			await this.remove(slot);
			await mkdir(dirname(path), { recursive: true });
			await this.exclusively(["worktree", "add", "-q", "--no-checkout", "--detach", path, ref]);
		}
		const admin = await this.admin(slot);
		if (admin === null) throw new WorkspaceError(`git made no worktree in ${path}`);
		if (!reused) {
			await syncWorktree(path, admin);
			await putOn(path, admin, ref);
		}
		await mkdir(join(admin, "pawl"), { recursive: true });
		await rm(join(admin, "pawl", "index"), { force: true });
		// Of a run on its own branch that had the slot before: it would take the worktree for its own, and remove it.
		await rm(runNote(admin), { force: true });
		await writeNote(admin, { ...(await noteOf(admin)), ...of });
		await this.makeReady(slot, of, admin, false);
		return this.tree(slot, of, admin);
	}

	private async reuse(path: string, admin: string, ref: string): Promise<boolean> {
		try {
			await putOn(path, admin, ref);
			return true;
		} catch (error) {
			// Whatever is broken, a new worktree is not.
			if (error instanceof WorkspaceError) return false;
			throw error;
		}
	}

	private async makeReady(slot: number, of: Owned, admin: string, worked: boolean): Promise<void> {
		const worktree = { root: this.options.root, path: this.path(slot), admin, worked, run: of.run };
		await prepare(worktree, this.options, (await noteOf(admin)).prepared);
		await writeNote(admin, { ...of, prepared: prepared(this.options) });
	}

	private async remove(slot: number): Promise<void> {
		const path = this.path(slot);
		await removeFolder(path);
		await rm(excludeFileOf(path), { force: true });
		// Twice: also a locked one. Not `prune`, which would forget worktrees of the user that are just not mounted.
		if ((await this.admin(slot)) !== null) await this.exclusively(["worktree", "remove", "--force", "--force", path]);
		await removeHusk(this.options.commonDir, `agent-${slot}`);
	}

	private exclusively(args: readonly string[]): Promise<string> {
		return withWorktreeLock(this.options.commonDir, () => git(this.options.root, args));
	}

	/** The commits of those refs that exist. */
	private async refs(...wanted: string[]): Promise<Map<string, string>> {
		const text = await git(this.options.root, ["for-each-ref", "--format=%(objectname) %(refname)", ...wanted]);
		const found = new Map(text.split("\n").map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))] as const));
		return new Map(wanted.flatMap((ref) => (found.has(ref) ? [[ref, found.get(ref) ?? ""] as const] : [])));
	}

	private async commitOf(base: string): Promise<string> {
		const found = await tryGit(this.options.root, ["rev-parse", "--verify", "-q", "--end-of-options", `${base}^{commit}`]);
		if (found.code !== 0) throw new WorkspaceError(`there is no branch ${base} to start from`);
		return found.stdout.toString("utf8").trim();
	}

	private async write(lines: readonly string[]): Promise<void> {
		await git(this.options.root, ["update-ref", "-m", "pawl", "--stdin"], { input: `${lines.join("\n")}\n` });
	}
}

/** Whose it is may not be known: then it is anybody's. */
const isOthers = (owner: string | null, run: string | null): boolean => owner !== null && run !== null && owner !== run;

/** The work is under way again. */
const givenBack = (run: string | null, story: string): string[] => (run === null ? [] : [`delete ${keptByRef(run, story)}`]);

/** A story, and whose it is. */
interface Owned {
	readonly story: string;
	readonly run: string | null;
	readonly apart: boolean;
}

const nameOf = ({ story, run, apart }: Owned): string => (apart && run !== null ? storyBranch(story, run) : storyBranch(story));

const branchOf = (of: Owned): string => `refs/heads/${nameOf(of)}`;

const keep = (story: string, tip: string | undefined): string[] => (tip === undefined ? [] : [`update ${backupRef(story, tip)} ${tip}`]);

function check(slot: number, story: string): void {
	if (!Number.isInteger(slot) || slot < 0) throw new WorkspaceError(`there is no slot ${slot}`);
	if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(story) || /\.\.|\.$|\.lock$/.test(story))
		throw new WorkspaceError(`${JSON.stringify(story)} cannot be the id of a story`);
}

async function noteOf(admin: string): Promise<Note> {
	const text = await readFile(join(admin, "pawl", "slot.json"), "utf8").catch(() => null);
	if (text === null) return NOTHING;
	try {
		const { story, run, apart, prepared } = JSON.parse(text) as Partial<Note>;
		return {
			story: typeof story === "string" ? story : null,
			run: typeof run === "string" ? run : null,
			apart: apart === true,
			prepared: typeof prepared === "string" ? prepared : null,
		};
	} catch {
		return NOTHING;
	}
}

async function writeNote(admin: string, note: Note): Promise<void> {
	const file = join(admin, "pawl", "slot.json");
	await mkdir(dirname(file), { recursive: true });
	await writeFile(`${file}.${process.pid}`, JSON.stringify(note));
	await rename(`${file}.${process.pid}`, file);
}

async function removeFolder(path: string): Promise<void> {
	try {
		await rm(path, { recursive: true, force: true });
	} catch {
		// Package caches are read-only on purpose.
		await promisify(execFile)("chmod", ["-R", "u+rwX", "--", path]).catch(() => {});
		await rm(path, { recursive: true, force: true });
	}
}
