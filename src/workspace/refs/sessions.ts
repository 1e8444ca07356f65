// The sessions of one checkout: the state before each of them, where git records their commands, and the comparison
// afterwards. Kept in git's own folder for the checkout, so that it survives a crash.
import { createHash } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeWholeSync } from "../../files/write.ts";
import type { Noted, Point, RefChange } from "../../workspace.ts";
import { git, tryGit } from "../git/git.ts";
import { durableEnv } from "../git/sync-setting.ts";
import { readPlain } from "../guard/guarded-file.ts";
import { RefJudge } from "./judge.ts";
import { type Added, addedSince, madeOn } from "./made.ts";
import { note, type Site, see } from "./noted.ts";
import { OwnMoves } from "./own-branch.ts";
import { keepRef, putRefsBack } from "./put-back.ts";
import type { Git } from "./remaining.ts";
import { beginTrace, readTrace, type Trace, traceEnv } from "./trace.ts";
import { SessionCommands } from "./who.ts";

/** Members of a gate share a checkout; more sessions than these never run in one at a time. */
const RECORDS_KEPT = 32;

export class Sessions {
	private readonly site: Site;
	/** A person works in this checkout as well. */
	private readonly users: boolean;
	private readonly git: Git;
	private added: (Added & { readonly start: string; readonly tip: string }) | null = null;

	constructor(site: Site, users: boolean) {
		this.site = site;
		this.users = users;
		const env = { GIT_DIR: site.commonDir };
		this.git = {
			run: (args, options = {}) => git(site.root, args, { ...options, env: { ...env, ...options.env } }),
			try: (args, options = {}) => tryGit(site.root, args, { ...options, env: { ...env, ...options.env } }),
		};
	}

	/** null: the session is somebody else's. */
	async begin(name: string | null): Promise<Noted> {
		if (name === null) return note(this.site, null);
		this.removeOld();
		const trace = `${this.fileOf(name)}.trace`;
		beginTrace(trace);
		return note(this.site, trace);
	}

	/** A point in the middle of a session: git continues to record its commands in the same file. What pawl runs within a session that
	 * is somebody else's is recorded by itself. */
	goOn({ noted }: Point): Promise<Noted> {
		const trace = noted?.trace ?? null;
		return trace === null && noted !== undefined ? this.begin(`within ${noted.at} ${noted.log}`) : note(this.site, trace);
	}

	/** For a later process: this one may be killed while the session runs. */
	keep(name: string, point: Point): void {
		writeWholeSync(`${this.fileOf(name)}.json`, JSON.stringify(point));
	}

	recall(name: string): Point | null {
		try {
			return JSON.parse(readPlain(`${this.fileOf(name)}.json`)?.toString("utf8") ?? "null") as Point | null;
		} catch {
			return null;
		}
	}

	env({ noted }: Point): Record<string, string> {
		return noted?.trace == null ? {} : { ...traceEnv(noted.trace), ...durableEnv };
	}

	/** What happened to the branch of the session. */
	ownMoves(noted: Noted, start: string, tip: string): Promise<OwnMoves> {
		const { git: runner, site, users } = this;
		return OwnMoves.of({ git: runner, site, users, noted, trace: () => traceOf(noted), start, tip });
	}

	/** What happened to all other refs; puts back the session's changes. */
	async check(noted: Noted, start: string, tip: string): Promise<RefChange[]> {
		const ofPawl = await this.changesOfPawlRefs(noted);
		const now = await see(this.site);
		if (same(noted.refs, now.refs) && same(noted.heads, now.heads) && noted.stash.join("\n") === now.stash.join("\n")) return ofPawl;
		const own = start === tip ? new Set<string>() : madeOn(this.site, noted, start, tip, (await this.addedTo(start, tip)).commits);
		const one = { git: this.git, site: this.site, noted, now, trace: traceOf(noted), own };
		const judge = new RefJudge(one);
		const found = await judge.differences();
		return [...ofPawl, ...(found.length === 0 ? [] : await putRefsBack(one, judge, found))];
	}

	/** Commits never change, so the last answer is kept: callers often ask twice. */
	async addedTo(start: string, tip: string): Promise<Added> {
		if (this.added?.start !== start || this.added.tip !== tip) this.added = { start, tip, ...(await addedSince(this.git, start, tip)) };
		return this.added;
	}

	/** pawl's own refs are many and change all the time, so nobody notes them: a session that names one in a command is told on, and a person has to look. */
	private async changesOfPawlRefs(noted: Noted): Promise<RefChange[]> {
		const text = noted.trace === null ? null : readPlain(noted.trace);
		if (noted.trace === null || !text?.includes("pawl/")) return [];
		const { commands } = readTrace(noted.trace);
		const named = new SessionCommands(commands, Object.keys(noted.heads)).ownRefsOfPawl;
		const changes: RefChange[] = [];
		for (const what of named) {
			const gone = (await this.git.try(["rev-parse", "--verify", "--quiet", "--end-of-options", what])).code !== 0;
			changes.push({ what, change: gone ? "deleted" : "moved", by: "session", kept: null, putBack: false });
		}
		return changes;
	}

	/** Whether the session itself switched the checkout to another branch. */
	async switched(noted: Noted): Promise<boolean> {
		const trace = traceOf(noted);
		if (trace === null || !trace.whole) return true;
		return new SessionCommands(trace.commands, Object.keys(noted.heads)).movesHeadOf(this.site.path);
	}

	/** Keeps the commit that a branch is about to leave. */
	keepTip(branch: string, commit: string): Promise<string> {
		return keepRef(this.git, `refs/heads/${branch}`, commit);
	}

	private fileOf(name: string): string {
		return join(this.folder, createHash("sha256").update(name).digest("hex").slice(0, 24));
	}

	private get folder(): string {
		return join(this.site.gitDir, "pawl", "sessions");
	}

	/** Now and then, so that most steps look at the folder only. */
	private removeOld(): void {
		const names = namesIn(this.folder);
		if (names.length <= 2 * RECORDS_KEPT) return;
		const records = names.flatMap((name) => recordOf(join(this.folder, name))).sort((a, b) => b.mtimeMs - a.mtimeMs);
		for (const { file } of records.slice(RECORDS_KEPT)) rmSync(file, { force: true });
	}
}

const traceOf = ({ trace }: Noted): Trace | null => (trace === null ? null : readTrace(trace));

type Values = Readonly<Record<string, string>>;

function same(a: Values, b: Values): boolean {
	const names = Object.keys(a);
	return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function recordOf(file: string): { readonly file: string; readonly mtimeMs: number }[] {
	const stat = statSync(file, { throwIfNoEntry: false });
	return stat === undefined ? [] : [{ file, mtimeMs: stat.mtimeMs }];
}
