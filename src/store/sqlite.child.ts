// Programs that the tests of the SQLite store run as separate processes: node sqlite.child.ts MODE FILE RUN [COUNT].
// Each says "ready", waits for a line on stdin, then acts; it ends when stdin does, so that none outlives its test.
import { mkdirSync, rmdirSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "./migrations.ts";
import { openSqliteStore } from "./sqlite.ts";
import { commitOf, notify, steered, summaryOf } from "./store.suite.ts";
import { updateTimes } from "./update.suite.ts";

const [mode, file, run, count] = process.argv.slice(2) as [string, string, string, string?];
const say = (line: string) => writeSync(1, `${line}\n`);

const modes: Record<string, () => unknown> = {
	/** Opens and closes. */
	async open() {
		await openSqliteStore(file).close();
		say("done");
		process.exit();
	},

	/** Writes for a little while to a database that has its tables but not yet its log. */
	hold() {
		const db = new DatabaseSync(file);
		migrate(db);
		db.exec("BEGIN IMMEDIATE");
		say("holding");
		setTimeout(() => db.exec("COMMIT"), 200);
	},

	/** Commits COUNT times to the run; tries again if another process was first. */
	async commit() {
		const store = openSqliteStore(file);
		let version = 0;
		for (let number = 0; number < Number(count); ) {
			const result = await store.commit(
				commitOf(run, version, { events: [steered(`${process.pid} ${number}`)], effects: [notify(`${process.pid} ${number}`)] }),
			);
			version = result.ok ? version + 1 : result.reason === "conflict" ? result.version : version;
			if (result.ok) number++;
		}
		await store.close();
		say("done");
		process.exit();
	},

	/** Does the same without ever having to try again. */
	async update() {
		const store = openSqliteStore(file);
		let version = 0;
		for (let number = 0; number < Number(count); number++) {
			const text = `${process.pid} ${number}`;
			const { events } = await store.update(run, version, () => commitOf(run, 0, { events: [steered(text)], effects: [notify(text)] }));
			version += events.length + 1;
		}
		await store.close();
		say("done");
		process.exit();
	},

	/** Updates the run COUNT times under the name WRITER. */
	async share() {
		const store = openSqliteStore(file);
		await updateTimes(store, run, process.env["WRITER"] ?? "", Number(count));
		await store.close();
		say("done");
		process.exit();
	},

	/** Commits three events and an effect at a time, until it fails, and reports each commit. */
	async flood() {
		const store = openSqliteStore(file);
		let version = (await store.events(run)).length;
		for (;;) {
			const events = [1, 2, 3].map((part) => steered(`${version + part} ${"x".repeat(500)}`));
			try {
				await store.commit(
					commitOf(run, version, { events, effects: [notify("x")], summary: summaryOf(run, { title: String(version + 3) }) }),
				);
			} catch (error) {
				say(`error ${error instanceof Error ? error.message : error}`);
				process.exit();
			}
			version += 3;
			say(`at ${version}`);
		}
	},

	/** Takes the lock COUNT times, and fails if another process holds it at the same time: a folder can be made only once. */
	async relock() {
		const store = openSqliteStore(file);
		for (let number = 0; number < Number(count); ) {
			const lock = await store.lease(run, "@run", 60_000);
			if (lock === null) continue;
			mkdirSync(`${file}.held`);
			rmdirSync(`${file}.held`);
			await lock.release();
			number++;
		}
		await store.close();
		say("done");
		process.exit();
	},

	/** Locks the run and holds it without a reference to the lease, through a garbage collection. */
	async lock() {
		const got = (await openSqliteStore(file).lease(run, "@run", 60_000)) !== null;
		globalThis.gc?.();
		say(got ? "locked" : "refused");
	},
};

say("ready");
process.stdin.once("data", () => void modes[mode]?.());
process.stdin.on("end", () => process.exit());
