// Commits on the branch of a person's checkout that nobody watched: they came while a session ran that pawl did not start, or one whose record is lost. They
// may be the session's or the person's, so pawl does not take them off.
import type { Site } from "./noted.ts";
import type { OthersCommits } from "./others.ts";
import { isOurs } from "./own-branch.ts";
import { isNull, logLength, logOf, type Move, movesIn } from "./reflog.ts";
import type { Git } from "./remaining.ts";

/** The commits that these moves put on a branch, without those of pawl. */
export async function commitsOf(git: Git, moves: readonly Move[]): Promise<string[]> {
	const found: string[] = [];
	for (const move of moves)
		if (!isOurs(move) && !isNull(move.from) && !isNull(move.to)) found.push(...(await listed(git, move.from, move.to)));
	return found;
}

/** Commits made while no session ran are somebody else's, unless pawl itself made them. */
export async function lookForOthers(git: Git, site: Site, others: OthersCommits): Promise<void> {
	const file = logOf(site);
	const seen = others.log;
	const length = logLength(file);
	if (seen === length) return;
	others.note(length, seen === null ? [] : await commitsOf(git, movesIn(file, seen)));
}

/** The commits since the log of the branch had this length; if it says nothing, all that the branch has now and did not have then. */
export async function commitsSince(git: Git, site: Site, log: number, start: string, tip: string): Promise<string[]> {
	const moves = movesIn(logOf(site), log);
	return start === tip || moves.at(-1)?.to === tip ? commitsOf(git, moves) : listed(git, start, tip);
}

interface Since {
	readonly git: Git;
	readonly site: Site;
	readonly others: OthersCommits;
	readonly start: string;
	readonly tip: string;
}

/** Of the commits since, those that nobody knows the maker of. */
export async function unclearCommits({ git, site, others, start, tip }: Since): Promise<string[]> {
	const since = start === tip ? [] : await listed(git, start, tip);
	if (since.length === 0) return [];
	const file = logOf(site);
	const [known, log] = [new Set(others.commits), others.log];
	const complete = log !== null && movesIn(file).at(-1)?.to === tip;
	const unclear = new Set(complete ? [...others.unclear, ...(await commitsOf(git, movesIn(file, log)))] : since);
	return since.filter((commit) => unclear.has(commit) && !known.has(commit));
}

export async function unclearText(git: Git, branch: string, start: string, commits: readonly string[]): Promise<string> {
	const shown = await git.run([
		"log",
		"--no-walk=unsorted",
		"--no-show-signature",
		"--format=%h %s",
		"--abbrev=12",
		...commits.slice(0, 5),
	]);
	const more = commits.length > 5 ? ` and ${commits.length - 5} more` : "";
	return `${branch} has commits that a failed attempt or a person made, and pawl cannot tell which: ${shown.split("\n").join("; ")}${more}. Nothing was changed. Keep what you want on another branch (git branch NAME), take the commits off (git reset --hard ${start.slice(0, 12)}), then go on`;
}

async function listed(git: Git, from: string, to: string): Promise<string[]> {
	const found = await git.try(["rev-list", to, `^${from}`]);
	return found.stdout
		.toString("utf8")
		.split("\n")
		.filter((id) => id !== "");
}
