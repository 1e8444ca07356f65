// Claims: who gets a step, for how long, and what happens to a result that comes twice or too late.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { childProgram } from "../child.suite.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import type { Claim } from "../store.ts";
import { PersonNeeded, type Workspace } from "../workspace.ts";
import { createRun, openPull, plainSteps } from "./pull.suite.ts";

async function fixture(t: TestContext, steps = 2) {
	const folder = mkdtempSync(join(tmpdir(), "pawl-pull-"));
	const store = openSqliteStore(join(folder, "pawl.db"));
	t.after(async () => {
		await store.close();
		rmSync(folder, { recursive: true, force: true });
	});
	let now = 1_000;
	await createRun(store, plainSteps(steps), "r", now);
	const open = (otherwise: Partial<Workspace> = {}) => openPull(store, "r", folder, () => now, otherwise);
	const claimed = async (token: string, leaseMs = 10_000) => {
		const pull = await open();
		await pull.settle();
		return pull.claim("worker", token, leaseMs);
	};
	const held = async (name: string): Promise<Claim> => {
		const claim = await store.claim(name);
		assert.ok(claim);
		return claim;
	};
	const pass = (ms: number): void => {
		now += ms;
	};
	return { store, folder, open, claimed, held, pass };
}

test("A-23 A-30 a step is given once, with its input; nobody else gets it", async (t) => {
	const f = await fixture(t);
	const got = await f.claimed("one");
	assert.deepEqual([got?.claim, got?.runId, got?.agent, got?.leaseSeconds], ["one", "r", "worker", 10]);
	assert.match(got?.input ?? "", /^Do 0/);
	assert.equal(await f.claimed("two"), null);
	assert.equal(await (await f.open()).claim("somebody", "three", null), null);
});

test("G-03 a process that hands out a step lets go of the repository: it does not watch what people change there meanwhile", async (t) => {
	const f = await fixture(t);
	let holds = false;
	const watching: Partial<Workspace> = {
		letGo: () => {
			holds = false;
		},
		point: async () => {
			holds = true;
			return { commit: "c", tree: "t" };
		},
	};
	const pull = await f.open(watching);
	await pull.settle();
	assert.ok(await pull.claim("worker", "one", 10_000));
	assert.equal(holds, true);
	await pull.close();
	assert.equal(holds, false);
});

test("A-46 a result counts once; the same again changes nothing, by its token or its handle", async (t) => {
	const f = await fixture(t);
	const got = await f.claimed("one");
	assert.equal((await (await f.open()).complete(await f.held("one"), "STATUS: done")).result, "taken");
	const before = (await f.store.events("r")).length;
	assert.equal((await (await f.open()).complete(await f.held("one"), "STATUS: done")).result, "again");
	assert.equal((await (await f.open()).complete(await f.held(got?.stepId ?? ""), "STATUS: done")).result, "again");
	assert.equal((await (await f.open()).fail(await f.held("one"), "no")).result, "stale");
	assert.equal((await f.store.events("r")).length, before);
	assert.match((await f.claimed("two"))?.input ?? "", /^Do 1/);
});

test("A-56 A-75 a failure, and a result without the expected text, use up a retry; then the run has failed", async (t) => {
	const f = await fixture(t);
	await f.claimed("one");
	assert.deepEqual(await (await f.open()).complete(await f.held("one"), "hello"), {
		result: "taken",
		signal: "unreadable",
		error: "it does not say STATUS: done; it says: hello",
		question: null,
	});
	assert.match((await f.claimed("two"))?.input ?? "", /does not say STATUS: done/);
	await (await f.open()).fail(await f.held("two"), "cannot");
	assert.equal((await f.open()).state.status, "failed");
	assert.equal(await f.claimed("three"), null);
});

test("A-57 the claim of an agent that does not come back is released, with a retry counted, and its late result is refused", async (t) => {
	const f = await fixture(t);
	await f.claimed("one", 5_000);
	f.pass(4_999);
	assert.equal(await f.claimed("two"), null);
	f.pass(1);
	const second = await f.claimed("two", 5_000);
	assert.match(second?.input ?? "", /^## Why this step runs again[\s\S]*did not come back in time[\s\S]*^Do 0/m);
	assert.deepEqual(await (await f.open()).complete(await f.held("one"), "STATUS: done"), {
		result: "stale",
		reason: "this claim was released",
	});
	assert.equal((await (await f.open()).complete(await f.held("two"), "STATUS: done")).result, "taken");
	await f.claimed("three", 1);
	f.pass(1);
	await f.claimed("four", 1);
	f.pass(1);
	await (await f.open()).settle();
	assert.equal((await f.open()).state.status, "failed");
});

test("G-03 while a failed attempt cannot be put back, nothing is claimed; afterwards the next agent gets the step", async (t) => {
	const f = await fixture(t);
	await f.claimed("one");
	let asked = true;
	const rollback = async () => {
		if (asked) throw new PersonNeeded("these commits may be yours");
		return { commit: "c", stayed: [], aside: [], refs: [] };
	};
	await assert.rejects((await f.open({ rollback })).fail(await f.held("one"), "cannot"), PersonNeeded);
	await assert.rejects((await f.open({ rollback })).settle(), PersonNeeded);
	asked = false;
	const pull = await f.open({ rollback });
	await pull.settle();
	assert.equal((await pull.claim("worker", "two", 10_000))?.stepId, "r:@run:s0:2");
});

test("a claim whose lease is over and that nobody else wants is still good", async (t) => {
	const f = await fixture(t);
	await f.claimed("one", 1);
	f.pass(1_000);
	assert.equal((await (await f.open()).complete(await f.held("one"), "STATUS: done")).result, "taken");
});

test("a run that is cancelled takes its claims back", async (t) => {
	const f = await fixture(t);
	await f.claimed("one");
	await f.store.post("r", { type: "stop", at: 0, how: "cancel" });
	await (await f.open()).settle();
	assert.equal((await f.open()).state.status, "cancelled");
	assert.equal((await (await f.open()).complete(await f.held("one"), "STATUS: done")).result, "stale");
});

test("A-30 two agents that race for a thousand steps never get the same one", { timeout: 170_000 }, async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-race-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "pawl.db");
	const store = openSqliteStore(file);
	const definition = plainSteps(20);
	for (let n = 0; n < 50; n++) await createRun(store, definition, `r${n}`, n);
	const children = [1, 2].map(() =>
		spawn(process.execPath, [childProgram(join(import.meta.dirname, "pull.child.ts")), file, folder], {
			stdio: ["pipe", "pipe", "inherit"],
		}),
	);
	t.after(() => children.forEach((child) => child.kill("SIGKILL")));
	const said = children.map((child) => {
		let text = "";
		const ready = new Promise<void>((go) =>
			child.stdout.on("data", (chunk: Buffer) => {
				text += chunk.toString("utf8");
				if (text.startsWith("ready\n")) go();
			}),
		);
		const ended = new Promise<number | null>((done) => child.once("close", done));
		return { ready, ended, got: () => text.split("\n").filter((line) => line.includes(":")) };
	});
	await Promise.all(said.map((one) => one.ready));
	for (const child of children) child.stdin.write("go\n");
	assert.deepEqual(await Promise.all(said.map((one) => one.ended)), [0, 0]);
	const [a = [], b = []] = said.map((one) => one.got());
	assert.equal(new Set([...a, ...b]).size, a.length + b.length);
	assert.equal(a.length + b.length, 1000);
	assert.ok(a.length > 0 && b.length > 0);
	assert.ok((await store.runs()).every((run) => run.status === "completed"));
	await store.close();
});
