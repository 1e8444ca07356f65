// Accounts and their seats. Whoever wants a seat holds the account's row while it counts, so no two take the last one. A seat runs out by the database's
// clock unless its holder renews it; those who wait are served in the order in which they asked, and a waiter that died is skipped soon.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Account, AccountSeat, Accounts, AtLimit, SeatRequest } from "../../store.ts";
import type { Database, Session } from "./connect.ts";
import { keepRenewed } from "./renewal.ts";
import { plain } from "./rows.ts";

/** How often somebody who waits asks again before it counts as gone. */
const ASKS = 5;
/** A seat that is not given back runs out by itself: not worth a longer wait. */
const RELEASE_MS = 5_000;

const MADE = "INSERT INTO pawl.accounts (name) VALUES ($1) ON CONFLICT DO NOTHING";
const LOCKED = `
	SELECT max, limited_by AS by, extract(epoch FROM limited_until - clock_timestamp())::double precision * 1000 AS limited
	FROM pawl.accounts WHERE name = $1 FOR UPDATE`;
const EXPIRED = "DELETE FROM pawl.seats WHERE account = $1 AND until <= clock_timestamp()";
const QUEUED = `
	INSERT INTO pawl.seats AS own (account, holder, run_id, scope, step, attempt, worker, since, until)
	VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp(), clock_timestamp() + $8 * interval '1 millisecond')
	ON CONFLICT (holder) DO UPDATE SET until = greatest(own.until, excluded.until)
	RETURNING number, taken IS NOT NULL AS taken`;
const COUNTED = `
	SELECT count(*) FILTER (WHERE taken IS NOT NULL)::integer AS used, count(*) FILTER (WHERE taken IS NULL AND number < $2)::integer AS ahead
	FROM pawl.seats WHERE account = $1`;
const TAKEN =
	"UPDATE pawl.seats SET taken = clock_timestamp(), until = clock_timestamp() + $2 * interval '1 millisecond' WHERE holder = $1";
// One that has run out may have been given to somebody else.
const RENEW = `
	UPDATE pawl.seats SET until = clock_timestamp() + $2 * interval '1 millisecond'
	WHERE holder = $1 AND until > clock_timestamp() RETURNING 1`;
const RELEASE = "DELETE FROM pawl.seats WHERE holder = $1";
const LIMITS = `
	SELECT name, extract(epoch FROM limited_until - clock_timestamp())::double precision * 1000 AS ms
	FROM pawl.accounts WHERE name = ANY ($1::text[]) AND limited_until > clock_timestamp()`;
const LIMIT = `
	INSERT INTO pawl.accounts AS known (name, limited_until, limited_by) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond', $3)
	ON CONFLICT (name) DO UPDATE SET limited_until = excluded.limited_until, limited_by = excluded.limited_by
	WHERE known.limited_until IS NULL OR known.limited_until < excluded.limited_until`;
const SET = "INSERT INTO pawl.accounts (name, max) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET max = excluded.max";
const CLEAR = `
	WITH known AS (SELECT name, limited_until > clock_timestamp() AS limited FROM pawl.accounts WHERE name = $1 FOR UPDATE)
	UPDATE pawl.accounts AS a SET limited_until = NULL, limited_by = NULL FROM known WHERE a.name = known.name
	RETURNING coalesce(known.limited, false) AS limited`;
const LIST = `
	SELECT a.name, a.max, s.worker, s.run_id, s.scope, s.step, s.attempt, s.taken IS NULL AS waits,
		CASE WHEN a.limited_until > clock_timestamp() THEN extract(epoch FROM a.limited_until)::double precision * 1000 END AS until,
		a.limited_by, extract(epoch FROM coalesce(s.taken, s.since))::double precision * 1000 AS since
	FROM pawl.accounts a LEFT JOIN pawl.seats s ON s.account = a.name AND s.until > clock_timestamp()
	ORDER BY a.name, s.taken IS NULL, s.number`;

type ListRow = {
	readonly name: string;
	readonly max: number | null;
	readonly until: number | null;
	readonly limited_by: string | null;
	readonly worker: string | null;
	readonly run_id: string;
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
	readonly since: number;
	readonly waits: boolean;
};

type Asked = AtLimit | { readonly taken: true } | { readonly used: number; readonly max: number };

/** `pollMs`: how often somebody who waits asks again. */
export function accountsOn(database: Database, worker: string | undefined, pollMs: number): Accounts & { close(): Promise<void> } {
	const who = worker ?? `pawl process ${process.pid} on ${hostname()}`;
	const held = new Set<AccountSeat>();

	const leave = (holder: string) => database.query(RELEASE, [holder], RELEASE_MS).catch(() => []);

	function seatOf(account: string, holder: string, ttlMs: number, takenAt: number): AccountSeat {
		const renew = async (): Promise<boolean> => (await database.once(RENEW, [holder, ttlMs])).length > 0;
		// Given up a little before others may have it, because ending a session takes a moment.
		const what = `the seat of account ${account}`;
		const renewed = keepRenewed({ what, ttlMs: ttlMs * (5 / 6), takenAt, renew, onLost: () => held.delete(seat) });
		const release = async (): Promise<void> => {
			held.delete(seat);
			if (renewed.stop()) await leave(holder);
		};
		const seat: AccountSeat = { lost: renewed.lost, release };
		held.add(seat);
		return seat;
	}

	async function seat(
		request: SeatRequest,
		signal: AbortSignal,
		onWait: (used: number, max: number) => Promise<void>,
	): Promise<AccountSeat | AtLimit | null> {
		const holder = randomUUID();
		let told = false;
		try {
			while (!signal.aborted) {
				const asked = { at: 0 };
				const answer = await database.transaction(async (session) => {
					asked.at = performance.now();
					return { keep: true, value: await ask(session, holder, request) };
				});
				if ("limitedMs" in answer) return answer;
				if ("taken" in answer) return seatOf(request.account, holder, request.ttlMs, asked.at);
				if (!told) await onWait(answer.used, answer.max);
				told = true;
				// Not all at the same moment.
				await delay(pollMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
			}
		} catch (error) {
			await leave(holder);
			throw error;
		}
		await leave(holder);
		return null;
	}

	async function ask(session: Session, holder: string, { account, run, scope, step, attempt, ttlMs }: SeatRequest): Promise<Asked> {
		const name = plain(account);
		await session.query(MADE, [name]);
		const { rows } = await session.query<{ max: number | null; by: string | null; limited: number | null }>(LOCKED, [name]);
		const { max = null, by = null, limited = null } = rows[0] ?? {};
		await session.query(EXPIRED, [name]);
		if (limited !== null && limited > 0) {
			await session.query(RELEASE, [holder]);
			return { limitedMs: limited, by };
		}
		const place = [plain(run), plain(scope), plain(step), attempt, who];
		const queued = await session.query<{ number: string; taken: boolean }>(QUEUED, [name, holder, ...place, pollMs * ASKS]);
		// After a lost answer.
		if (queued.rows[0]?.taken === true) {
			// The asker counts from this question, and so does the database.
			await session.query(TAKEN, [holder, ttlMs]);
			return { taken: true };
		}
		const counted = await session.query<{ used: number; ahead: number }>(COUNTED, [name, queued.rows[0]?.number]);
		const { used = 0, ahead = 0 } = counted.rows[0] ?? {};
		if (max !== null && used + ahead >= max) return { used, max };
		await session.query(TAKEN, [holder, ttlMs]);
		return { taken: true };
	}

	return {
		seat,
		limits: async (names) =>
			new Map((await database.query<{ name: string; ms: number }>(LIMITS, [names.map(plain)])).map(({ name, ms }) => [name, ms])),
		limit: async (name, ms) => void (await database.query(LIMIT, [plain(name), ms, who])),
		list: async () => accountsIn(await database.query<ListRow>(LIST)),
		setMax: async (name, max) => void (await database.query(SET, [plain(name), max])),
		clear: async (name) => (await database.query<{ limited: boolean }>(CLEAR, [plain(name)]))[0]?.limited ?? false,
		close: async () => void (await Promise.all([...held].map((one) => one.release()))),
	};
}

function accountsIn(rows: readonly ListRow[]): Account[] {
	return [...Map.groupBy(rows, ({ name }) => name).values()].flatMap((own) => {
		const [first] = own;
		if (first === undefined) return [];
		const seats = own.flatMap(({ worker, run_id: run, scope, step, attempt, since, waits }) =>
			worker === null ? [] : [{ worker, run, scope, step, attempt, since, waits }],
		);
		return [{ name: first.name, max: first.max, limitedUntil: first.until, limitedBy: first.limited_by, seats }];
	});
}
