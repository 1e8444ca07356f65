// Journals are kept for ever, so what an event means never changes: `meaning.json` has what each changes in a run in the middle of its work. A new version may change more
// (a field that is new), and never anything that stands there. For a new event add a history to `meaning.suite.ts`, and its meaning with
// `node src/core/fold/meaning.test.ts --write`, which adds and never replaces.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Event } from "../event.ts";
import { type Changes, HISTORIES, meaningOf, midway } from "./meaning.suite.ts";

const FILE = join(import.meta.dirname, "meaning.json");
type Meaning = readonly { readonly event: string; readonly changes: Changes }[];
interface Kept {
	readonly journal: readonly Event[];
	readonly meanings: Record<string, Meaning>;
}
type History = (typeof HISTORIES)[number];
const nameOf = (history: History): string => history.map(({ event }) => event).join(", ");
const keyOf = (history: History, at: number): string => `${at + 1}: ${nameOf(history)}`;
/** As the file holds it. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const read = (): Kept => JSON.parse(readFileSync(FILE, "utf8")) as Kept;
const { journal, meanings }: Kept = existsSync(FILE) ? read() : { journal: plain(midway()), meanings: {} };

if (process.argv.includes("--write")) {
	for (const [at, history] of HISTORIES.entries()) meanings[keyOf(history, at)] ??= plain(meaningOf(journal, history));
	writeFileSync(FILE, `${JSON.stringify({ journal, meanings }, null, "\t")}\n`);
}

for (const [at, history] of HISTORIES.entries())
	test(`I19 the meaning of ${nameOf(history)}`, () => {
		const then = meanings[keyOf(history, at)];
		assert.ok(then, "it is not recorded: run this file with --write");
		const today = plain(meaningOf(journal, history));
		for (const [i, { event, changes }] of then.entries())
			assert.deepEqual(Object.fromEntries(Object.keys(changes).map((path) => [path, today[i]?.changes[path]])), changes, event);
	});
