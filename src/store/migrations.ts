// The schema of the SQLite store, as the list of steps that made it. The number of steps done is kept in the
// database (PRAGMA user_version). Steps are only ever added at the end: databases of every release must open.
import type { DatabaseSync } from "node:sqlite";

export const MIGRATIONS: readonly string[] = [
	// `runs` has the columns that document 002 names, and IF NOT EXISTS lets a database that already has it come along.
	// `events` keeps its rowid: new rows land at the end of the table whatever run they are of, and big ones are no burden
	// on the index. Ids of `effects` and `inbox` are never used again (AUTOINCREMENT): somebody may still hold an old one.
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
];

export function schemaVersion(db: DatabaseSync): number {
	return Number(db.prepare("PRAGMA user_version").get()?.user_version ?? 0);
}

/** Does the steps that are missing, each in a transaction of its own, whoever else is doing the same at this moment. */
export function migrate(db: DatabaseSync, migrations: readonly string[] = MIGRATIONS): void {
	for (;;) {
		const seen = schemaVersion(db);
		if (seen > migrations.length) {
			throw new Error(`it was written by a newer pawl (schema ${seen}, this one knows ${migrations.length}): update pawl to use it`);
		}
		const sql = migrations[seen];
		if (sql === undefined) return;
		db.exec("BEGIN IMMEDIATE");
		try {
			// Another process may have done this step while we waited for the right to write.
			if (schemaVersion(db) === seen) {
				db.exec(sql);
				db.exec(`PRAGMA user_version = ${seen + 1}`);
			}
			db.exec("COMMIT");
		} catch (error) {
			if (db.isTransaction) db.exec("ROLLBACK");
			throw error;
		}
	}
}
