// Finds the repository that a folder belongs to, and says why pawl cannot work there.
import { basename, dirname } from "node:path";
import { type GitResult, gitError, tryGit } from "./git.ts";
import { plainCheckout } from "./plain-checkout.ts";

export interface FoundRepository {
	/** Of the checkout that the user is in. */
	readonly top: string;
	readonly gitDir: string;
	readonly commonDir: string;
	readonly root: string;
	readonly branch: string | null;
}

/** Why pawl cannot work here. `root`: the checkout exists, but has no commit to start from. */
export interface NoRepository {
	readonly problem: string;
	readonly root?: string;
}

/** No process for an ordinary checkout, one if all is well; otherwise one question after the other finds the problem. */
export async function findRepository(cwd: string): Promise<FoundRepository | NoRepository> {
	const plain = plainCheckout(cwd);
	if (plain !== null) return { ...plain, commonDir: plain.gitDir, root: plain.top };
	return askGit(cwd);
}

export async function askGit(cwd: string): Promise<FoundRepository | NoRepository> {
	const all = await tryGit(cwd, [...WHERE, "--show-toplevel", "HEAD", "--symbolic-full-name", "HEAD"]);
	const [bare, inside, gitDir, commonDir, top, , head] = lines(all);
	if (all.code !== 0 || bare === "true" || inside !== "true") return problemAt(cwd);
	if (gitDir === undefined || commonDir === undefined || top === undefined || head === undefined) throw gitError(WHERE, all);
	const branch = head.startsWith("refs/heads/") ? head.slice("refs/heads/".length) : null;
	return { top, gitDir, commonDir, root: rootOf(gitDir, commonDir, top), branch };
}

/** A linked worktree is its own root if the repository is bare or its git folder is elsewhere. */
const rootOf = (gitDir: string, commonDir: string, top: string): string =>
	gitDir !== commonDir && basename(commonDir) === ".git" ? dirname(commonDir) : top;

const WHERE = ["rev-parse", "--path-format=absolute", "--is-bare-repository", "--is-inside-work-tree", "--git-dir", "--git-common-dir"];

async function problemAt(cwd: string): Promise<NoRepository> {
	const answer = await tryGit(cwd, WHERE);
	if (answer.code !== 0) return { problem: outsideProblem(cwd, answer) };
	const [bare, inside, gitDir = "", commonDir = ""] = lines(answer);
	const problem = (text: string): NoRepository => ({ problem: text });
	if (bare === "true")
		return problem(`${cwd} is in a bare git repository, which has no files to work on: clone it and start pawl in the clone`);
	if (inside !== "true") return problem(`${cwd} is inside a git folder: start pawl in the checkout`);
	const head = await tryGit(cwd, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
	if (head.code === 0) return problem(outsideProblem(cwd, answer));
	const [top] = lines(await tryGit(cwd, ["rev-parse", "--path-format=absolute", "--show-toplevel"]));
	return {
		problem: `the git repository at ${cwd} has no commit yet: make a first one (git commit --allow-empty -m "first")`,
		...(top === undefined ? {} : { root: rootOf(gitDir, commonDir, top) }),
	};
}

function outsideProblem(cwd: string, answer: GitResult): string {
	if (/not a git repository/i.test(answer.stderr)) return `${cwd} is not in a git repository: start pawl in one (git init makes one)`;
	return `git does not work in ${cwd}: ${answer.stderr.trim()}`;
}

const lines = (result: GitResult): string[] => result.stdout.toString("utf8").trimEnd().split("\n");
