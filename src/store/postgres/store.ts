// The store in PostgreSQL, for any number of processes on any number of machines. What a run needs lies in the schema `pawl`.
import { randomUUID } from "node:crypto";
import type { Input } from "../../core/input.ts";
import { NewerPawl, type SharedStore } from "../../store.ts";
import { accountsOn } from "./accounts.ts";
import { Database, type PostgresOptions } from "./connect.ts";
import { commit, EVENTS, type EventRow, eventOf, locked, PENDING, remove, update } from "./journal.ts";
import { Leases } from "./leases.ts";
import { migrate } from "./migrations.ts";
import { DatabaseAway, isTransient, said } from "./patience.ts";
import { type ClaimRow, claimOf, type EffectRow, effectOf, plain, type RunRow, summaryOf } from "./rows.ts";
import { travelling } from "./travelling.ts";
import { Watches } from "./watches.ts";
import { workersIn } from "./workers.ts";

const POLL_MS = 2_000;
const CLOSED = "'completed', 'failed', 'cancelled', 'refused'";

const POST = `
	WITH posted AS (INSERT INTO pawl.inbox (run_id, input, post_id) VALUES ($1, $2, $3) ON CONFLICT (post_id) DO NOTHING),
	touched AS (UPDATE pawl.runs SET changes = changes + 1 WHERE id = $1)
	SELECT pg_notify('pawl', $1)`;
const SETTLE = "UPDATE pawl.effects SET done = true WHERE run_id = $1 AND seq = ANY ($2::bigint[]) AND NOT done";
const INBOX = "SELECT id, input FROM pawl.inbox WHERE run_id = $1 ORDER BY id";
const HELD = "SELECT * FROM pawl.claims WHERE run_id = $1 AND state = 'held' ORDER BY number";
const CLAIM = "SELECT * FROM pawl.claims WHERE token = $1 OR handle = $1 ORDER BY number DESC LIMIT 1";
const MAY = "($2::text[] IS NULL OR requires <@ $2)";
const WITH_EFFECTS = `
	SELECT id FROM pawl.runs WHERE EXISTS (SELECT 1 FROM pawl.effects WHERE run_id = id AND NOT done) AND ${MAY} ORDER BY number LIMIT $1`;
const HELD_LANES = "SELECT scope FROM pawl.lanes WHERE run_id = $1 AND until > clock_timestamp()";
const DUE = `SELECT id FROM pawl.runs WHERE wake_at <= clock_timestamp() AND ${MAY} ORDER BY wake_at LIMIT $1`;

/** Connects, and makes or completes the schema. Throws an Error that names the database, without its password. */
export async function openPostgresStore(options: PostgresOptions): Promise<SharedStore> {
	const where = placeOf(options.url);
	const database = new Database(options);
	try {
		await migrate(database);
	} catch (error) {
		await database.close();
		if (error instanceof NewerPawl) throw new NewerPawl(`${where}: ${error.message}`, { cause: error });
		const denied = (error as { readonly code?: unknown } | null)?.code === "42501";
		const todo = denied ? "; its owner has to run pawl database setup (pawl doctor says what is missing)" : "";
		throw new Error(`${where}: ${said(error)}${todo}`, { cause: error });
	}
	return storeOn(where, database, options);
}

function storeOn(where: string, database: Database, { worker, pollMs = POLL_MS }: PostgresOptions): SharedStore {
	const leases = new Leases(database, worker);
	const watches = new Watches(database, pollMs);
	const { close: leaveSeats, ...accounts } = accountsOn(database, worker, pollMs);
	const answer = async <T>(work: () => Promise<T>): Promise<T> => {
		try {
			return await work();
		} catch (error) {
			throw named(where, error);
		}
	};
	const rows = <Row>(sql: string, ...values: readonly unknown[]): Promise<Row[]> => answer(() => database.query<Row>(sql, values));

	return {
		commit: (given) => answer(() => commit(database, given)),
		update: (run, after, decide) => answer(() => update(database, run, after, decide)),
		settle: async (run, done) => void (await rows(SETTLE, plain(run), done)),
		events: async (run, after = 0, limit) => (await rows<EventRow>(EVENTS, plain(run), after, limit ?? null)).map(eventOf),
		pending: async (run) => (await rows<EffectRow>(PENDING, plain(run))).map(effectOf),
		runs: async ({ open = false, unsettled = false, limit, prefix = "" } = {}) => {
			const left = unsettled ? "UNION SELECT run_id FROM pawl.effects WHERE NOT done" : "";
			const which = open ? `AND id IN (SELECT id FROM pawl.runs WHERE status NOT IN (${CLOSED}) ${left})` : "";
			const sql = `SELECT * FROM pawl.runs WHERE starts_with(id, $1) ${which} ORDER BY created_at DESC, number DESC LIMIT $2`;
			return (await rows<RunRow>(sql, plain(prefix), limit ?? null)).map(summaryOf);
		},
		summary: async (run) => (await rows<RunRow>("SELECT * FROM pawl.runs WHERE id = $1", plain(run))).map(summaryOf)[0] ?? null,
		post: async (run, input) => {
			await rows(POST, plain(run), JSON.stringify(input), randomUUID());
			watches.tell(run);
		},
		inbox: async (run) =>
			(await rows<{ id: string; input: string }>(INBOX, plain(run))).map(({ id, input }) => ({
				id: Number(id),
				input: JSON.parse(input) as Input,
			})),
		claims: async (run) => (await rows<ClaimRow>(HELD, plain(run))).map(claimOf),
		claim: async (name) => (await rows<ClaimRow>(CLAIM, plain(name))).map(claimOf)[0] ?? null,
		watch: (run, changed) => watches.add(run, changed),
		lease: (run, scope, ttlMs) => answer(() => leases.take(run, scope, ttlMs)),
		holder: (run) => answer(() => leases.holder(run)),
		seenAt: (run) => answer(() => leases.seenAt(run)),
		remove: (run, lease) => answer(() => remove(database, run, lease)),
		workers: workersIn(database, answer),
		runsWithEffects: async ({ limit, labels } = {}) => (await rows<{ id: string }>(WITH_EFFECTS, limit, labels)).map(({ id }) => id),
		heldLanes: async (run) => (await rows<{ scope: string }>(HELD_LANES, plain(run))).map(({ scope }) => scope),
		dueRuns: async ({ limit, labels } = {}) => (await rows<{ id: string }>(DUE, limit, labels)).map(({ id }) => id),
		locked: (run, work) => answer(() => locked(database, run, work)),
		...travelling(rows),
		accounts: {
			seat: (...given) => answer(() => accounts.seat(...given)),
			limits: (names) => answer(() => accounts.limits(names)),
			limit: (name, ms) => answer(() => accounts.limit(name, ms)),
			list: () => answer(() => accounts.list()),
			setMax: (name, max) => answer(() => accounts.setMax(name, max)),
			clear: (name) => answer(() => accounts.clear(name)),
		},
		close: async () => {
			watches.close();
			await leaveSeats();
			await leases.close();
			await database.close();
		},
	};
}

function placeOf(url: string): string {
	try {
		const { host, pathname } = new URL(url);
		return `${host}${pathname}`;
	} catch {
		return "the database";
	}
}

/** Errors of the database say where it is. What a caller's own code throws stays as it is. */
function named(where: string, error: unknown): unknown {
	const ours = error instanceof DatabaseAway || isTransient(error) || typeof (error as { code?: unknown } | null)?.code === "string";
	return ours ? new Error(`${where}: ${said(error)}`, { cause: error }) : error;
}
