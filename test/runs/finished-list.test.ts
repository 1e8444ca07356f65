// A list of stories that all pass makes no run; one story of a run can be looked at alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { RunsContext } from "../../src/runs/context.ts";
import { UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { listRuns } from "../../src/runs/look/list.ts";
import { statusOf } from "../../src/runs/look/status.ts";
import { databaseOf } from "../../src/runs/repository.ts";
import { create } from "../../src/runs/start/create.ts";
import { NothingToDo } from "../../src/runs/start/delivered-before.ts";
import { prepare } from "../../src/runs/start/prepare.ts";
import { startRun } from "../../src/runs/start/start.ts";
import { services } from "../../src/wiring.ts";
import { put, repository, scratchFolder } from "../support/scratch.ts";

test("D-11 G-16 a list whose stories all pass makes no run, and `latest` stays; of a run with several stories one can be looked at", async () => {
	const folder = scratchFolder("finished");
	const story = (id: string, passes: boolean) => ({ id, title: `Story ${id}`, passes });
	put(folder, {
		"open.json": JSON.stringify({ userStories: [story("A", true), story("B", false)] }),
		"done.json": JSON.stringify({ userStories: [story("A", true), story("B", true)] }),
		"script.yml": "steps: []\n",
	});
	const c: RunsContext = {
		...{ cwd: repository(), env: { ...process.env, XDG_CONFIG_HOME: folder }, services, now: Date.now, self: ["pawl"], warn: () => {} },
	};
	const prepared = (name: string) =>
		prepare(c, "dynamic", undefined, { script: join(folder, "script.yml"), flags: { prd: join(folder, name) } });
	await assert.rejects(startRun(c, await prepared("done.json"), UNOBSERVED), (error: Error) => {
		assert.ok(error instanceof NothingToDo);
		assert.match(error.message, /^all stories of .*done\.json pass; there is nothing to do$/);
		return true;
	});
	assert.deepEqual(await listRuns(c), []);
	const p = await prepared("open.json");
	const store = services.openStore(databaseOf(p.repository.root));
	const { state } = await create(c, p, store, { baseline: null });
	await store.close();
	assert.deepEqual(
		(await statusOf(c, state.id)).stories.map(({ id }) => id),
		["A", "B"],
	);
	assert.deepEqual(
		(await statusOf(c, state.id, "B")).stories.map(({ id }) => id),
		["B"],
	);
	await assert.rejects(statusOf(c, state.id, "C"), /has no story C; there are A, B$/);
});
