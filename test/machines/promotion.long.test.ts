// The database's server is lost in the middle of a run, and the standby that followed it takes its place.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Client } from "pg";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.ts";
import { startStandby } from "../../scripts/postgres-standby.ts";
import { examineDatabase } from "../../src/store/postgres/doctor.ts";
import { startProxy } from "../../src/store/postgres/proxy.suite.ts";
import { Site, until } from "../support/machines.ts";
import { asked, withoutPostgres } from "../support/postgres.ts";

const replicationOf = async (url: string): Promise<string> => {
	const found = (await examineDatabase(url)).find(({ about, text }) => about === "replication" && !text.startsWith("fsync"));
	return `${found?.level}: ${found?.text}`;
};

/** Somebody else who commits all the time, and knows what was confirmed. */
async function witness(url: string): Promise<() => number> {
	const client = new Client({ connectionString: url });
	client.on("error", () => {});
	await client.connect();
	await client.query("CREATE TABLE witness (n int)");
	let confirmed = 0;
	void (async () => {
		for (;;) {
			await client.query("INSERT INTO witness VALUES ($1)", [confirmed + 1]);
			confirmed++;
		}
	})().catch(() => {});
	return () => confirmed;
}

describe("a standby that is promoted", { skip: withoutPostgres }, () => {
	const servers: PostgresServer[] = [];
	const base = mkdtempSync(join(tmpdir(), "pawl-servers-"));
	chmodSync(base, 0o711);
	after(async () => {
		for (const server of servers) await server.stop();
		rmSync(base, { recursive: true, force: true });
	});

	test("M13 A6 nothing that was confirmed is gone, the run goes on, and every story lands once", async () => {
		const first = await startPostgres(base);
		servers.push(first);
		const second = await startStandby(first, { synchronous: true });
		servers.push(second);
		assert.match(await replicationOf(first.url), /^ok: synchronous \(standby\), 1 connected/);
		assert.match(await replicationOf(second.url), /^problem: this server is a replica and takes no changes/);
		const network = await startProxy(first.url);
		after(() => network.close());
		const s = new Site(network.url, ["US-1", "US-2"]);
		mkdirSync(s.wait);
		const worker = s.worker("a");
		const run = s.run();
		await until("coding of both", () => new Set(s.begun()).size === 2);
		const confirmed = await witness(network.url);
		await until("commits of somebody else", () => confirmed() > 20);
		// What is committed from here on only the first server has, and may not confirm.
		const release = await second.stall();
		writeFileSync(join(s.wait, "go"), "");
		const waiting = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'pawl' AND wait_event = 'SyncRep'";
		await until("a commit of the worker that waits for the standby", async () => (await asked(first.url, waiting)).length > 0);
		const before = confirmed();
		const crashed = first.crash();
		release();
		await crashed;
		await second.promote();
		network.redirect(second.url);
		const { code, all } = await run.done;
		assert.equal(code, 0, `${all}\n${worker.said()}`);
		assert.deepEqual(s.landed().sort(), s.stories);
		assert.deepEqual(s.passing(), s.stories);
		assert.equal(confirmed(), before, "nothing was confirmed while the standby heard nothing");
		assert.deepEqual(await asked(second.url, `SELECT count(DISTINCT n)::int AS n FROM witness WHERE n <= ${before}`), [{ n: before }]);
		assert.match(await replicationOf(second.url), /^warning: no standby: .* set synchronous_standby_names/);
		worker.child.kill("SIGTERM");
		assert.equal((await worker.done).code, 0);
	});
});
