// G-28: any file may have been replaced by anything. Each case leaves something else in the place of a file, and asks what is read,
// what is written, and that nothing outside was touched.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
	linkSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { readGiven } from "./given.ts";
import { readBounded, textIn } from "./read.ts";
import { clearWay, strayFolder } from "./way.ts";
import { append, createWhole, removeTemporaries, removeTemporariesIn, writeInPieces, writeWhole, writeWholeSync } from "./write.ts";

const all = mkdtempSync(join(tmpdir(), "pawl-files-"));
after(() => rmSync(all, { recursive: true, force: true }));

let dir = "";
let file = "";
let outside = "";
let n = 0;
beforeEach(() => {
	dir = join(all, String(n++));
	mkdirSync(dir);
	file = join(dir, "file.txt");
	outside = join(all, `outside-${n}`);
	writeFileSync(outside, "secret");
});

const max = 1000;
const replacements: Readonly<Record<string, () => void>> = {
	"a link": () => symlinkSync(outside, file),
	"a link that leads nowhere": () => symlinkSync(join(all, "nowhere"), file),
	"a FIFO": () => execFileSync("mkfifo", [file]),
	"a folder": () => mkdirSync(join(file, "inside"), { recursive: true }),
	"a device, by a link": () => symlinkSync("/dev/zero", file),
	"a huge file": () => {
		writeFileSync(file, "");
		truncateSync(file, 20 * 1024 ** 3);
	},
	"a second name": () => linkSync(outside, file),
};

describe("G-28 a file that was replaced", () => {
	for (const [what, put] of Object.entries(replacements)) {
		test(`by ${what} is not read`, () => {
			put();
			const found = readBounded(file, { max, oneName: true });
			assert.ok("problem" in found, JSON.stringify(found));
			assert.equal(textIn(file, { max, oneName: true }), null);
		});

		for (const [how, write] of Object.entries({ writeWhole, writeWholeSync }))
			test(`by ${what} is written whole (${how}), and what it led to is as it was`, async () => {
				put();
				await write(file, "new", { durable: true });
				assert.equal(readFileSync(file, "utf8"), "new");
				assert.equal(readFileSync(outside, "utf8"), "secret");
				assert.deepEqual(
					readdirSync(dir).filter((name) => name.endsWith(".tmp")),
					[],
				);
			});

		if (what !== "a huge file")
			test(`by ${what} is appended to as a file of its own`, () => {
				put();
				append(file, "one\n");
				append(file, "two\n");
				assert.equal(readFileSync(file, "utf8"), "one\ntwo\n");
				assert.equal(readFileSync(outside, "utf8"), "secret");
			});

		test(`by ${what} is not taken for a free name`, () => {
			put();
			assert.equal(createWhole(file, "new"), false);
			assert.deepEqual(readdirSync(dir), ["file.txt"]);
		});
	}

	test("by nothing is missing, and is made with its folders", async () => {
		assert.deepEqual(readBounded(file, { max }), { missing: true });
		assert.deepEqual(readBounded(join(outside, "x"), { max }), { missing: true }, "a file where a folder belongs");
		await writeWhole(join(dir, "a", "b", "x"), "1");
		writeWholeSync(join(dir, "c", "d", "x"), "2");
		append(join(dir, "e", "x"), "3");
		assert.equal(createWhole(join(dir, "f", "x"), "4"), true);
		assert.equal(["a/b/x", "c/d/x", "e/x", "f/x"].map((path) => readFileSync(join(dir, path), "utf8")).join(""), "1234");
	});
});

describe("reading", () => {
	test("takes no more than it may, or the end of it", () => {
		writeFileSync(file, `${"a".repeat(max)}end`);
		assert.match(JSON.stringify(readBounded(file, { max })), /1003 bytes; at most 1000/);
		assert.equal(textIn(file, { max: 5, tail: true }), "aaend");
		assert.equal(textIn(file, { max: 2000, tail: true })?.length, 1003);
		assert.equal(textIn(file, { max: 1003 })?.length, 1003);
	});

	test("allows a second name where that is nobody's trick", () => {
		linkSync(outside, file);
		assert.equal(textIn(file, { max }), "secret");
	});
});

describe("T-04 folders on the way", () => {
	test("one that is a link is neither followed nor harmed", () => {
		const elsewhere = join(all, `elsewhere-${n}`);
		mkdirSync(elsewhere);
		writeFileSync(join(elsewhere, "x"), "theirs");
		symlinkSync(elsewhere, join(dir, "inbox"));
		const path = join(dir, "inbox", "x");
		assert.equal(textIn(path, { max }), "theirs", "what O_NOFOLLOW alone allows");
		assert.deepEqual(readBounded(path, { max, below: dir }), { problem: "inbox is not a folder" });
		clearWay(dir, path);
		assert.deepEqual(readBounded(path, { max, below: dir }), { missing: true });
		writeWholeSync(path, "ours");
		assert.equal(readFileSync(join(elsewhere, "x"), "utf8"), "theirs");
		assert.equal(textIn(path, { max, below: dir }), "ours");
	});

	test("a file where a folder belongs goes; a path that leads out is a mistake of ours", () => {
		writeFileSync(join(dir, "a"), "");
		assert.equal(strayFolder(dir, join(dir, "a", "b", "x")), "a");
		clearWay(dir, join(dir, "a", "b", "x"));
		assert.equal(strayFolder(dir, join(dir, "a", "b", "x")), null);
		assert.throws(() => strayFolder(dir, outside), /is not below/);
	});
});

describe("writing", () => {
	test("keeps the mode that it is given, and fails without leaving anything", async () => {
		writeWholeSync(file, "x", { mode: 0o600 });
		assert.equal(statSync(file).mode & 0o777, 0o600);
		await assert.rejects(writeWhole(join(outside, "x"), "new"));
		await assert.rejects(
			writeInPieces(file, async (write) => {
				write(Buffer.from("half"));
				throw new Error("the source broke");
			}),
			/the source broke/,
		);
		assert.equal(readFileSync(file, "utf8"), "x");
		assert.deepEqual(readdirSync(dir), ["file.txt"]);
	});

	test("in pieces is whole at the end", async () => {
		await writeInPieces(file, async (write) => {
			for (const piece of ["a", "b", "c"]) write(Buffer.from(piece));
		});
		assert.equal(readFileSync(file, "utf8"), "abc");
	});

	test("I8 whoever writes a file again removes what a killed writer of that file left", async () => {
		const left = (name: string) => `${name}.999999999.0123456789ab.tmp`;
		const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
		for (const name of [...names, "another.txt"]) writeFileSync(join(dir, left(name)), "half");
		await writeWhole(join(dir, "a.txt"), "a");
		writeWholeSync(join(dir, "b.txt"), "b");
		createWhole(join(dir, "c.txt"), "c");
		await writeInPieces(join(dir, "d.txt"), async (write) => write(Buffer.from("d")));
		assert.deepEqual(readdirSync(dir).sort(), [...names, left("another.txt")].sort());
	});

	test("removes what a killed writer left, keeps the file of a living one", () => {
		const gone = `file.txt.999999999.0123456789ab.tmp`;
		const names = [gone, `other.txt.999999999.0123456789ab.tmp`, `file.txt.${process.pid}.0123456789ab.tmp`, "file.txt.tmp"];
		for (const name of names) writeFileSync(join(dir, name), "");
		removeTemporaries(file);
		assert.deepEqual(readdirSync(dir).sort(), names.filter((name) => name !== gone).sort());
		removeTemporariesIn(dir);
		assert.deepEqual(readdirSync(dir).sort(), names.slice(2).sort());
	});
});

/** A process with the pipe open, which says when it is ready and goes on when its input ends. */
async function holding(script: string): Promise<{ end(): Promise<void> }> {
	const child = spawn("sh", ["-c", `exec 3<>"$1"; ${script}`, "sh", file], { stdio: ["pipe", "pipe", "inherit"] });
	const ended = new Promise<void>((done) => child.once("close", () => done()));
	await new Promise((ready) => child.stdout.once("data", ready));
	return {
		end: () => {
			child.stdin.end("\n");
			return ended;
		},
	};
}

describe("G-28 a file that a person named", () => {
	test("a link is followed", async () => {
		symlinkSync(outside, file);
		assert.deepEqual(await readGiven(file, { max }), { text: "secret" });
	});

	test("a pipe with a writer is read to its end, however slowly it comes", async () => {
		execFileSync("mkfifo", [file]);
		const writer = await holding(`printf one >&3; echo ready; read _; printf two >&3`);
		const reading = readGiven(file, { max });
		await writer.end();
		assert.deepEqual(await reading, { text: "onetwo" });
	});

	test("a pipe that never ends is given up at the deadline, and one without a writer at once", async () => {
		execFileSync("mkfifo", [file]);
		assert.match(JSON.stringify(await readGiven(file, { max, deadlineMs: 60_000 })), /nobody writes/);
		const writer = await holding("echo ready; read _");
		assert.match(JSON.stringify(await readGiven(file, { max, deadlineMs: 50 })), /not at its end after 0.05 s/);
		await writer.end();
	});

	test("reports a folder, a device, a missing file and one that is too large", async () => {
		mkdirSync(file);
		assert.match(JSON.stringify(await readGiven(file, { max })), /a folder/);
		assert.match(JSON.stringify(await readGiven("/dev/null", { max })), /not a regular file/);
		assert.deepEqual(await readGiven(join(dir, "none"), { max }), { missing: true });
		assert.match(JSON.stringify(await readGiven(outside, { max: 3 })), /6 bytes; at most 3/);
		writeFileSync(outside, Buffer.from([0xff, 0xfe]));
		assert.match(JSON.stringify(await readGiven(outside, { max })), /not UTF-8/);
	});
});
