// The tables that others read: as their document has them, written with the commit, at home in databases that had older ones.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { openSqliteStore } from "./sqlite.ts";
import { commitOf } from "./store.suite.ts";

function scratch(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "pawl-rows-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return join(folder, "pawl.db");
}

function query(file: string, sql: string): Record<string, unknown>[] {
	const db = new DatabaseSync(file, { readOnly: true });
	try {
		return db
			.prepare(sql)
			.all()
			.map((row) => ({ ...row }));
	} finally {
		db.close();
	}
}

const columns = (file: string, table: string) => query(file, `select name from pragma_table_info('${table}')`).map((row) => row["name"]);

test("A-09 A-11 the tables have the columns of their document", (t) => {
	const file = scratch(t);
	openSqliteStore(file).close();
	openSqliteStore(file).close();
	for (const name of [
		"id",
		"run_id",
		"story_index",
		"story_id",
		"title",
		"description",
		"acceptance_criteria",
		"status",
		"output",
		"retry_count",
		"max_retries",
		"created_at",
		"updated_at",
	])
		assert.ok(columns(file, "stories").includes(name), name);
	for (const name of ["id", "run_id", "step_id", "agent_id", "status", "type", "loop_config", "current_story_id"])
		assert.ok(columns(file, "steps").includes(name), name);
});

test("A-12 a database that has older tables comes along, its rows as they were", (t) => {
	const file = scratch(t);
	const old = new DatabaseSync(file);
	old.exec(`
		CREATE TABLE runs (id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, task TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'running', created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
		CREATE TABLE steps (id TEXT PRIMARY KEY, run_id TEXT NOT NULL, step_id TEXT NOT NULL, agent_id TEXT NOT NULL, status TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
		INSERT INTO runs VALUES ('old', 'counter-test', 'count', 'running', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
		INSERT INTO steps VALUES ('s', 'old', 'count', 'counter', 'pending', '', '');
	`);
	old.close();
	openSqliteStore(file).close();
	openSqliteStore(file).close();
	assert.deepEqual(query(file, "select id, type, loop_config, current_story_id from steps"), [
		{ id: "s", type: "single", loop_config: null, current_story_id: null },
	]);
});

test("rows land with their commit or not at all", async (t) => {
	const file = scratch(t);
	const store = openSqliteStore(file);
	const step = (status: string) => ({ id: "a:plan", step_id: "plan", agent_id: "planner", step_index: 0, status });
	const story = { id: "a:S", story_index: 0, story_id: "S", title: "t", description: "d", acceptance_criteria: "[]", status: "pending" };
	await store.commit(commitOf("a", 0, { rows: { steps: [step("pending")], stories: [story], gone: [] } }));
	assert.equal((await store.commit(commitOf("a", 7, { rows: { steps: [step("done")], stories: [], gone: ["a:S"] } }))).ok, false);
	assert.deepEqual(query(file, "select run_id, status from steps"), [{ run_id: "a", status: "pending" }]);
	assert.deepEqual(query(file, "select story_id, retry_count, max_retries from stories"), [
		{ story_id: "S", retry_count: 0, max_retries: 2 },
	]);
	await store.commit(commitOf("a", 0, { rows: { steps: [step("done")], stories: [], gone: ["a:S"] } }));
	assert.deepEqual([query(file, "select status from steps"), query(file, "select * from stories")], [[{ status: "done" }], []]);
	await store.close();
});
