// Leases: one row for each scope of a run, with the epoch that commits carry. The database's clock says when a lease has run out. Its holder
// renews it (renewal.ts).
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Time } from "../../core/model.ts";
import type { Holder, Lease } from "../../store.ts";
import type { Database } from "./connect.ts";
import { keepRenewed } from "./renewal.ts";
import { plain } from "./rows.ts";

/** More holders of one run are only counted. */
const MOST_NAMED = 3;
/** A lease that is not given back runs out by itself: not worth a longer wait. */
const RELEASE_MS = 5_000;

// `token` is ours alone: after a lost answer the same lease is taken again, not refused to ourselves.
const TAKE = `
	INSERT INTO pawl.lanes AS held (run_id, scope, epoch, worker, token, since, seen, until)
	VALUES ($1, $2, 1, $3, $4, clock_timestamp(), clock_timestamp(), clock_timestamp() + $5 * interval '1 millisecond')
	ON CONFLICT (run_id, scope) DO UPDATE SET epoch = held.epoch + 1, worker = excluded.worker, token = excluded.token,
		since = clock_timestamp(), seen = clock_timestamp(), until = clock_timestamp() + $5 * interval '1 millisecond'
	WHERE held.until IS NULL OR held.until <= clock_timestamp() OR held.token = excluded.token
	RETURNING epoch`;
const RENEW = `
	UPDATE pawl.lanes SET seen = clock_timestamp(), until = clock_timestamp() + $4 * interval '1 millisecond'
	WHERE run_id = $1 AND scope = $2 AND token = $3 RETURNING epoch`;
const RELEASE = "UPDATE pawl.lanes SET until = NULL, seen = NULL WHERE run_id = $1 AND scope = $2 AND token = $3";
// Whoever has a lane of the run drives it.
const HOLDER = `
	SELECT coalesce('worker ' || id, worker) AS worker, min(extract(epoch FROM since)) * 1000 AS since
	FROM pawl.lanes LEFT JOIN pawl.workers ON id = worker
	WHERE run_id = $1 AND until > clock_timestamp() GROUP BY 1 ORDER BY 2`;
const SEEN = "SELECT extract(epoch FROM max(seen)) * 1000 AS seen FROM pawl.lanes WHERE run_id = $1 HAVING max(seen) IS NOT NULL";

export class Leases {
	private readonly database: Database;
	private readonly who: string;
	private readonly held = new Set<Lease>();

	constructor(database: Database, worker: string | undefined) {
		this.database = database;
		this.who = worker ?? `pawl process ${process.pid} on ${hostname()}`;
	}

	async take(run: string, scope: string, ttlMs: number): Promise<Lease | null> {
		if (!/^[A-Za-z0-9._-]+$/.test(run)) throw new Error(`not the id of a run: ${JSON.stringify(run)}`);
		const token = randomUUID();
		const asked = { at: 0 };
		const [row] = await this.database.patience.keep(() => {
			asked.at = performance.now();
			return this.database.once<{ epoch: number }>(TAKE, [run, plain(scope), plain(this.who), token, ttlMs]);
		});
		return row === undefined ? null : this.leaseOf([run, plain(scope), token], scope, row.epoch, ttlMs, asked.at);
	}

	private leaseOf(key: readonly string[], scope: string, epoch: number, ttlMs: number, takenAt: number): Lease {
		const renew = async (): Promise<boolean> => (await this.database.once<{ epoch: number }>(RENEW, [...key, ttlMs]))[0]?.epoch === epoch;
		const what = `the lease of ${key[0]} ${scope}`;
		const renewed = keepRenewed({ what, ttlMs, takenAt, renew, onLost: () => this.held.delete(lease) });
		const release = async (): Promise<void> => {
			this.held.delete(lease);
			if (renewed.stop()) await this.database.query(RELEASE, key, RELEASE_MS).catch(() => []);
		};
		const lease: Lease = { scope, epoch, lost: renewed.lost, release };
		this.held.add(lease);
		return lease;
	}

	async holder(run: string): Promise<Holder | null> {
		const rows = await this.database.query<{ worker: string; since: string }>(HOLDER, [plain(run)]);
		const [first] = rows;
		if (first === undefined) return null;
		const who = rows.length > MOST_NAMED ? `${rows.length} workers` : rows.map(({ worker }) => worker).join(", ");
		return { who, since: Number(first.since) };
	}

	async seenAt(run: string): Promise<Time | null> {
		const [row] = await this.database.query<{ seen: string }>(SEEN, [plain(run)]);
		return row === undefined ? null : Number(row.seen);
	}

	async close(): Promise<void> {
		await Promise.all([...this.held].map((lease) => lease.release()));
	}
}
