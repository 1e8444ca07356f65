// Trees and commits that pawl writes itself have to be those that git would write.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { writeCommit } from "./commit-object.ts";
import { git } from "./git.ts";
import { type IndexFile, parseIndex } from "./index-file.ts";
import { gitObject, writeObjects } from "./object-file.ts";
import { writeTreeOf } from "./tree-object.ts";

const MESSAGE = "Grüße\n\n# kept\n  as it is \n\n";

class Site {
	readonly path = realpathSync(mkdtempSync(join(tmpdir(), "pawl-objects-")));
	readonly commonDir = join(this.path, ".git");

	constructor(t: TestContext, ...init: readonly string[]) {
		t.after(() => rmSync(this.path, { recursive: true, force: true }));
		this.git("init", "--quiet", "--initial-branch=main", ...init);
	}

	git(...args: readonly string[]): string {
		return execFileSync("git", args, { cwd: this.path, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trimEnd();
	}

	write(...names: readonly string[]): void {
		for (const name of names) {
			mkdirSync(dirname(join(this.path, name)), { recursive: true });
			writeFileSync(join(this.path, name), `${name}\n`);
			// Older than the index: git takes a file that is not for one that may have changed.
			utimesSync(join(this.path, name), 1_600_000_000, 1_600_000_000);
		}
	}

	index(size = 20): IndexFile | null {
		return parseIndex(readFileSync(join(this.commonDir, "index")), size);
	}

	async tree(size = 20): Promise<string | null> {
		const file = this.index(size);
		return file === null ? null : writeTreeOf(this.commonDir, file);
	}
}

const NAMES = ["a", "a-b", "a.b", "a0", "b/c", "b/d/e", "b-x", "b.x/y", "ä ö/\n\t'\"", `long/${"n".repeat(200)}/${"m".repeat(200)}`];

describe("a tree of pawl's", () => {
	it("is git's, whatever the names, also where git has noted the trees of some folders", async (t) => {
		const site = new Site(t);
		assert.equal(await site.tree().catch(() => "none"), "none");
		site.write(...NAMES);
		symlinkSync("a", join(site.path, "link"));
		chmodSync(join(site.path, "b/c"), 0o755);
		site.git("add", "--all");
		// git has no say before pawl: it would note the trees in the index.
		const first = await site.tree();
		assert.equal(first, site.git("write-tree"));
		site.write("b/d/new", "z/new");
		rmSync(join(site.path, "a"));
		site.write("a/now a folder");
		site.git("add", "--all");
		const [noted, second] = [site.index()?.noted?.below.get("b.x")?.count, await site.tree()];
		assert.equal(noted, 1);
		assert.equal(second, site.git("write-tree"));
		site.git("fsck", "--strict", "--no-dangling");
	});

	it("is git's in a repository with other hashes", async (t) => {
		const site = new Site(t, "--object-format=sha256");
		site.write(...NAMES);
		site.git("add", "--all");
		assert.equal(await site.tree(32), site.git("write-tree"));
		site.git("fsck", "--strict", "--no-dangling");
	});

	it("is left to git if the index is out of the ordinary", async (t) => {
		const site = new Site(t);
		site.write("a", "b");
		site.git("add", "a");
		const plain = readFileSync(join(site.commonDir, "index"));
		assert.notEqual(parseIndex(plain, 20), null);
		for (const cut of [0, 11, 40, plain.length - 30]) assert.equal(parseIndex(plain.subarray(0, cut), 20), null, `cut at ${cut}`);
		site.git("add", "--intent-to-add", "b");
		assert.equal(site.index(), null);
		site.git("add", "b");
		site.git("update-index", "--index-version=4");
		assert.equal(site.index(), null);
	});

	it("of very many new folders is git's to make", async (t) => {
		const site = new Site(t);
		site.write(...Array.from({ length: 40 }, (_, i) => `folder-${i}/file`));
		site.git("add", "--all");
		assert.equal(await site.tree(), null);
	});
});

describe("a commit of pawl's", () => {
	it("is git's, byte for byte", async (t) => {
		const site = new Site(t);
		site.write("a");
		site.git("add", "a");
		const tree = site.git("write-tree");
		const people = { author: "Ada Lövelace <ada@example.org>", committer: "pawl <pawl@localhost>" };
		const env = { GIT_AUTHOR_NAME: "Ada Lövelace", GIT_AUTHOR_EMAIL: "ada@example.org" };
		const identity = { env: { ...env, GIT_COMMITTER_NAME: "pawl", GIT_COMMITTER_EMAIL: "pawl@localhost" }, people };
		const runner = { run: (args: readonly string[], options: object) => git(site.path, args, options) };
		const root = await runner.run(["commit-tree", tree, "-m", "root"], { env: identity.env });
		const nobody = { run: () => assert.fail("git was asked") };
		const made = await writeCommit(site.commonDir, { tree, parent: root, message: MESSAGE, identity }, nobody);
		const left = { tree, parent: root, message: MESSAGE, identity: { ...identity, people: null } };
		const gits = await writeCommit(site.commonDir, left, runner);
		const text = (commit: string) => site.git("cat-file", "commit", commit).replaceAll(/> \d+ /g, "> TIME ");
		assert.equal(text(made), text(gits));
		site.git("fsck", "--strict", "--no-dangling");
	});
});

describe("an object", () => {
	it("may be read by whoever may read the repository, and only by them", async (t) => {
		const site = new Site(t);
		chmodSync(join(site.commonDir, "objects"), 0o2770);
		const made = gitObject("tree", Buffer.alloc(0), 20);
		assert.equal(await writeObjects(site.commonDir, [made]), true);
		const folder = join(site.commonDir, "objects", made.id.slice(0, 2));
		assert.equal(statSync(folder).mode & 0o7777, 0o2770);
		assert.equal(statSync(join(folder, made.id.slice(2))).mode & 0o7777, 0o440);
	});

	it("that cannot be written is git's to complain about", async (t) => {
		const site = new Site(t);
		const made = gitObject("tree", Buffer.alloc(0), 20);
		writeFileSync(join(site.commonDir, "objects", made.id.slice(0, 2)), "a file in the place of a folder");
		assert.equal(await writeObjects(site.commonDir, [made]), false);
	});
});
