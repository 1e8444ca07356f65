// Seats and usage limits of accounts, from several processes.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { asked, freshDatabase, withoutPostgres } from "../../../test/support/postgres.ts";
import type { AccountSeat, SeatRequest, SharedStore } from "../../store.ts";
import { type Child, startChild } from "./child.suite.ts";
import { openPostgresStore } from "./store.ts";

/** Notes when a seat is taken and when it is free again, as the database sees it. Taking one lasts a little longer, so that two who do it at once meet. */
const HISTORY = `
	CREATE TABLE history (change integer, at timestamptz);
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF TG_OP = 'UPDATE' THEN
			INSERT INTO history VALUES (1, clock_timestamp());
			PERFORM pg_sleep(0.005);
		ELSE
			INSERT INTO history VALUES (-1, least(OLD.until, clock_timestamp()));
		END IF;
		RETURN NULL;
	END $$;
	CREATE TRIGGER taken AFTER UPDATE ON pawl.seats FOR EACH ROW WHEN (OLD.taken IS NULL AND NEW.taken IS NOT NULL) EXECUTE FUNCTION note();
	CREATE TRIGGER freed AFTER DELETE ON pawl.seats FOR EACH ROW WHEN (OLD.taken IS NOT NULL) EXECUTE FUNCTION note()`;
const MOST = `
	SELECT max(used)::integer AS most, count(*) FILTER (WHERE change = 1)::integer AS taken
	FROM (SELECT change, sum(change) OVER (ORDER BY at, change) AS used FROM history) AS seen`;

const NEVER = new AbortController().signal;
const request = (more: Partial<SeatRequest> = {}): SeatRequest => ({
	...{ account: "team", run: "r", scope: "US-1", step: "code", attempt: 1, ttlMs: 60_000 },
	...more,
});

describe("accounts in PostgreSQL", { skip: withoutPostgres, timeout: 120_000 }, () => {
	const leftovers: (() => unknown)[] = [];
	afterEach(async () => {
		for (const undo of leftovers.splice(0).reverse()) await undo();
	});

	/** Who waits and does not ask for five times `pollMs` loses its place. */
	async function opened(pollMs = 20): Promise<{ url: string; store: SharedStore }> {
		const made = freshDatabase();
		leftovers.push(() => made.remove());
		const url = await made.url();
		const store = await openPostgresStore({ url, pollMs });
		leftovers.push(() => store.close());
		return { url, store };
	}

	function start(url: string, argument: string): Child {
		const child = startChild("seats", url, "team", argument);
		leftovers.push(() => child.kill());
		return child;
	}

	async function until(child: Child, line: string, times = 1): Promise<string[]> {
		const lines: string[] = [];
		while (lines.filter((one) => one === line).length < times) {
			lines.push(await child.line());
			assert.notEqual(lines.at(-1), "ended", lines.join("\n"));
		}
		return lines;
	}

	const taken = async (store: SharedStore, of: Partial<SeatRequest> = {}): Promise<AccountSeat> => {
		const seat = await store.accounts.seat(request(of), NEVER, async () => {});
		assert.ok(seat !== null && "lost" in seat);
		return seat;
	};

	test("A7 M10 20 sessions of 4 processes on 3 seats are never 4 at once, and the seats of a process that is killed are free again", async () => {
		const { url, store } = await opened();
		await store.accounts.setMax("team", 3);
		await asked(url, HISTORY);
		// All at once, while nobody waits yet.
		await Promise.all(Array.from({ length: 20 }, async () => (await taken(store)).release()));
		const dies = start(url, "3 for-ever");
		await until(dies, "took", 3);
		const others = ["7", "7", "6"].map((count) => start(url, count));
		for (const child of others) await until(child, "waits");
		await dies.kill();
		for (const child of others) assert.ok(!(await until(child, "done")).includes("lost"));
		assert.deepEqual(await asked(url, MOST), [{ most: 3, taken: 20 + 3 + 20 * 3 }]);
		assert.deepEqual((await store.accounts.list())[0]?.seats, [], "all were given back");
	});

	test("a session that waits is told how many are in use, is shown, and goes when it is cancelled; the first to ask is the first to sit", async () => {
		// A busy machine may hold up any of them for a while.
		const { store } = await opened(500);
		await store.accounts.setMax("team", 1);
		const first = await taken(store);
		const cancel = new AbortController();
		const told = Promise.withResolvers<readonly number[]>();
		const waits = store.accounts.seat(request({ scope: "US-2" }), cancel.signal, async (...of) => told.resolve(of));
		assert.deepEqual(await told.promise, [1, 1]);
		const order: string[] = [];
		const queue = [];
		for (const scope of ["US-3", "US-4", "US-5"]) {
			const asked = Promise.withResolvers<void>();
			const sits = store.accounts
				.seat(request({ scope }), NEVER, async () => asked.resolve())
				.then(async (seat) => {
					order.push(scope);
					await (seat as AccountSeat).release();
				});
			queue.push(sits);
			await asked.promise;
		}
		const [account] = await store.accounts.list();
		assert.deepEqual(
			account?.seats.map(({ scope, waits }) => `${scope} ${waits ? "waits" : "sits"}`),
			["US-1 sits", "US-2 waits", "US-3 waits", "US-4 waits", "US-5 waits"],
		);
		cancel.abort();
		assert.equal(await waits, null);
		await first.release();
		await Promise.all(queue);
		assert.deepEqual(order, ["US-3", "US-4", "US-5"]);
	});

	test("a usage limit holds every session of the account, is never shortened, and a person can clear it", async () => {
		const { url, store } = await opened();
		const { accounts } = store;
		await accounts.limit("team", 3_600_000);
		assert.deepEqual(await until(start(url, "2"), "done"), [...Array(6).fill("limited"), "done"], "in every process");
		await accounts.limit("team", 1_000);
		const held = await accounts.seat(request(), NEVER, async () => {});
		assert.ok(held !== null && "limitedMs" in held && held.limitedMs > 3_000_000 && held.by?.includes("process"), JSON.stringify(held));
		assert.deepEqual([...(await accounts.limits(["team", "other"])).keys()], ["team"]);
		assert.ok(((await accounts.list())[0]?.limitedUntil ?? 0) > Date.now());
		await (await taken(store, { account: "other" })).release();
		assert.equal(await accounts.clear("team"), true);
		assert.equal(await accounts.clear("team"), false);
		await (await taken(store)).release();
	});

	test("a seat that was taken away ends its session", async () => {
		const { url, store } = await opened();
		const seat = await taken(store, { ttlMs: 300 });
		await asked(url, "DELETE FROM pawl.seats");
		await new Promise((lost) => seat.lost.addEventListener("abort", lost));
		assert.match(String(seat.lost.reason), /the seat of account team is lost/);
	});
});
