// The store in PostgreSQL while things go wrong: connections are cut, the server crashes and comes back, answers get lost. Nothing may be
// written twice, nothing that was acknowledged may be missing, and nothing that was written may be called a failure.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { startPostgres } from "../../../scripts/postgres.ts";
import { asked, freshDatabase, withoutPostgres } from "../../../test/support/postgres.ts";
import type { SharedStore } from "../../store.ts";
import { commitOf, notify, steered } from "../store.suite.ts";
import { assertUpdates, updateTimes } from "../update.suite.ts";
import type { PostgresOptions } from "./connect.ts";
import { startProxy } from "./proxy.suite.ts";
import { openPostgresStore } from "./store.ts";

describe("PostgreSQL store, faults", { skip: withoutPostgres, timeout: 800_000 }, () => {
	const leftovers: (() => unknown)[] = [];
	afterEach(async () => {
		for (const undo of leftovers.splice(0).reverse()) await undo();
	});

	async function emptyDatabase(): Promise<string> {
		const made = freshDatabase();
		leftovers.push(() => made.remove());
		return made.url();
	}

	async function opened(url: string, more: Partial<PostgresOptions> = {}): Promise<SharedStore> {
		const store = await openPostgresStore({ url, ...more });
		leftovers.push(() => store.close());
		return store;
	}

	async function network(to: string) {
		const proxy = await startProxy(to);
		leftovers.push(() => proxy.close());
		return proxy;
	}

	async function ownServer() {
		const base = mkdtempSync(join(tmpdir(), "pawl-faults-"));
		leftovers.push(() => rmSync(base, { recursive: true, force: true }));
		// PostgreSQL runs as another user there.
		chmodSync(base, 0o711);
		const server = await startPostgres(base);
		leftovers.push(() => server.stop());
		return server;
	}

	/** Commits one event and one effect at a time, each decided on the last answer. */
	async function commits(store: SharedStore, count: number): Promise<void> {
		for (let version = 0; version < count; version++) {
			const text = String(version);
			const result = await store.commit(commitOf("a", version, { events: [steered(text)], effects: [notify(text)] }));
			assert.ok(result.ok && result.effects.length === 1, `commit ${version}: ${JSON.stringify(result)}`);
		}
	}

	async function assertCommits(store: SharedStore, count: number): Promise<void> {
		const all = Array.from({ length: count }, (_, version) => String(version));
		assert.deepEqual(await store.events("a"), all.map(steered));
		assert.deepEqual(
			(await store.pending("a")).map(({ effect }) => effect),
			all.map(notify),
		);
	}

	const KILL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pawl' AND datname = current_database()";

	test("M12 connections that the server ends in the middle cost nothing", async () => {
		const url = await emptyDatabase();
		const [store, other] = [await opened(url), await opened(url)];
		let [over, kills] = [false, 0];
		const work = Promise.all([commits(store, 150), updateTimes(other, "b", "x", 150)]).finally(() => {
			over = true;
		});
		const version = async () => Number((await asked(url, "SELECT coalesce(sum(version), 0) AS all FROM pawl.runs"))[0]?.["all"]);
		for (let at = 0; !over; ) {
			const now = await version();
			if (now < at + 10) continue;
			kills += (await asked(url, KILL)).length;
			at = now;
		}
		await work;
		assert.ok(kills > 10, `${kills} connections were ended`);
		await assertCommits(store, 150);
		assertUpdates(await store.events("b"), ["x"], 150);
	});

	test("M12 a server that crashes and comes back during a stream of commits costs time and nothing else", async () => {
		const server = await ownServer();
		const warnings: string[] = [];
		const store = await opened(server.url, { warn: (text) => warnings.push(text) });
		let over = false;
		const work = commits(store, 200).finally(() => {
			over = true;
		});
		let crashes = 0;
		for (; !over && crashes < 5; crashes++) {
			const before = (await store.events("a")).length;
			while (!over && (await store.events("a")).length < before + 10);
			await server.crash();
			await server.start();
		}
		await work;
		assert.ok(crashes >= 3);
		await assertCommits(store, 200);
		assert.ok(warnings.length <= crashes, "at most one warning each time");
	});

	for (const [loss, times] of [
		["answer", 20],
		["message", 20],
		["silence", 6],
	] as const)
		test(`I1 M12 COMMIT is lost ${times} times (${loss}): nothing is doubled, nothing is missing, nobody hears of a failure`, async () => {
			const url = await emptyDatabase();
			const proxy = await network(url);
			const store = await opened(proxy.url, { answerMs: loss === "silence" ? 500 : 30_000 });
			let [asks, lost] = [0, 0];
			proxy.lose = (sent) => {
				if (!sent.includes("COMMIT\0") || ++asks % 2 === 0 || lost === times) return null;
				lost++;
				return loss;
			};
			await commits(store, 10);
			await updateTimes(store, "b", "x", 10);
			assert.equal(lost, times);
			proxy.lose = () => null;
			await assertCommits(store, 10);
			assertUpdates(await store.events("b"), ["x"], 10);
			assert.equal((await store.pending("b")).length, 10);
		});

	test("M12 inputs, leases and removals survive a lost answer as well", async () => {
		const url = await emptyDatabase();
		const proxy = await network(url);
		const store = await opened(proxy.url);
		const once = (part: string) => {
			let left = 1;
			proxy.lose = (sent) => (sent.includes(part) && left-- > 0 ? "answer" : null);
			return () => assert.ok(left <= 0, `${part} was lost`);
		};
		let wasLost = once("INSERT INTO pawl.inbox");
		await store.post("a", { type: "steer", at: 1, text: "once" });
		wasLost();
		assert.equal((await store.inbox("a")).length, 1);
		wasLost = once("INSERT INTO pawl.lanes");
		const lease = (await store.lease("a", "@run", 60_000)) ?? assert.fail("it is free");
		wasLost();
		const commit = await store.commit(commitOf("a", 0, { events: [steered("1")], lease: { scope: "@run", epoch: lease.epoch } }));
		assert.ok(commit.ok);
		wasLost = once("COMMIT\0");
		assert.equal(await store.remove("a", lease), true);
		wasLost();
		assert.deepEqual(await store.runs(), []);
	});

	test("patience ends: the error says how long nobody answered, and there was one warning", async () => {
		const proxy = await network(await emptyDatabase());
		const warnings: string[] = [];
		const store = await opened(proxy.url, { giveUpMs: 400, warn: (text) => warnings.push(text) });
		proxy.lose = () => "message";
		await assert.rejects(store.commit(commitOf("a", 0, { events: [steered("1")] })), /did not answer for 0 s/);
		assert.equal(warnings.length, 1);
		assert.match(warnings[0] ?? "", /does not answer.*trying again/);
		proxy.lose = () => null;
		await commits(store, 3);
		await assertCommits(store, 3);
	});

	test("I2 a holder that cannot reach the database learns in time that its lease may be another's", async () => {
		const url = await emptyDatabase();
		const proxy = await network(url);
		const store = await opened(proxy.url, { answerMs: 300 });
		const lease = (await store.lease("a", "@run", 900)) ?? assert.fail("it is free");
		const lost = Promise.withResolvers<void>();
		lease.lost?.addEventListener("abort", () => lost.resolve());
		proxy.lose = () => "silence";
		await lost.promise;
		const other = await opened(url);
		let next = await other.lease("a", "@run", 60_000);
		while (next === null) next = await other.lease("a", "@run", 60_000);
		assert.equal(next.epoch, 2);
		proxy.lose = () => null;
	});

	test("a process that stops in the middle of a transaction holds nobody up for good", async () => {
		const url = await emptyDatabase();
		const store = await opened(url);
		await commits(store, 1);
		const stopped = await network(url);
		const sleeper = await opened(stopped.url, { answerMs: 6_000, giveUpMs: 0 });
		stopped.lose = (sent) => (sent.includes("FOR UPDATE") ? "silence" : null);
		const never = assert.rejects(sleeper.commit(commitOf("a", 1, { events: [steered("of the sleeper")] })));
		const held = "SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()";
		while ((await asked(url, held)).length === 0);
		assert.ok((await store.commit(commitOf("a", 1, { events: [steered("1")], effects: [notify("1")] }))).ok);
		await never;
		await assertCommits(store, 2);
	});

	test("whoever watches is told after the server was away, and by asking where no notification comes through", async () => {
		const server = await ownServer();
		const [one, two] = [await opened(server.url, { pollMs: 50 }), await opened(server.url)];
		await commits(two, 1);
		let calls = 0;
		let wake = Promise.withResolvers<void>();
		const watch = one.watch("a", () => {
			calls++;
			wake.resolve();
		});
		const told = async (work: () => Promise<unknown>): Promise<void> => {
			wake = Promise.withResolvers();
			const before = calls;
			await work();
			await wake.promise;
			assert.ok(calls > before);
		};
		await told(() => two.commit(commitOf("a", 1, { events: [steered("2")] })));
		await server.crash();
		await server.start();
		await told(() => two.commit(commitOf("a", 2, { events: [steered("3")] })));
		// As behind a pooler: whoever listens hears nothing.
		await told(() => asked(server.url, "UPDATE pawl.runs SET changes = changes + 1"));
		watch.close();
	});
});
