import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openRepository } from "../repository.ts";
import { openClone } from "./clone.ts";
import { type HttpServer, httpServer } from "./http-server.suite.ts";
import { commit, run, Site, write } from "./remote-fixture.suite.ts";

const sites: Site[] = [];
const servers: HttpServer[] = [];
after(async () => {
	for (const server of servers) await server.close();
	for (const site of sites) site.remove();
});

function site(files?: Readonly<Record<string, string>>): Site {
	const made = new Site(files);
	sites.push(made);
	return made;
}

const NOW = { waitsMs: [0] };

async function open(address: string, folder: string) {
	const opened = await openClone(address, folder, NOW);
	assert.ok(!("problem" in opened), "problem" in opened ? opened.problem : "");
	return opened;
}

test("a clone is made once, and brought up to date when it is opened again: branches, tags, the checkout", async () => {
	const s = site();
	const folder = join(s.home, "a");
	const first = await open(s.address, folder);
	assert.equal(readFileSync(join(first.root, "a.txt"), "utf8"), "one\n");
	assert.throws(() => run(first.root, "symbolic-ref", "-q", "HEAD"));
	const repository = await openRepository(first.root);
	assert.ok(!("problem" in repository) && repository.branch === null);
	assert.deepEqual(first.notes, []);
	// What people put there for `copy` and `link`.
	writeFileSync(join(first.root, "own.env"), "KEY=1\n");
	first.close();
	const theirs = s.pushes({ "a.txt": "theirs\n" }, "theirs");
	run(s.person, "tag", "v1");
	run(s.person, "push", "-q", "origin", "v1", "main:other");
	const again = await open(s.address, folder);
	assert.equal(run(again.root, "rev-parse", "HEAD"), theirs);
	assert.equal(readFileSync(join(again.root, "a.txt"), "utf8"), "theirs\n");
	assert.equal(run(again.root, "describe", "--tags"), "v1");
	assert.equal(run(again.root, "rev-parse", "origin/other"), theirs);
	assert.equal(readFileSync(join(again.root, "own.env"), "utf8"), "KEY=1\n");
	// A moved tag and a rewound branch are followed.
	again.close();
	s.rewinds(`${theirs}~1`);
	run(s.person, "push", "-q", "--force", "origin", `${theirs}~1:refs/tags/v1`, ":other");
	const last = await open(s.address, folder);
	assert.equal(run(last.root, "rev-parse", "v1"), s.base());
	assert.equal(run(last.root, "rev-parse", "HEAD"), s.base());
	assert.throws(() => run(last.root, "rev-parse", "-q", "--verify", "origin/other"));
	last.close();
});

test("what was fetched for earlier work is forgotten when a clone is opened again, and can be had again", async () => {
	const s = site();
	const folder = join(s.home, "a");
	const first = await open(s.address, folder);
	const made = s.pushes({ "b.txt": "theirs\n" }, "theirs");
	assert.deepEqual(await first.remote.obtain(made, "refs/heads/main"), { result: "here" });
	const held = `refs/pawl/obtained/${made}`;
	assert.equal(run(first.root, "rev-parse", held), made);
	run(first.root, "update-ref", "refs/pawl/kept/US-1", made);
	first.close();
	s.rewinds(`${made}~1`);
	const again = await open(s.address, folder);
	assert.throws(() => run(again.root, "rev-parse", "-q", "--verify", held));
	assert.equal(run(again.root, "rev-parse", "refs/pawl/kept/US-1"), made, "work that is kept stays");
	assert.deepEqual(await again.remote.obtain(made, "refs/heads/main"), { result: "here" });
	again.close();
});

test("bringUp puts the clone's own branch to where base is, also back, and no worktree of a story moves with it", async () => {
	const s = site();
	const a = await s.machine("a");
	const first = s.base();
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const head = run(tree.path, "rev-parse", "HEAD");
	const theirs = s.pushes({ "c.txt": "c\n" }, "theirs");
	assert.deepEqual(await a.clone.bringUp("main"), { result: "found", commit: theirs });
	assert.equal(a.git("rev-parse", "main"), theirs);
	s.rewinds(first);
	assert.deepEqual(await a.clone.bringUp("main"), { result: "found", commit: first });
	assert.equal(a.git("rev-parse", "main"), first);
	assert.deepEqual(await a.clone.bringUp("none"), { result: "missing" });
	assert.equal(run(tree.path, "rev-parse", "HEAD"), head);
	assert.equal(run(tree.path, "status", "--porcelain"), "");
});

test("two machines never share a folder, and a folder keeps its repository", async () => {
	const [s, other] = [site(), site()];
	const a = await s.machine("a");
	const busy = await openClone(s.address, join(s.home, "a"), NOW);
	assert.ok("problem" in busy && busy.code === "busy");
	a.clone.close();
	const wrong = await openClone(other.address, join(s.home, "a"), NOW);
	assert.ok("problem" in wrong && wrong.code === "invalid" && /is a clone of/.test(wrong.problem), JSON.stringify(wrong));
	mkdirSync(join(s.home, "theirs"));
	run(s.home, "clone", "-q", s.shared, join(s.home, "theirs", "clone"));
	const foreign = await openClone(s.address, join(s.home, "theirs"), NOW);
	assert.ok("problem" in foreign && /no clone that pawl made/.test(foreign.problem));
	(await open(s.address, join(s.home, "a"))).close();
});

test("a clone that was cut off is made again; locks that a killed git left are removed", async () => {
	const s = site();
	const folder = join(s.home, "a");
	// As a git that was killed leaves it.
	run(s.home, "clone", "-q", s.shared, join(folder, "clone.new"));
	write(join(folder, "clone.new"), { ".git/objects/pack/tmp_pack_x": "half", ".git/index.lock": "" });
	const made = await open(s.address, folder);
	assert.equal(existsSync(join(folder, "clone.new")), false);
	assert.equal(run(made.root, "fsck", "--no-dangling"), "");
	await made.bringUp("main");
	made.close();
	const gitDir = join(made.root, ".git");
	const locks = [
		"index.lock",
		"HEAD.lock",
		"packed-refs.lock",
		"refs/heads/main.lock",
		"refs/remotes/origin/main.lock",
		"refs/pawl/remote/main.lock",
	];
	for (const name of locks) write(gitDir, { [name]: "" });
	s.pushes({ "c.txt": "c\n" }, "theirs");
	const again = await open(s.address, folder);
	assert.equal(run(again.root, "rev-parse", "HEAD"), s.base());
	assert.equal((await again.bringUp("main")).result, "found");
	assert.deepEqual(
		locks.filter((name) => existsSync(join(gitDir, name))),
		[],
	);
	again.close();
});

test("I18 a clone in which git was killed while it made a worktree is brought up to date, and the slot can be claimed", async () => {
	const s = site();
	const folder = join(s.home, "a");
	const first = await open(s.address, folder);
	const path = join(first.root, ".pawl", "worktrees", "agent-1");
	run(first.root, "worktree", "add", "-q", "--no-checkout", "--detach", path, "origin/main");
	// What git writes first.
	writeFileSync(join(first.root, ".git", "worktrees", "agent-1", "HEAD"), `${"0".repeat(40)}\n`);
	first.close();
	const theirs = s.pushes({ "a.txt": "theirs\n" }, "theirs");
	const again = await open(s.address, folder);
	assert.equal(run(again.root, "rev-parse", "HEAD"), theirs);
	const repository = await openRepository(again.root);
	assert.ok(!("problem" in repository));
	run(again.root, "update-ref", "refs/heads/main", theirs);
	const tree = await repository.claim(1, "US-1", "main", "run-1");
	assert.equal(readFileSync(join(tree.path, "a.txt"), "utf8"), "theirs\n");
	again.close();
});

test("what pawl cannot work with is said, and leaves nothing that looks like a clone", async () => {
	const s = site({ "big/.gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n" });
	const lfs = await openClone(s.address, join(s.home, "a"), NOW);
	assert.ok("problem" in lfs && lfs.code === "refused" && /Git LFS/.test(lfs.problem));
	run(s.home, "init", "-q", "--bare", "empty.git");
	const empty = await openClone(join(s.home, "empty.git"), join(s.home, "b"), NOW);
	assert.ok("problem" in empty && empty.code === "refused" && /no commit/.test(empty.problem));
	const gone = await openClone(join(s.home, "gone.git"), join(s.home, "c"), NOW);
	assert.ok("problem" in gone && gone.code === "unreachable" && /gone\.git/.test(gone.problem));
	for (const name of ["a", "b", "c"]) assert.equal(existsSync(join(s.home, name, "clone")), false);
	const modules = site();
	modules.pushes({ ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = https://example.org/x\n' }, "with a submodule");
	const opened = await open(modules.address, join(modules.home, "a"));
	assert.match(opened.notes.join(), /submodules/);
	opened.close();
});

test("addresses that would run a program or hold a password are refused before git sees them", async () => {
	const s = site();
	for (const address of [`ext::touch ${s.home}/trap`, "--upload-pack=touch trap", "https://ann:s3cret@example.org/x"]) {
		const refused = await openClone(address, join(s.home, "a"), NOW);
		assert.ok("problem" in refused && refused.code === "invalid", address);
		assert.doesNotMatch(refused.problem, /s3cret/);
	}
	assert.deepEqual(readdirSync(s.home).sort(), ["person", "shared.git"]);
});

test("credentials come from the user's set-up of git: a program for GIT_ASKPASS; no message and no file of the clone has them", async (t) => {
	const s = site();
	const server = await httpServer(s.shared);
	servers.push(server);
	server.wants("ann:s3cret");
	const denied = await openClone(server.address, join(s.home, "a"), NOW);
	assert.ok("problem" in denied && denied.code === "unreachable", JSON.stringify(denied));
	write(s.home, { askpass: '#!/bin/sh\ncase "$1" in Username*) echo ann;; *) echo s3cret;; esac\n' });
	chmodSync(join(s.home, "askpass"), 0o755);
	process.env["GIT_ASKPASS"] = join(s.home, "askpass");
	t.after(() => {
		delete process.env["GIT_ASKPASS"];
	});
	const opened = await open(server.address, join(s.home, "a"));
	const made = commit(opened.root, { "a.txt": "x\n" });
	assert.equal((await opened.remote.publish(made, { run: "run-1", story: "US-001", step: "implement", attempt: 1 })).result, "published");
	const files = readdirSync(join(opened.root, ".git"), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
	assert.ok(files.length > 5);
	for (const { parentPath, name } of files) assert.equal(readFileSync(join(parentPath, name)).includes("s3cret"), false, name);
	opened.close();
});
