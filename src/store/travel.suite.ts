// What every store that machines share must do about logs and files: pieces stay in order, whoever lost a lane adds nothing, and files come with commits.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Lease, LogPiece, Store, Travelling } from "../store.ts";
import { commitOf, databasesOf, put, steered, type TestDatabase } from "./store.suite.ts";

const LEASE_MS = 60_000;
const bytes = (text: string): Uint8Array => Buffer.from(text);
const textOf = (found: Uint8Array | null | undefined): string | null => (found ? Buffer.from(found).toString() : null);

export function travelSuite(name: string, makeDatabase: () => TestDatabase): void {
	describe(`store contract, what travels: ${name}`, () => {
		const database = databasesOf(makeDatabase) as () => () => Promise<Store & Travelling>;
		const piece = (attempt: number, n: number, text: string): LogPiece => ({
			...{ scope: "US-1", step: "step-1", attempt, n },
			bytes: bytes(text),
		});
		const held = async (store: Store, scope = "US-1"): Promise<Lease> =>
			(await store.lease("a", scope, LEASE_MS)) ?? assert.fail("no lease");
		const logOf = async (store: Travelling, from = 0) => textOf(await store.readLog("a", "US-1", "step-1", from));

		test("pieces of several attempts make one log, in the order in which they were added; a piece that is sent again is there once", async () => {
			const open = database();
			const store = await open();
			const lease = await held(store);
			for (const one of [piece(1, 1, "one\n"), piece(2, 1, "two\n"), piece(1, 2, "three\n"), piece(2, 1, "two\n")])
				assert.equal(await store.addLog("a", one, lease), true);
			const other = await open();
			assert.equal(await logOf(other), "one\ntwo\nthree\n");
			assert.equal(await logOf(other, 6), "o\nthree\n", "from any byte on");
			assert.equal(await logOf(other, 14), "");
			assert.deepEqual(await other.logs("a"), [{ scope: "US-1", step: "step-1", size: 14 }]);
			assert.deepEqual(await other.logs("a", "US-1"), await other.logs("a"));
			assert.deepEqual([await other.logs("a", "US-2"), await other.logs("b")], [[], []]);
		});

		test("M4 whoever lost a lane adds nothing to its logs", async () => {
			const open = database();
			const [store, other] = [await open(), await open()];
			const lost = await held(store);
			assert.equal(await store.addLog("a", piece(1, 1, "mine\n"), lost), true);
			await lost.release();
			const lease = await held(other);
			assert.equal(await other.addLog("a", piece(2, 1, "theirs\n"), lease), true);
			assert.equal(await store.addLog("a", piece(1, 2, "late\n"), lost), false);
			assert.equal(await logOf(other), "mine\ntheirs\n");
		});

		test("files come with a commit, and a commit that is refused brings none", async () => {
			const open = database();
			const store = await open();
			const lease = await held(store);
			const given = [
				{ path: "scratch_US-1.md", lane: "US-1", bytes: bytes("\0 mine") },
				{ path: "scratch.md", lane: "", bytes: bytes("first\n"), append: true as const },
			];
			const first = commitOf("a", 0, { events: [steered("1")], files: given, lease });
			await put(store, first);
			await put(store, first);
			const other = await open();
			const all = await other.files("a");
			assert.deepEqual(
				all.map((file) => [file.path, file.lane, textOf(file.bytes)]).sort(),
				[
					["scratch.md", "", "first\n"],
					["scratch_US-1.md", "US-1", "\0 mine"],
				],
				"each once",
			);
			await lease.release();
			const now = await held(other);
			const late = commitOf("a", 1, { events: [steered("2")], files: [{ path: "late", lane: "", bytes: bytes("x") }], lease });
			assert.equal((await store.commit(late)).ok, false);
			assert.equal((await other.files("a")).length, 2);
			const seen = Math.max(...all.map(({ version }) => version));
			const changed = [
				{ path: "scratch.md", lane: "", bytes: bytes("second\n"), append: true as const },
				{ path: "scratch_US-1.md", lane: "US-1", bytes: null },
			];
			await put(other, commitOf("a", 1, { files: changed, lease: now }));
			const news = await store.files("a", seen);
			assert.deepEqual(news.map((file) => [file.path, textOf(file.bytes)]).sort(), [
				["scratch.md", "first\nsecond\n"],
				["scratch_US-1.md", null],
			]);
			assert.deepEqual(
				(await store.files("a", 0, "")).map(({ path }) => path),
				["scratch.md"],
			);
			assert.deepEqual(
				(await store.files("a", 0, "US-1")).map(({ path }) => path),
				["scratch_US-1.md"],
			);
			assert.deepEqual(await store.files("a", Math.max(...news.map(({ version }) => version))), []);
		});

		test("a run that is removed takes its logs and files with it", async () => {
			const store = await database()();
			const lease = await held(store);
			await store.addLog("a", piece(1, 1, "one\n"), lease);
			await put(store, commitOf("a", 0, { events: [steered("1")], files: [{ path: "x", lane: "", bytes: bytes("x") }] }));
			assert.equal(await store.remove("a", lease), true);
			assert.deepEqual([await store.logs("a"), await store.files("a")], [[], []]);
		});
	});
}
