// A machine's own clone of the shared repository, in a folder that pawl has for itself:
//   <folder>/clone       the clone, with a checkout of the remote's default branch on no branch
//   <folder>/clone.new   one that is being made. It gets its name when it is whole, so a clone that was cut off is never taken for one
//   <folder>/pawl/       the lock: one process at a time, free at once when that process dies
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gitAddress, redactAddresses } from "../../core/remote/git-address.ts";
import type { BaseOnRemote, Clone, NoClone } from "../../remote.ts";
import { WorkspaceError } from "../../workspace.ts";
import { removeHalfMade } from "../git/durable.ts";
import { git, tryGit } from "../git/git.ts";
import { type Lock, tryLock } from "../git/lock.ts";
import { clearLocksIn } from "../git/stale-lock.ts";
import { exists } from "../git/worktree-folders.ts";
import { branchRef, OBTAINED } from "./names.ts";
import { Network, type NetworkResult } from "./network.ts";
import { GitRemote, type RemoteOptions } from "./remote.ts";

const CLONE_TIMEOUT_MS = 2 * 60 * 60_000;
const NEVER = ["--quiet", "--no-recurse-submodules"];
const DEFAULT_BRANCH = "refs/remotes/origin/HEAD";

/** Makes the clone if there is none, and brings what there is up to date: branches and tags of the remote, and the checkout. */
export async function openClone(
	address: string,
	folder: string,
	options: RemoteOptions = {},
): Promise<(Clone & { readonly remote: GitRemote }) | NoClone> {
	const checked = gitAddress(address);
	if ("problem" in checked) return { code: "invalid", problem: checked.problem };
	let lock: Lock | null = null;
	let opened: GitClone | NoClone | null = null;
	try {
		await mkdir(folder, { recursive: true, mode: 0o700 });
		lock = tryLock(folder, "clone");
		if (lock === null) return { code: "busy", problem: `another process works with the clone in ${folder}` };
		opened = await new Opening(checked.address, folder, options).open(lock);
		return opened;
	} catch (error) {
		if (error instanceof WorkspaceError || isSystemError(error)) return { code: "invalid", problem: redactAddresses(error.message) };
		throw error;
	} finally {
		if (!(opened instanceof GitClone)) lock?.free();
	}
}

class Opening {
	private readonly address: string;
	private readonly folder: string;
	private readonly root: string;
	private readonly options: RemoteOptions;

	constructor(address: string, folder: string, options: RemoteOptions) {
		this.address = address;
		this.folder = folder;
		this.root = join(folder, "clone");
		this.options = options;
	}

	async open(lock: Lock): Promise<GitClone | NoClone> {
		const problem = (await exists(this.root)) ? await this.bringUp() : await this.make();
		if (problem !== null) return problem;
		const modules = await tryGit(this.root, ["cat-file", "-e", "HEAD:.gitmodules"]);
		return new GitClone(this.root, this.address, modules.code === 0 ? [SUBMODULES] : [], lock, this.options);
	}

	private async make(): Promise<NoClone | null> {
		const draft = `${this.root}.new`;
		await rm(draft, { recursive: true, force: true });
		// With its tags, which checks may ask for (`git describe`), and its whole history: a story is merged on top of any of its commits.
		const args = [
			"clone",
			...NEVER,
			"--no-checkout",
			"--no-local",
			"--template=",
			"--origin=origin",
			"--end-of-options",
			this.address,
			draft,
		];
		const made = await this.network(this.folder).once(args, { timeoutMs: CLONE_TIMEOUT_MS });
		if (made.code !== 0) return this.away(made);
		const problem = await checkOut(draft);
		if (problem !== null) return problem;
		await mkdir(join(draft, ".git", "pawl"), { recursive: true });
		await writeFile(noteIn(draft), JSON.stringify({ address: this.address }), { flush: true });
		await rename(draft, this.root);
		return null;
	}

	private async bringUp(): Promise<NoClone | null> {
		const note = await readFile(noteIn(this.root), "utf8").catch(() => null);
		const of = note === null ? null : addressIn(note);
		if (of === null) return invalid(`${this.root} is no clone that pawl made: name another folder`);
		if (of !== this.address)
			return invalid(`${this.root} is a clone of ${redactAddresses(of)}, not of ${redactAddresses(this.address)}: name another folder`);
		await clearLocksIn(join(this.root, ".git"));
		await removeHalfMade(join(this.root, ".git"));
		const network = this.network(this.root);
		// Nobody works here yet. During a run only the branches that it needs are fetched, and no tags: sessions would seem to make them.
		const args = ["fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--end-of-options"];
		const fetched = await network.patiently([...args, this.address, "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]);
		if (fetched.code !== 0) return this.away(fetched);
		await this.forgetObtained();
		const asked = await network.patiently(["ls-remote", "--symref", "--end-of-options", this.address, "HEAD"]);
		if (asked.code !== 0) return this.away(asked);
		const name = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(asked.stdout)?.[1];
		if (name !== undefined)
			await git(this.root, ["symbolic-ref", DEFAULT_BRANCH, `refs/remotes/origin/${branchRef(name).slice("refs/heads/".length)}`]);
		return checkOut(this.root);
	}

	/** What was fetched for earlier work. Whatever is needed again is on the remote. */
	private async forgetObtained(): Promise<void> {
		const gone = await git(this.root, ["for-each-ref", "--format=delete %(refname)", OBTAINED]);
		if (gone !== "") await git(this.root, ["update-ref", "--stdin"], { input: `${gone}\n` });
	}

	private network(cwd: string): Network {
		return new Network(cwd, this.address, this.options.waitsMs);
	}

	private away({ said }: NetworkResult): NoClone {
		return { code: "unreachable", problem: `${redactAddresses(this.address)} cannot be cloned or fetched: ${said}` };
	}
}

class GitClone implements Clone {
	readonly root: string;
	readonly remote: GitRemote;
	readonly notes: readonly string[];
	private readonly lock: Lock;

	constructor(root: string, address: string, notes: readonly string[], lock: Lock, options: RemoteOptions) {
		this.root = root;
		this.notes = notes;
		this.lock = lock;
		this.remote = new GitRemote({ root, commonDir: join(root, ".git") }, address, options);
	}

	async bringUp(base: string): Promise<BaseOnRemote> {
		const found = await this.remote.baseCommit(base);
		// Also back, if a person rewound it: this branch is nobody's work.
		if (found.result === "found") await git(this.root, ["update-ref", "-m", "pawl: fetch", branchRef(base), found.commit]);
		return found;
	}

	close(): void {
		this.lock.free();
	}
}

const SUBMODULES =
	"the repository has submodules: as on one machine, pawl does not check them out (a worktree's setup can), and what an agent commits inside one does not travel";

/** On no branch, so that every branch can move. */
async function checkOut(root: string): Promise<NoClone | null> {
	const head = await tryGit(root, ["rev-parse", "--verify", "--quiet", `${DEFAULT_BRANCH}^{commit}`]);
	if (head.code !== 0)
		return { code: "refused", problem: "the repository has no commit, or its HEAD names no branch that it has: push one first" };
	const commit = head.stdout.toString("utf8").trim();
	// Its files are uploaded by a hook, and pawl runs none: commits would get to the remote without their files.
	const lfs = await tryGit(root, ["grep", "--quiet", "--fixed-strings", "-e", "filter=lfs", commit, "--", ":(glob)**/.gitattributes"]);
	if (lfs.code === 0)
		return { code: "refused", problem: "the repository keeps files in Git LFS, which pawl does not support over several machines" };
	await git(root, ["checkout", "--quiet", "--force", "--detach", commit]);
	return null;
}

const noteIn = (root: string): string => join(root, ".git", "pawl", "clone.json");

function addressIn(note: string): string | null {
	try {
		const { address } = JSON.parse(note) as { readonly address?: unknown };
		return typeof address === "string" ? address : null;
	} catch {
		return null;
	}
}

const invalid = (problem: string): NoClone => ({ code: "invalid", problem });

const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error;
