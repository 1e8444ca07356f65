// The store contract over the store in memory, and the faults that only it can have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryDatabase } from "./memory.suite.ts";
import { commitOf, steered, storeSuite } from "./store.suite.ts";
import { travelSuite } from "./travel.suite.ts";
import { updateSuite } from "./update.suite.ts";

function database() {
	const made = new MemoryDatabase();
	return { open: () => made.open(), remove: () => {} };
}
storeSuite("memory", database);
updateSuite("memory", database);
travelSuite("memory", database);

test("a commit that fails is not there; one whose answer was lost is, and is found when it is sent again", async () => {
	const database = new MemoryDatabase();
	const store = database.open();
	database.fault = (_, nth) => (nth === 0 ? "fail" : nth === 1 ? "lose" : null);
	await assert.rejects(store.commit(commitOf("a", 0, { events: [steered("1")] })), /did not take/);
	assert.deepEqual(await store.events("a"), []);
	const lost = commitOf("a", 0, { events: [steered("1")] });
	await assert.rejects(store.commit(lost), /did not answer/);
	assert.deepEqual(await store.commit(lost), { ok: true, effects: [] });
	assert.deepEqual(await store.events("a"), [steered("1")]);
});
