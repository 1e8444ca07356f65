// The name of a file need not be text: git keeps its bytes, and so does pawl.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { textOf } from "../git/file-names.ts";
import { type Scratch, scratchRepository } from "./scratch-repository.suite.ts";

/** `name`: its bytes, one to a character. */
const at = (folder: string, name: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, "latin1")]);

function put(folder: string, name: string, text: string): void {
	mkdirSync(at(folder, dirname(name)), { recursive: true });
	writeFileSync(at(folder, name), text);
}

const text = (name: string): string => textOf(Buffer.from(name, "latin1"));
const [ODD, FRESH, DEEP] = ["caf\xe9.txt", "n\xe9.txt", "\xc3\xa9/d\xff/x.txt"];

function repository(...[t]: Parameters<typeof scratchRepository>): Scratch {
	const s = scratchRepository(t);
	put(s.root, ODD, "one\n");
	s.git(["add", "-A"]);
	s.git(["commit", "-qm", "odd"]);
	return s;
}

describe("names that are not UTF-8", { skip: process.platform !== "linux" && "such names are Linux's" }, () => {
	it("an agent's commit of them is all that there is: pawl adds nothing to it", async (t) => {
		const s = repository(t);
		const tree = s.worktree();
		const start = await tree.point({ session: "s" });
		put(tree.path, ODD, "two\n");
		put(tree.path, FRESH, "new\n");
		put(tree.path, DEEP, "deep\n");
		s.git(["add", "-A"], tree.path);
		s.git(["commit", "-qm", "agent"], tree.path);
		const { paths, uncommitted } = await tree.changes(start);
		assert.deepEqual([paths, uncommitted], [[text(ODD), text(FRESH), text(DEEP)], false]);
		assert.equal((await tree.keepLeftovers("kept\n", join(s.outside, "aside"))).commit, null);
		assert.equal(readFileSync(at(tree.path, FRESH), "utf8"), "new\n");
		assert.equal(s.status(tree.path), "");
	});

	it("what is left of them is committed, and litter is put aside", async (t) => {
		const s = repository(t);
		const tree = s.worktree();
		await tree.point();
		put(tree.path, ODD, "two\n");
		put(tree.path, FRESH, "new\n");
		put(tree.path, "d\xe9bug.tmp", "litter\n");
		put(tree.path, "d\xe9/node_modules/x.js", "cache\n");
		const aside = join(s.outside, "aside");
		const kept = await tree.keepLeftovers("kept\n", aside);
		assert.deepEqual(kept.committed, [
			{ path: text(ODD), bytes: 4 },
			{ path: text(FRESH), bytes: 4 },
		]);
		assert.deepEqual(
			kept.aside.map(({ path }) => path),
			[text("d\xe9bug.tmp"), `${text("d\xe9/node_modules")}/`],
		);
		assert.equal(readFileSync(at(aside, "d\xe9bug.tmp"), "utf8"), "litter\n");
		assert.equal(readFileSync(at(aside, "d\xe9/node_modules/x.js"), "utf8"), "cache\n");
		assert.equal(s.status(tree.path), "");
	});

	it("a folder of that name whose packages are in git stays where it is", async (t) => {
		const s = repository(t);
		put(s.root, "d\xe9/node_modules/x.js", "x\n");
		s.git(["add", "-A"]);
		s.git(["commit", "-qm", "packages"]);
		const tree = s.worktree();
		await tree.point();
		put(tree.path, "d\xe9/node_modules/y.js", "y\n");
		const { aside } = await tree.keepLeftovers("kept\n", join(s.outside, "aside"));
		assert.deepEqual(aside, []);
		assert.equal(
			s
				.git(["ls-files"], tree.path)
				.split("\n")
				.filter((name) => name.includes("node_modules")).length,
			2,
		);
	});

	it("a rollback puts a person's file aside and what was changed back", async (t) => {
		const s = repository(t);
		const tree = s.tree();
		const start = await tree.point({ session: "s" });
		put(s.root, FRESH, "hers\n");
		put(s.root, DEEP, "deep\n");
		put(s.root, ODD, "two\n");
		const aside = join(s.outside, "aside");
		const rolledBack = await tree.rollback(start, aside);
		assert.deepEqual(
			rolledBack.aside.map(({ path }) => path),
			[text(FRESH), text(DEEP)],
		);
		assert.equal(readFileSync(at(aside, FRESH), "utf8"), "hers\n");
		assert.equal(readFileSync(at(aside, DEEP), "utf8"), "deep\n");
		assert.equal(readFileSync(at(s.root, ODD), "utf8"), "one\n");
		assert.deepEqual([existsSync(at(s.root, FRESH)), existsSync(at(s.root, "\xc3\xa9"))], [false, false]);
	});

	it("those outside of what a step may write are put back, also those that the journal names", async (t) => {
		const s = repository(t);
		const tree = s.worktree();
		const start = await tree.point({ session: "s" });
		put(tree.path, ODD, "two\n");
		put(tree.path, FRESH, "new\n");
		const { paths } = await tree.changes(start);
		await tree.revert(JSON.parse(Buffer.from(JSON.stringify(paths)).toString()), start);
		assert.equal(readFileSync(at(tree.path, ODD), "utf8"), "one\n");
		assert.equal(s.status(tree.path), "");
	});

	it("secrets in them stay out of the diff", async (t) => {
		const s = repository(t);
		const tree = s.worktree();
		const start = await tree.point();
		put(tree.path, "[*]\xe9.pem", "secret\n");
		put(tree.path, FRESH, "new\n");
		const file = join(s.outside, "the.diff");
		mkdirSync(s.outside);
		await tree.saveDiff(start, file, 1);
		const diff = readFileSync(file, "latin1");
		assert.deepEqual(
			[diff.includes("+secret"), diff.includes("+new"), diff.includes("may hold secrets: [*]\xe9.pem")],
			[false, true, true],
		);
		assert.equal(readFileSync(at(`${file}-left-out`, "[*]\xe9.pem"), "utf8"), "secret\n");
		assert.equal(readdirSync(`${file}-left-out`).length, 1);
	});

	it("the files of a repository in a folder of that name are part of the work", async (t) => {
		const s = repository(t);
		const tree = s.worktree();
		const start = await tree.point({ session: "s" });
		s.git(["init", "-q", "inner"], tree.path);
		put(tree.path, "inner/x.txt", "x\n");
		s.git(["init", "-q", "inner/deep"], tree.path);
		put(tree.path, "inner/deep/y.txt", "y\n");
		renameSync(at(tree.path, "inner/deep"), at(tree.path, "inner/d\xe9"));
		renameSync(at(tree.path, "inner"), at(tree.path, "d\xe9"));
		assert.deepEqual((await tree.changes(start)).paths, [text("d\xe9/d\xe9/y.txt"), text("d\xe9/x.txt")].sort());
	});

	it("an edit of the same size and mtime, in the second in which git took in the one before, is seen", async (t) => {
		const s = repository(t);
		const tree = s.worktree();
		const edit = (content: string): number => {
			put(tree.path, ODD, content);
			utimesSync(at(tree.path, ODD), 1, 1);
			return Math.floor(statSync(at(tree.path, ODD)).ctimeMs / 1000);
		};
		let turn = 0;
		for (let isSameSecond = false; !isSameSecond; turn++) {
			const taken = edit(`${turn % 2}\n`);
			await tree.commitAll("one\n");
			isSameSecond = edit(`${turn % 2 === 0 ? "x" : "y"}\n`) === taken;
			if (!isSameSecond) await tree.commitAll("late\n");
		}
		await tree.commitAll("two\n");
		const last = turn % 2 === 0 ? "y" : "x";
		assert.equal(s.git(["show", "HEAD"], tree.path).endsWith(`+${last}`), true);
	});
});
