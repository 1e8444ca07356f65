import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isLockedFile, lockFile, naming, openLockFile } from "./sqlite-file.ts";

function folder(t: TestContext): string {
	const made = mkdtempSync(join(tmpdir(), "pawl-store-"));
	t.after(() => rmSync(made, { recursive: true, force: true }));
	return made;
}

test("I13 a database that cannot be written to may be one on a full disk, and the message says so", () => {
	for (const errcode of [8, 14, 8 | (6 << 8)])
		assert.throws(
			() =>
				naming("pawl.db", () => {
					throw Object.assign(new Error("attempt to write a readonly database"), { errcode });
				}),
			/^StoreError: pawl\.db: .*check the permissions .*that the disk is not full/,
		);
});

test("X-11 a lock that is taken and released often: one holds it at a time, and who releases it lets the next one have it", (t) => {
	const file = join(folder(t), "turn.lock.db");
	const [one, other] = [openLockFile(file), openLockFile(file)];
	assert.deepEqual([one.take(), other.take()], [true, false]);
	one.release();
	assert.deepEqual([other.take(), one.take()], [true, false]);
	other.release();
	assert.equal(one.take(), true);
	one.release();
});

test("X-11 a file is locked while a connection has it to itself; asking makes no file", (t) => {
	const file = join(folder(t), "run.lock.db");
	assert.deepEqual([isLockedFile(file), existsSync(file)], [false, false]);
	const owner = lockFile(file);
	assert.ok(owner);
	assert.deepEqual([isLockedFile(file), lockFile(file)], [true, null]);
	owner.close();
	assert.equal(isLockedFile(file), false);
	const again = lockFile(file);
	assert.ok(again);
	again.close();
});

test("X-11 a lock file that is no database is an error, not a lock of somebody else", (t) => {
	const file = join(folder(t), "broken.lock.db");
	writeFileSync(file, "this is no database, and long enough to be read as one ".repeat(40));
	assert.throws(() => lockFile(file), /not a database/);
	assert.throws(() => isLockedFile(file), /not a database/);
});

test("I13 what an error of SQLite or of the file system means is said with the file's name and its own words", () => {
	const told = (error: unknown): string => {
		try {
			naming("pawl.db", () => {
				throw error;
			});
			return "";
		} catch (e) {
			return (e as Error).message;
		}
	};
	const coded = (more: object) => Object.assign(new Error("its words"), more);
	for (const [errcode, problem] of [
		[5, "another process has kept it locked for more than 30 s"],
		[10, "reading or writing it failed; check the disk"],
		[11, "it is damaged"],
		[13, "the disk is full; what was committed before is safe: make room, then continue with pawl resume"],
		[26, "it is not a database"],
		[11 | (3 << 8), "it is damaged"],
	] as const)
		assert.equal(told(coded({ errcode })), `pawl.db: ${problem} (its words)`);
	for (const code of ["ENOSPC", "EDQUOT"]) assert.match(told(coded({ code })), /^pawl\.db: the disk is full; .* \(its words\)$/);
	for (const other of [coded({ errcode: 1 }), coded({ errcode: "13" }), coded({ code: "EACCES" })])
		assert.equal(told(other), "pawl.db: its words");
	assert.equal(told("a text"), "pawl.db: a text");
	assert.equal(told({ errcode: 13 }), "pawl.db: [object Object]");
	const named = (() => {
		try {
			return naming("inner.db", () => {
				throw coded({ errcode: 11 });
			});
		} catch (e) {
			return e;
		}
	})();
	assert.equal(told(named), "inner.db: it is damaged (its words)", "an error that is named already keeps its name");
});
