// Rows of PostgreSQL and the values of the contract.
import type { Effect } from "../../core/effect.ts";
import type { RunStatus } from "../../core/model.ts";
import type { Overview } from "../../core/overview.ts";
import type { Claim, PendingEffect, Row, Rows, RunSummary } from "../../store.ts";
import type { Session } from "./connect.ts";

/** Text of PostgreSQL holds no NUL. For columns that are names or are there for people to read; everything else is JSON. */
export const plain = (text: string): string => text.replaceAll("\0", "\ufffd");

export const iso = (time: number): string => new Date(time).toISOString();

export type EffectRow = { seq: string; effect: string };

export const effectOf = ({ seq, effect }: EffectRow): PendingEffect => ({ seq: Number(seq), effect: JSON.parse(effect) as Effect });

export type ClaimRow = { token: string; run_id: string; handle: string; data: string; expires_at: string; state: string };

export const claimOf = (row: ClaimRow): Claim => ({
	token: row.token,
	run: row.run_id,
	handle: row.handle,
	data: JSON.parse(row.data),
	expiresAt: Date.parse(row.expires_at),
	state: row.state as Claim["state"],
});

export type RunRow = {
	id: string;
	workflow_id: string;
	task: string;
	title: string | null;
	status: string;
	created_at: string;
	updated_at: string;
	overview: string | null;
	input: string | null;
};

/** Text that comes back as it was: `task` for people, `title` as JSON where that is not the same. */
export const titleIn = (title: string): { readonly task: string; readonly title: string | null } => {
	const task = plain(title).toWellFormed();
	return { task, title: task === title ? null : JSON.stringify(title) };
};

export const summaryOf = (row: RunRow): RunSummary => ({
	id: row.id,
	workflow: row.workflow_id,
	title: row.title === null ? row.task : (JSON.parse(row.title) as string),
	status: row.status as RunStatus,
	createdAt: Date.parse(row.created_at),
	updatedAt: Date.parse(row.updated_at),
	...(row.overview === null ? {} : { overview: JSON.parse(row.overview) as Overview }),
	...(row.input === null ? {} : { input: JSON.parse(row.input) as Readonly<Record<string, string>> }),
});

/** Column names come from the code that makes the rows, never from outside. */
const COLUMN = /^[a-z_]+$/;

/** Rows of the tables that other programs read beside the journal. */
export async function writeRows(session: Session, run: string, rows: Rows, at: string): Promise<void> {
	for (const row of rows.steps) await upsert(session, "steps", run, row, at);
	for (const row of rows.stories) await upsert(session, "stories", run, row, at);
	if (rows.gone.length > 0)
		await session.query("DELETE FROM pawl.stories WHERE id = ANY($1::text[]) AND run_id = $2", [rows.gone.map(plain), run]);
}

async function upsert(session: Session, table: "steps" | "stories", run: string, row: Row, at: string): Promise<void> {
	const columns = Object.keys(row).filter((name) => COLUMN.test(name));
	const all = [...columns, "run_id", "created_at", "updated_at"];
	const changed = [...columns.filter((name) => name !== "id"), "updated_at"].map((name) => `${name} = excluded.${name}`);
	const values = columns.map((name) => row[name] ?? null).map((value) => (typeof value === "string" ? plain(value) : value));
	await session.query(
		`INSERT INTO pawl.${table} (${all.join(", ")}) VALUES (${all.map((_, index) => `$${index + 1}`).join(", ")})
		ON CONFLICT (id) DO UPDATE SET ${changed.join(", ")}`,
		[...values, run, at, at],
	);
}
