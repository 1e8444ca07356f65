// The schema of the SQLite store, as the list of steps that made it. The number of steps done is kept in the
// database (PRAGMA user_version). Steps are only ever added at the end: databases of every release must open.
import type { DatabaseSync } from "node:sqlite";
import { NewerPawl } from "../store.ts";

/** SQL, or a function for what SQL alone cannot do, such as adding a column if it is missing. */
export type Migration = string | ((db: DatabaseSync) => void);

export const MIGRATIONS: readonly Migration[] = [
	// `runs` has the columns that document 002 names, and IF NOT EXISTS accepts a database that already has it. `events`
	// keeps its rowid: new rows go to the end of the table whichever run they belong to, and large ones do not burden the
	// index. Ids of `effects` and `inbox` are never reused (AUTOINCREMENT): a process may still hold an old one.
	`
	CREATE TABLE IF NOT EXISTS runs (
		id TEXT PRIMARY KEY,
		workflow_id TEXT NOT NULL,
		task TEXT NOT NULL,
		status TEXT NOT NULL DEFAULT 'running',
		created_at TEXT NOT NULL,
		updated_at TEXT NOT NULL
	);
	CREATE TABLE events (
		run_id TEXT NOT NULL REFERENCES runs(id),
		version INTEGER NOT NULL,
		at TEXT NOT NULL,
		event TEXT NOT NULL,
		data TEXT NOT NULL,
		PRIMARY KEY (run_id, version)
	);
	CREATE TABLE effects (
		seq INTEGER PRIMARY KEY AUTOINCREMENT,
		run_id TEXT NOT NULL REFERENCES runs(id),
		effect TEXT NOT NULL,
		done INTEGER NOT NULL DEFAULT 0
	);
	CREATE INDEX effects_pending ON effects(run_id) WHERE done = 0;
	CREATE TABLE inbox (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		run_id TEXT NOT NULL,
		input TEXT NOT NULL
	);
	`,
	addPipelineTables,
	// What a commit wrote carries its id, so that its answer can be given again. A lease's epoch outlives its holder.
	`
	ALTER TABLE events ADD COLUMN commit_id TEXT;
	ALTER TABLE effects ADD COLUMN commit_id TEXT;
	CREATE TABLE leases (
		run_id TEXT NOT NULL,
		scope TEXT NOT NULL,
		epoch INTEGER NOT NULL,
		holder TEXT NOT NULL,
		since TEXT NOT NULL,
		PRIMARY KEY (run_id, scope)
	);
	`,
	// What a list of runs shows beside status and title, as JSON.
	"ALTER TABLE runs ADD COLUMN overview TEXT",
	// What a run was started with, as JSON, so that a start need not read the journals of all runs before it; and the few that are not over.
	`
	ALTER TABLE runs ADD COLUMN input TEXT;
	CREATE INDEX runs_by_time ON runs(created_at);
	CREATE INDEX runs_open ON runs(created_at) WHERE status NOT IN ('completed', 'failed', 'cancelled', 'refused');
	`,
];

// As in document 002, so that its users' queries work; a database with older tables gets the missing columns.
function addPipelineTables(db: DatabaseSync): void {
	db.exec(`
	CREATE TABLE IF NOT EXISTS steps (
		id TEXT PRIMARY KEY,
		run_id TEXT NOT NULL REFERENCES runs(id),
		step_id TEXT NOT NULL,
		agent_id TEXT NOT NULL,
		step_index INTEGER NOT NULL DEFAULT 0,
		input_template TEXT NOT NULL DEFAULT '',
		expects TEXT NOT NULL DEFAULT '',
		status TEXT NOT NULL DEFAULT 'waiting',
		output TEXT,
		retry_count INTEGER DEFAULT 0,
		max_retries INTEGER DEFAULT 2,
		created_at TEXT NOT NULL,
		updated_at TEXT NOT NULL
	);
	CREATE TABLE IF NOT EXISTS stories (
		id TEXT PRIMARY KEY,
		run_id TEXT NOT NULL REFERENCES runs(id),
		story_index INTEGER NOT NULL,
		story_id TEXT NOT NULL,
		title TEXT NOT NULL,
		description TEXT NOT NULL,
		acceptance_criteria TEXT NOT NULL,
		status TEXT NOT NULL DEFAULT 'pending',
		output TEXT,
		retry_count INTEGER DEFAULT 0,
		max_retries INTEGER DEFAULT 2,
		created_at TEXT NOT NULL,
		updated_at TEXT NOT NULL
	);
	CREATE INDEX IF NOT EXISTS steps_of_run ON steps(run_id);
	CREATE INDEX IF NOT EXISTS stories_of_run ON stories(run_id);
	CREATE TABLE claims (
		token TEXT PRIMARY KEY,
		run_id TEXT NOT NULL REFERENCES runs(id),
		handle TEXT NOT NULL,
		data TEXT NOT NULL,
		expires_at TEXT NOT NULL,
		state TEXT NOT NULL DEFAULT 'held'
	);
	CREATE INDEX claims_held ON claims(run_id) WHERE state = 'held';
	CREATE INDEX claims_handle ON claims(handle);
	`);
	const there = new Set(
		db
			.prepare("SELECT name FROM pragma_table_info('steps')")
			.all()
			.map((column) => String(column["name"])),
	);
	for (const column of [
		"step_index INTEGER NOT NULL DEFAULT 0",
		"input_template TEXT NOT NULL DEFAULT ''",
		"expects TEXT NOT NULL DEFAULT ''",
		"output TEXT",
		"retry_count INTEGER DEFAULT 0",
		"max_retries INTEGER DEFAULT 2",
		"type TEXT NOT NULL DEFAULT 'single'",
		"loop_config TEXT",
		"current_story_id TEXT",
	])
		if (!there.has(column.split(" ", 1)[0] ?? "")) db.exec(`ALTER TABLE steps ADD COLUMN ${column}`);
}

export function schemaVersion(db: DatabaseSync): number {
	return Number(db.prepare("PRAGMA user_version").get()?.user_version ?? 0);
}

/** Applies the missing steps, each in its own transaction; other processes may be doing the same at this moment. */
export function migrate(db: DatabaseSync, migrations: readonly Migration[] = MIGRATIONS): void {
	for (;;) {
		const seen = schemaVersion(db);
		if (seen > migrations.length) {
			throw new NewerPawl(`it was written by a newer pawl (schema ${seen}, this one knows ${migrations.length}): update pawl to use it`);
		}
		const step = migrations[seen];
		if (step === undefined) return;
		db.exec("BEGIN IMMEDIATE");
		try {
			// Another process may have done this step while we waited for the right to write.
			if (schemaVersion(db) === seen) {
				if (typeof step === "string") db.exec(step);
				else step(db);
				db.exec(`PRAGMA user_version = ${seen + 1}`);
			}
			db.exec("COMMIT");
		} catch (error) {
			if (db.isTransaction) db.exec("ROLLBACK");
			throw error;
		}
	}
}
