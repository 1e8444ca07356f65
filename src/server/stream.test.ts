// The stream: every event once and in order, from any place, on any server; readers that do not read.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { until } from "../../test/support/scratch.ts";
import type { Event } from "../core/event.ts";
import type { ReadRun } from "../runs/look/reader.ts";
import { databaseOf } from "../runs/repository.ts";
import { services } from "../wiring.ts";
import { idOf, named, positionOf, versionAt } from "./position.ts";
import { type Client, type Site, type Streamed, site } from "./server.suite.ts";

const journal = (s: Streamed, run?: string) => s.events.filter((e) => e.event === "journal" && (run === undefined || e.data.run === run));
const versions = (s: Streamed, run?: string): number[] => journal(s, run).map((e) => e.data.version);
const upTo = (n: number, from = 1): number[] => Array.from({ length: n - from + 1 }, (_, i) => from + i);

/** Adds steering messages to a run, as another process would: one commit each. */
async function say(s: Site, run: string, texts: readonly string[]): Promise<void> {
	const store = services.openStore(databaseOf(s.c.cwd));
	try {
		for (const text of texts) {
			const summary = await store.summary(run);
			assert.ok(summary?.overview);
			const { version } = summary.overview;
			const events: Event[] = [{ event: "run_steered", at: Date.now(), text }];
			const result = await store.commit({
				...{ id: randomUUID(), run, expectedVersion: version, events, effects: [], done: [], taken: [] },
				summary: { ...summary, updatedAt: Date.now(), overview: { ...summary.overview, version: version + 1 } },
			});
			assert.ok(result.ok);
		}
	} finally {
		await store.close();
	}
}

const lengthOf = async (u: Client, run: string): Promise<number> => (await u.get(`runs/${run}/events`)).json.length;

test("A-71 X-24 a run that appears is told from its first event; the stream continues after any event, also on another server", async (t) => {
	const s = site(t);
	const [u, v] = [await s.serve(), await s.serve()];
	const all = await u.stream();
	assert.equal(all.status, 200);
	const run = await s.ask();
	const n = await lengthOf(u, run);
	await until("the whole journal", () => journal(all).length === n);
	assert.deepEqual(versions(all), upTo(n));
	assert.deepEqual(
		journal(all).map((e) => e.data.event),
		(await u.get(`runs/${run}/events`)).json,
	);
	assert.equal(all.events.findLast((e) => e.event === "run")?.data.status, "waiting");
	// Only one run at a time works in a checkout.
	assert.equal((await u.post(`runs/${run}/cancel`, {})).status, 200);
	const end = await lengthOf(u, run);
	const other = await s.ask();
	await until("the second run", () => journal(all, other).length === n && journal(all, run).length === end);
	for (const at of [0, n >> 1, end - 1, end, end + 3]) {
		const event = journal(all)[at];
		const rest = await v.stream("stream", event?.id);
		const missing = journal(all).slice(at + 1);
		await until(`what comes after event ${at}`, () => journal(rest).length === missing.length);
		for (const one of [run, other])
			assert.deepEqual(
				versions(rest, one),
				missing.filter((e) => e.data.run === one).map((e) => e.data.version),
			);
		const only = await v.stream(`stream?run=${run}`, event?.id);
		await until("the same of one run", () => journal(only).length === versions(rest, run).length);
		assert.deepEqual(versions(only), versions(rest, run));
		rest.close();
		only.close();
	}
	const own = await v.stream(`stream?run=${run}&after=3`);
	await say(s, run, ["more"]);
	await say(s, other, ["elsewhere"]);
	await until("both ends", () => journal(own).length === end - 2 && journal(all, other).length === n + 1);
	assert.deepEqual(versions(own), upTo(end + 1, 4));
	assert.deepEqual(versions(all, run), upTo(end + 1));
});

test("A-71 an id or a version that does not fit is refused, and so is a run that is not there", async (t) => {
	const s = site(t);
	const run = await s.ask();
	const u = await s.serve();
	const of = async (path: string, id?: string) => {
		const opened = await u.stream(path, id);
		opened.close();
		return opened.status;
	};
	for (const after of ["-1", "x", "1.5", "9999", ""]) assert.equal(await of(`stream?run=${run}&after=${after}`), 400, after);
	assert.equal(await of("stream?after=1"), 400);
	assert.equal(await of("stream?run=nothing"), 404);
	const far = idOf({ at: Date.now(), versions: new Map([[run, 9999]]) });
	const gone = idOf({ at: Date.now(), versions: new Map([["20200101-000000-gone", 1]]) });
	for (const id of ["x", "17", far, gone, `${far}x`]) assert.equal(await of("stream", id), 400, id);
	assert.equal(await of("stream", idOf({ at: Date.now(), versions: new Map() })), 200);
});

test("A-71 a reader that does not read holds up nobody, and gets everything when it reads again", async (t) => {
	const s = site(t);
	const run = await s.ask();
	const u = await s.serve();
	const n = await lengthOf(u, run);
	const slow = await u.stream(`stream?run=${run}&after=0`);
	slow.answer.pause();
	const quick = await u.stream(`stream?run=${run}&after=0`);
	const long = "x".repeat(100_000);
	await say(
		s,
		run,
		Array.from({ length: 120 }, () => long),
	);
	await until("the quick one", () => journal(quick).length === n + 120);
	assert.ok(journal(slow).length < n + 120);
	slow.answer.resume();
	await until("the slow one", () => journal(slow).length === n + 120);
	assert.deepEqual(versions(slow), upTo(n + 120));
});

test("A-71 an id names only runs that changed lately; where the others were follows from its time", () => {
	const minutes = (n: number) => n * 60_000;
	const now = minutes(1000);
	const read = (updatedAt: number, version: number) => ({ updatedAt, version }) as ReadRun;
	const runs = new Map([
		["quiet", read(now - minutes(60), 5)],
		["busy", read(now - minutes(1), 7)],
		["behind", read(now - minutes(60), 9)],
	]);
	const sent = new Map([
		["quiet", 5],
		["busy", 7],
		["behind", 2],
	]);
	const position = positionOf(idOf({ at: now, versions: named(sent, runs, now) }));
	assert.deepEqual(
		[...(position?.versions ?? [])],
		[
			["busy", 7],
			["behind", 2],
		],
	);
	const at = (...times: number[]) => times.map((time): Event => ({ event: "run_steered", at: now + minutes(time), text: "" }));
	assert.deepEqual([versionAt(at(-70, -60, -1, 0, 5), now), versionAt(at(0, 1), now), versionAt(at(-70, -60), now)], [2, 0, 2]);
});
