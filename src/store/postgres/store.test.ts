// The store in PostgreSQL: the suites of the contract, and what only several processes and a clock can show.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { asked, freshDatabase, withoutPostgres } from "../../../test/support/postgres.ts";
import type { SharedStore } from "../../store.ts";
import { commitOf, notify, steered, storeSuite, summaryOf, type TestDatabase } from "../store.suite.ts";
import { travelSuite } from "../travel.suite.ts";
import { assertUpdates, updateSuite } from "../update.suite.ts";
import { type Child, startChild } from "./child.suite.ts";
import { Database, type PostgresOptions } from "./connect.ts";
import { MIGRATIONS, migrate } from "./migrations.ts";
import { openPostgresStore } from "./store.ts";

/** Only where scripts/test.ts runs this. */
const [built] = globSync(join(process.env["PAWL_TESTED"] ?? "none", "dist", "store-*.cjs"));

function database(): TestDatabase {
	const made = freshDatabase();
	return { open: async () => openPostgresStore({ url: await made.url(), pollMs: 200 }), remove: () => made.remove() };
}

describe("PostgreSQL store", { skip: withoutPostgres, timeout: 800_000 }, () => {
	storeSuite("postgres", database);
	updateSuite("postgres", database);
	travelSuite("postgres", database);

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

	function child(...given: Parameters<typeof startChild>): Child {
		const started = startChild(...given);
		leftovers.push(() => started.kill());
		return started;
	}

	test("M3 two processes that update a run at the same time never conflict and lose nothing", async () => {
		const url = await emptyDatabase();
		const writers = ["one", "two"];
		const children = writers.map((writer) => child("share", url, "a", writer));
		assert.deepEqual(await Promise.all(children.map((each) => each.line())), ["done", "done"]);
		const store = await opened(url);
		assertUpdates(await store.events("a"), writers, 200);
		assert.equal((await store.pending("a")).length, 400);
	});

	test("many processes make the schema at once, and it is there once", async () => {
		const url = await emptyDatabase();
		const stores = await Promise.all(Array.from({ length: 8 }, () => opened(url)));
		await Promise.all(stores.map((store, n) => store.commit(commitOf(`r${n}`, 0, { events: [steered("1")] }))));
		assert.deepEqual(await asked(url, "SELECT version FROM pawl.schema_version"), [{ version: MIGRATIONS.length }]);
		assert.equal((await stores[0]?.runs())?.length, 8);
	});

	test("two processes make the schema at once", async () => {
		const url = await emptyDatabase();
		const children = [0, 1].map(() => child("open", url, "-", ""));
		assert.deepEqual(await Promise.all(children.map((each) => each.line())), ["done", "done"]);
	});

	test("a step that was added later is made; an older pawl goes on, unless a step says that it cannot", async () => {
		const url = await emptyDatabase();
		const store = await opened(url);
		const newer = new Database({ url });
		leftovers.push(() => newer.close());
		await migrate(newer, [...MIGRATIONS, { sql: "ALTER TABLE pawl.runs ADD COLUMN later text" }]);
		await store.commit(commitOf("a", 0, { events: [steered("1")] }));
		assert.equal((await (await opened(url)).events("a")).length, 1, "one that opens it now, too");
		const two = [...MIGRATIONS, { sql: "SELECT 1" }, { sql: "ALTER TABLE pawl.events ADD COLUMN needed text", breaks: true as const }];
		await migrate(newer, two);
		await assert.rejects(openPostgresStore({ url }), { name: "NewerPawl", message: /newer pawl.*update pawl/ });
		await migrate(newer, two);
	});

	test("an error names the database and never its password", async () => {
		const url = new URL(await emptyDatabase());
		url.pathname = "/not_there";
		const failure = await openPostgresStore({ url: url.href }).then(
			() => assert.fail("it is not there"),
			(error: Error) => `${error.stack} ${JSON.stringify(error)}`,
		);
		assert.match(failure, /127\.0\.0\.1.*\/not_there: database "not_there" does not exist/);
		assert.ok(url.password === "" || !failure.includes(url.password));
	});

	test("works as it is published: in a file of the built program that nothing else loads", { skip: built === undefined }, async () => {
		const url = await emptyDatabase();
		const { openPostgresStore: open } = createRequire(import.meta.url)(built ?? "") as { openPostgresStore: typeof openPostgresStore };
		const store = await open({ url });
		leftovers.push(() => store.close());
		assert.ok((await store.commit(commitOf("a", 0, { events: [steered("1")] }))).ok);
		assert.deepEqual(await (await opened(url)).events("a"), [steered("1")]);
	});

	test("X-06 rows for other programs and names hold any text, too", async () => {
		const url = await emptyDatabase();
		const store = await opened(url);
		const step = { id: "s", step_id: "x", agent_id: "y", output: "a\0b" };
		await store.commit(commitOf("a", 0, { rows: { steps: [step], stories: [], gone: ["\0"] } }));
		assert.deepEqual(await asked(url, "SELECT output FROM pawl.steps"), [{ output: "a\ufffdb" }]);
		assert.deepEqual([await store.events("a\0"), await store.claim("\0"), await store.runs({ prefix: "\0" })], [[], null, []]);
	});

	test("G-07 runs that want to be looked at are due when the database's clock says so", async () => {
		const store = await opened(await emptyDatabase());
		const now = Date.now();
		const times = { past: now - 60_000, before: now - 120_000, future: now + 3_600_000, never: null };
		for (const [run, wakeAt] of Object.entries(times)) await store.commit(commitOf(run, 0, { events: [steered("1")], wakeAt }));
		assert.deepEqual(await store.dueRuns(), ["before", "past"]);
		assert.deepEqual(await store.dueRuns({ limit: 1 }), ["before"]);
		await store.commit(commitOf("past", 1, { events: [steered("2")] }));
		assert.deepEqual(await store.dueRuns(), ["before", "past"], "a commit that says nothing of it leaves it");
		await store.commit(commitOf("before", 1, { wakeAt: null, summary: summaryOf("before") }));
		assert.deepEqual(await store.dueRuns(), ["past"]);
	});

	/** Time passes for the lease, as it would if nobody renewed it. */
	const age = (url: string) => asked(url, "UPDATE pawl.lanes SET until = clock_timestamp()");
	const until = async (url: string) => String((await asked(url, "SELECT until::text FROM pawl.lanes"))[0]?.["until"]);

	test("X-11 a lease is renewed while its holder lives, and runs out when the holder was killed", async () => {
		const url = await emptyDatabase();
		const store = await opened(url);
		const holder = child("hold", url, "a", "6000");
		assert.equal(await holder.line(), "epoch 1");
		const before = await until(url);
		while ((await until(url)) === before);
		assert.equal(await store.lease("a", "@run", 6_000), null);
		await holder.kill();
		assert.equal(await store.lease("a", "@run", 6_000), null, "nobody knows yet");
		assert.ok(Number.isFinite(await store.seenAt("a")));
		await age(url);
		assert.equal(await store.holder("a"), null);
		assert.equal((await store.lease("a", "@run", 6_000))?.epoch, 2);
		assert.match((await store.holder("a"))?.who ?? "", new RegExp(`process ${process.pid} on `));
	});

	test("I2 a holder that slept past its lease learns that it lost it", async () => {
		const url = await emptyDatabase();
		const store = await opened(url);
		const holder = child("hold", url, "a", "6000");
		assert.equal(await holder.line(), "epoch 1");
		process.kill(holder.pid, "SIGSTOP");
		await age(url);
		const lease = await store.lease("a", "@run", 6_000);
		process.kill(holder.pid, "SIGCONT");
		assert.equal(await holder.line(), "lost");
		assert.deepEqual([lease?.epoch, lease?.lost?.aborted], [2, false]);
	});

	test("I2 M4 a zombie with an old epoch is refused 200 times of 200, whether or not anybody wrote since", async () => {
		const url = await emptyDatabase();
		const [zombie, owner] = [await opened(url), await opened(url)];
		const first = (await zombie.lease("a", "US-001", 1)) ?? assert.fail("it is free");
		let second = await owner.lease("a", "US-001", 60_000);
		while (second === null) second = await owner.lease("a", "US-001", 60_000);
		const by = (epoch: number) => ({ events: [steered(String(epoch))], effects: [notify("x")], lease: { scope: "US-001", epoch } });
		let [refused, version] = [0, 0];
		for (let n = 0; n < 100; n++) {
			const late = await zombie.commit(commitOf("a", version, by(first.epoch)));
			const updated = await zombie.update("a", version, () => commitOf("a", 0, by(first.epoch)));
			for (const result of [late, updated.result]) if (result?.ok === false && result.reason === "fenced") refused++;
			if (n % 10 === 0 && (await owner.commit(commitOf("a", version, by(second.epoch)))).ok) version++;
		}
		assert.equal(refused, 200);
		assert.equal((await owner.events("a")).length, 10);
	});
});
