import assert from "node:assert/strict";
import { test } from "node:test";
import { naming } from "./sqlite-file.ts";

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
