// One worktree on its own branch for a whole run: `.pawl/worktrees/agent-<slot>`. The branch begins as `pawl/<run>` and
// takes the name that the run asks for if that is valid and free. At the end pawl removes the worktree and keeps the branch.
// git's own folder for the worktree records what it is for, because an agent can move its HEAD.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BranchRequest, WorkspaceError } from "../../workspace.ts";
import { removeHusk, syncWorktree } from "../git/durable.ts";
import { excludeFileOf, git, tryGit } from "../git/git.ts";
import { withWorktreeLock } from "../git/lock.ts";
import { adminOf, exists, names } from "../git/worktree-folders.ts";
import { keepFiles } from "../refs/backup.ts";
import { GitTree } from "../tree/tree.ts";
import { clearOperations, putOn, relink, runNote, setHead } from "./linked.ts";
import { prepare, prepared } from "./prepare.ts";
import type { WorktreeOptions } from "./worktrees.ts";

interface Note {
	readonly run: string;
	readonly branch: string;
	/** It has its final name. */
	readonly settled: boolean;
	/** The name that it was about to get: a branch of that name is ours. */
	readonly moving: string | null;
	/** The name that it had before, still to be removed. */
	readonly leaving?: { readonly branch: string; readonly tip: string } | undefined;
	readonly prepared: string | null;
}

const RUN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export class RunBranches {
	private readonly options: WorktreeOptions;

	constructor(options: WorktreeOptions) {
		this.options = options;
	}

	/** Safe to repeat: returns the worktree as it is. */
	async open(slot: number, request: BranchRequest): Promise<GitTree> {
		if (!Number.isInteger(slot) || slot < 0 || !RUN.test(request.run))
			throw new WorkspaceError(`there is no slot ${slot} for ${request.run}`);
		const path = this.path(slot);
		let admin = await this.admin(slot);
		let note = admin === null ? null : await noteOf(admin);
		if (admin === null || note?.run !== request.run || !(await exists(path))) {
			({ admin, note } = await this.make(slot, request, admin));
		} else await relink(path, admin);
		if (note.prepared !== prepared(this.options)) note = await this.makeReady(path, admin, note);
		if (request.wanted !== null && !note.settled) note = await this.settle(path, admin, note, request.wanted);
		if (note.leaving !== undefined) note = await this.leave(admin, note, note.leaving);
		return new GitTree({
			root: this.options.root,
			path,
			branch: note.branch,
			gitDir: admin,
			commonDir: this.options.commonDir,
			index: join(admin, "pawl", "index"),
		});
	}

	/** Removes the worktree; keeps uncommitted work under a backup ref, and also removes a branch without any work. */
	async close(slot: number, run: string, start: string): Promise<void> {
		const admin = await this.admin(slot);
		const note = admin === null ? null : await noteOf(admin);
		// A loss of power may have left half of what was being removed, without the note that says whose it was.
		if (note === null) await removeHusk(this.options.commonDir, `agent-${slot}`);
		if (admin === null || note?.run !== run) return;
		if (note.leaving !== undefined) await this.leave(admin, note, note.leaving);
		await this.remove(slot, admin, run);
		const tip = await this.commitOf(`refs/heads/${note.branch}`);
		if (tip !== null && tip === start) await git(this.options.root, ["update-ref", "-m", "pawl", "-d", `refs/heads/${note.branch}`, tip]);
		const folder = dirname(this.path(0));
		if ((await names(folder)).length === 0) await rm(folder, { recursive: true, force: true });
	}

	/** Keeps uncommitted work first. What another run made there stays; null: whichever run it was for. */
	async clear(slot: number, run: string | null): Promise<void> {
		const admin = await this.admin(slot);
		const note = admin === null ? null : await noteOf(admin);
		if (admin !== null && note !== null && (run === null || note.run === run)) await this.remove(slot, admin, note.run);
	}

	private async make(slot: number, request: BranchRequest, old: string | null): Promise<{ admin: string; note: Note }> {
		const path = this.path(slot);
		if (old !== null || (await exists(path))) await this.remove(slot, old, `agent-${slot}`);
		const branch = request.known ?? `pawl/${request.run}`;
		const ref = `refs/heads/${branch}`;
		if ((await this.commitOf(ref)) === null) {
			const from = await this.startOf(request);
			await git(this.options.root, ["update-ref", "-m", "pawl", ref, from, ""]);
		}
		await mkdir(dirname(path), { recursive: true });
		await this.exclusively(["worktree", "add", "-q", "--no-checkout", "--detach", path, ref]);
		const admin = await this.admin(slot);
		if (admin === null) throw new WorkspaceError(`git made no worktree in ${path}`);
		await syncWorktree(path, admin);
		await putOn(path, admin, ref);
		// Written before setup runs, so that what a crash leaves is known to be this run's.
		const note: Note = {
			run: request.run,
			branch,
			settled: request.known !== null && request.known !== `pawl/${request.run}`,
			moving: null,
			prepared: null,
		};
		await writeNote(admin, note);
		return { admin, note };
	}

	private async startOf({ base, start }: BranchRequest): Promise<string> {
		const tip = await this.commitOf(`refs/heads/${base}`);
		if (tip === null) throw new WorkspaceError(`there is no branch ${base} to start from`);
		const within = start !== undefined && (await tryGit(this.options.root, ["merge-base", "--is-ancestor", start, tip])).code === 0;
		return within ? start : tip;
	}

	/** Also if an earlier setup failed or was cut off, or if setup, copy or link changed since. */
	private async makeReady(path: string, admin: string, note: Note): Promise<Note> {
		const worktree = { root: this.options.root, path, admin, worked: note.prepared !== null, run: note.run };
		await prepare(worktree, this.options, note.prepared);
		const ready = { ...note, prepared: prepared(this.options) };
		await writeNote(admin, ready);
		return ready;
	}

	/** Takes the name that is asked for, once. Never takes a name that another branch has, here or at a remote. */
	private async settle(path: string, admin: string, note: Note, wanted: string): Promise<Note> {
		const tip = await this.commitOf(`refs/heads/${note.branch}`);
		const free = tip !== null && (await this.isFree(wanted, tip, note.moving));
		if (!free) return this.settled(admin, { ...note, settled: true, moving: null });
		// Of a git that was killed while it moved the branch.
		if (note.moving === wanted)
			for (const lock of [join(this.options.commonDir, "refs", "heads", `${wanted}.lock`), join(admin, "HEAD.lock")])
				await rm(lock, { force: true });
		await writeNote(admin, { ...note, moving: wanted });
		await git(this.options.root, ["update-ref", "-m", "pawl: named", `refs/heads/${wanted}`, tip]);
		await setHead(path, admin, `refs/heads/${wanted}`);
		return this.settled(admin, { ...note, branch: wanted, settled: true, moving: null, leaving: { branch: note.branch, tip } });
	}

	/** Removes the name that the branch had before, also if a crash or a full disk came in between. One that somebody has moved since stays. */
	private async leave(admin: string, note: Note, { branch, tip }: NonNullable<Note["leaving"]>): Promise<Note> {
		const ref = `refs/heads/${branch}`;
		if ((await this.commitOf(ref)) === tip) await git(this.options.root, ["update-ref", "-m", "pawl: named", "-d", ref, tip]);
		return this.settled(admin, { ...note, leaving: undefined });
	}

	private async settled(admin: string, note: Note): Promise<Note> {
		await writeNote(admin, note);
		return note;
	}

	private async isFree(name: string, tip: string, moving: string | null): Promise<boolean> {
		if (name.startsWith("-") || name.length > 200 || name === "HEAD" || /[\s\p{Cc}]/u.test(name)) return false;
		const { root } = this.options;
		if ((await tryGit(root, ["check-ref-format", `refs/heads/${name}`])).code !== 0) return false;
		const remotes = await git(root, ["for-each-ref", "--format=%(refname)", "refs/remotes"]);
		if (remotes.split("\n").some((ref) => ref.split("/").slice(3).join("/") === name)) return false;
		// git keeps no branch beside one whose name is the beginning of its own.
		const heads = (await git(root, ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"])).split("\n");
		if (heads.some((head) => head.startsWith(`${name}/`) || name.startsWith(`${head}/`))) return false;
		const there = await this.commitOf(`refs/heads/${name}`);
		// One that we made before a crash may be behind by now.
		return there === null || (moving === name && (await tryGit(root, ["merge-base", "--is-ancestor", there, tip])).code === 0);
	}

	private async remove(slot: number, admin: string | null, label: string): Promise<void> {
		const path = this.path(slot);
		if (await exists(path)) {
			if (admin !== null) {
				await relink(path, admin);
				await clearOperations(admin);
			}
			await keepFiles(path, admin, this.options.commonDir, label);
			await rm(path, { recursive: true, force: true });
		}
		await rm(excludeFileOf(path), { force: true });
		if ((await this.admin(slot)) !== null) await this.exclusively(["worktree", "remove", "--force", "--force", path]);
		await removeHusk(this.options.commonDir, `agent-${slot}`);
	}

	private async commitOf(ref: string): Promise<string | null> {
		const found = await tryGit(this.options.root, ["rev-parse", "--verify", "-q", "--end-of-options", `${ref}^{commit}`]);
		return found.code === 0 ? found.stdout.toString("utf8").trim() : null;
	}

	private path(slot: number): string {
		return join(this.options.root, ".pawl", "worktrees", `agent-${slot}`);
	}

	private admin(slot: number): Promise<string | null> {
		return adminOf(this.options.commonDir, this.path(slot));
	}

	private exclusively(args: readonly string[]): Promise<string> {
		return withWorktreeLock(this.options.commonDir, () => git(this.options.root, args));
	}
}

async function noteOf(admin: string): Promise<Note | null> {
	try {
		return JSON.parse(await readFile(runNote(admin), "utf8")) as Note;
	} catch {
		return null;
	}
}

async function writeNote(admin: string, note: Note): Promise<void> {
	const file = runNote(admin);
	await mkdir(dirname(file), { recursive: true });
	await writeFile(`${file}.${process.pid}`, JSON.stringify(note), { flush: true });
	await rename(`${file}.${process.pid}`, file);
}
