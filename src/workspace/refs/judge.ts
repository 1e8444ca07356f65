// Compares the refs, the stash and the checkouts of a repository with their state before a session, and says who made each
// change: the session, somebody else, or unknown.
import { join } from "node:path";
import type { Noted } from "../../workspace.ts";
import { follow } from "./made.ts";
import type { RepositoryState, Site } from "./noted.ts";
import { type Move, movesIn } from "./reflog.ts";
import type { Git } from "./remaining.ts";
import type { Trace } from "./trace.ts";
import { SessionCommands, secondOf } from "./who.ts";

export type Whose = "session" | "others" | "unclear";

export interface Difference {
	readonly kind: "ref" | "stash" | "checkout";
	/** The full name of a ref, or the path of a checkout. */
	readonly name: string;
	/** null if there was none, or is none any more. */
	readonly from: string | null;
	readonly to: string | null;
	readonly whose: Whose;
}

/** What it needs to judge. */
export interface Case {
	readonly git: Git;
	readonly site: Site;
	readonly noted: Noted;
	readonly now: RepositoryState;
	/** null for a session that pawl did not run: its commands are unknown. */
	readonly trace: Trace | null;
	/** The commits that the session made on its own branch. */
	readonly own: ReadonlySet<string>;
}

export interface LoggedMoves {
	readonly moves: readonly Move[];
	readonly made: ReadonlySet<Move>;
	/** What the session did was before these moves, and was put back. */
	readonly settled: boolean;
}

export class RefJudge {
	readonly commands: SessionCommands;
	private readonly c: Case;

	constructor(c: Case) {
		this.c = c;
		this.commands = new SessionCommands(c.trace?.commands ?? [], [...Object.keys(c.noted.heads), ...Object.keys(c.now.heads)]);
	}

	/** Without those of others. */
	async differences(): Promise<Difference[]> {
		const found: Difference[] = [];
		for (const [name, from, to] of different(this.c.noted.refs, this.c.now.refs)) {
			if (name === this.ownRef || name === "refs/stash") continue;
			const whose = await this.whoseRef(name, from, to);
			if (whose !== "others") found.push({ kind: "ref", name, from, to, whose });
		}
		const [before, after] = [this.c.noted.stash.join("\n"), this.c.now.stash.join("\n")];
		if (before !== after && this.whoseStash !== "others")
			found.push({ kind: "stash", name: "refs/stash", from: before, to: after, whose: this.whoseStash });
		for (const [name, from, to] of different(this.c.noted.heads, this.c.now.heads)) {
			const whose = this.whoseCheckout(name, from, to);
			if (whose !== "others") found.push({ kind: "checkout", name, from, to, whose });
		}
		return found;
	}

	/** The moves of a ref since, and which of them the session made; null if its log does not say. */
	movesOf(ref: string, from: string, to: string): LoggedMoves | null {
		const { noted, site } = this.c;
		const since = secondOf(noted.at);
		const all = movesIn(join(site.commonDir, "logs", ref));
		// The last time that it left there: an attempt within the same second may have moved it before, and was put back.
		const first = all.findLastIndex((move) => move.at >= since && move.from === from);
		const moves = first === -1 ? [] : all.slice(first);
		if (moves.length === 0 || moves[0]?.from !== from || moves.at(-1)?.to !== to || !follow(moves)) return null;
		const on = this.checkoutsOn(ref);
		// What the session did may have been put back before, and others have moved the ref from there again.
		const every = all.slice(all.findIndex((move) => move.at >= since && move.from === from));
		const ever = this.commands.madeBySession(ref, every, on);
		// An earlier attempt may have made the same move within the same second, and been put back.
		const made = new Set(moves.filter((move) => ever.has(move) || this.commands.says(ref, move, on)));
		if (made.size > 0 || ever.size === 0) return { moves, made, settled: false };
		const isSure = this.commands.sayAll(ref, [...ever], on);
		return { moves, made, settled: isSure || [...this.commands.madeBySession(ref, moves, on)].every(isOfPawl) };
	}

	private get ownRef(): string {
		return this.c.site.branch === null ? "HEAD" : `refs/heads/${this.c.site.branch}`;
	}

	private async whoseRef(ref: string, from: string | null, to: string | null): Promise<Whose> {
		const { trace } = this.c;
		if (trace === null) return (await this.isSomebodysWork(ref, from, to)) ? "others" : "unclear";
		const log = from === null || to === null ? null : this.movesOf(ref, from, to);
		if (this.commands.names(ref)) return log?.settled || (await this.isFetchedTag(ref, to)) ? "others" : "session";
		if (log !== null && log.made.size > 0) return "session";
		// Each run's journal records who moves the branches of its stories.
		if (this.isOfPawl(ref)) return "others";
		if (to !== null && (await this.holdsOwn(from, to))) return "unclear";
		return trace.whole && !this.commands.writesAny ? "others" : "unclear";
	}

	/** For a session that pawl did not run: only a change that it cannot have made counts as somebody else's. */
	private async isSomebodysWork(ref: string, from: string | null, to: string | null): Promise<boolean> {
		if (this.isOfPawl(ref) || (await this.isFetchedTag(ref, to))) return true;
		return from !== null && to !== null && (await this.isForward(from, to)) && !(await this.holdsOwn(from, to));
	}

	private get whoseStash(): Whose {
		const { trace } = this.c;
		if (trace === null) return "unclear";
		if (this.commands.writesStash) return "session";
		return trace.whole && !this.commands.writesAny ? "others" : "unclear";
	}

	private whoseCheckout(path: string, from: string | null, to: string | null): Whose {
		const { trace, site } = this.c;
		// The workspace checks its own HEAD; the sessions of the slots check theirs.
		if (path === site.path || isSlot(site.root, path)) return "others";
		// A person who switches or rebases in their own checkout.
		if (trace === null) return "others";
		if (from === null || to === null) return this.commands.writesWorktrees ? "session" : "others";
		return this.commands.movesHeadOf(path) ? "session" : "others";
	}

	private checkoutsOn(ref: string): string[] {
		const on = (heads: Readonly<Record<string, string>>): string[] => Object.keys(heads).filter((path) => heads[path] === `ref: ${ref}`);
		return [...new Set([...on(this.c.noted.heads), ...on(this.c.now.heads)])];
	}

	private isOfPawl(ref: string): boolean {
		return (
			/^refs\/heads\/ralph\/|^refs\/heads\/pawl\/|^refs\/notes\/pawl$/.test(ref) ||
			this.checkoutsOn(ref).some((path) => isSlot(this.c.site.root, path))
		);
	}

	private async isFetchedTag(ref: string, to: string | null): Promise<boolean> {
		if (to === null || !ref.startsWith("refs/tags/")) return false;
		return (await this.c.git.run(["for-each-ref", "--count=1", "--format=x", `--contains=${to}`, "refs/remotes"])) !== "";
	}

	private async isForward(from: string, to: string): Promise<boolean> {
		return (await this.c.git.try(["merge-base", "--is-ancestor", from, to])).code === 0;
	}

	private async holdsOwn(from: string | null, to: string): Promise<boolean> {
		const { git, own, noted } = this.c;
		if (own.size === 0) return false;
		const known = from === null ? Object.values(noted.refs) : [from];
		const input = [`${to}^{commit}`, ...known.map((id) => `^${id}`), ""].join("\n");
		const listed = await git.try(["rev-list", "--stdin"], { input });
		return listed.stdout
			.toString("utf8")
			.split("\n")
			.some((id) => own.has(id));
	}
}

const isOfPawl = ({ why }: Move): boolean => why.startsWith("pawl: ");

type Values = Readonly<Record<string, string>>;

function* different(before: Values, after: Values): Generator<readonly [name: string, from: string | null, to: string | null]> {
	for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
		if (before[name] !== after[name]) yield [name, before[name] ?? null, after[name] ?? null];
}

const isSlot = (root: string, path: string): boolean => path.startsWith(`${join(root, ".pawl", "worktrees")}/`);
