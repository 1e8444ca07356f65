// What a look at a database is made of.
import type { Client } from "pg";
import type { DatabaseFinding } from "../../store.ts";

type Level = DatabaseFinding["level"];
const finding =
	(level: Level) =>
	(about: string, text: string): DatabaseFinding => ({ about, level, text });
export const [ok, warning, problem] = [finding("ok"), finding("warning"), finding("problem")];

/** The first value of the first row. */
export async function one<T>(client: Client, sql: string, values: unknown[] = []): Promise<T | undefined> {
	const [row] = (await client.query<Record<string, T>>(sql, values)).rows;
	return row === undefined ? undefined : Object.values(row)[0];
}
