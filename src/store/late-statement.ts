// A statement that SQLite compiles when it is first used: a command that only looks uses three of thirty.
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

export class LateStatement {
	private readonly db: DatabaseSync;
	private readonly sql: string;
	private made: StatementSync | null = null;

	constructor(db: DatabaseSync, sql: string) {
		this.db = db;
		this.sql = sql;
	}

	run(...values: SQLInputValue[]): ReturnType<StatementSync["run"]> {
		return this.statement().run(...values);
	}

	get(...values: SQLInputValue[]): ReturnType<StatementSync["get"]> {
		return this.statement().get(...values);
	}

	all(...values: SQLInputValue[]): ReturnType<StatementSync["all"]> {
		return this.statement().all(...values);
	}

	private statement(): StatementSync {
		this.made ??= this.db.prepare(this.sql);
		return this.made;
	}
}
