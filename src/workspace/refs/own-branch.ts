// The branch that a session works on: which of its moves since the beginning were the session's, and what remains without them.
import type { Noted } from "../../workspace.ts";
import type { Site } from "./noted.ts";
import { logOf, type Move, movesIn } from "./reflog.ts";
import { type Conflict, type Git, type Remaining, remainingOf } from "./remaining.ts";
import type { Trace } from "./trace.ts";
import { SessionCommands } from "./who.ts";

export interface OwnBranch {
	readonly git: Git;
	readonly site: Site;
	/** A person works in this checkout as well. */
	readonly users: boolean;
	readonly noted: Noted;
	/** null for a session that pawl did not run. Read only if the branch moved. */
	readonly trace: () => Trace | null;
	/** The commit of the branch when the session began, and now. */
	readonly start: string;
	readonly tip: string;
}

/** The message in the log of a branch that pawl puts back. */
export const ROLLBACK = "pawl: rollback";

export class OwnMoves {
	private readonly git: Git;
	private readonly start: string;
	private readonly moves: readonly Move[];
	private readonly others: ReadonlySet<Move>;
	/** The session moved it. */
	readonly bySession: boolean;

	private constructor({ git, start }: Pick<OwnBranch, "git" | "start">, moves: readonly Move[], others: ReadonlySet<Move>) {
		this.git = git;
		this.bySession = moves.some((move) => move.from !== move.to && !isOurs(move) && !others.has(move));
		// A rollback (of another session in the same checkout, or one that a crash cut off) settles everything before it.
		const settled = moves.findLastIndex(({ why }) => why === ROLLBACK);
		this.start = moves[settled]?.to ?? start;
		this.moves = moves.slice(settled + 1);
		this.others = new Set(this.moves.filter((move) => others.has(move)));
	}

	static async of(branch: OwnBranch): Promise<OwnMoves> {
		if (branch.start === branch.tip && movesIn(logOf(branch.site), branch.noted.log).length === 0)
			return new OwnMoves(branch, [], new Set());
		const moves = await movesOf(branch);
		return new OwnMoves(branch, moves, othersIn(branch, moves));
	}

	/** For a branch whose moves were judged before: `others` holds the commits of others, the rest is the run's. */
	static async judged(git: Git, start: string, tip: string, others: ReadonlySet<string>): Promise<OwnMoves> {
		const moves = await movesByCommits(git, start, tip);
		return new OwnMoves({ git, start }, moves, new Set(moves.filter(({ to }) => others.has(to))));
	}

	get byOthers(): boolean {
		return this.others.size > 0;
	}

	/** The commits that others put on it, oldest first. */
	async commitsOfOthers(): Promise<string[]> {
		const found: string[] = [];
		for (const { from, to } of this.others) {
			const listed = await this.git.try(["rev-list", "--reverse", to, `^${from}`]);
			found.push(
				...listed.stdout
					.toString("utf8")
					.split("\n")
					.filter((id) => id !== ""),
			);
		}
		return [...new Set(found)];
	}

	/** Without what the session did. */
	remaining(): Promise<Remaining | Conflict> {
		return remainingOf(this.git, this.start, this.moves, (move) => !this.others.has(move));
	}
}

function othersIn({ site, users, noted, trace: read }: OwnBranch, moves: readonly Move[]): Set<Move> {
	const trace = read();
	// In a run's own worktree, work without a trace is the session's.
	if (trace === null || (!trace.whole && !users)) return new Set();
	const commands = new SessionCommands(trace.commands, Object.keys(noted.heads));
	const ref = site.branch === null ? "HEAD" : `refs/heads/${site.branch}`;
	// A session that commits without git's own program leaves no trace. In its own worktree that is likelier than a person who commits there.
	if (!users && !commands.movesHeadOf(site.path) && !commands.names(ref)) return new Set();
	const made = commands.madeBySession(ref, moves, [site.path]);
	return new Set(moves.filter((move) => !made.has(move) && move.from !== move.to && !isOurs(move)));
}

/** What pawl itself does for an attempt (committing leftovers, a rollback) belongs to the attempt. A merge of another run does not, nor
 * does undoing there what a session elsewhere had done to this branch. */
export const isOurs = ({ why }: Move): boolean => /^pawl: (?!(?:merge|put back)\b)/.test(why);

/** From the log; if the log has gaps, from the commits themselves. */
async function movesOf({ git, site, noted, start, tip }: OwnBranch): Promise<readonly Move[]> {
	const logged = movesIn(logOf(site), noted.log);
	if (logged[0]?.from === start && logged.at(-1)?.to === tip && logged.every((move, at) => at === 0 || logged[at - 1]?.to === move.from))
		return logged;
	return movesByCommits(git, start, tip);
}

async function movesByCommits(git: Git, start: string, tip: string): Promise<Move[]> {
	const format = ["--first-parent", "--reverse", "--no-show-signature", "--format=%H %ct %s"];
	const listed = await git.try(["log", ...format, tip, `^${start}`]);
	const commits =
		listed.code === 0
			? listed.stdout
					.toString("utf8")
					.split("\n")
					.filter((line) => line !== "")
			: [];
	let from = start;
	return commits.map((line) => {
		const [to = "", at = ""] = line.split(" ", 2);
		const move = { from, to, at: Number(at), why: `commit: ${line.slice(to.length + at.length + 2)}` };
		from = to;
		return move;
	});
}
