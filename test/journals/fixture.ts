// How a recorded run is kept: NAME.tar.gz holds everything that the run had on disk (its repository with .git and .pawl/, worktrees, the
// script of its agent), NAME.json says what was true of it. See scripts/record-journals.ts for how they are made.
//
// Journals hold absolute paths. A recording is packed with ROOT in place of the folder it was made in and INSTALLED in place of pawl's own
// folder; unpacking puts the real folders back, in the text columns of the database and in every file outside of git's objects.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Event } from "../../src/core/event.ts";
import { fold } from "../../src/core/fold/apply.ts";
import type { RunState, Scope } from "../../src/core/model.ts";

export const ROOT = "/pawl-recorded-here";
export const INSTALLED = "/pawl-installed-here";
/** The one identity that a recording holds. */
export const PERSON = { name: "dev", email: "dev@example.com" } as const;

/** What a fold of the journal must give, in words that outlive the names of fields. */
export interface Outline {
	readonly status: string;
	readonly reason: string | null;
	/** How many events the journal has. */
	readonly version: number;
	readonly stories: Readonly<Record<string, string>>;
	/** Scope → `step-005 coding completed 1` for every step in its order: id, type, status, attempts. */
	readonly steps: Readonly<Record<string, readonly string[]>>;
	readonly cost_usd: number | null;
	readonly input_tokens: number | null;
	readonly output_tokens: number | null;
}

export interface Expected {
	/** The version of pawl that made it. */
	readonly pawl: string;
	readonly workflow: string;
	readonly run: string;
	/** The folder in which its commands are given, below the root. */
	readonly cwd: string;
	/** Where it was killed, as PAWL_CRASH_AT names it; null for a run that was not. */
	readonly cut_at: string | null;
	/** The claim that an agent holds, in a run whose steps agents come for. */
	readonly claim: string | null;
	readonly state: Outline;
	readonly commits: Commits;
	/** What `pawl resume` of the version that made it came to; null where there was nothing to go on with. */
	readonly resumed: { readonly exit: number; readonly says: string; readonly state: Outline; readonly commits: Commits } | null;
}

/** Branch → the subjects of all of its commits, oldest first. */
export type Commits = Readonly<Record<string, readonly string[]>>;

export const database = (root: string): string => join(root, "project", ".pawl", "pawl.db");

/** By SQL and not through the store: a journal must be readable whatever becomes of that. */
export function journalOf(root: string): readonly Event[] {
	const db = new DatabaseSync(database(root), { readOnly: true });
	try {
		return db
			.prepare("SELECT data FROM events ORDER BY version")
			.all()
			.map((row) => JSON.parse(String(row["data"])) as Event);
	} finally {
		db.close();
	}
}

export function stateOf(root: string): RunState {
	const state = fold(journalOf(root));
	if (state === null) throw new Error("the journal is empty");
	return state;
}

export function outlineOf(state: RunState): Outline {
	const steps = (scope: Scope): string[] => scope.steps.map((s) => `${s.id} ${s.type} ${s.status} ${s.attempt}`);
	const { costUsd, inputTokens, outputTokens } = state.totals;
	return {
		status: state.status,
		reason: state.reason,
		version: state.version,
		stories: Object.fromEntries(state.stories.map((s) => [s.id, s.status])),
		steps: Object.fromEntries([["@run", steps(state.root)], ...state.stories.map((s) => [s.id, steps(s.scope)])]),
		cost_usd: costUsd,
		input_tokens: inputTokens,
		output_tokens: outputTokens,
	};
}

export function commitsOf(root: string): Commits {
	const git = (...args: string[]): string[] =>
		execFileSync("git", args, { cwd: join(root, "project"), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
			.trimEnd()
			.split("\n");
	return Object.fromEntries(
		git("for-each-ref", "--format=%(refname:short)", "refs/heads").map((branch) => [
			branch,
			git("log", "--reverse", "--format=%s", `refs/heads/${branch}`, "--"),
		]),
	);
}

/** Puts a recording into an empty folder, as if it had been made there by the pawl that lies in `installed`. */
export function unpack(archive: string, root: string, installed: string): void {
	execFileSync("tar", ["-xzf", archive, "-C", root]);
	move(root, [
		[ROOT, root],
		[INSTALLED, installed],
	]);
}

type Pairs = readonly (readonly [from: string, to: string])[];

/** Replaces texts everywhere in a recording, and with them the sum of a file that they stand in. */
export function move(root: string, pairs: Pairs): void {
	for (const [, to] of pairs) if (!/^[\w./-]+$/.test(to)) throw new Error(`a path that would need quoting: ${to}`);
	const sums = replaceIn(root, pairs);
	if (sums.length > 0) replaceIn(root, sums);
	for (const [from, to] of pairs) moveLatest(root, from, to);
}

/** The link to the latest run of the worktree has the hash of its path as its name. Written down here as 0.1 makes it, for the same reason as the sum below. */
function moveLatest(root: string, from: string, to: string): void {
	const [before = "", after = ""] = [from, to].map((folder) =>
		join(root, "project", ".pawl", "latest.d", createHash("sha256").update(join(folder, "worktree")).digest("hex").slice(0, 16)),
	);
	if (lstatSync(before, { throwIfNoEntry: false }) !== undefined) renameSync(before, after);
}

/** The sums that are others now, before and after. */
function replaceIn(root: string, pairs: Pairs): Pairs {
	// Databases first: with the last connection the files beside them go.
	for (const file of filesOf(root)) if (file.endsWith(".db")) replaceInRows(file, pairs);
	return filesOf(root).flatMap((file) => {
		// Latin-1 gives every byte back as it was.
		const before = readFileSync(file, "latin1");
		const after = pairs.reduce((text, [from, to]) => text.replaceAll(from, to), before);
		if (file.endsWith(".db") || after === before) return [];
		const { atime, mtime } = lstatSync(file);
		writeFileSync(file, after, "latin1");
		utimesSync(file, atime, mtime);
		return file.endsWith("/agent-state.json") ? [[sumOf(before), sumOf(after)] as const] : [];
	});
}

/**
 * By this sum pawl knows whether somebody changed agent-state.json, which holds a path. Written down here as 0.1 makes it, and not taken
 * from src/: a later pawl that sums otherwise would take every run of an earlier one for changed.
 */
function sumOf(latin1: string): string {
	const { active_agents: _, ...state } = JSON.parse(Buffer.from(latin1, "latin1").toString("utf8")) as AgentState01;
	const text = JSON.stringify(sorted({ ...state, safety_bounds: { ...state.safety_bounds, elapsed_time: "" } }));
	return createHash("sha256").update(text).digest("hex");
}

type AgentState01 = { readonly active_agents: unknown; readonly safety_bounds: object };

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	const keys = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(keys.map(([key, one]) => [key, sorted(one)]));
}

/** Regular files, without git's objects: those are compressed, and no commit of a recording holds a path. */
export function filesOf(root: string): string[] {
	return readdirSync(root, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !/\/\.git\/objects(\/|$)/.test(entry.parentPath))
		.map((entry) => join(entry.parentPath, entry.name));
}

function replaceInRows(file: string, pairs: Pairs): void {
	const db = new DatabaseSync(file);
	try {
		const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
		for (const { name: table } of tables)
			for (const { name: column, type } of db.prepare("SELECT name, type FROM pragma_table_info(?)").all(String(table)))
				if (type === "TEXT")
					for (const [from, to] of pairs)
						db.prepare(`UPDATE "${table}" SET "${column}" = replace("${column}", ?, ?) WHERE instr("${column}", ?) > 0`).run(
							from,
							to,
							from,
						);
		// What stood there before must not stay in free pages, nor in a log beside the file.
		if (tables.length > 0) db.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
	} finally {
		db.close();
	}
}
