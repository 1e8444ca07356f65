// Changes of a run. Each one holds the run's row from its first statement to its COMMIT, so whoever changes the same run waits. A change can
// be sent again at any time: its id says whether it was done.

import { isTooNew } from "../../core/assign/labels.ts";
import type { Event } from "../../core/event.ts";
import {
	type Commit,
	type CommitResult,
	type Decision,
	type Lease,
	NewerPawl,
	type PendingEffect,
	type SharedStore,
	type Updated,
} from "../../store.ts";
import type { Database, Done, Session } from "./connect.ts";
import { type EffectRow, effectOf, iso, plain, titleIn, writeRows } from "./rows.ts";
import { writeFiles } from "./travelling.ts";

export function commit(database: Database, given: Commit): Promise<CommitResult> {
	return database.transaction(async (session) => {
		const version = await lockRun(session, given.run);
		const value = await write(database, session, given, version);
		return done(value, value.ok, given.run);
	});
}

/** After a lost answer `decide` must not see its own events as those of others: what it decided is looked up first. */
export function update(
	database: Database,
	run: string,
	after: number,
	decide: (events: readonly Event[]) => Decision | null,
): Promise<Updated> {
	let earlier: { readonly decision: Decision; readonly events: readonly Event[] } | null = null;
	return database.transaction<Updated>(async (session) => {
		const version = await lockRun(session, run);
		if (earlier !== null) {
			const effects = await committed(session, run, earlier.decision.id);
			if (effects !== null) return done({ events: earlier.events, result: { ok: true, effects } }, true, run);
		}
		const events = (await session.query<EventRow>(EVENTS, [plain(run), after, null])).rows.map(eventOf);
		const decision = decide(events);
		if (decision === null) return done({ events, result: null }, false, run);
		earlier = { decision, events };
		const result = await write(database, session, { ...decision, run, expectedVersion: after + events.length }, version);
		return done({ events, result }, result.ok, run);
	});
}

export const PENDING = "SELECT seq, effect FROM pawl.effects WHERE run_id = $1 AND NOT done ORDER BY seq";

export function locked(database: Database, run: string, work: Parameters<SharedStore["locked"]>[1]): Promise<boolean> {
	return database.transaction(async (session) => {
		await lockRun(session, run);
		const value = await work((await session.query<EffectRow>(PENDING, [plain(run)])).rows.map(effectOf), session);
		return { value, keep: value };
	});
}

/** Only whoever holds its lease may. */
export function remove(database: Database, run: string, { scope, epoch }: Lease): Promise<boolean> {
	return database.transaction(async (session, earlier) => {
		const { rows } = await session.query("SELECT 1 FROM pawl.runs WHERE id = $1 FOR UPDATE", [plain(run)]);
		const lane = await epochOf(session, run, scope);
		// A run that is gone after an answer was lost: that was us.
		if (earlier > 0 && rows.length === 0 && lane === null) return { keep: false, value: true };
		if (lane !== epoch) return { keep: false, value: false };
		for (const table of OF_A_RUN) await session.query(`DELETE FROM pawl.${table} WHERE run_id = $1`, [plain(run)]);
		await session.query("DELETE FROM pawl.runs WHERE id = $1", [plain(run)]);
		return done(true, true, run);
	});
}

const OF_A_RUN = ["events", "commits", "effects", "inbox", "claims", "steps", "stories", "lanes", "merge_turns", "files", "log_pieces"];

const done = <T>(value: T, keep: boolean, run: string): Done<T> => ({ value, keep, ...(keep ? { changed: plain(run) } : {}) });

const LOCK_RUN = "SELECT version, requires FROM pawl.runs WHERE id = $1 FOR UPDATE";

/** Takes the run for this transaction and returns its version. The row of a run that is not there yet is made, so that two who begin it wait for
 * each other as well; it is gone again unless the transaction is kept. Everything that changes a run comes through here: a run that needs a newer
 * pawl is left alone. */
async function lockRun(session: Session, run: string): Promise<number> {
	for (;;) {
		const { rows } = await session.query<{ version: number; requires: string[] }>(LOCK_RUN, [plain(run)]);
		if (rows[0] !== undefined) {
			if (isTooNew(rows[0].requires)) throw new NewerPawl(`run ${run} was started by a newer pawl: update this one to change it`);
			return rows[0].version;
		}
		const made = await session.query("INSERT INTO pawl.runs (id) VALUES ($1) ON CONFLICT DO NOTHING", [plain(run)]);
		if (made.rowCount === 1) return 0;
	}
}

/** The effects of a commit, or null if there is no such commit. */
async function committed(session: Session, run: string, id: string): Promise<readonly PendingEffect[] | null> {
	const { rows } = await session.query("SELECT 1 FROM pawl.commits WHERE id = $1 AND run_id = $2", [id, plain(run)]);
	if (rows.length === 0) return null;
	return (await session.query<EffectRow>("SELECT seq, effect FROM pawl.effects WHERE commit_id = $1 ORDER BY seq", [id])).rows.map(
		effectOf,
	);
}

export const EVENTS = "SELECT data FROM pawl.events WHERE run_id = $1 AND version > $2 ORDER BY version LIMIT $3";
export type EventRow = { data: string };
export const eventOf = ({ data }: EventRow): Event => JSON.parse(data) as Event;

/** Whoever takes the lease over waits for this transaction, so it sees what was committed before. */
async function epochOf(session: Session, run: string, scope: string): Promise<number | null> {
	const sql = "SELECT epoch FROM pawl.lanes WHERE run_id = $1 AND scope = $2 FOR SHARE";
	return (await session.query<{ epoch: number }>(sql, [plain(run), plain(scope)])).rows[0]?.epoch ?? null;
}

const WRITE = `
	WITH run AS (
		UPDATE pawl.runs SET workflow_id = $2, task = $3, title = $4, status = $5, created_at = $6, updated_at = $7, overview = $8,
			input = coalesce($9, input), version = $10::integer + cardinality($12::text[]), changes = changes + 1,
			requires = coalesce($20::text[], requires), wake_at = CASE WHEN $18::boolean THEN to_timestamp($19::double precision / 1000) ELSE wake_at END
		WHERE id = $1
	), noted AS (
		INSERT INTO pawl.commits (id, run_id, version) VALUES ($11, $1, $10::integer + cardinality($12::text[]))
	), added AS (
		INSERT INTO pawl.events (run_id, version, at, event, data, commit_id)
		SELECT $1, $10::integer + n, at, event, data, $11
		FROM unnest($12::text[], $13::text[], $14::text[]) WITH ORDINALITY AS new (at, event, data, n)
	), settled AS (
		UPDATE pawl.effects SET done = true WHERE seq = ANY ($16::bigint[]) AND run_id = $1 AND NOT done
	), taken AS (
		DELETE FROM pawl.inbox WHERE id = ANY ($17::bigint[]) AND run_id = $1
	)
	INSERT INTO pawl.effects (run_id, effect, commit_id)
	SELECT $1, effect, $11 FROM unnest($15::text[]) WITH ORDINALITY AS new (effect, n) ORDER BY n
	RETURNING seq`;

const CLAIM = `
	INSERT INTO pawl.claims (token, run_id, handle, data, expires_at, state) VALUES ($1, $2, $3, $4, $5, $6)
	ON CONFLICT (token) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at, state = excluded.state`;

/** In a transaction that holds the run, which is at this version. */
async function write(database: Database, session: Session, commit: Commit, version: number): Promise<CommitResult> {
	const { run, expectedVersion, summary, lease, events } = commit;
	if (summary.id !== run) throw new Error(`a commit of run ${run} carries the summary of ${summary.id}`);
	if (version > expectedVersion || events.length === 0) {
		const effects = await committed(session, run, commit.id);
		if (effects !== null) return { ok: true, effects };
	}
	if (lease !== undefined && (await epochOf(session, run, lease.scope)) !== lease.epoch) return { ok: false, reason: "fenced" };
	if (version !== expectedVersion) return { ok: false, reason: "conflict", version };
	const { task, title } = titleIn(summary.title);
	const updated = iso(summary.updatedAt);
	const { rows } = await session.query<{ seq: string }>(WRITE, [
		...[plain(run), plain(summary.workflow), task, title, summary.status, iso(summary.createdAt), updated],
		...[summary.overview, summary.input].map((value) => (value === undefined ? null : JSON.stringify(value))),
		...[version, commit.id],
		...[events.map(({ at }) => iso(at)), events.map(({ event }) => event), events.map((event) => JSON.stringify(event))],
		...[commit.effects.map((effect) => JSON.stringify(effect)), commit.done, commit.taken],
		...[commit.wakeAt !== undefined, commit.wakeAt ?? null, commit.requires ?? null],
	]);
	for (const claim of commit.claims ?? []) {
		const { token, handle, data, expiresAt, state } = claim;
		await session.query(CLAIM, [plain(token), plain(run), plain(handle), JSON.stringify(data), iso(expiresAt), state]);
	}
	await writeFiles(session, run, commit.files ?? []);
	if (commit.rows) await writeRows(session, plain(run), commit.rows, updated);
	if (commit.lanes !== undefined && commit.lanes.length > 0) await database.sendLanes(session, run, commit.lanes);
	const seqs = rows.map(({ seq }) => Number(seq)).sort((a, b) => a - b);
	return { ok: true, effects: commit.effects.map((effect, index) => ({ seq: seqs[index] ?? Number.NaN, effect })) };
}
