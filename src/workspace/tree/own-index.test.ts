// A look says how the files differ from the look before without asking git to compare the two trees: its answer has to be git's.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { OwnIndex } from "./own-index.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-own-index-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

const START = { "a.txt": "a\n", "folder/b.txt": "b\n", "folder-c.txt": "c\n", "run.sh": "#!/bin/sh\n", "plain/d.txt": "d\n" };
const ID = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
let made = 0;

class Site {
	readonly path = join(scratch, String(made++));
	readonly index: OwnIndex;

	constructor() {
		mkdirSync(this.path);
		this.git("init", "--quiet");
		for (const [name, text] of Object.entries(START)) this.write(name, text);
		this.git("add", "--all");
		this.git(...ID, "commit", "--quiet", "--message=start");
		const gitDir = join(this.path, ".git");
		this.index = new OwnIndex({ path: this.path, gitDir, commonDir: gitDir, index: join(gitDir, "pawl", "index"), userFlags: false });
	}

	git(...args: readonly string[]): string {
		return execFileSync("git", args, { cwd: this.path, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
	}

	write(name: string, text: string): void {
		mkdirSync(dirname(join(this.path, name)), { recursive: true });
		writeFileSync(join(this.path, name), text);
	}

	remove(name: string): void {
		rmSync(join(this.path, name), { recursive: true, force: true });
	}
}

/** What the look after the change says, and what git says of the two trees. */
async function changedBy(change: (site: Site) => void): Promise<{ readonly seen: unknown; readonly git: unknown }> {
	const site = new Site();
	const before = await site.index.look();
	change(site);
	const { tree } = await site.index.look();
	const raw = site.git("diff-tree", "-r", "-z", "--no-renames", "--name-status", before.tree, tree).split("\0");
	const git = Array.from({ length: (raw.length - 1) / 2 }, (_, i) => [raw[2 * i], raw[2 * i + 1]]);
	return { seen: site.index.differences(before.tree, tree), git };
}

const CHANGES: Readonly<Record<string, (site: Site) => void>> = {
	nothing: () => {},
	"files that are new and gone": (site) => {
		for (const name of ["z.txt", "folder/new.txt", "folder.txt", "ä ö.txt", "new/deep/x.txt"]) site.write(name, "new\n");
		site.remove("folder-c.txt");
	},
	"files that are new, changed and gone": (site) => {
		for (const name of ["z.txt", "folder/new.txt", "folder.txt", "ä ö.txt", "new/deep/x.txt"]) site.write(name, "new\n");
		site.write("a.txt", "changed\n");
		site.remove("folder-c.txt");
	},
	"a file that may be executed now": ({ path }) => chmodSync(join(path, "run.sh"), 0o755),
	"a link in the place of a file": (site) => {
		site.remove("a.txt");
		symlinkSync("run.sh", join(site.path, "a.txt"));
	},
	"a folder in the place of a file": (site) => {
		site.remove("a.txt");
		site.write("a.txt/inside.txt", "x\n");
	},
	"a file in the place of a folder": (site) => {
		site.remove("folder");
		site.write("folder", "x\n");
	},
	"a link in the place of a folder": (site) => {
		site.remove("folder");
		symlinkSync("plain", join(site.path, "folder"));
	},
	"other line ends": (site) => {
		site.write(".gitattributes", "*.txt text eol=crlf\n");
		site.write("a.txt", "a\r\n");
		site.write("plain/d.txt", "d\r\nmore\r\n");
	},
	"commits of the session, and work on top": (site) => {
		site.write("committed.txt", "x\n");
		site.remove("plain");
		site.git("add", "--all");
		site.git(...ID, "commit", "--quiet", "--message=work");
		site.write("a.txt", "and more\n");
	},
	"staged and changed once more": (site) => {
		site.write("a.txt", "staged\n");
		site.git("add", "a.txt");
		site.write("a.txt", "a\n");
		site.write("run.sh", "true\n");
	},
};

describe("the differences that a look saw are git's", () => {
	for (const [name, change] of Object.entries(CHANGES))
		it(name, async () => {
			const { seen, git } = await changedBy(change);
			assert.deepEqual(seen, git);
		});

	it("only git can say it of a repository inside the checkout", async () => {
		const { seen } = await changedBy(({ path }) => {
			mkdirSync(join(path, "inner"));
			execFileSync("git", ["init", "--quiet"], { cwd: join(path, "inner") });
			writeFileSync(join(path, "inner", "x.txt"), "x\n");
		});
		assert.equal(seen, null);
	});

	it("a folder that became a link: what was in it is gone, whatever git ignores", async () => {
		const { seen, git } = await changedBy((site) => {
			site.remove("folder");
			symlinkSync("plain", join(site.path, "folder"));
			writeFileSync(join(site.path, ".git", "info", "exclude"), "/folder\n");
		});
		assert.deepEqual([seen, git], [[["D", "folder/b.txt"]], [["D", "folder/b.txt"]]]);
	});

	it("nothing is known of other trees", async () => {
		const site = new Site();
		const { tree } = await site.index.look();
		assert.equal(site.index.differences(tree, "0".repeat(40)), null);
	});
});

it("no tree is made of what somebody pruned between two looks", async () => {
	const site = new Site();
	await site.index.look();
	site.write("left.txt", "left uncommitted\n");
	await site.index.look();
	site.git("prune", "--expire=now");
	site.write("other.txt", "other\n");
	await assert.rejects(site.index.look(), /invalid object .*left\.txt/);
});

it("the tree of a folder that git noted, and somebody pruned, is made anew", async () => {
	const site = new Site();
	await site.index.look();
	// So many that git makes their trees, and notes them in the index.
	const folders = Array.from({ length: 40 }, (_, i) => `new-${i}`);
	for (const folder of folders) site.write(`${folder}/${folder}.txt`, "a\n");
	await site.index.look();
	site.git("add", ...folders.slice(1));
	site.git(...ID, "commit", "--quiet", "--message=all but one");
	site.git("prune", "--expire=now");
	site.write("other.txt", "other\n");
	const { tree } = await site.index.look();
	assert.match(site.git("ls-tree", "-r", "--name-only", tree), /^new-0\/new-0\.txt$/m);
});
