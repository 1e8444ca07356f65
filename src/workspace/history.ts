// What can be asked about a repository without changing it: commits, branches, differences. Imports little, because commands that only look
// load it every time.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../files/read.ts";
import { type DiffOf, type History, type ListedCommit, WorkspaceError } from "../workspace.ts";
import { type FoundRepository, findRepository, type NoRepository } from "./git/find.ts";
import { git, gitError, tryGit } from "./git/git.ts";
import { keptByRef, keptRef, storyBranch } from "./refs/names.ts";
import { OthersCommits } from "./refs/others.ts";
import { logLength, logOf } from "./refs/reflog.ts";

export async function openHistory(cwd: string): Promise<History | NoRepository> {
	try {
		const found = await findRepository(cwd);
		return "problem" in found ? found : new GitHistory(found);
	} catch (error) {
		if (error instanceof WorkspaceError) return { problem: error.message };
		throw error;
	}
}

const LOG = ["log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--format=%H %ct %s", "--end-of-options"];

/** A branch by its name, HEAD or a commit as they are. */
const refOf = (name: string): string => (name === "HEAD" || /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(name) ? name : `refs/heads/${name}`);

/** Where a branch is, as far as a file of its own says it. */
const looseTip = (commonDir: string, ref: string): string | null => textIn(join(commonDir, ref), { max: 100 })?.trim() ?? null;

/** A name that can be read as nothing but the name of a branch. */
const PLAIN = /^refs\/heads\/(?!.*(?:\.\.|\/[./]|\.lock(?:\/|$)))[\w-][\w./-]*$/;

/** The commit of a branch, if files say it plainly: the branch has one of its own, and so has the commit. A process costs more than all other work
 * of most questions. */
function plainTip(commonDir: string, ref: string): string | null {
	const id = PLAIN.test(ref) ? (looseTip(commonDir, ref) ?? "") : "";
	return /^[0-9a-f]{40}$/.test(id) && existsSync(join(commonDir, "objects", id.slice(0, 2), id.slice(2))) ? id : null;
}

const PATHS = ["diff", "--no-ext-diff", "--no-renames", "--name-only", "-z"];

export class GitHistory implements History {
	protected found: FoundRepository;

	constructor(found: FoundRepository) {
		this.found = found;
	}

	get root(): string {
		return this.found.root;
	}

	get checkout(): string {
		return this.found.top;
	}

	get branch(): string | null {
		return this.found.branch;
	}

	async hasBranch(name: string): Promise<boolean> {
		return name !== "" && (await tryGit(this.found.top, ["show-ref", "--verify", "--quiet", `refs/heads/${name}`])).code === 0;
	}

	async commitOf(ref: string): Promise<string> {
		const full = refOf(ref);
		const plain = plainTip(this.found.commonDir, full);
		if (plain !== null) return plain;
		const result = await tryGit(this.found.top, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${full}^{commit}`]);
		if (result.code !== 0) throw new WorkspaceError(ref === full ? `there is no commit ${ref}` : `there is no branch ${ref}`);
		return result.stdout.toString("utf8").trim();
	}

	async subjects(upTo: string): Promise<readonly string[]> {
		const log = await tryGit(this.found.top, [
			"log",
			"-n",
			"50",
			"--no-merges",
			// What pawl committed shows pawl's style.
			"--invert-grep",
			"--grep=^Pawl-Run: ",
			"--grep=^pawl: ",
			"--no-show-signature",
			"--format=%s",
			await this.commitOf(upTo),
		]);
		return log.stdout
			.toString("utf8")
			.split("\n")
			.filter((subject) => subject !== "");
	}

	async commits(from: string, to: string): Promise<readonly ListedCommit[]> {
		if (/^[0-9a-f]{40}$/.test(from) && looseTip(this.found.commonDir, refOf(to)) === from) return [];
		const log = await tryGit(this.found.top, [...LOG, `${refOf(from)}..${refOf(to)}`, "--"]);
		if (log.code !== 0) {
			// Says which of the two is missing.
			for (const ref of [from, to]) await this.commitOf(ref);
			throw gitError(LOG, log);
		}
		return log.stdout
			.toString("utf8")
			.split("\0")
			.flatMap((entry) => {
				const [sha = "", seconds = "", ...words] = entry.split(" ");
				return entry === "" ? [] : [{ sha, subject: words.join(" "), at: Number(seconds) * 1000 }];
			});
	}

	async commitsOfOthers(): Promise<readonly string[]> {
		const { top, gitDir, branch } = this.found;
		const others = new OthersCommits(gitDir, branch ?? "HEAD");
		if (others.log !== logLength(logOf(this.found))) {
			const { lookForOthers } = await import("./refs/unwatched.ts");
			await lookForOthers({ run: (args) => git(top, args), try: (args) => tryGit(top, args) }, { ...this.found, path: top }, others);
		}
		return others.commits;
	}

	async diff(of: DiffOf): Promise<string | null> {
		const patch = await this.patch(of);
		// `git apply` refuses a patch without its last line end.
		return patch === null || patch === "" ? patch : `${patch}\n`;
	}

	private async patch(of: DiffOf): Promise<string | null> {
		const show = ["--no-ext-diff", "--no-textconv", "--no-color", "--binary"];
		if ("commit" in of) return git(this.found.top, ["show", "--format=", ...show, await this.commitOf(of.commit)]);
		if ("story" in of) {
			const base = await this.commitOf(of.base);
			const branches = [storyBranch(of.story, of.run), storyBranch(of.story)].map((name) => `refs/heads/${name}`);
			for (const ref of [keptByRef(of.run, of.story), ...branches, keptRef(of.story)]) {
				const tip = await tryGit(this.found.top, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
				if (tip.code === 0) return git(this.found.top, ["diff", ...show, `${base}...${tip.stdout.toString("utf8").trim()}`]);
			}
			return null;
		}
		return git(this.found.top, ["diff", ...show, `${await this.commitOf(of.from)}...${await this.commitOf(of.to)}`]);
	}

	async changedPaths(from: string, to: string): Promise<readonly string[]> {
		const isId = (name: string): boolean => refOf(name) === name && name !== "HEAD";
		const [a, b] = await Promise.all([from, to].map((name) => (isId(name) ? name : this.commitOf(name))));
		const listed = await tryGit(this.found.top, [...PATHS, `${a}...${b}`, "--"]);
		if (listed.code !== 0) {
			// Says which of the two is missing.
			for (const ref of [from, to]) await this.commitOf(ref);
			throw gitError(PATHS, listed);
		}
		return listed.stdout
			.toString("utf8")
			.split("\0")
			.filter((path) => path !== "");
	}

	async holds(commit: string, branch: string): Promise<boolean> {
		if ((await tryGit(this.found.top, ["merge-base", "--is-ancestor", commit, `refs/heads/${branch}`])).code === 0) return true;
		const tip = await this.commitOf(branch);
		const known = await tryGit(this.found.top, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^1^{commit}`]);
		// No branch holds a commit whose objects are gone.
		if (known.code !== 0) return false;
		// Prints nothing if the branch has the commit, `- <commit>` if it has the same change.
		const found = await git(this.found.top, ["cherry", tip, commit, known.stdout.toString("utf8").trim()]);
		return !found.startsWith("+");
	}
}
