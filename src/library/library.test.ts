// The library over real runs: what it shows, what it decides, when watching ends, and whom it refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runs as published } from "../library.ts";
import { decide } from "../runs/change/decide.ts";
import type { RunsContext } from "../runs/context.ts";
import { Refusal } from "../runs/refusal.ts";
import { site } from "../server/server.suite.ts";
import type { Runs } from "./api.ts";
import type { RunEvent } from "./documents.ts";
import { runsOf } from "./runs.ts";

const code = async (work: Promise<unknown>): Promise<string> => {
	try {
		await work;
	} catch (error) {
		assert.ok(error instanceof Refusal, String(error));
		return error.code;
	}
	return "done";
};

async function all(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
	const found: RunEvent[] = [];
	for await (const event of events) found.push(event);
	return found;
}

const of = (c: RunsContext): Runs => published.in(c.cwd, { env: c.env, warn: () => {} });

test("a program looks at a run that waits, answers it, and watches it to its end; the engine is a process of its own", async (t) => {
	const s = site(t);
	const run = await s.ask();
	const runs = of(s.c);
	const before = await all(runs.watch(run));
	assert.deepEqual([before[0]?.event, before[0]?.version], ["run_created", 1]);
	assert.equal("definition" in (before[0] ?? {}), false);
	assert.deepEqual(await runs.history(run), before);
	assert.deepEqual(await all(runs.watch(run, { after: 2 })), before.slice(2));
	assert.equal(await code(all(runs.watch(run, { after: before.length + 1 }))), "invalid");
	const [question] = await runs.questions(run);
	assert.match(question?.reason ?? "", /question-1/);
	assert.deepEqual(
		(await runs.list()).map((one) => [one.run, one.status, one.waiting]),
		[[run, "waiting", 1]],
	);
	assert.equal(await code(runs.approve(run, { ask: "999" })), "conflict");
	const done = await runs.approve(run.slice(0, -1), { ask: question?.ask ?? "" });
	assert.deepEqual([done.run, done.driven], [run, true]);
	const seen: number[] = [];
	const left = new AbortController();
	const leaving = (async () => {
		for await (const event of runs.watch(run, { after: before.length, signal: left.signal })) {
			seen.push(event.version);
			left.abort();
		}
	})();
	const rest = await all(runs.watch(run, { after: before.length }));
	await leaving;
	assert.equal(rest[0]?.version, before.length + 1);
	assert.ok(seen.length > 0);
	const last = rest.findLast((event) => event.event === "run_status_changed");
	assert.equal(last?.status, "completed");
	const decided = rest.find((event) => event.event === "decided");
	assert.deepEqual([decided?.verdict, decided?.by?.how], ["approve", "library"]);
	const { status, version, delivery } = await runs.status(run);
	assert.deepEqual([status, version], ["completed", before.length + rest.length]);
	assert.deepEqual(
		delivery?.commits.map(({ subject }) => subject),
		["Work"],
	);
	const [story] = await runs.stories(run);
	const step = story?.steps[0]?.id ?? "";
	const log = await runs.log(run, { story: story?.id ?? "", step });
	assert.ok(log.records.length > 0);
	assert.deepEqual(await runs.log(run, { story: story?.id ?? "", step, after: log.next }), { records: [], next: log.next });
	assert.match((await runs.diff(run)).patch, /\+done/);
	assert.equal((await runs.cost(run)).cost_usd, 0.5);
	assert.equal(await code(runs.resume(run)), "refused");
	assert.ok((await runs.workflows()).some(({ name }) => name === "asked"));
});

test("G-27 a program that an agent of pawl started looks at everything and decides nothing", async (t) => {
	const s = site(t);
	const run = await s.ask();
	const services = { ...s.c.services, caller: () => ({ user: "somebody", marks: ["an-attempt"] }) };
	const runs = runsOf(() => ({ ...s.c, services }));
	const before = await runs.history(run);
	for (const work of [
		runs.approve(run),
		runs.reject(run, "no"),
		runs.answer(run, "yes"),
		runs.steer(run, "hurry"),
		runs.pause(run),
		runs.resume(run),
		runs.cancel(run),
		runs.retry(run),
		runs.extend(run, { maxCost: 9 }),
		runs.skip(run, { story: "US-1", step: "step-001", reason: "no" }),
	])
		assert.equal(await code(work), "refused");
	assert.deepEqual(await runs.history(run), before);
	assert.equal((await runs.status(run)).status, "waiting");
});

test("watching ends when no process drives the run; what names no run, or the wrong thing, is refused", async (t) => {
	const s = site(t);
	const run = await s.ask();
	const runs = of(s.c);
	for (const none of ["", undefined as unknown as string]) {
		assert.equal(await code(runs.cancel(none)), "invalid");
		assert.equal(await code(runs.status(none)), "invalid");
	}
	assert.equal(await code(runs.status("nothing")), "not_found");
	assert.equal(await code(all(runs.watch("nothing"))), "not_found");
	assert.equal(await code(runs.reject(run, " ")), "invalid");
	assert.equal(await code(runs.start({ workflow: "asked", request: "x", agnts: 2 } as never)), "invalid");
	assert.equal(await code(runs.start({ workflow: "nothing", request: "x" })), "not_found");
	assert.equal(await code(runs.in("/").list()), "invalid");
	// Recorded, and nobody goes on with it: as after a crash.
	await decide(s.c, { run, step: undefined, verdict: "approve", reason: "" });
	const events = await all(runs.watch(run));
	assert.equal(events.at(-1)?.version, (await runs.status(run)).version);
	assert.deepEqual([(await runs.status(run)).status, (await runs.status(run)).driven], ["running", false]);
	const done = await runs.cancel(run);
	assert.deepEqual([done.what, done.status], ["cancelled", "cancelled"]);
});
