// A run whose engine has a process of its own: what its starter learns, and what is left when either of the two ends first.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { RunsContext } from "../../src/runs/context.ts";
import { resume } from "../../src/runs/control/resume.ts";
import { retry } from "../../src/runs/control/retry.ts";
import { stop } from "../../src/runs/control/stop.ts";
import { type DriveHandle, type EngineEnd, type RunObserver, UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { journalOf } from "../../src/runs/look/journal.ts";
import { listRuns } from "../../src/runs/look/list.ts";
import { databaseOf } from "../../src/runs/repository.ts";
import { prepare } from "../../src/runs/start/prepare.ts";
import { startRun } from "../../src/runs/start/start.ts";
import { services } from "../../src/wiring.ts";
import { PAWL } from "../support/bin.ts";
import { put, repository, scratchFolder, until } from "../support/scratch.ts";

const PRD = JSON.stringify({ name: "a test", userStories: [{ id: "A", title: "Story A" }] });
/** Codes when it may. */
const SCRIPT = `steps:
  - on: {type: coding}
    do:
      - write: {path: "work.txt", content: "done\\n"}
      - shared: {path: reached, content: ""}
      - wait_for: {shared: go}
`;

interface Site extends RunsContext {
	readonly folder: string;
	readonly warnings: string[];
}

function site(script = SCRIPT): Site {
	const folder = scratchFolder("apart");
	put(folder, { "prd.json": PRD, "script.yml": script });
	const warnings: string[] = [];
	const env = { ...process.env, XDG_CONFIG_HOME: folder };
	const c: Site = {
		...{ cwd: repository(), env, services, now: Date.now, self: [PAWL], folder, warnings },
		warn: (text) => void warnings.push(text),
	};
	after(async () => {
		for (const { run } of await listRuns(c)) if ((await engineOf(c, run)) > 0) await stop(c, run, "cancel");
	});
	return c;
}

const prepared = (c: Site) =>
	prepare(c, "dynamic", undefined, { script: join(c.folder, "script.yml"), flags: { prd: join(c.folder, "prd.json") } });

interface Watched extends RunObserver {
	readonly ends: (EngineEnd & { readonly halted: boolean })[];
	readonly warned: string[];
}

/** Calls `atWork` once the engine has the run. */
function watched(atWork: (handle: DriveHandle) => void = () => {}): Watched {
	const observer: Watched = {
		apart: true,
		ends: [],
		warned: [],
		onCreated: () => {},
		onDriving: (handle) => ({
			onEvents: () => atWork(handle),
			onWarning: (text) => void observer.warned.push(text),
			onEngineEnd: (end, _, halted) => void observer.ends.push({ ...end, halted }),
			close: () => {},
		}),
	};
	return observer;
}

const reached = (c: Site): boolean => existsSync(join(c.cwd, ".pawl", "latest", "reached"));

async function engineOf(c: Site, run: string): Promise<number> {
	const store = services.openReader(databaseOf(c.cwd));
	const who = (await store?.holder(run))?.who ?? "";
	await store?.close();
	return Number(/process (\d+)/.exec(who)?.[1]);
}

describe("an engine in a process of its own", () => {
	it("is another process, tells its warnings, and its starter sums the run up", async () => {
		const c = site();
		let engine = 0;
		const observer = watched(async ({ run }) => {
			engine = await engineOf(c, run);
			await until("coding", () => reached(c));
			put(join(c.cwd, ".pawl", "latest"), { go: "" });
		});
		const { run, ended } = await startRun(c, await prepared(c), observer);
		assert.equal(ended?.state.status, "completed");
		assert.equal(ended?.delivery.commits.length, 1);
		assert.ok(engine > 0 && engine !== process.pid, String(engine));
		assert.deepEqual(observer.ends, [{ code: 0, signal: null, problem: null, halted: true }]);
		assert.match(readFileSync(join(c.cwd, ".pawl", "runs", run, "pawl.log"), "utf8"), /dynamic completed in/);
	});

	it("is stopped and killed by its handle, dies alone, and is left; the starter knows which", async () => {
		const c = site();
		const stopped = watched(async (handle) => {
			await until("coding", () => reached(c));
			handle.stop();
		});
		const { run, ended } = await startRun(c, await prepared(c), stopped);
		assert.equal(ended?.state.status, "paused");
		assert.deepEqual(stopped.ends, [{ code: 130, signal: null, problem: null, halted: true }]);
		assert.deepEqual(stopped.warned, ["stopping; press Ctrl-C again to kill the agents now"]);

		const killed = watched(async ({ run }) => process.kill(await engineOf(c, run), "SIGKILL"));
		const dead = await resume(c, run, {}, killed);
		assert.equal(dead.how === "driven" && dead.ended, null);
		assert.deepEqual(killed.ends, [{ code: null, signal: "SIGKILL", problem: null, halted: false }]);

		const leaving = watched((handle) => handle.leave?.());
		const left = await resume(c, run, {}, leaving);
		assert.equal(left.how === "driven" && left.ended, null);
		assert.deepEqual(leaving.ends, []);
		assert.ok((await engineOf(c, run)) > 0);
		await assert.rejects(resume(c, run, {}, watched()), /already being run by another pawl/);
		// Its files may be between two writes of that engine: that is no change by a person.
		await until("coding", () => reached(c));
		const file = join(c.cwd, ".pawl", "runs", run, "workflow_state.json");
		const written = readFileSync(file, "utf8");
		writeFileSync(file, "{}\n");
		await assert.rejects(resume(c, run, {}, watched()), /already being run by another pawl/);
		writeFileSync(file, written);
		assert.deepEqual(await stop(c, run, "cancel"), { run, status: "cancelled" });
	});

	it("continues an unfinished run in the background too, with what was asked for on its start; and a retry", async () => {
		const c = site("steps:\n  - on: {type: coding, attempt: 1}\n    do: [{fail: {exit: 3}}]\n");
		const { run, ended } = await startRun(c, await prepared(c), UNOBSERVED);
		assert.equal(ended?.state.status, "failed");
		put(c.folder, { "script.yml": SCRIPT });
		const retried = await retry(
			c,
			{ run, story: undefined },
			watched(async (handle) => {
				await until("coding", () => reached(c));
				handle.stop();
			}),
		);
		assert.equal(retried.how === "driven" && retried.ended?.state.status, "paused");
		put(c.folder, { "prd.json": JSON.stringify({ name: "a test", userStories: [{ id: "A", title: "Another title" }] }) });
		const again = await startRun(c, await prepared(c), UNOBSERVED, { background: true });
		assert.deepEqual(again, { run, ended: null });
		assert.ok((await engineOf(c, run)) > 0);
		const events = await journalOf(c, run);
		assert.ok(events.some((event) => event.event === "story_changed"));
		assert.match(c.warnings.join("\n"), /going on with run .*\n.*changed in .*prd\.json/);
	});

	it("D-157 D-158 a one-shot leaves nothing if it succeeds, and its files if it does not", async () => {
		const c = site("steps:\n  - on: {type: coding}\n    do: [{write: {path: work.txt, content: done}}]\n");
		const shot = async () => {
			const ready = await prepare(c, "dynamic", "Make it better", { script: join(c.folder, "script.yml"), checks: false });
			return (await startRun(c, ready, watched(), { ephemeral: true })).ended;
		};
		const good = await shot();
		assert.deepEqual([good?.state.status, good?.kept, existsSync(good?.sharedDir ?? "/")], ["completed", false, false]);
		put(c.folder, { "script.yml": "steps:\n  - on: {type: coding}\n    do: [{fail: {exit: 3}}]\n" });
		const bad = await shot();
		assert.deepEqual([bad?.state.status, bad?.kept, existsSync(join(bad?.sharedDir ?? "/", "scratch.md"))], ["failed", true, true]);
		rmSync(bad?.sharedDir ?? "", { recursive: true });
	});
});
