import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fitsInTar, tarOf } from "./tar.ts";

test("tar reads what was written: empty files, whole blocks, long names", () => {
	const long = `${"folder/".repeat(20)}${"n".repeat(90)}`;
	const entries = [
		{ name: "a/empty", content: Buffer.alloc(0) },
		{ name: "a/ümlaut", content: Buffer.from("grüße\n") },
		{ name: "block", content: Buffer.alloc(512, "x") },
		{ name: long, content: Buffer.from("deep") },
	];
	const archive = tarOf(entries, 86_400_000);
	const tar = (...args: string[]): string =>
		execFileSync("tar", args, { input: archive, encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8" } });
	assert.deepEqual(
		tar("-tf", "-").trimEnd().split("\n"),
		entries.map(({ name }) => name),
	);
	for (const { name, content } of entries) assert.equal(tar("-xOf", "-", name), content.toString("utf8"), name);
});

test("a name that the format has no room for does not fit", () => {
	assert.equal(fitsInTar("n".repeat(100)), true);
	assert.equal(fitsInTar("n".repeat(101)), false);
	assert.equal(fitsInTar(`${"p".repeat(155)}/${"n".repeat(100)}`), true);
	assert.equal(fitsInTar(`${"p".repeat(156)}/n`), false);
	assert.equal(fitsInTar(`${"p".repeat(156)}/${"n".repeat(100)}`), false);
	assert.throws(() => tarOf([{ name: "n".repeat(101), content: Buffer.alloc(0) }], 0), /too long for an archive/);
});
