// What a newer pawl wrote: this one refuses to use it, or to change it, says what to do, and leaves it alone.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, it } from "node:test";
import { ok, prd, scratch, WORKS } from "./scratch.ts";

const FAILS = `${WORKS}  - on: {type: linting, story: BAD}
    do:
      - fail: {exit: 3, error: "it broke"}
`;

describe("what a newer pawl wrote", () => {
	const s = scratch({ "script.yml": FAILS, "prd.json": prd({ id: "BAD" }) });
	const file = join(s.root, ".pawl", "pawl.db");
	const sql = (text: string): void => {
		const db = new DatabaseSync(file);
		db.exec(text);
		db.close();
	};
	const content = (): string => createHash("sha1").update(readFileSync(file)).digest("hex");
	/** What a run is made of; a lease that was taken and given back is not. */
	const journal = (): unknown => {
		const db = new DatabaseSync(file);
		const rows = ["events", "effects", "inbox", "runs"].map((table) => db.prepare(`SELECT * FROM ${table}`).all());
		db.close();
		return rows;
	};
	const start = ["run", "dynamic", "--prd", "prd.json", "--script", "script.yml"];
	before(async () => void ok(await s.pawl(...start), 1));

	it("a run with an event that this one does not know is shown, and never changed", async () => {
		sql(`INSERT INTO events (run_id, version, at, event, data, commit_id)
			SELECT run_id, max(version) + 1, at, 'moon_landed', '{"event":"moon_landed"}', 'x' FROM events`);
		assert.match(ok(await s.pawl("status")).stdout, /BAD/);
		assert.match(ok(await s.pawl("history")).stdout, /moon landed/);
		const before = journal();
		for (const command of [["retry"], ["steer", "latest", "hello"], ["extend", "latest", "--max-cost", "1"]]) {
			const { code, stderr } = await s.pawl(...command);
			assert.equal(code, 2, `${command.join(" ")}: ${stderr}`);
		}
		const refused = ok(await s.pawl("retry"), 2).stderr;
		assert.match(refused, /^pawl: run \S+ has an event that this pawl does not know \(moon_landed\).*: update pawl to change the run\n$/);
		assert.deepEqual(journal(), before);
	});

	it("a database of a newer schema is refused by every command, exit 2, with both versions and what to do", async () => {
		sql("PRAGMA user_version = 99");
		const before = content();
		for (const command of [["status"], ["resume"], ["doctor"], ["ui", "--no-open"], start]) {
			const { code, stdout, stderr } = await s.pawl(...command);
			assert.deepEqual([code, stdout], [2, ""], command.join(" "));
			assert.match(
				stderr,
				/^pawl: [^:]*pawl\.db: it was written by a newer pawl \(schema 99, this one knows \d+\): update pawl to use it\n$/,
			);
		}
		assert.equal(content(), before);
	});
});
