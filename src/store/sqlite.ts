// The store in one SQLite file (node:sqlite), for any number of processes on one machine. Durable: WAL with
// synchronous=FULL, so that a commit that returned survives a loss of power. Nothing here opens a database file
// with fs: closing such a descriptor drops every lock that this process has on the file.
import { existsSync, mkdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Effect } from "../core/effect.ts";
import type { Event } from "../core/event.ts";
import type { Input } from "../core/input.ts";
import type { RunStatus, Time } from "../core/model.ts";
import type { Overview } from "../core/overview.ts";
import type { Claim, Commit, CommitResult, Decision, Holder, Lease, PendingEffect, RunSummary, Store, Updated } from "../store.ts";
import { LateStatement } from "./late-statement.ts";
import { MIGRATIONS, migrate, schemaVersion } from "./migrations.ts";
import { writeRows } from "./rows.ts";
import { BUSY_MS, isLockedFile, lockFile, makeFolder, naming, orClose, sleep, useWal } from "./sqlite-file.ts";
import { guardFiles } from "./sqlite-guard.ts";

/** Longer than it takes to look whether a lock is taken. */
const LOOK_MS = 2;
/** How often a process that holds a lease gives a sign of life. */
const ALIVE_MS = 5_000;
/** How soon a change by another process is noticed. */
const WATCH_MS = 200;
/** The lease of a whole run. It has the name of the locks of earlier versions, so that an old and a new pawl exclude each other. */
const RUN = "@run";

/** A lock lives as long as its connection, and a connection that nobody refers to is closed by the garbage collector. */
const held = new Set<DatabaseSync>();

/** Opens the store; makes the file and its folders if they are missing. Throws an Error that names the file. */
export function openSqliteStore(file: string): Store {
	const path = resolve(file);
	return naming(path, () => {
		makeFolder(dirname(path));
		const db = new DatabaseSync(path, { timeout: BUSY_MS });
		return orClose(db, () => {
			// `fullfsync`: macOS otherwise hands it to the disk and does not wait until it is there.
			db.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
			migrate(db);
			useWal(db);
			return storeOn(path, db, true);
		});
	});
}

/** Opens a store for reading only. If there is none, returns null and creates nothing. */
export function openSqliteReader(file: string): Store | null {
	const path = resolve(file);
	if (!existsSync(path)) return null;
	const current = naming(path, () => {
		const db = new DatabaseSync(path, { timeout: BUSY_MS, readOnly: true });
		return orClose(db, () => {
			if (schemaVersion(db) === MIGRATIONS.length) return storeOn(path, db, false);
			db.close();
			return null;
		});
	});
	// An older database must be migrated before it can be read; a newer one is refused there.
	return current ?? openSqliteStore(path);
}

function storeOn(path: string, db: DatabaseSync, writable: boolean): Store {
	const statement = (sql: string): LateStatement => new LateStatement(db, sql);
	const begin = statement("BEGIN IMMEDIATE");
	const end = statement("COMMIT");
	const head = statement("SELECT coalesce(max(version), 0) AS version FROM events WHERE run_id = ?");
	const putRun = statement(
		`INSERT INTO runs (id, workflow_id, task, status, created_at, updated_at, overview, input) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET workflow_id = excluded.workflow_id, task = excluded.task, status = excluded.status,
			created_at = excluded.created_at, updated_at = excluded.updated_at, overview = excluded.overview,
			input = coalesce(excluded.input, input)`,
	);
	const addEvent = statement("INSERT INTO events (run_id, version, at, event, data, commit_id) VALUES (?, ?, ?, ?, ?, ?)");
	const addEffect = statement("INSERT INTO effects (run_id, effect, commit_id) VALUES (?, ?, ?)");
	const isThere = statement("SELECT 1 FROM events WHERE run_id = ? AND version = ? AND commit_id = ?");
	const effectsOf = statement("SELECT seq, effect FROM effects WHERE run_id = ? AND commit_id = ? ORDER BY seq");
	const epochOf = statement("SELECT epoch, holder, since FROM leases WHERE run_id = ? AND scope = ?");
	const raiseEpoch = statement(
		`INSERT INTO leases (run_id, scope, epoch, holder, since) VALUES (?, ?, 1, ?, ?)
		ON CONFLICT (run_id, scope) DO UPDATE SET epoch = epoch + 1, holder = excluded.holder, since = excluded.since RETURNING epoch`,
	);
	const settleEffect = statement("UPDATE effects SET done = 1 WHERE seq = ? AND run_id = ? AND done = 0");
	const addInput = statement("INSERT INTO inbox (run_id, input) VALUES (?, ?)");
	const takeInput = statement("DELETE FROM inbox WHERE id = ? AND run_id = ?");
	const eventsAfter = statement("SELECT data FROM events WHERE run_id = ? AND version > ? ORDER BY version LIMIT ?");
	const pendingOf = statement("SELECT seq, effect FROM effects WHERE run_id = ? AND done = 0 ORDER BY seq");
	const inboxOf = statement("SELECT id, input FROM inbox WHERE run_id = ? ORDER BY id");
	const newest = "ORDER BY created_at DESC, rowid DESC LIMIT ?";
	const allRuns = statement(`SELECT * FROM runs WHERE substr(id, 1, length(?1)) = ?1 ${newest}`);
	// As the index says it. Few runs are open, however many there were.
	const openRuns = statement(
		`SELECT * FROM runs WHERE status NOT IN ('completed', 'failed', 'cancelled', 'refused') AND substr(id, 1, length(?1)) = ?1 ${newest}`,
	);
	const unsettledRuns = statement(
		`SELECT * FROM runs WHERE id IN (
			SELECT id FROM runs WHERE status NOT IN ('completed', 'failed', 'cancelled', 'refused') UNION SELECT run_id FROM effects WHERE done = 0
		) AND substr(id, 1, length(?1)) = ?1 ${newest}`,
	);
	const oneRun = statement("SELECT * FROM runs WHERE id = ?");
	const dataVersion = statement("PRAGMA data_version");
	const putClaim = statement(
		`INSERT INTO claims (token, run_id, handle, data, expires_at, state) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (token) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at, state = excluded.state`,
	);
	const claimsOf = statement("SELECT * FROM claims WHERE run_id = ? AND state = 'held' ORDER BY rowid");
	const oneClaim = statement("SELECT * FROM claims WHERE token = ?1 OR handle = ?1 ORDER BY rowid DESC LIMIT 1");
	const removals = ["events", "effects", "inbox", "claims", "steps", "stories", "leases"].map((table) =>
		statement(`DELETE FROM ${table} WHERE run_id = ?`),
	);
	removals.push(statement("DELETE FROM runs WHERE id = ?"));
	const guard = guardFiles(path);
	const leases = new Set<OwnLease>();
	const watches = new Set<() => void>();

	function transaction<T>(work: () => T): T {
		begin.run();
		try {
			const result = work();
			end.run();
			return result;
		} catch (error) {
			// After some errors (a full disk) SQLite has already rolled back.
			if (db.isTransaction) db.exec("ROLLBACK");
			throw error;
		}
	}

	function update(run: string, after: number, decide: (events: readonly Event[]) => Decision | null): Updated {
		return transaction(() => {
			const events = readEvents(run, after);
			const decision = decide(events);
			if (decision === null) return { events, result: null };
			return { events, result: write({ ...decision, run, expectedVersion: after + events.length }) };
		});
	}

	const readEvents = (run: string, after: number, limit = -1): Event[] =>
		(eventsAfter.all(run, after, limit) as { data: string }[]).map((row) => JSON.parse(row.data) as Event);

	/** In a transaction. */
	function write(commit: Commit): CommitResult {
		const { run, expectedVersion, summary, lease } = commit;
		if (summary.id !== run) throw new Error(`a commit of run ${run} carries the summary of ${summary.id}`);
		const { version } = head.get(run) as { version: number };
		if (commit.events.length > 0 && version > expectedVersion && isThere.get(run, expectedVersion + 1, commit.id))
			return { ok: true, effects: (effectsOf.all(run, commit.id) as EffectRow[]).map(effectOf) };
		if (lease !== undefined && (epochOf.get(run, lease.scope) as LeaseRow | undefined)?.epoch !== lease.epoch)
			return { ok: false, reason: "fenced" };
		if (version !== expectedVersion) return { ok: false, reason: "conflict", version };
		const updated = iso(summary.updatedAt);
		const overview = summary.overview === undefined ? null : JSON.stringify({ at: updated, ...summary.overview });
		const input = summary.input === undefined ? null : JSON.stringify(summary.input);
		putRun.run(run, summary.workflow, summary.title, summary.status, iso(summary.createdAt), updated, overview, input);
		commit.events.forEach((event, index) => {
			addEvent.run(run, version + index + 1, iso(event.at), event.event, JSON.stringify(event), commit.id);
		});
		const effects = commit.effects.map((effect) => {
			const { lastInsertRowid } = addEffect.run(run, JSON.stringify(effect), commit.id);
			return { seq: Number(lastInsertRowid), effect };
		});
		for (const seq of commit.done) settleEffect.run(seq, run);
		for (const id of commit.taken) takeInput.run(id, run);
		for (const claim of commit.claims ?? [])
			putClaim.run(claim.token, run, claim.handle, JSON.stringify(claim.data), iso(claim.expiresAt), claim.state);
		if (commit.rows) writeRows(db, run, commit.rows, updated);
		return { ok: true, effects };
	}

	function lockOf(run: string, scope: string): string {
		if (!/^[A-Za-z0-9._-]+$/.test(run)) throw new Error(`not the id of a run: ${JSON.stringify(run)}`);
		const name = scope === RUN ? run : `${run}.${Buffer.from(scope).toString("base64url")}`;
		return join(dirname(path), "locks", `${name}.lock.db`);
	}

	/** The system frees the lock of a process that died, so a lease needs no time to live here. A lock file is locked and removed only while
	 * holding the right to write the store, so that nobody locks a file that is being removed. */
	function lease(run: string, scope: string): Lease | null {
		const file = lockOf(run, scope);
		if (!writable) throw new Error("the store was opened only to read it");
		mkdirSync(dirname(file), { recursive: true });
		const take = () =>
			transaction(() => {
				const owner = naming(file, () => lockFile(file));
				if (owner === null) return null;
				const { epoch } = orClose(owner, () => raiseEpoch.get(run, scope, `process ${process.pid} on ${hostname()}`, iso(Date.now()))) as {
					epoch: number;
				};
				return { owner, epoch };
			});
		let taken = take();
		// Tried twice: the first time another process may only have been testing whether it is locked.
		if (taken === null) {
			sleep(LOOK_MS);
			taken = take();
		}
		return taken === null ? null : leaseOf(taken.owner, file, scope, taken.epoch);
	}

	function leaseOf(owner: DatabaseSync, file: string, scope: string, epoch: number): Lease {
		held.add(owner);
		touch(file);
		const alive = setInterval(() => touch(file), ALIVE_MS).unref();
		const free = (): void => {
			if (!held.delete(owner)) return;
			clearInterval(alive);
			leases.delete(result);
			try {
				guard.check();
				transaction(() => {
					owner.close();
					rmSync(file, { force: true });
				});
			} catch {
				// The lock is free, which is what counts; a file that stays behind is empty and harmless.
				if (owner.isOpen) owner.close();
			}
		};
		const result: OwnLease = { scope, epoch, free, release: async () => free() };
		leases.add(result);
		return result;
	}

	function remove(run: string, { scope, epoch }: Lease): boolean {
		return transaction(() => {
			if ((epochOf.get(run, scope) as LeaseRow | undefined)?.epoch !== epoch) return false;
			for (const statement of removals) statement.run(run);
			return true;
		});
	}

	/** The lock file of a process that was killed stays behind. */
	function seenAt(run: string): Time | null {
		return statSync(lockOf(run, RUN), { throwIfNoEntry: false })?.mtimeMs ?? null;
	}

	function holder(run: string): Holder | null {
		if (!isLockedFile(lockOf(run, RUN))) return null;
		const row = epochOf.get(run, RUN) as LeaseRow | undefined;
		return row === undefined ? { who: "another pawl", since: 0 } : { who: row.holder, since: Date.parse(row.since) };
	}

	/** `data_version` changes when another connection commits; posts of this connection are announced directly. */
	function watch(changed: () => void): { close(): void } {
		let seen = Number(dataVersion.get()?.data_version);
		const timer = setInterval(() => {
			if (!db.isOpen) return;
			try {
				guard.check();
			} catch {
				// The listener looks for itself.
				clearInterval(timer);
				return changed();
			}
			const now = Number(dataVersion.get()?.data_version);
			if (now === seen) return;
			seen = now;
			changed();
		}, WATCH_MS);
		watches.add(changed);
		return {
			close: () => {
				clearInterval(timer);
				watches.delete(changed);
			},
		};
	}

	/** SQLite answers synchronously; a failure becomes a rejected promise, as with any other store. */
	const answer = async <T>(work: () => T): Promise<T> =>
		naming(path, () => {
			guard.check();
			return work();
		});

	return {
		commit: (value) => answer(() => transaction(() => write(value))),
		update: (run, after, decide) => answer(() => update(run, after, decide)),
		settle: (run, done) =>
			answer(() =>
				transaction(() => {
					for (const seq of done) settleEffect.run(seq, run);
				}),
			),
		events: (run, after = 0, limit = -1) => answer(() => readEvents(run, after, limit)),
		pending: (run) => answer(() => (pendingOf.all(run) as EffectRow[]).map(effectOf)),
		runs: ({ open = false, unsettled = false, limit = -1, prefix = "" } = {}) =>
			answer(() => {
				const which = open ? (unsettled ? unsettledRuns : openRuns) : allRuns;
				return (which.all(prefix, limit) as RunRow[]).map(summaryOf);
			}),
		summary: (run) =>
			answer(() => {
				const row = oneRun.get(run) as RunRow | undefined;
				return row === undefined ? null : summaryOf(row);
			}),
		post: (run, input) =>
			answer(() => {
				transaction(() => addInput.run(run, JSON.stringify(input)));
				for (const changed of watches) changed();
			}),
		inbox: (run) =>
			answer(() =>
				(inboxOf.all(run) as { id: number; input: string }[]).map(({ id, input }) => ({ id, input: JSON.parse(input) as Input })),
			),
		claims: (run) => answer(() => (claimsOf.all(run) as ClaimRow[]).map(claimOf)),
		claim: (name) =>
			answer(() => {
				const row = oneClaim.get(name) as ClaimRow | undefined;
				return row === undefined ? null : claimOf(row);
			}),
		watch: (_, changed) => watch(changed),
		lease: (run, scope) => answer(() => lease(run, scope)),
		holder: (run) => answer(() => holder(run)),
		seenAt: (run) => answer(() => seenAt(run)),
		remove: (run, lease) => answer(() => remove(run, lease)),
		close: async () => {
			for (const one of [...leases]) one.free();
			// Does not write to damaged files.
			if (db.isOpen && !guard.damaged) db.close();
		},
	};
}

/** The sign of life of the process that holds a lease: the time of its lock file. */
function touch(file: string): void {
	const now = new Date();
	try {
		utimesSync(file, now, now);
	} catch {
		// Somebody removed it; the lock holds anyway.
	}
}

type OwnLease = Lease & { free(): void };
type LeaseRow = { epoch: number; holder: string; since: string };
type EffectRow = { seq: number; effect: string };

const effectOf = ({ seq, effect }: EffectRow): PendingEffect => ({ seq, effect: JSON.parse(effect) as Effect });

type ClaimRow = { token: string; run_id: string; handle: string; data: string; expires_at: string; state: string };

const claimOf = (row: ClaimRow): Claim => ({
	token: row.token,
	run: row.run_id,
	handle: row.handle,
	data: JSON.parse(row.data),
	expiresAt: Date.parse(row.expires_at),
	state: row.state as Claim["state"],
});

type RunRow = {
	id: string;
	workflow_id: string;
	task: string;
	status: string;
	created_at: string;
	updated_at: string;
	overview: string | null;
	input: string | null;
};

function summaryOf(row: RunRow): RunSummary {
	return {
		id: row.id,
		workflow: row.workflow_id,
		title: row.task,
		status: row.status as RunStatus,
		createdAt: Date.parse(row.created_at),
		updatedAt: Date.parse(row.updated_at),
		...overviewIn(row),
		...(row.input === null ? {} : { input: JSON.parse(row.input) as Readonly<Record<string, string>> }),
	};
}

/** A process of an earlier version that was already running leaves an old overview behind: its time tells. */
function overviewIn({ overview, updated_at }: RunRow): Pick<RunSummary, "overview"> {
	if (overview === null) return {};
	const { at, ...rest } = JSON.parse(overview) as Overview & { readonly at: string };
	return at === updated_at ? { overview: rest } : {};
}

function iso(time: number): string {
	return new Date(time).toISOString();
}
