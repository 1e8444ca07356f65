import assert from "node:assert/strict";
import { test } from "node:test";
import { type Looking, runRows } from "./look.ts";

test("runs?limit=N: the newest N, and all that are not over however old; without it all of them", async () => {
	const statuses = ["completed", "failed", "running", "completed", "paused", "cancelled", "waiting"];
	const rows = statuses.map((status, i) => ({ row: { run: `r-${i}`, status } }));
	const ask = async (query: string): Promise<string[]> => {
		const looking = { reader: { runs: async () => rows }, query: new URLSearchParams(query) } as unknown as Looking;
		return (await runRows(looking)).map(({ run }) => run);
	};
	assert.deepEqual(await ask("limit=2"), ["r-0", "r-1", "r-2", "r-4", "r-6"]);
	assert.deepEqual(await ask("limit=4"), ["r-0", "r-1", "r-2", "r-3", "r-4", "r-6"]);
	assert.equal((await ask("")).length, rows.length);
	await assert.rejects(ask("limit=-1"), /-1 is not a number of runs/);
	await assert.rejects(ask("limit=x"), /x is not a number of runs/);
});
