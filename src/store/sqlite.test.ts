// The SQLite store: the contract suite, and what only several processes, a kill or a full disk can show.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, test } from "node:test";
import { childProgram } from "../child.suite.ts";
import { MIGRATIONS, migrate, schemaVersion } from "./migrations.ts";
import { openSqliteReader, openSqliteStore } from "./sqlite.ts";
import { commitOf, notify, steered, storeSuite, summaryOf } from "./store.suite.ts";
import { assertUpdates, updateSuite } from "./update.suite.ts";

function folder(): string {
	return mkdtempSync(join(tmpdir(), "pawl-store-"));
}

function database() {
	const dir = folder();
	return { open: () => openSqliteStore(join(dir, "deep/er/pawl.db")), remove: () => rmSync(dir, { recursive: true }) };
}
storeSuite("sqlite", database);
updateSuite("sqlite", database);

/** A process of sqlite.child.ts, with the lines that it prints. */
interface Child {
	/** The next line that begins so; what comes before it is passed over. */
	line(start: string): Promise<string>;
	go(): void;
	/** kill -9, and the last line that came out. */
	kill(): Promise<string>;
}

describe("SQLite store", { timeout: 120_000 }, () => {
	const leftovers: (() => unknown)[] = [];
	afterEach(async () => {
		for (const undo of leftovers.splice(0).reverse()) await undo();
	});

	function databaseFile(): string {
		const dir = folder();
		leftovers.push(() => rmSync(dir, { recursive: true }));
		return join(dir, "pawl.db");
	}

	function opened(file: string) {
		const store = openSqliteStore(file);
		leftovers.push(() => store.close());
		return store;
	}

	/** A look at the tables from outside. */
	function look(file: string, sql: string): Record<string, unknown>[] {
		const db = new DatabaseSync(file);
		try {
			return db
				.prepare(sql)
				.all()
				.map((row) => ({ ...row }));
		} finally {
			db.close();
		}
	}

	async function child(mode: string, file: string, run = "-", count = "", shell = ""): Promise<Child> {
		const command = [process.execPath, "--expose-gc", childProgram(join(import.meta.dirname, "sqlite.child.ts")), mode, file, run, count];
		const started = spawn("bash", ["-c", `${shell} exec "$@"`, "bash", ...command], { stdio: ["pipe", "pipe", "inherit"] });
		const exited = once(started, "exit");
		const lines: string[] = [];
		let last = "";
		const reader = createInterface({ input: started.stdout });
		const closed = once(reader, "close");
		let wake = () => {};
		reader.on("line", (line) => {
			lines.push(line);
			last = line;
			wake();
		});
		let over = false;
		reader.on("close", () => {
			over = true;
			wake();
		});
		const made: Child = {
			async line(start) {
				for (;;) {
					for (let line = lines.shift(); line !== undefined; line = lines.shift()) if (line.startsWith(start)) return line;
					assert.ok(!over, `the process ended without a line ${start}`);
					await new Promise<void>((resolve) => {
						wake = resolve;
					});
				}
			},
			go: () => started.stdin.write("go\n"),
			async kill() {
				started.kill("SIGKILL");
				await Promise.all([exited, closed]);
				return last;
			},
		};
		leftovers.push(() => made.kill());
		await made.line("ready");
		return made;
	}

	test("is durable, waits for others and checks references", (t) => {
		// These are settings of a connection: they can be asked only of the store's own, so we get hold of that.
		const prepare = t.mock.method(DatabaseSync.prototype, "prepare");
		opened(databaseFile());
		const db = prepare.mock.calls.at(-1)?.this as DatabaseSync;
		const setting = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
		assert.equal(setting("journal_mode"), "wal");
		assert.equal(setting("synchronous"), 2, "FULL");
		assert.deepEqual([setting("fullfsync"), setting("checkpoint_fullfsync")], [1, 1]);
		assert.equal(setting("foreign_keys"), 1);
		assert.ok(Number(setting("busy_timeout")) >= 20_000);
	});

	test("runs has the columns that document 002 names, and a database that has it already is taken as it is (A-12)", async () => {
		const file = databaseFile();
		const old = new DatabaseSync(file);
		old.exec(`CREATE TABLE runs (id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, task TEXT NOT NULL,
			status TEXT NOT NULL DEFAULT 'running', context TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
			INSERT INTO runs VALUES ('r1', 'counter-test', 'Count', 'running', '{}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`);
		old.close();
		await opened(file).close();
		const store = opened(file);
		assert.equal((await store.summary("r1"))?.workflow, "counter-test");
		await store.commit(commitOf("r2", 0, { events: [steered("1")] }));
		assert.deepEqual(look(file, "SELECT workflow_id, task, status, created_at FROM runs WHERE id = 'r2'"), [
			{ workflow_id: "dynamic", task: "Run r2", status: "running", created_at: "2026-01-02T03:04:05.006Z" },
		]);
	});

	test("an overview that a process of an earlier version left behind is not shown: it is older than the run's last commit", async () => {
		const file = databaseFile();
		const store = opened(file);
		const overview = { version: 3, costUsd: null, maxCostUsd: null, waiting: 0, progress: null };
		await store.commit(commitOf("a", 0, { summary: summaryOf("a", { overview }) }));
		assert.deepEqual((await store.summary("a"))?.overview, overview);
		const other = new DatabaseSync(file);
		other.exec("UPDATE runs SET updated_at = '2026-01-03T00:00:00.000Z' WHERE id = 'a'");
		other.close();
		const summary = await store.summary("a");
		assert.deepEqual([summary?.updatedAt, summary?.overview], [Date.UTC(2026, 0, 3), undefined]);
	});

	test("a commit that the database refuses half-way leaves nothing", async () => {
		const file = databaseFile();
		const store = opened(file);
		await store.commit(commitOf("a", 0, { events: [steered("1")], effects: [notify("1")] }));
		await store.post("a", { type: "steer", at: 0, text: "left" });
		const before = { pending: await store.pending("a"), inbox: await store.inbox("a"), summary: await store.summary("a") };
		look(file, "CREATE TRIGGER no BEFORE DELETE ON inbox BEGIN SELECT RAISE(ABORT, 'not today'); END");
		const commit = commitOf("a", 1, {
			events: [steered("2")],
			effects: [notify("2")],
			done: [before.pending[0]!.seq],
			taken: [before.inbox[0]!.id],
			summary: summaryOf("a", { status: "failed" }),
		});
		await assert.rejects(store.commit(commit), /pawl\.db: .*not today/);
		assert.equal((await store.events("a")).length, 1);
		assert.deepEqual({ pending: await store.pending("a"), inbox: await store.inbox("a"), summary: await store.summary("a") }, before);
		look(file, "DROP TRIGGER no");
		assert.equal((await store.commit(commit)).ok, true);
	});

	test("four processes on runs of their own and on a shared one lose nothing", async () => {
		const file = databaseFile();
		for (const shared of [false, true]) {
			const how = (n: number) => (shared && n % 2 === 1 ? "update" : "commit");
			const children = await Promise.all([0, 1, 2, 3].map((n) => child(how(n), file, shared ? "shared" : `own-${n}`, "100")));
			for (const each of children) each.go();
			await Promise.all(children.map((each) => each.line("done")));
		}
		const store = opened(file);
		for (const n of [0, 1, 2, 3]) assert.equal((await store.events(`own-${n}`)).length, 100);
		const texts = (await store.events("shared")).map((event) => (event.event === "run_steered" ? event.text : ""));
		assert.equal(new Set(texts).size, 400);
		for (const pid of new Set(texts.map((text) => text.split(" ")[0]))) {
			const own = texts.filter((text) => text.startsWith(`${pid} `));
			assert.deepEqual(
				own,
				own.map((_, number) => `${pid} ${number}`),
				"each process's commits stand in the order in which it made them",
			);
		}
		assert.deepEqual(look(file, "SELECT min(version) AS low, max(version) AS high, count(*) AS n FROM events WHERE run_id = 'shared'"), [
			{ low: 1, high: 400, n: 400 },
		]);
		assert.equal((await store.pending("shared")).length, 400);
	});

	test("M3 two processes that update a run at the same time never conflict and lose nothing", async () => {
		const file = databaseFile();
		const writers = ["one", "two"];
		const children = await Promise.all(writers.map((writer) => child("share", file, "a", "200", `WRITER=${writer}`)));
		for (const each of children) each.go();
		await Promise.all(children.map((each) => each.line("done")));
		assertUpdates(await opened(file).events("a"), writers, 200);
	});

	test("after kill -9 during commits, every acknowledged commit is there and none is torn", async () => {
		const file = databaseFile();
		for (let round = 0; round < 3; round++) {
			const writer = await child("flood", file, "a");
			writer.go();
			for (let seen = 0; seen < 20; seen++) await writer.line("at ");
			const acknowledged = Number((await writer.kill()).split(" ")[1]);
			const store = openSqliteStore(file);
			const events = await store.events("a");
			assert.ok(events.length === acknowledged || events.length === acknowledged + 3, `${events.length} after ${acknowledged}`);
			assert.deepEqual(
				events.map((event) => (event.event === "run_steered" ? Number.parseInt(event.text, 10) : event)),
				events.map((_, index) => index + 1),
			);
			assert.equal((await store.pending("a")).length, events.length / 3);
			assert.equal((await store.summary("a"))?.title, String(events.length));
			await store.close();
		}
		assert.deepEqual(look(file, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
		assert.deepEqual(look(file, "SELECT max(version) - count(*) AS gap FROM events"), [{ gap: 0 }]);
	});

	test("D-109 X-11 a lock outlives the garbage collector and is free at once when its owner is killed", async () => {
		const file = databaseFile();
		const store = opened(file);
		const owner = await child("lock", file, "a");
		owner.go();
		await owner.line("locked");
		assert.equal(await store.lease("a", "@run", 60_000), null);
		const other = await child("lock", file, "a");
		other.go();
		await other.line("refused");
		await owner.kill();
		const mine = await store.lease("a", "@run", 60_000);
		assert.ok(mine);
		await mine.release();
		assert.deepEqual(readdirSync(join(dirname(file), "locks")), [], "a released lock leaves no file");
	});

	test("X-11 processes that lock and release in turn never hold a lock together", async () => {
		const file = databaseFile();
		const children = await Promise.all([0, 1, 2].map(() => child("relock", file, "a", "100")));
		for (const each of children) each.go();
		await Promise.all(children.map((each) => each.line("done")));
	});

	test("a database is made by four processes at once", async () => {
		const file = join(dirname(databaseFile()), "sub/pawl.db");
		const children = await Promise.all([0, 1, 2, 3].map(() => child("open", file)));
		for (const each of children) each.go();
		await Promise.all(children.map((each) => each.line("done")));
		assert.deepEqual(look(file, "PRAGMA user_version"), [{ user_version: MIGRATIONS.length }]);
		assert.equal((await opened(file).commit(commitOf("a", 0, { events: [steered("1")] }))).ok, true);
	});

	test("opening waits for a process that is writing while the log is not there yet", async () => {
		const file = databaseFile();
		const writer = await child("hold", file);
		writer.go();
		await writer.line("holding");
		assert.deepEqual(await opened(file).runs(), []);
		assert.deepEqual(look(file, "PRAGMA journal_mode"), [{ journal_mode: "wal" }]);
	});

	test("a migration is done once, wholly or not at all", async () => {
		const db = new DatabaseSync(databaseFile());
		leftovers.push(() => db.close());
		const steps = ["CREATE TABLE one (x)", "INSERT INTO one VALUES (1); CREATE TABLE two (x); SELECT wrong"];
		assert.throws(() => migrate(db, steps), /wrong/);
		assert.equal(schemaVersion(db), 1);
		assert.equal(db.prepare("SELECT count(*) AS n FROM one").get()?.n, 0);
		for (let time = 0; time < 2; time++) migrate(db, [steps[0]!, "INSERT INTO one VALUES (2)"]);
		assert.deepEqual(
			db
				.prepare("SELECT x FROM one")
				.all()
				.map((row) => row.x),
			[2],
		);
	});

	test("a database of a newer pawl is refused, for reading too, and left alone", async () => {
		const file = databaseFile();
		look(file, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
		for (const open of [openSqliteStore, openSqliteReader]) assert.throws(() => open(file), /pawl\.db: .*newer pawl.*update pawl/);
		assert.deepEqual(look(file, "SELECT name FROM sqlite_master"), []);
	});

	test("a reader sees what is committed, while it is, and cannot write", async () => {
		const file = databaseFile();
		assert.equal(openSqliteReader(file), null);
		assert.deepEqual(readdirSync(dirname(file)), []);
		const store = opened(file);
		await store.commit(commitOf("a", 0, { events: [steered("1")], effects: [notify("1")] }));
		const reader = openSqliteReader(file)!;
		leftovers.push(() => reader.close());
		assert.deepEqual(await reader.runs(), await store.runs());
		assert.deepEqual(await reader.events("a"), [steered("1")]);
		await store.commit(commitOf("a", 1, { events: [steered("2")] }));
		assert.deepEqual(await reader.events("a", 1), [steered("2")]);
		await assert.rejects(reader.commit(commitOf("a", 2, { events: [steered("3")] })), /pawl\.db: /);
		await assert.rejects(reader.settle("a", [1]), /pawl\.db: /);
		await assert.rejects(reader.post("a", { type: "resume", at: 0 }), /pawl\.db: /);
		await assert.rejects(reader.lease("a", "@run", 60_000), /only to read/);
		assert.equal(existsSync(join(dirname(file), "locks")), false);
	});

	test("a reader of a database that is not made yet finishes making it", async () => {
		const file = databaseFile();
		writeFileSync(file, "");
		const reader = openSqliteReader(file)!;
		leftovers.push(() => reader.close());
		assert.deepEqual(await reader.runs(), []);
	});

	test("an error on opening names the file", async () => {
		const file = databaseFile();
		writeFileSync(file, "no database. ".repeat(1000));
		for (const open of [openSqliteStore, openSqliteReader]) assert.throws(() => open(file), /pawl\.db: it is not a database/);
		assert.throws(() => openSqliteStore(join(file, "sub.db")), /sub\.db: /);
		assert.throws(() => openSqliteStore(dirname(file)), /pawl-store-.*: it cannot be opened/);
	});

	test("a folder that cannot be written to is named with its file", {
		skip: process.getuid?.() === 0 && "root may write everywhere",
	}, () => {
		const dir = join(dirname(databaseFile()), "read-only");
		mkdirSync(dir);
		chmodSync(dir, 0o500);
		assert.throws(() => openSqliteStore(join(dir, "pawl.db")), /read-only\/pawl\.db: it cannot be opened or made; check the permissions/);
	});

	test("a write that fails on a full disk names the file, and committed data stays", async () => {
		const file = databaseFile();
		// A limit on the size of files stands in for a full disk; it is counted in KiB.
		const writer = await child("flood", file, "a", "", "trap '' XFSZ; ulimit -f 400;");
		writer.go();
		const error = await writer.line("error ");
		assert.match(error, /^error .*pawl\.db: .*check the disk/);
		const store = opened(file);
		const { length } = await store.events("a");
		assert.ok(length > 0 && length % 3 === 0);
		assert.equal((await store.summary("a"))?.title, String(length));
		assert.equal((await store.commit(commitOf("a", length, { events: [steered("more")] }))).ok, true);
		assert.deepEqual(look(file, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
	});
});
