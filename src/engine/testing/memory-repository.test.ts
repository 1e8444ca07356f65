// The workspace contract over the memory repository, with files in memory and in a real folder.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type TestSite, workspaceSuite } from "../../workspace/workspace.suite.ts";
import { diskFiles, type MakeFiles, memoryFiles } from "./files.suite.ts";
import { MemoryRepository } from "./memory-repository.suite.ts";
import { MemorySite } from "./memory-site.suite.ts";

const FIRST = { "a.txt": "a\n", "b.txt": "b\n", ".gitignore": "*.log\n" };

workspaceSuite("memory", () => memorySite("/memory/project", memoryFiles));

workspaceSuite("memory, files on disk", (t: TestContext) => {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-memory-")));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return memorySite(join(folder, "project"), diskFiles);
});

function memorySite(root: string, makeFiles: MakeFiles): TestSite {
	const site = new MemorySite({ root, files: FIRST, makeFiles });
	return {
		root,
		open: async () => new MemoryRepository(site),
		write: (cwd, path, text) => site.filesAt(cwd).write(path, text),
		remove: (cwd, path) => site.filesAt(cwd).remove(path),
		read: (cwd, path) => site.checkouts.find((one) => one.path === cwd)?.files.read(path) ?? null,
		commit: (cwd, message) => site.at(cwd).commitAll(message),
		switchTo: (branch) => site.switchTo(branch),
		show: (ref) => site.show(ref),
		messageOf: (ref) => site.git.at(site.git.refs.get(`refs/heads/${ref}`) ?? ref).message,
		branches: () => site.branches(),
		backups: (story) => site.backups(story),
	};
}

test("the same run has the same ids again", () => {
	const ids = () => {
		const site = new MemorySite({ files: FIRST });
		site.user.files.write("x.txt", "x\n");
		return [site.user.commit, site.user.commitAll("second")];
	};
	assert.deepEqual(ids(), ids());
});

test("the work of a process that is gone is taken over; that of a live one is not", async () => {
	const site = new MemorySite({ files: FIRST });
	const first = new MemoryRepository(site);
	await first.claim(1, "US-1", "main");
	assert.ok(first.holdTree());
	const second = new MemoryRepository(site);
	assert.equal(second.holdTree(), false);
	await assert.rejects(second.claim(2, "US-1", "main"), /another run/);
	first.die();
	assert.ok(second.holdTree());
	await second.claim(2, "US-1", "main");
});

test("a push goes forward only, and is written down; a remote may refuse", async () => {
	const remotes = [
		{ name: "origin", url: "https://example.org/x.git", defaultBranch: "main" },
		{ name: "closed", url: "https://example.org/y.git", refuses: "protected" },
	];
	const site = new MemorySite({ files: FIRST, remotes });
	const repository = new MemoryRepository(site);
	const before = site.user.commit ?? "";
	site.user.files.write("x.txt", "x\n");
	site.user.commitAll("more");
	assert.equal(await repository.push("origin", "main", "feature"), null);
	assert.equal(await repository.push("closed", "main"), "protected");
	site.git.refs.set("refs/heads/main", before);
	assert.match((await repository.push("origin", "main", "feature")) ?? "", /non-fast-forward/);
	assert.deepEqual(
		site.pushes.map(({ remote, branch, as }) => [remote, branch, as]),
		[["origin", "main", "feature"]],
	);
});
