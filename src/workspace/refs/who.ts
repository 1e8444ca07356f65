// Who moved a ref: the session, according to the commands that git recorded, or somebody else.
import { realpathSync } from "node:fs";
import type { Move } from "./reflog.ts";
import type { TracedCommand } from "./trace.ts";
import { means, type Written, writtenBy } from "./writers.ts";

/** The git commands of a session that write refs of one repository. */
export class SessionCommands {
	private readonly commands: readonly (TracedCommand & { readonly written: Written })[];

	/** `checkouts`: the paths of all checkouts of the repository. A command in any other folder concerned another repository. */
	constructor(commands: readonly TracedCommand[], checkouts: readonly string[]) {
		const ours = new Set(checkouts.map(real));
		this.commands = commands
			.filter(({ worktree }) => worktree === null || ours.has(real(worktree)))
			.map((command) => ({ ...command, written: writtenBy(command.args) }));
	}

	/** One of them was called with the name of this ref. */
	names(ref: string): boolean {
		return this.commands.some(({ written }) => written.names.some((name) => means(name, ref)));
	}

	/** The refs of pawl itself that they were called with. */
	get ownRefsOfPawl(): string[] {
		const names = this.commands
			.flatMap(({ written }) => written.names)
			.map((name) => name.replace(/^\+/, "").replace(/^(?=pawl\/)/, "refs/"));
		return [...new Set(names.filter((name) => name.startsWith("refs/pawl/")))];
	}

	get writesStash(): boolean {
		return this.commands.some(({ written }) => written.stash);
	}

	/** It may have put something new on the stash. */
	get pushesStash(): boolean {
		return this.commands.some(({ args, written }) => written.stash && !/^(?:drop|pop|clear|branch)$/.test(args[1] ?? ""));
	}

	get writesWorktrees(): boolean {
		return this.commands.some(({ written }) => written.worktrees);
	}

	/** It ran something that may have written any ref. */
	get writesAny(): boolean {
		return this.commands.some(({ written }) => written.any);
	}

	/** It moved HEAD of the checkout at this path, or the branch that HEAD is on. */
	movesHeadOf(path: string): boolean {
		return this.headCommands([path]).length > 0;
	}

	/** Of the moves of a ref, those that the session made. `on`: the checkouts whose HEAD is on that ref. */
	madeBySession(ref: string, moves: readonly Move[], on: readonly string[]): Set<Move> {
		const made = new Set<Move>();
		const settled = new Set<TracedCommand>();
		const claim = (command: TracedCommand, fitting: readonly Move[]): void => {
			for (const move of isSeveral(command) ? fitting : fitting.slice(0, 1)) made.add(move);
			if (fitting.length > 0) settled.add(command);
		};
		const commands = this.writersOf(ref, on);
		// The surest sign first: the command itself contains the message.
		for (const command of commands)
			claim(
				command,
				moves.filter((move) => !made.has(move) && fits(command, move) && says(command, move)),
			);
		for (const command of commands)
			if (!settled.has(command))
				claim(
					command,
					moves.filter((move) => !made.has(move) && fits(command, move)),
				);
		return made;
	}

	/** A command that may have moved the ref contains what this move says. */
	says(ref: string, move: Move, on: readonly string[]): boolean {
		return this.writersOf(ref, on).some((command) => says(command, move));
	}

	/** Each command that may have moved the ref contains what one of these moves says. */
	sayAll(ref: string, moves: readonly Move[], on: readonly string[]): boolean {
		return this.writersOf(ref, on).every((command) => moves.some((move) => says(command, move)));
	}

	private writersOf(ref: string, on: readonly string[]): TracedCommand[] {
		const named = this.commands.filter(({ written }) => written.names.some((name) => means(name, ref)));
		return [...new Set([...this.headCommands(on), ...named])];
	}

	private headCommands(on: readonly string[]): TracedCommand[] {
		const paths = new Set(on.map(real));
		return this.commands.filter(({ written, worktree }) => written.head && worktree !== null && paths.has(real(worktree)));
	}
}

/** The clock that git takes whole seconds from lags behind the one of its trace by some milliseconds. */
const CLOCK_LAG_MS = 50;

/** The earliest second that git's log can have for something that was done at this time. */
export const secondOf = (ms: number): number => Math.floor((ms - CLOCK_LAG_MS) / 1000);

/** Made while the command ran. git notes whole seconds. */
function fits({ args, from, to }: TracedCommand, { at, why }: Move): boolean {
	if (at < secondOf(from) || at > Math.floor(to / 1000)) return false;
	// A reset did not make somebody else's commit, even within the same second.
	if (args[0] === "commit") return why.startsWith("commit");
	if (args[0] === "reset") return why.startsWith("reset");
	return true;
}

/** The command contains the subject of the commit, as in `-m subject`, or the id of the commit. */
function says({ args }: TracedCommand, { to, why }: Move): boolean {
	if (args.includes(to)) return true;
	const subject = /^(?:commit|merge)\b[^:]*: (.+)$/.exec(why)?.[1];
	return subject !== undefined && args.some((arg) => arg.split("\n", 1)[0]?.includes(subject));
}

/** One command, several moves. */
const isSeveral = ({ args }: TracedCommand): boolean => /^(?:cherry-pick|revert|am|rebase|pull|bisect)$/.test(args[0] ?? "");

function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
