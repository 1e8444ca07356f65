// Who wants to know when a run changes. A notification comes at once but can get lost; so the database is also asked every so often whether
// anything changed since. Neither ever fails: while the database is away there is nothing to say, and when it is back everybody is told.
import { Client } from "pg";
import type { Watch } from "../../store.ts";
import { CHANNEL, type Database } from "./connect.ts";
import { plain } from "./rows.ts";

interface Watching {
	readonly run: string | null;
	readonly changed: () => void;
	/** It was told a moment ago; `again`: and is told once more after that moment. */
	pause: NodeJS.Timeout | null;
	again: boolean;
}

/** Twenty machines commit more often to a run than anybody has to hear of it. The first news comes at once. */
const PAUSE_MS = 100;

const POLL = `
	SELECT 'run' AS what, id AS run, changes FROM pawl.runs WHERE id = ANY ($1::text[])
	UNION ALL SELECT 'inbox', run_id, max(id) FROM pawl.inbox WHERE run_id = ANY ($1::text[]) GROUP BY run_id
	UNION ALL SELECT 'runs', NULL, count(*) + coalesce(sum(changes), 0) FROM pawl.runs WHERE $2
	UNION ALL SELECT 'inboxes', NULL, coalesce(max(id), 0) FROM pawl.inbox WHERE $2`;

type PollRow = { what: string; run: string | null; changes: string };

export class Watches {
	private readonly database: Database;
	private readonly pollMs: number;
	private readonly all = new Set<Watching>();
	private timer: NodeJS.Timeout | null = null;
	private client: Client | null = null;
	private connecting = false;
	private polling = false;
	/** What the last poll found. */
	private seen = new Map<string, PollRow>();

	constructor(database: Database, pollMs: number) {
		this.database = database;
		this.pollMs = pollMs;
	}

	add(run: string | null, changed: () => void): Watch {
		const watching: Watching = { run: run === null ? null : plain(run), changed, pause: null, again: false };
		this.all.add(watching);
		this.timer ??= setInterval(() => void this.look(), this.pollMs).unref();
		void this.look();
		return { close: () => this.drop(watching) };
	}

	/** What this process itself did. */
	tell(run: string | null): void {
		for (const watching of [...this.all]) if (run === null || watching.run === null || watching.run === plain(run)) this.news(watching);
	}

	close(): void {
		for (const watching of [...this.all]) this.drop(watching);
	}

	private news(watching: Watching): void {
		watching.again = watching.pause !== null;
		if (watching.again) return;
		watching.pause = setTimeout(() => {
			watching.pause = null;
			if (watching.again) this.news(watching);
		}, PAUSE_MS).unref();
		watching.changed();
	}

	private drop(watching: Watching): void {
		this.all.delete(watching);
		if (watching.pause !== null) clearTimeout(watching.pause);
		if (this.all.size > 0) return;
		if (this.timer !== null) clearInterval(this.timer);
		this.timer = null;
		this.hangUp();
	}

	private async look(): Promise<void> {
		await Promise.all([this.listen(), this.poll()]);
	}

	private async poll(): Promise<void> {
		if (this.polling || this.all.size === 0) return;
		this.polling = true;
		try {
			const runs = [...this.all].flatMap(({ run }) => run ?? []);
			const rows = await this.database.once<PollRow>(POLL, [runs, [...this.all].some(({ run }) => run === null)]);
			const before = this.seen;
			this.seen = new Map(rows.map((row) => [`${row.what} ${row.run ?? ""}`, row]));
			// What was not watched before counts as changed: it may have, since its watcher last looked.
			const changed = new Set(
				[...before.keys(), ...this.seen.keys()]
					.filter((key) => before.get(key)?.changes !== this.seen.get(key)?.changes)
					.map((key) => (this.seen.get(key) ?? before.get(key))?.run ?? null),
			);
			for (const watching of [...this.all]) if (changed.has(watching.run)) this.news(watching);
		} catch {
			// The next one asks again.
		} finally {
			this.polling = false;
		}
	}

	/** Whoever listens again may have missed something. */
	private async listen(): Promise<void> {
		if (this.client !== null || this.connecting || this.all.size === 0) return;
		this.connecting = true;
		const client = new Client(this.database.settings);
		client.on("error", () => this.hangUp(client));
		client.on("end", () => this.hangUp(client));
		client.on("notification", ({ payload = "", processId }) => {
			if (!this.database.isOwn(processId)) this.tell(payload);
		});
		try {
			await client.connect();
			(client as unknown as { unref(): void }).unref();
			await client.query(`LISTEN ${CHANNEL}`);
			this.client = client;
			if (this.all.size === 0) this.hangUp();
			else this.tell(null);
		} catch {
			void client.end().catch(() => {});
		} finally {
			this.connecting = false;
		}
	}

	private hangUp(client: Client | null = this.client): void {
		if (client === null || client !== this.client) return;
		this.client = null;
		void client.end().catch(() => {});
	}
}
