// PostgreSQL as the store of a harness: all of its processes use one connection pool, and each handle stands for one process, as with the store in memory. There is one
// database for all harnesses of this process, which empty it before they begin.
import { after } from "node:test";
import { Client } from "pg";
import type { HarnessDatabase } from "../../src/engine/testing/harness.suite.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Commit, Lease, SharedStore } from "../../src/store.ts";
import { freshDatabase } from "./postgres.ts";

interface Watching {
	readonly handle: object;
	readonly run: string | null;
	readonly changed: () => void;
}

class PostgresDatabase implements HarnessDatabase {
	fault: HarnessDatabase["fault"] = () => null;
	readonly log: Commit[] = [];
	private readonly store: SharedStore;
	private readonly client: Client;
	private readonly watches = new Set<Watching>();

	constructor(store: SharedStore, client: Client) {
		this.store = store;
		this.client = client;
	}

	open(): SharedStore {
		const { store } = this;
		const handle = {};
		const leases = new Set<Lease>();
		let isClosed = false;
		const committed = (commit: Commit, ok: boolean): void => {
			if (!ok) return;
			this.log.push(commit);
			this.tell(handle, commit.run);
		};
		return {
			...store,
			commit: async (commit) => {
				this.refuse(commit);
				const result = await store.commit(commit);
				committed(commit, result.ok);
				return result;
			},
			update: async (run, after, decide) => {
				let commit: Commit | null = null;
				const updated = await store.update(run, after, (events) => {
					const decision = decide(events);
					commit = decision === null ? null : { ...decision, run, expectedVersion: after + events.length };
					if (commit !== null) this.refuse(commit);
					return decision;
				});
				if (commit !== null) committed(commit, updated.result?.ok === true);
				return updated;
			},
			post: async (run, input) => {
				await store.post(run, input);
				this.tell(null, run);
			},
			watch: (run, changed) => {
				const watch = { handle, run, changed };
				this.watches.add(watch);
				return { close: () => void this.watches.delete(watch) };
			},
			lease: async (...given) => {
				const lease = await store.lease(...given);
				// A process that was killed while it asked must not keep what it got.
				if (isClosed) await lease?.release();
				else if (lease !== null) leases.add(lease);
				return lease;
			},
			// The lease of a process that is gone runs out after a while; here at once.
			close: async () => {
				isClosed = true;
				for (const watch of this.watches) if (watch.handle === handle) this.watches.delete(watch);
				await Promise.all([...leases].map((lease) => lease.release()));
			},
		};
	}

	async expire(run: string, scope = "@run"): Promise<void> {
		await this.client.query("UPDATE pawl.lanes SET until = clock_timestamp() WHERE run_id = $1 AND scope = $2", [run, scope]);
	}

	async empty(): Promise<void> {
		this.fault = () => null;
		this.log.length = 0;
		await this.client.query(EMPTY);
	}

	private refuse(commit: Commit): void {
		if (this.fault(commit, this.log.length) !== null) throw new Error("the store did not take the commit");
	}

	/** Notifications of the database are for other processes. */
	private tell(writer: object | null, run: string): void {
		for (const watch of this.watches)
			if (watch.handle !== writer && (watch.run === null || watch.run === run))
				queueMicrotask(() => {
					if (this.watches.has(watch)) watch.changed();
				});
	}
}

const TABLES = [
	"runs",
	"events",
	"commits",
	"effects",
	"inbox",
	"claims",
	"steps",
	"stories",
	"lanes",
	"merge_turns",
	"files",
	"log_pieces",
];
const EMPTY = TABLES.map((table) => `DELETE FROM pawl.${table}`).join(";");

const made = freshDatabase();
let opened: Promise<readonly [PostgresDatabase, SharedStore, Client]> | null = null;
after(async () => {
	if (opened === null) return;
	const [, store, client] = await opened;
	await store.close();
	await client.end();
	await made.remove();
});

/** The database of this process, with nothing in it. */
export async function emptyDatabase(): Promise<HarnessDatabase & { open(): SharedStore }> {
	opened ??= (async () => {
		const url = await made.url();
		const [store, client] = [await openPostgresStore({ url }), new Client(url)];
		await client.connect();
		// What keeps the clock of a harness waiting is work that is under way.
		(client as unknown as { unref(): void }).unref();
		return [new PostgresDatabase(store, client), store, client] as const;
	})();
	const [database] = await opened;
	await database.empty();
	return database;
}
