import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openSqliteReader, openSqliteStore } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "pawl-guard-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
/** A store that was used; `harm` is done to its files. */
async function harmed(harm: (file: string) => void): Promise<string> {
	const file = join(folder, `${++count}.db`);
	const store = openSqliteStore(file);
	await store.post("r", { type: "advance", at: 1 });
	await store.post("r", { type: "advance", at: 2 });
	harm(file);
	const error = await store.post("r", { type: "advance", at: 3 }).then(
		() => "nothing was noticed",
		(problem: Error) => problem.message,
	);
	await assert.rejects(store.runs(), /while pawl was using it/, "also for whoever only reads");
	await store.close();
	return error;
}

test("G-28: files of the database that were truncated, deleted or replaced are noticed before they are used, and nothing dies of it", async () => {
	const all = (file: string): void => {
		for (const end of ["", "-wal", "-shm"]) truncateSync(`${file}${end}`);
	};
	assert.match(await harmed(all), /\d\.db: it was truncated while pawl was using it/);
	assert.match(await harmed((file) => truncateSync(`${file}-shm`)), /truncated/);
	assert.match(await harmed((file) => truncateSync(file, 4096)), /truncated/);
	assert.match(await harmed((file) => rmSync(file)), /deleted/);
	assert.match(await harmed((file) => rmSync(`${file}-shm`)), /deleted in part/);
	const replace = (file: string): void => {
		copyFileSync(file, `${file}.copy`);
		renameSync(`${file}.copy`, file);
	};
	assert.match(await harmed(replace), /replaced/);
});

test("G-28: other connections that open, write and close are not damage", async () => {
	const file = join(folder, "shared.db");
	const [one, two] = [openSqliteStore(file), openSqliteStore(file)];
	for (let at = 0; at < 200; at++) await two.post("r", { type: "steer", at, text: "x".repeat(20_000) });
	await two.close();
	assert.equal((await one.inbox("r")).length, 200);
	const reader = openSqliteReader(file);
	await one.close();
	assert.equal((await reader?.inbox("r"))?.length, 200);
	await reader?.close();
});
