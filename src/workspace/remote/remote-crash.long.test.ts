// Machines that are killed with -9 while they talk to the shared repository. They are processes of their own; the server is not, so it goes on without them.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { childProgram } from "../../child.suite.ts";
import { openRepository } from "../repository.ts";
import type { GitTree } from "../tree/tree.ts";
import { type HttpServer, httpServer } from "./http-server.suite.ts";
import { run, Site } from "./remote-fixture.suite.ts";
import { takeOver } from "./take-over.ts";

const CHILD = childProgram(join(import.meta.dirname, "remote-merge.child.ts"));
const sites: Site[] = [];
const servers: HttpServer[] = [];
after(async () => {
	for (const server of servers) await server.close();
	for (const site of sites) site.remove();
});

async function served(): Promise<{ readonly s: Site; readonly server: HttpServer }> {
	const s = new Site();
	sites.push(s);
	const server = await httpServer(s.shared);
	servers.push(server);
	return { s, server };
}

/** With everything that it starts in one group. */
const start = (s: Site, ...args: string[]): ChildProcess =>
	spawn(process.execPath, [CHILD, s.home, ...args], { detached: true, stdio: ["ignore", "ignore", "inherit"] });

async function kill(child: ChildProcess): Promise<void> {
	const gone = once(child, "exit");
	process.kill(-(child.pid ?? assert.fail()), "SIGKILL");
	await gone;
}

async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await wait(20);
}

/** A machine that has done its story, is merging it, and is killed while the server has its push but has not taken it yet. `go` lets the server end. */
async function killedAtPush(
	s: Site,
	server: HttpServer,
): Promise<{ readonly work: string; readonly begun: string; go(answer: string): void }> {
	const begun = s.base();
	const a = await s.machine("a", server.address);
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const work = run(tree.path, "rev-parse", "HEAD");
	assert.equal((await a.remote.publish(work, { run: "run-1", story: "US-001", step: "implement", attempt: 1 })).result, "published");
	await a.worktrees.close([]);
	a.clone.close();
	const [here, answer] = [join(s.home, "here"), join(s.home, "answer")];
	execFileSync("mkfifo", [answer]);
	s.hook("pre-receive", `: > '${here}'\nread code < '${answer}'\nexit $code`);
	const child = start(s, "a", server.address, "US-001");
	await until(() => existsSync(here));
	assert.equal(s.announced("US-001").length, 1);
	await kill(child);
	assert.equal(s.base(), begun);
	return {
		work,
		begun,
		go: (code) => {
			writeFileSync(answer, `${code}\n`);
			s.hook("pre-receive", null);
		},
	};
}

test("A1: killed at its push, which the server takes all the same: another machine takes the story over and finds the merge", async () => {
	const { s, server } = await served();
	const { work, begun, go } = await killedAtPush(s, server);
	go("0");
	await until(() => s.base() !== begun);
	const b = await s.machine("b", server.address);
	assert.equal((await b.remote.obtain(work)).result, "here");
	const repository = await openRepository(b.root);
	assert.ok(!("problem" in repository));
	const tree = (await takeOver(repository, 1, { run: "run-1", story: "US-001", start: begun, commit: work })) as GitTree;
	const check = async (): Promise<readonly string[]> => assert.fail("it is merged already");
	assert.deepEqual(await b.merge(tree, { check }), { result: "merged", commit: s.base() });
	assert.deepEqual(s.announced("US-001"), [s.base()]);
	assert.deepEqual(s.log(), ["feat(ralph): US-001 - Story US-001", "first"]);
});

test("A1: killed at its push, which the server never took: the same machine opens its clone again and merges, once", async () => {
	const { s, server } = await served();
	const { go } = await killedAtPush(s, server);
	go("1");
	const a = await s.machine("a", server.address);
	const tree = (await a.worktrees.reopen(1, "US-001", "run-1")) ?? assert.fail();
	assert.deepEqual(await a.merge(tree), { result: "merged", commit: s.base() });
	assert.deepEqual(s.log(), ["feat(ralph): US-001 - Story US-001", "first"]);
	assert.equal(s.git("fsck", "--strict", "--no-dangling"), "");
	assert.equal(a.git("fsck", "--no-dangling"), "");
});

test("A2: a push that arrives after the story was merged by another machine changes nothing", async () => {
	const { s, server } = await served();
	const { work, begun, go } = await killedAtPush(s, server);
	// The other machine reaches the same repository while the server still holds the late push back.
	s.hook("pre-receive", null);
	const b = await s.machine("b");
	assert.equal((await b.remote.obtain(work)).result, "here");
	const repository = await openRepository(b.root);
	assert.ok(!("problem" in repository));
	const tree = (await takeOver(repository, 1, { run: "run-1", story: "US-001", start: begun, commit: work })) as GitTree;
	// In another second, so that it is another commit.
	const merged = await b.merge(tree, { title: "By the new owner" });
	assert.deepEqual(merged, { result: "merged", commit: s.base() });
	const pushes = server.ended("/git-receive-pack");
	go("0");
	await until(() => server.ended("/git-receive-pack") > pushes);
	assert.deepEqual(s.log(), ["feat(ralph): US-001 - By the new owner", "first"]);
	assert.equal(s.git("for-each-ref", "--format=%(refname)", "refs/pawl/run-1/US-001/merged"), `refs/pawl/run-1/US-001/merged/${s.base()}`);
});

test("killed while it clones: what it left is no clone, and the next one is whole", async () => {
	const { s, server } = await served();
	server.on("/git-upload-pack", "stall");
	const child = start(s, "a", server.address);
	await until(() => server.seen.some((one) => one.startsWith("POST") && one.includes("git-upload-pack")));
	assert.ok(existsSync(join(s.home, "a", "clone.new")));
	await kill(child);
	const a = await s.machine("a", server.address);
	assert.equal(existsSync(join(s.home, "a", "clone.new")), false);
	assert.equal(a.git("rev-parse", "HEAD"), s.base());
	assert.equal(a.git("fsck", "--no-dangling"), "");
});
