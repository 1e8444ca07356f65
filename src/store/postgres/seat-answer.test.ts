// A seat whose answer was lost, with a database of three answers: how long it lasts there may not depend on when the answer was lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountsOn } from "./accounts.ts";

test("a seat that was taken, and whose answer was lost, lasts from the question that was answered", async () => {
	let taken = 0;
	const answers: readonly (readonly [RegExp, () => readonly unknown[]])[] = [
		[/FOR UPDATE/, () => [{ max: 1, by: null, limited: null }]],
		[/INSERT INTO pawl.seats/, () => [{ number: "1", taken: taken > 0 }]],
		[/count\(\*\)/, () => [{ used: 0, ahead: 0 }]],
	];
	const session = {
		query: async (sql: string) => {
			if (/UPDATE pawl.seats SET taken/.test(sql)) taken++;
			return { rows: answers.find(([pattern]) => pattern.test(sql))?.[1]() ?? [] };
		},
	};
	const database = {
		transaction: async (work: (of: typeof session, asked: number) => Promise<{ readonly value: unknown }>) => {
			await work(session, 0);
			return (await work(session, 1)).value;
		},
		once: async () => {},
		query: async () => [],
	};
	const seat = accountsOn(database as never, "worker", 1).seat;
	const request = { account: "team", run: "r", scope: "US-1", step: "code", attempt: 1, ttlMs: 60_000 };
	const got = await seat(request, new AbortController().signal, async () => {});
	assert.ok(got !== null && "lost" in got);
	await got.release();
	assert.equal(taken, 2);
});
