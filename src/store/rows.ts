// Rows of the tables that other programs read beside the journal. Column names come from the code that makes the rows, never from
// outside.
import type { DatabaseSync } from "node:sqlite";
import type { Row, Rows } from "../store.ts";

const COLUMN = /^[a-z_]+$/;

export function writeRows(db: DatabaseSync, run: string, rows: Rows, at: string): void {
	for (const row of rows.steps) upsert(db, "steps", run, row, at);
	for (const row of rows.stories) upsert(db, "stories", run, row, at);
	for (const id of rows.gone) db.prepare("DELETE FROM stories WHERE id = ? AND run_id = ?").run(id, run);
}

function upsert(db: DatabaseSync, table: "steps" | "stories", run: string, row: Row, at: string): void {
	const columns = Object.keys(row).filter((name) => COLUMN.test(name));
	const all = [...columns, "run_id", "created_at", "updated_at"];
	const changed = [...columns.filter((name) => name !== "id"), "updated_at"].map((name) => `${name} = excluded.${name}`);
	db.prepare(
		`INSERT INTO ${table} (${all.join(", ")}) VALUES (${all.map(() => "?").join(", ")}) ON CONFLICT (id) DO UPDATE SET ${changed.join(", ")}`,
	).run(...columns.map((name) => row[name] ?? null), run, at, at);
}
