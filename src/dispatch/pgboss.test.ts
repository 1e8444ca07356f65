// Lanes in PostgreSQL: the dispatch contract, the store's transactions, and workers that die or sleep.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, test } from "node:test";
import { Client } from "pg";
import { asked, freshDatabase, withoutPostgres } from "../../test/support/postgres.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { commitOf, notify, steered } from "../store/store.suite.ts";
import { dispatchSuite, guests, laneOf } from "./dispatch.suite.ts";
import { pgBossDispatch } from "./pgboss.ts";

describe("pg-boss dispatch", { skip: withoutPostgres, timeout: 800_000 }, () => {
	dispatchSuite("pg-boss", () => {
		const made = freshDatabase();
		return { open: async () => pgBossDispatch({ url: await made.url(), heartbeatSeconds: 10 }), remove: () => made.remove() };
	});

	const leftovers: (() => unknown)[] = [];
	afterEach(async () => {
		for (const undo of leftovers.splice(0).reverse()) await undo();
	});

	async function emptyDatabase(): Promise<string> {
		const made = freshDatabase();
		leftovers.push(() => made.remove());
		return made.url();
	}

	async function opened(url: string, heartbeatSeconds = 10) {
		const dispatch = await pgBossDispatch({ url, heartbeatSeconds });
		leftovers.push(() => dispatch.close());
		return dispatch;
	}

	async function connected(url: string): Promise<Client> {
		const client = new Client({ connectionString: url });
		await client.connect();
		leftovers.push(() => client.end());
		return client;
	}

	/** A worker in a process of its own, with the lines that it prints. */
	function child(url: string) {
		const started = spawn(process.execPath, [join(import.meta.dirname, "pgboss.child.ts"), url], { stdio: ["pipe", "pipe", "inherit"] });
		const exited = once(started, "exit");
		const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
		const kill = async (): Promise<void> => {
			started.kill("SIGKILL");
			await exited;
		};
		leftovers.push(kill);
		return { kill, pid: started.pid ?? 0, line: async () => (await lines.next()).value as string | undefined };
	}

	/** Time passes for the first tenant of a lane, as if it had given no sign of life. */
	const age = (url: string, by = "1 hour") =>
		asked(url, `UPDATE pawl_boss.job SET heartbeat_on = now() - interval '${by}' WHERE state = 'active' AND retry_count = 0`);
	const states = async (url: string) => (await asked(url, "SELECT state::text FROM pawl_boss.job")).map(({ state }) => state);

	test("what is sent in a transaction is there when it commits, and never if it does not", async () => {
		const url = await emptyDatabase();
		const dispatch = await opened(url);
		const client = await connected(url);
		const visits = guests();
		await dispatch.work({ lanes: 2 }, visits.tenant);
		for (const [run, how] of [
			["a", "ROLLBACK"],
			["b", "COMMIT"],
		] as const) {
			await client.query("BEGIN");
			await dispatch.sendIn(client, laneOf(run));
			await client.query(how);
		}
		const only = await visits.next();
		assert.equal(only.tenancy.lane.run, "b");
		assert.deepEqual(await states(url), ["active"]);
		only.go("over");
	});

	test("a lane ends in a transaction or not at all, and can be sent again in the next one", async () => {
		const url = await emptyDatabase();
		const dispatch = await opened(url);
		const client = await connected(url);
		const visits = guests();
		await dispatch.work({ lanes: 2 }, visits.tenant);
		await dispatch.send(laneOf("a"));
		const first = await visits.next();
		await client.query("BEGIN");
		assert.equal(await dispatch.endIn(client, first.tenancy), true);
		await client.query("ROLLBACK");
		assert.deepEqual(await states(url), ["active"]);
		await client.query("BEGIN");
		assert.equal(await dispatch.endIn(client, first.tenancy), true);
		await dispatch.sendIn(client, laneOf("a"));
		await client.query("COMMIT");
		const second = await visits.next();
		assert.equal(await dispatch.endIn(client, first.tenancy), false, "it has no lane any more");
		first.go("over");
		assert.equal(await dispatch.endIn(client, second.tenancy), true);
		second.go("over");
	});

	test("M6 a worker that slept cannot end the tenancy of the next one", async () => {
		const url = await emptyDatabase();
		const [slow, quick] = [await opened(url), await opened(url)];
		const client = await connected(url);
		const [zombies, owners] = [guests(), guests()];
		const asleep = await slow.work({ lanes: 1 }, zombies.tenant);
		await slow.send(laneOf("a"));
		const zombie = await zombies.next();
		await quick.work({ lanes: 1 }, owners.tenant);
		// It lives, so it gives signs of life all the time.
		while (owners.here.length === 0) await age(url);
		const owner = await owners.next();
		assert.equal(await slow.endIn(client, zombie.tenancy), false);
		zombie.go("over");
		await asleep.drain();
		assert.deepEqual(await states(url), ["active"], "the owner's tenancy goes on");
		assert.equal(await quick.endIn(client, owner.tenancy), true);
		owner.go("over");
	});

	test("M7 the lane of a worker that was killed goes to another one", async () => {
		const url = await emptyDatabase();
		const dispatch = await opened(url);
		const killed = child(url);
		assert.equal(await killed.line(), "ready");
		await dispatch.send(laneOf("a", "US-001"));
		assert.equal(await killed.line(), "took a US-001");
		await killed.kill();
		const visits = guests();
		await dispatch.work({ lanes: 1 }, visits.tenant);
		await age(url);
		const next = await visits.next();
		assert.deepEqual(next.tenancy.lane, laneOf("a", "US-001"));
		next.go("over");
	});

	test("M7 a worker keeps its lanes for as long as its own heartbeat says, whoever made the queue", async () => {
		const url = await emptyDatabase();
		// Who starts a run makes the queue, too.
		const person = await opened(url, 3_600);
		await person.send(laneOf("a"));
		const killed = child(url);
		assert.equal(await killed.line(), "ready");
		assert.equal(await killed.line(), "took a @run");
		const silent = async () => (await asked(url, "SELECT heartbeat_seconds FROM pawl_boss.job")).map((row) => row["heartbeat_seconds"]);
		assert.deepEqual(await silent(), [10]);
		await killed.kill();
		const visits = guests();
		const patient = await opened(url, 7_200);
		await patient.work({ lanes: 1 }, visits.tenant);
		await age(url, "11 seconds");
		const next = await visits.next();
		assert.deepEqual(await silent(), [7_200]);
		next.go("over");
	});

	test("a worker that was stopped and continued learns that its lane is another's", async () => {
		const url = await emptyDatabase();
		const dispatch = await opened(url);
		const stopped = child(url);
		assert.equal(await stopped.line(), "ready");
		await dispatch.send(laneOf("a"));
		assert.equal(await stopped.line(), "took a @run");
		process.kill(stopped.pid, "SIGSTOP");
		const visits = guests();
		await dispatch.work({ lanes: 1 }, visits.tenant);
		await age(url);
		const owner = await visits.next();
		process.kill(stopped.pid, "SIGCONT");
		assert.equal(await stopped.line(), "lost");
		assert.equal(owner.tenancy.lost.aborted, false);
		assert.deepEqual(await states(url), ["active"]);
		owner.go("over");
	});

	test("M3 an effect that is committed in the moment in which its lane ends is not forgotten", async () => {
		const url = await emptyDatabase();
		const dispatch = await opened(url);
		const store = await openPostgresStore({
			url,
			sendLanes: async (transaction, run, lanes) => {
				for (const scope of lanes) await dispatch.sendIn(transaction, laneOf(run, scope));
			},
		});
		leftovers.push(() => store.close());
		const COUNT = 40;
		let tenancies = 0;
		const carried: string[] = [];
		const all = Promise.withResolvers<void>();
		await dispatch.work({ lanes: 2 }, async (tenancy) => {
			tenancies++;
			for (;;) {
				const pending = await store.pending("a");
				for (const { effect } of pending) carried.push(effect.effect === "notify" ? effect.text : "");
				await store.settle(
					"a",
					pending.map(({ seq }) => seq),
				);
				const ended = await store.locked("a", async (left, transaction) => left.length === 0 && dispatch.endIn(transaction, tenancy));
				if (carried.length === COUNT) all.resolve();
				if (ended) return "over";
			}
		});
		for (let n = 0; n < COUNT; n++) {
			const commit = { events: [steered(String(n))], effects: [notify(String(n))], lanes: ["US-001"] };
			assert.ok((await store.commit(commitOf("a", n, commit))).ok);
			// Now and then the lane ends in between.
			if (n % 8 === 0) while ((await store.pending("a")).length > 0);
		}
		await all.promise;
		assert.deepEqual(
			carried.map(Number),
			Array.from({ length: COUNT }, (_, n) => n),
		);
		assert.ok(tenancies > 1, `${tenancies} tenancies`);
	});

	test("a tenancy is handed over before it ends by itself, and the next one has as long again", async () => {
		const url = await emptyDatabase();
		const dispatch = await pgBossDispatch({ url, heartbeatSeconds: 10, longestSeconds: 4 });
		leftovers.push(() => dispatch.close());
		const visits = guests();
		await dispatch.work({ lanes: 1 }, visits.tenant);
		await dispatch.send(laneOf("a"));
		for (let times = 0; times < 3; times++) {
			const { tenancy, go } = await visits.next();
			assert.equal(tenancy.handOver.aborted, false);
			await once(tenancy.handOver, "abort");
			assert.deepEqual([tenancy.lost.aborted, tenancy.leave.aborted], [false, false]);
			go("left");
		}
		(await visits.next()).go("over");
	});

	test("a label is a word", async () => {
		const dispatch = await opened(await emptyDatabase());
		for (const label of ["", "a.b", "a/b", "a b"]) await assert.rejects(dispatch.send(laneOf("a", "@run", [label])), /not a label/);
	});
});
