// What every store must do about processes that drive a run together: they wait for each other, and each decides on everything before it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Event } from "../core/event.ts";
import type { Store } from "../store.ts";
import { commitOf, databasesOf, notify, steered, type TestDatabase } from "./store.suite.ts";

const TIMES = 25;

/** Says `writer` COUNT times, each time with the number of events that were there before. */
export async function updateTimes(store: Store, run: string, writer: string, count: number): Promise<void> {
	let known = 0;
	for (let number = 0; number < count; number++) {
		const { events, result } = await store.update(run, known, (events) => {
			const text = `${known + events.length} ${writer} ${number}`;
			return commitOf(run, 0, { events: [steered(text)], effects: [notify(text)] });
		});
		assert.ok(result?.ok && result.effects.length === 1, "it is never refused");
		known += events.length + 1;
	}
}

/** No gap, nothing lost, nothing twice. */
export function assertUpdates(events: readonly Event[], writers: readonly string[], count: number): void {
	const words = events.map((event) => (event.event === "run_steered" ? event.text.split(" ") : assert.fail(event.event)));
	assert.deepEqual(
		words.map(([before]) => before),
		words.map((_, index) => String(index)),
		"each saw everything that was before it",
	);
	for (const writer of writers)
		assert.deepEqual(
			words.flatMap(([, who, number]) => (who === writer ? [number] : [])),
			Array.from({ length: count }, (_, number) => String(number)),
		);
	assert.equal(words.length, writers.length * count);
}

export function updateSuite(name: string, makeDatabase: () => TestDatabase): void {
	describe(`store contract, update: ${name}`, () => {
		const database = databasesOf(makeDatabase);

		test("M3 nobody is refused: everybody waits for the others, from the first commit of a run", async () => {
			const open = database();
			const writers = ["x", "y", "z"];
			const stores = await Promise.all(writers.map(() => open()));
			await Promise.all(stores.map((store, index) => updateTimes(store, "a", writers[index] ?? "", TIMES)));
			const [store] = stores;
			assert.ok(store);
			assertUpdates(await store.events("a"), writers, TIMES);
			assert.equal((await store.pending("a")).length, writers.length * TIMES);
		});

		test("a run that is not there is not made by looking at it", async () => {
			const store = await database()();
			assert.deepEqual(await store.update("new", 0, () => null), { events: [], result: null });
			assert.deepEqual([await store.runs(), await store.summary("new")], [[], null]);
		});
	});
}
