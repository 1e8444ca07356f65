// What pawl does with files that an attempt did not commit.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchRepository } from "./scratch-repository.suite.ts";

test("G-10: what looks like a log, a dump or a cache is put aside with its content; sources are committed", async (t) => {
	const s = scratchRepository(t);
	const tree = s.worktree();
	const litter = ["debug.txt.swp", "core", "core.7740", "x/heap.hprof", "npm-debug.log.1", "lib/a.pyc", ".DS_Store", "y.orig"];
	const work = ["core.ts", "logs.ts", "src/catalog.go", "dump.sql", "cache/index.ts", "changelog", "pidfile.md"];
	for (const path of [...litter, ...work]) s.write(path, `${path}\n`, tree.path);
	// The repository ignores *.log: force has to bring it in.
	s.write(".gitignore", "nothing\n", tree.path);
	s.write("debug.log", "log\n", tree.path);
	const aside = join(s.outside, "aside");
	const kept = await tree.keepLeftovers("left\n", aside);
	assert.deepEqual(kept.aside.map(({ path }) => path).sort(), [...litter, "debug.log"].sort());
	for (const path of litter) assert.equal(readFileSync(join(aside, path), "utf8"), `${path}\n`);
	assert.deepEqual(
		kept.committed.map(({ path }) => path),
		[".gitignore", ...work].sort(),
	);
	assert.equal(s.git(["show", "--format=%s", "--name-only", kept.commit ?? ""], tree.path).split("\n")[0], "left");
	assert.equal(s.status(tree.path), "");
	assert.equal(existsSync(join(tree.path, "x")), false, "no empty folder is left");
});

test("G-10: secrets and temporary files are never committed by pawl, whatever their form; samples without values are", async (t) => {
	const s = scratchRepository(t);
	const tree = s.worktree();
	const pem = `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${"Ab3/".repeat(20)}\n`;
	const aside: Readonly<Record<string, [text: string, why: string]>> = {
		".env": ["DB=secret\n", "may hold secrets"],
		"app/.env.local": ["A=b\n", "may hold secrets"],
		".envrc": ["export A=b\n", "may hold secrets"],
		id_ed25519: ["x\n", "a key"],
		"certs/server.key": ["x\n", "a key"],
		"config.json": [`{"token": "ghp_${"a1B2".repeat(9)}"}\n`, "holds a key"],
		"notes.txt": [pem, "holds a key"],
		"tmp/try.ts": ["x\n", "a temporary file"],
		"scratch.mjs": ["x\n", "a temporary file"],
		"src/a.ts.bak": ["x\n", "a temporary file"],
	};
	const work = [".env.example", "src/environment.ts", "src/template.ts", "keys.ts", "src/temp.ts", "docs/aws.md"];
	for (const [path, [text]] of Object.entries(aside)) s.write(path, text, tree.path);
	for (const path of work) s.write(path, `${path} AKIAIOSFODNN7EXAMPLE\n`, tree.path);
	const folder = join(s.outside, "aside");
	const kept = await tree.keepLeftovers("left\n", folder);
	assert.deepEqual(
		Object.fromEntries(kept.aside.map(({ path, why }) => [path, why])),
		Object.fromEntries(Object.entries(aside).map(([path, [, why]]) => [path, why])),
	);
	assert.deepEqual(kept.committed.map(({ path }) => path).sort(), [...work].sort());
	for (const [path, [text]] of Object.entries(aside)) assert.equal(readFileSync(join(folder, path), "utf8"), text);
});

test("G-10: a folder of installed packages is one leftover; nothing is committed of it", async (t) => {
	const s = scratchRepository(t);
	const tree = s.worktree();
	for (const path of ["app/node_modules/a/index.js", "app/node_modules/b/b.js", "app/__pycache__/x.pyc"]) s.write(path, "x\n", tree.path);
	const aside = join(s.outside, "aside");
	const kept = await tree.keepLeftovers("left\n", aside);
	assert.deepEqual(kept, {
		commit: null,
		committed: [],
		aside: [
			{ path: "app/__pycache__/", bytes: 2, why: "a cache" },
			{ path: "app/node_modules/", bytes: 4, why: "a cache" },
		],
	});
	assert.equal(readFileSync(join(aside, "app/node_modules/b/b.js"), "utf8"), "x\n");
	assert.equal(existsSync(join(tree.path, "app")), false);
});

test("G-10: where git has such files already, on purpose, another one is part of the work; tracked files always are", async (t) => {
	const s = scratchRepository(t);
	const tree = s.worktree();
	s.write("fixtures/one.log", "1\n", tree.path);
	s.write("image.png", "\u0089PNG\0", tree.path);
	s.git(["add", "-f", "."], tree.path);
	s.git(["commit", "-qm", "fixtures"], tree.path);
	s.write(".gitignore", "", tree.path);
	s.write("fixtures/two.log", "2\n", tree.path);
	s.write("fixtures/one.log", "changed\n", tree.path);
	s.write("image.png", "\u0089PNG\0changed", tree.path);
	const kept = await tree.keepLeftovers("left\n", join(s.outside, "aside"));
	assert.deepEqual(kept.aside, []);
	assert.deepEqual(
		kept.committed.map(({ path }) => path),
		[".gitignore", "fixtures/one.log", "fixtures/two.log", "image.png"],
	);
});

test("G-10: links are committed as links, staged files are looked at like any other, and names are never overwritten", async (t) => {
	const s = scratchRepository(t);
	const tree = s.worktree();
	const aside = join(s.outside, "aside");
	mkdirSync(aside, { recursive: true });
	writeFileSync(join(aside, "huge.bin"), "of an earlier attempt\n");
	symlinkSync("/dev/zero", join(tree.path, "core"));
	s.write("huge.bin", "", tree.path);
	truncateSync(join(tree.path, "huge.bin"), 3_000_000);
	s.git(["add", "huge.bin"], tree.path);
	const kept = await tree.keepLeftovers("left\n", aside);
	assert.deepEqual(kept.aside, [{ path: "huge.bin", bytes: 3_000_000, why: "large" }]);
	assert.equal(statSync(join(aside, "huge.bin.2")).size, 3_000_000);
	assert.deepEqual(
		kept.committed.map(({ path }) => path),
		["core"],
	);
	assert.equal(s.git(["status", "--porcelain"], tree.path), "");
	s.write("huge.dump", "x", tree.path);
	s.git(["add", "huge.dump"], tree.path);
	assert.equal((await tree.keepLeftovers("left\n", aside)).commit, null);
	assert.equal(s.git(["status", "--porcelain"], tree.path), "");
});

test("G-10: of given paths, new files that are litter are moved aside, staged or not; everything else stays as it is", async (t) => {
	const s = scratchRepository(t);
	const tree = s.worktree();
	const aside = join(s.outside, "aside");
	for (const path of ["run.log.1", "other.log.1", "work.ts"]) s.write(path, `${path}\n`, tree.path);
	assert.deepEqual(await tree.putLitterAside(["run.log.1", "work.ts", "none.log.1"], aside), [
		{ path: "run.log.1", bytes: 10, why: "a log" },
	]);
	assert.equal(readFileSync(join(aside, "run.log.1"), "utf8"), "run.log.1\n");
	assert.deepEqual(s.status(tree.path).split("\n").sort(), ["?? other.log.1", "?? work.ts"]);
	await tree.keepLeftovers("left\n", aside);
	s.write("staged.log.1", "x\n", tree.path);
	s.git(["add", "staged.log.1"], tree.path);
	await tree.putLitterAside(["staged.log.1"], aside);
	assert.equal(s.status(tree.path), "");
});

test("G-29 G-10 the diff of an attempt that is put back leaves secrets out, names them, and a copy is kept beside it", async (t) => {
	const s = scratchRepository(t);
	const tree = s.worktree();
	const since = await tree.point();
	s.write(".env", "DB=secret-4711\n", tree.path);
	s.write("src/a.ts", "export {};\n", tree.path);
	const file = join(s.outside, "failures", "US-1-step-005.diff");
	assert.equal(await tree.saveDiff(since, file, 1), file);
	const text = readFileSync(file, "utf8");
	assert.doesNotMatch(text, /secret-4711/);
	assert.match(text, /^# left out, as it may hold secrets: \.env\n[\s\S]*\+export \{\};/);
	assert.equal(readFileSync(join(`${file}-left-out`, ".env"), "utf8"), "DB=secret-4711\n");
});
