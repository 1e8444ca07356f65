// The list of workers, and who may take which lane.
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { asked, freshDatabase, withoutPostgres } from "../../../test/support/postgres.ts";
import type { WorkerCard } from "../../store.ts";
import { commitOf, notify, steered, summaryOf } from "../store.suite.ts";
import { openPostgresStore } from "./store.ts";

const card = (id: string, more: Partial<WorkerCard> = {}): WorkerCard => ({
	...{ id, host: "here", version: "1.0.0", labels: ["linux"], lanes: 2, repo: "/shared", leaseMs: 60_000, draining: false, ...more },
});

describe("workers in PostgreSQL", { skip: withoutPostgres }, () => {
	const leftovers: (() => unknown)[] = [];
	afterEach(async () => {
		for (const undo of leftovers.splice(0).reverse()) await undo();
	});

	async function opened(worker?: string, url?: string) {
		const made = freshDatabase();
		if (url === undefined) leftovers.push(() => made.remove());
		const at = url ?? (await made.url());
		const store = await openPostgresStore({ url: at, ...(worker === undefined ? {} : { worker }) });
		leftovers.push(() => store.close());
		return { url: at, store, workers: store.workers };
	}

	test("a worker is listed with the lanes that it holds, and leaves no entry when it goes", async () => {
		const { url, workers } = await opened();
		const { store } = await opened("a", url);
		assert.equal(await workers.renew(card("a")), false);
		const lease = await store.lease("r", "US-1", 60_000);
		const [listed, ...others] = await workers.list();
		assert.deepEqual(others, []);
		assert.deepEqual({ ...listed, started: 0, seen: 0, works: [] }, { ...card("a"), started: 0, seen: 0, gone: false, works: [] });
		assert.deepEqual(
			listed?.works.map(({ run, scope }) => [run, scope]),
			[["r", "US-1"]],
		);
		assert.equal((await store.holder("r"))?.who, "worker a");
		for (const [index, id] of ["b", "c", "d"].entries()) {
			await workers.renew(card(id));
			await (await opened(id, url)).store.lease("r", `US-${index + 2}`, 60_000);
			assert.equal((await store.holder("r"))?.who, ["worker a, worker b", "worker a, worker b, worker c", "4 workers"][index]);
			if (id === "d") for (const gone of ["b", "c", "d"]) await workers.remove(gone);
		}
		await lease?.release();
		assert.deepEqual((await workers.list())[0]?.works, []);
		await workers.remove("a");
		assert.deepEqual(await workers.list(), []);
	});

	test("a worker that is silent for longer than its lease is gone, and after a day it is forgotten", async () => {
		const { url, workers } = await opened();
		for (const id of ["a", "b"]) await workers.renew(card(id));
		const silentFor = (time: string) => asked(url, `UPDATE pawl.workers SET seen = now() - interval '${time}' WHERE id = 'a'`);
		await silentFor("50 seconds");
		assert.deepEqual(
			(await workers.list()).map(({ gone }) => gone),
			[false, false],
		);
		await silentFor("70 seconds");
		assert.deepEqual(
			(await workers.list()).map(({ gone }) => gone),
			[true, false],
		);
		await silentFor("25 hours");
		await workers.renew(card("b"));
		assert.deepEqual(
			(await workers.list()).map(({ id }) => id),
			["b"],
		);
	});

	test("only a listed worker that has its labels takes a lane of a run, also if the others do not know of labels", async () => {
		const { url, store, workers } = await opened();
		await store.commit(commitOf("r", 0, { events: [steered("1")], effects: [notify("1")], requires: ["gpu", "pawl:2"], wakeAt: 1 }));
		await workers.renew(card("plain", { labels: ["linux", "pawl:2"] }));
		await workers.renew(card("able", { labels: ["gpu", "linux", "pawl:1", "pawl:2"] }));
		for (const id of ["plain", "process 12 on elsewhere"])
			await assert.rejects((await opened(id, url)).store.lease("r", "US-1", 60_000), /run r requires a worker with gpu, pawl:2/);
		const lease = await (await opened("able", url)).store.lease("r", "US-1", 60_000);
		assert.equal(lease?.epoch, 1);
		assert.notEqual(await store.lease("r", "@run", 60_000), null, "a person's command");
		for (const list of [store.runsWithEffects, store.dueRuns]) {
			assert.deepEqual(await list({ labels: ["linux", "pawl:2"] }), []);
			assert.deepEqual(await list({ labels: ["gpu", "linux", "pawl:2"] }), ["r"]);
		}
		assert.deepEqual([...(await store.heldLanes("r"))].sort(), ["@run", "US-1"]);
		await lease?.release();
		assert.deepEqual(await store.heldLanes("r"), ["@run"]);
		const over = { ...summaryOf("r"), status: "completed" as const };
		await store.commit(commitOf("r", 1, { events: [steered("2")], summary: over }));
		assert.equal(
			(await (await opened("plain", url)).store.lease("r", "US-1", 60_000))?.epoch,
			2,
			"of a run that is over anybody may clear up",
		);
	});

	test("a run that needs a newer pawl is read and never changed", async () => {
		const { store } = await opened();
		await store.commit(commitOf("r", 0, { events: [steered("1")], requires: ["pawl:99"] }));
		const change = store.commit(commitOf("r", 1, { events: [steered("2")] }));
		await assert.rejects(change, /run r was started by a newer pawl: update this one to change it/);
		assert.equal((await store.events("r")).length, 1);
	});

	test("a worker that somebody asks to leave learns it with its next sign of life", async () => {
		const { workers } = await opened();
		await workers.renew(card("a"));
		assert.equal(await workers.drain("b"), false);
		assert.equal(await workers.drain("a"), true);
		assert.equal(await workers.renew(card("a")), true);
		assert.equal((await workers.list())[0]?.draining, true);
		await workers.renew(card("c", { draining: true }));
		assert.equal((await workers.list())[1]?.draining, true, "one that was told by a signal says so");
	});
});
