// Loaded before pawl by count.ts: counts the transactions that SQLite is told to commit, and writes the number to a file when the process ends.
import { writeFileSync } from "node:fs";
import { DatabaseSync, StatementSync } from "node:sqlite";

const file = process.env["PAWL_BENCH_COMMITS"];
if (file !== undefined) {
	let commits = 0;
	const isCommit = (sql: string): boolean => /^\s*(COMMIT|END)\b/i.test(sql);
	const { run } = StatementSync.prototype;
	StatementSync.prototype.run = function (this: StatementSync, ...given: unknown[]) {
		if (isCommit(this.sourceSQL)) commits++;
		return Reflect.apply(run, this, given);
	};
	const { exec } = DatabaseSync.prototype;
	DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
		if (isCommit(sql)) commits++;
		exec.call(this, sql);
	};
	process.on("exit", () => writeFileSync(file, String(commits)));
}
