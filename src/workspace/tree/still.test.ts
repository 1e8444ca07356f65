// A look that starts no git process has to see what git would see: each way to hide a change from it is tried here.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { describe, it, type TestContext, test } from "node:test";
import fc from "fast-check";
import { gitDuring } from "../git/git-during.suite.ts";
import { NotedSettings } from "../guard/noted-settings.ts";
import { type Look, OwnIndex } from "./own-index.ts";
import { scratchRepository } from "./scratch-repository.suite.ts";

class Site {
	readonly root: string;
	readonly index: OwnIndex;
	private readonly call: (args: readonly string[]) => string;

	private constructor(root: string, call: (args: readonly string[]) => string) {
		this.root = root;
		this.call = call;
		const gitDir = join(root, ".git");
		this.index = new OwnIndex({ path: root, gitDir, commonDir: gitDir, index: join(gitDir, "pawl", "index.test"), userFlags: false });
	}

	/** a.txt, folder/b.txt, and folders that hold nothing of the work: `empty`, `logs` (not ignored, but all in it is), `ignored`. */
	static async make(t: TestContext): Promise<Site> {
		const { root, git } = scratchRepository(t);
		const settings = new NotedSettings({ top: root, root, commonDir: join(root, ".git") });
		t.after(() => settings.drop());
		const site = new Site(root, git);
		site.write(".gitignore", "*.log\n/ignored/\n");
		site.write(".git/info/exclude", "/folder/.gitignore\n");
		site.write("folder/.gitignore", "*.tmp\n");
		site.write("folder/b.txt", "b\n");
		site.write("folder/seen.tmp", "t\n");
		site.write("logs/deep/1.log", "1\n");
		site.write("ignored/deep/x.txt", "x\n");
		site.write(".pawl/.gitignore", "/*\n!/workflows/\n");
		site.make("empty/deeper");
		fs.utimesSync(site.at("a.txt"), 1, 1);
		git(["add", "-A"]);
		git(["commit", "-qm", "more"]);
		await settings.note();
		return site;
	}

	at = (path: string): string => join(this.root, path);

	make(path: string): void {
		fs.mkdirSync(this.at(path), { recursive: true });
	}

	write(path: string, text: string): void {
		this.make(dirname(path));
		fs.writeFileSync(this.at(path), text);
	}

	git(...args: readonly string[]): string {
		return this.call(args);
	}

	/** Until a look needs no process. */
	async settle(): Promise<Look> {
		for (let turn = 0; turn < 200; turn++) if ((await this.processes()).length === 0) return this.index.look();
		throw new Error("it never settles");
	}

	processes = (): Promise<string[]> => gitDuring(async () => void (await this.index.look()));

	/** The files as git sees them, starting from the same index; it is made to read each of them. */
	tree(): string {
		const { index } = this.index.checkout;
		const env = { ...process.env, GIT_INDEX_FILE: `${index}.copy` };
		fs.copyFileSync(index, env.GIT_INDEX_FILE);
		fs.utimesSync(env.GIT_INDEX_FILE, 1, 1);
		const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: this.root, env, encoding: "utf8" }).trim();
		git("add", "-A", "--", ":(exclude).pawl/*");
		return git("write-tree");
	}
}

test("a look at what has not changed since the last ones starts no process", async (t) => {
	const site = await Site.make(t);
	const look = await site.settle();
	assert.equal(look.tree, site.git("rev-parse", "HEAD^{tree}"));
	assert.deepEqual(await site.processes(), []);
	site.write("ignored/deep/y.txt", "git ignores this\n");
	site.write(".pawl/state", "and this is not work\n");
	assert.deepEqual(await gitDuring(async () => assert.deepEqual(await site.index.look(), look)), []);
	site.git("commit", "-q", "--allow-empty", "-m", "elsewhere");
	const { commit, tree } = await site.index.look();
	assert.deepEqual([commit, tree], [site.git("rev-parse", "HEAD"), look.tree]);
});

const EDIT = { "a.txt": "z\n" };

/** What is done, and what git then sees that it did not see before. */
const HIDING: Readonly<Record<string, readonly [hide: (site: Site) => void, seen: Readonly<Record<string, string>>]>> = {
	"an edit of the same size with its old mtime": [
		(site) => {
			const { atime, mtime } = fs.statSync(site.at("a.txt"));
			site.write("a.txt", "z\n");
			fs.utimesSync(site.at("a.txt"), atime, mtime);
		},
		EDIT,
	],
	"a file in another's place, with its size and mtime": [
		(site) => {
			const { atime, mtime } = fs.statSync(site.at("a.txt"));
			site.write("ignored/z", "z\n");
			fs.utimesSync(site.at("ignored/z"), atime, mtime);
			fs.renameSync(site.at("ignored/z"), site.at("a.txt"));
		},
		EDIT,
	],
	"an edit through a link from outside": [
		(site) => {
			fs.linkSync(site.at("a.txt"), site.at("ignored/link"));
			fs.writeFileSync(site.at("ignored/link"), "z\n");
		},
		EDIT,
	],
	"a file in an empty folder": [(site) => site.write("empty/deeper/new.txt", "n\n"), { "empty/deeper/new.txt": "n\n" }],
	"a file in a folder of ignored files": [(site) => site.write("logs/deep/new.txt", "n\n"), { "logs/deep/new.txt": "n\n" }],
	"a file in a new folder": [(site) => site.write("new/deep/new.txt", "n\n"), { "new/deep/new.txt": "n\n" }],
	"a workflow in pawl's own folder": [(site) => site.write(".pawl/workflows/w.yml", "w\n"), { ".pawl/workflows/w.yml": "w\n" }],
	"a rule that no longer holds": [(site) => site.write(".gitignore", "/ignored/\n"), { "logs/deep/1.log": "1\n" }],
	"a rule in an ignored file that no longer holds": [(site) => site.write("folder/.gitignore", "*.tm_\n"), { "folder/seen.tmp": "t\n" }],
	"a rule of the repository that no longer holds": [
		(site) => site.write(".git/info/exclude", "/folder/_gitignore\n"),
		{ "folder/.gitignore": "*.tmp\n" },
	],
	"an ignored folder that no longer is": [(site) => site.write(".gitignore", "*.log\n/ignored_/\n"), { "ignored/deep/x.txt": "x\n" }],
	"a folder in another's place": [
		(site) => {
			site.write("ignored/other/b.txt", "z\n");
			fs.renameSync(site.at("folder"), site.at("ignored/old"));
			fs.renameSync(site.at("ignored/other"), site.at("folder"));
		},
		{ "folder/b.txt": "z\n" },
	],
};

describe("a look without a process misses nothing:", () => {
	for (const [what, [hide, seen]] of Object.entries(HIDING))
		it(what, async (t) => {
			const site = await Site.make(t);
			await site.settle();
			hide(site);
			assert.ok((await site.processes()).includes("status"));
			const { tree } = await site.index.look();
			for (const [path, text] of Object.entries(seen)) assert.equal(`${site.git("cat-file", "-p", `${tree}:${path}`)}\n`, text);
		});

	it("an edit of the same size and mtime, in the second in which git took in the one before", async (t) => {
		const site = await Site.make(t);
		const edit = (text: string): number => {
			site.write("a.txt", text);
			fs.utimesSync(site.at("a.txt"), 1, 1);
			return Math.floor(fs.statSync(site.at("a.txt")).ctimeMs / 1000);
		};
		let turn = 0;
		for (let isSameSecond = false; !isSameSecond; turn++) {
			const taken = edit(`${turn % 2}\n`);
			await site.index.look();
			isSameSecond = edit(`${turn % 2 === 0 ? "x" : "y"}\n`) === taken;
		}
		assert.equal(site.git("cat-file", "-p", `${(await site.index.look()).tree}:a.txt`), turn % 2 === 0 ? "y" : "x");
	});

	it("a file that was only made executable", async (t) => {
		const site = await Site.make(t);
		await site.settle();
		fs.chmodSync(site.at("a.txt"), 0o755);
		assert.match(site.git("ls-tree", (await site.index.look()).tree, "a.txt"), /^100755/);
	});

	it("a file in a folder that was ignored until the rule was dropped", async (t) => {
		const site = await Site.make(t);
		site.write(".gitignore", "*.log\n/ignored/\n/empty/\n");
		await site.settle();
		site.write(".gitignore", "*.log\n/ignored/\n");
		await site.settle();
		site.write("empty/deeper/new.txt", "n\n");
		assert.equal(site.git("cat-file", "-p", `${(await site.index.look()).tree}:empty/deeper/new.txt`), "n");
	});

	it("an edit while git looks, after it has looked at that file", async (t) => {
		const site = await Site.make(t);
		await site.settle();
		const call = site.index.try.bind(site.index);
		const { mock } = t.mock.method(site.index, "try", async (...args: Parameters<typeof call>) => {
			const result = await call(...args);
			if (args[0][0] === "status") site.write("a.txt", "z\n");
			return result;
		});
		site.write("folder/b.txt", "z\n");
		await site.index.look();
		mock.restore();
		assert.equal(site.git("cat-file", "-p", `${(await site.index.look()).tree}:a.txt`), "z");
	});

	it("a repository inside this one, also after its files were taken in", async (t) => {
		const site = await Site.make(t);
		await site.settle();
		site.write("inner/c.txt", "c\n");
		site.git("init", "-q", site.at("inner"));
		for (const text of ["c\n", "d\n"]) {
			site.write("inner/c.txt", text);
			const { tree } = await site.index.look();
			assert.equal(`${site.git("cat-file", "-p", `${tree}:inner/c.txt`)}\n`, text);
			assert.notDeepEqual(await site.processes(), []);
		}
	});

	it("an edit in the same tick of the file system's clock as the look", async (t) => {
		const site = await Site.make(t);
		// A file system whose clock advances once an hour.
		const HOUR = 3_600_000_000_000n;
		const real = fs.lstatSync;
		t.mock.method(fs, "lstatSync", (...args: Parameters<typeof real>) => {
			const stat = real(...args) as fs.BigIntStats | undefined;
			if (typeof stat?.ctimeNs === "bigint") Object.assign(stat, { ctimeNs: stat.ctimeNs - (stat.ctimeNs % HOUR), mtimeNs: 0n });
			return stat;
		});
		syncBuiltinESMExports();
		t.after(() => {
			t.mock.restoreAll();
			syncBuiltinESMExports();
		});
		for (let turn = 0; turn < 3; turn++) await site.index.look();
		fs.writeFileSync(site.at("a.txt"), "z\n");
		const { tree } = await site.index.look();
		assert.equal(site.git("cat-file", "-p", `${tree}:a.txt`), "z");
	});
});

test("whatever happens in a tree, a look without a process sees what git sees", async (t) => {
	const path = fc.constantFrom("a.txt", "folder/b.txt", "folder/c.txt", "empty/x", "logs/deep/n", "new/y", "ignored/z", "1.log");
	const folder = fc.constantFrom("folder", "empty", "logs", "new", "ignored", "ignored/deep");
	const change = fc.oneof(
		fc.record({ does: fc.constant("write" as const), path, text: fc.constantFrom("1\n", "2\n") }),
		fc.record({ does: fc.constantFrom("remove" as const, "chmod" as const, "touch" as const), path }),
		fc.record({ does: fc.constant("move" as const), path: folder, to: folder }),
		fc.record({ does: fc.constantFrom("make" as const, "drop" as const), path: folder }),
		fc.record({ does: fc.constant("ignore" as const), text: fc.constantFrom("*.log\n", "/ignored/\n", "/empty/\n*.txt\n", "") }),
		fc.record({ does: fc.constant("commit" as const) }),
		fc.record({ does: fc.constant("nothing" as const) }),
	);
	let quick = 0;
	const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
		for (const one of changes) {
			await site.settle();
			apply(site, one);
			let look: Look | null = null;
			const started = await gitDuring(async () => {
				look = await site.index.look();
			});
			if (started.length === 0) {
				quick++;
				assert.equal((look as Look | null)?.tree, site.tree(), JSON.stringify(one));
			}
		}
	});
	const site = await Site.make(t);
	await fc.assert(property, { numRuns: 10 });
	assert.ok(quick > 0);
});

interface Changed {
	readonly does: "write" | "remove" | "chmod" | "touch" | "move" | "make" | "drop" | "ignore" | "commit" | "nothing";
	readonly path?: string;
	readonly to?: string;
	readonly text?: string;
}

function apply(site: Site, { does, path = "", to = "", text = "" }: Changed): void {
	const at = site.at(path);
	try {
		if (does === "write") site.write(path, text);
		else if (does === "remove") fs.rmSync(at, { force: true });
		else if (does === "chmod") fs.chmodSync(at, fs.statSync(at).mode ^ 0o111);
		else if (does === "touch") fs.utimesSync(at, 1, 1);
		else if (does === "move") fs.renameSync(at, site.at(to));
		else if (does === "make") site.make(path);
		else if (does === "drop") fs.rmSync(at, { recursive: true, force: true });
		else if (does === "ignore") site.write(".gitignore", text);
		else if (does === "commit") site.git("commit", "-q", "--allow-empty", "-m", "more");
	} catch {
		// There is nothing to do it to.
	}
}
