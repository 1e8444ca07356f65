import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type HttpServer, httpServer } from "./http-server.suite.ts";
import { commit, run, Site } from "./remote-fixture.suite.ts";

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

async function serve(s: Site): Promise<HttpServer> {
	const server = await httpServer(s.shared);
	servers.push(server);
	return server;
}

const NAME = { run: "run-1", story: "US-001", step: "implement", attempt: 1 };
const REF = "refs/pawl/run-1/US-001/implement-1";

test("an attempt's commit gets a name on the remote once: never another commit the same name", async () => {
	const s = site();
	const a = await s.machine("a");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const first = run(tree.path, "rev-parse", "HEAD");
	assert.deepEqual(await a.remote.publish(first, NAME), { result: "published", ref: REF });
	assert.deepEqual(await a.remote.publish(first, NAME), { result: "published", ref: REF });
	// Not even forward: a machine that lost its lease does not change what another one's journal names.
	const next = commit(tree.path, { "a.txt": "y\n" });
	assert.deepEqual(await a.remote.publish(next, NAME), { result: "taken", ref: REF, commit: first });
	assert.equal(s.git("rev-parse", REF), first);
	assert.deepEqual(await a.remote.publish(next, { ...NAME, story: "@run", attempt: 2 }), {
		result: "published",
		ref: "refs/pawl/run-1/@run/implement-2",
	});
	for (const bad of ["--exec=x", "a/b", "..", "x.lock", "", "a b"])
		await assert.rejects(a.remote.publish(first, { ...NAME, story: bad }), /cannot be part/);
	await assert.rejects(a.remote.publish(first, { ...NAME, run: "kept" }), /cannot be the name of a run/);
	await assert.rejects(a.remote.publish("HEAD", NAME), /not the id of a commit/);
});

test("publishing is tried again while the network is away, and says so when it stays away", async () => {
	const s = site();
	const server = await serve(s);
	const a = await s.machine("a", server.address);
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const made = run(tree.path, "rev-parse", "HEAD");
	server.on("service=git-receive-pack", "unavailable", 1);
	assert.equal((await a.remote.publish(made, NAME)).result, "published");
	server.on("git-receive-pack", "unavailable", 100);
	const result = await a.remote.publish(made, { ...NAME, attempt: 2 });
	assert.equal(result.result, "unreachable");
	s.hook("pre-receive", "echo no such refs here >&2; exit 1");
	const refused = await a.over(s.address).publish(made, { ...NAME, attempt: 3 });
	assert.ok(refused.result === "refused" && /no such refs here/.test(refused.message), JSON.stringify(refused));
});

test("an answer that got lost: publishing and moving base find out that the server took it", async () => {
	const s = site();
	const server = await serve(s);
	const a = await s.machine("a", server.address);
	const base = s.base();
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const made = run(tree.path, "rev-parse", "HEAD");
	server.on("/git-receive-pack", "cut after");
	assert.equal((await a.remote.publish(made, NAME)).result, "published");
	server.on("/git-receive-pack", "cut after");
	assert.deepEqual(await a.remote.moveBase("main", base, made, []), { result: "moved" });
	assert.equal(s.base(), made);
	// Base has gone on since.
	s.pushes({ "c.txt": "c\n" }, "later");
	assert.deepEqual(await a.remote.moveBase("main", base, made, []), { result: "moved" });
	// The connection is cut before the server got anything: it is sent again.
	const next = commit(tree.path, { "a.txt": "y\n" });
	const now = s.base();
	const onTop = a.git(
		"commit-tree",
		`${next}^{tree}`,
		"-p",
		(await a.remote.baseCommit("main")).result === "found" ? now : "",
		"-m",
		"next",
	);
	server.on("/git-receive-pack", "cut before");
	assert.deepEqual(await a.remote.moveBase("main", now, onTop, []), { result: "moved" });
	assert.equal(s.base(), onTop);
});

test("obtain: a commit of another machine, by its ref or by its id, without touching branches, HEAD or configuration", async () => {
	const s = site();
	const [a, b] = [await s.machine("a"), await s.machine("b")];
	const tree = await a.story(1, "US-001", { "new/deep.txt": "x\n" });
	const first = run(tree.path, "rev-parse", "HEAD");
	await a.remote.publish(first, NAME);
	const state = (): string =>
		[
			b.git("for-each-ref", "refs/heads", "refs/remotes", "refs/tags"),
			readFileSync(join(b.commonDir, "HEAD")),
			readFileSync(join(b.commonDir, "config")),
		].join();
	const before = state();
	assert.deepEqual(await b.remote.obtain(first, REF), { result: "here" });
	assert.equal(b.git("show", `${first}:new/deep.txt`), "x");
	// By its id alone, and although the ref has another commit.
	const second = commit(tree.path, { "new/deep.txt": "y\n" });
	await a.remote.publish(second, { ...NAME, attempt: 2 });
	assert.deepEqual(await b.remote.obtain(second, REF), { result: "here" });
	assert.equal(state(), before);
	assert.equal(existsSync(join(b.commonDir, "FETCH_HEAD")), false);
	const never = commit(tree.path, { "new/deep.txt": "z\n" });
	assert.equal((await b.remote.obtain(never)).result, "gone");
	assert.equal((await b.remote.obtain(never, `${REF}00`)).result, "gone");
	const away = b.over(`file://${s.home}/nowhere.git`);
	assert.equal((await away.obtain(never, REF)).result, "unreachable");
	assert.deepEqual(await away.obtain(first), { result: "here" });
});

test("obtain: a commit without its files, as a killed fetch leaves it, is fetched again", async () => {
	const s = site();
	const [a, b] = [await s.machine("a"), await s.machine("b")];
	const tree = await a.story(1, "US-001", { "new.txt": "x\n" });
	const made = run(tree.path, "rev-parse", "HEAD");
	await a.remote.publish(made, NAME);
	const file = (machine: typeof a, id: string): string => join(machine.commonDir, "objects", id.slice(0, 2), id.slice(2));
	assert.deepEqual(await b.remote.obtain(made, REF), { result: "here" });
	b.git("update-ref", "-d", `refs/pawl/obtained/${made}`);
	rmSync(file(b, run(tree.path, "rev-parse", `${made}:new.txt`)));
	assert.equal(b.git("cat-file", "-t", made), "commit");
	assert.deepEqual(await b.remote.obtain(made, REF), { result: "here" });
	assert.equal(b.git("show", `${made}:new.txt`), "x");
});

test("base on the remote: where it is, that it is missing, that nobody answers", async () => {
	const s = site();
	const a = await s.machine("a");
	assert.deepEqual(await a.remote.baseCommit("main"), { result: "found", commit: s.base() });
	const made = s.pushes({ "c.txt": "c\n" }, "theirs");
	assert.deepEqual(await a.remote.baseCommit("main"), { result: "found", commit: made });
	assert.equal(a.git("rev-parse", "refs/pawl/remote/main"), made);
	assert.deepEqual(await a.remote.baseCommit("other"), { result: "missing" });
	assert.equal((await a.over(`file://${s.home}/nowhere.git`).baseCommit("main")).result, "unreachable");
	for (const bad of ["--force", "a..b", "x:y", "x*", "a b", ""])
		await assert.rejects(a.remote.baseCommit(bad), /cannot be the name of a branch/);
});

test("moveBase: base and its refs move together or not at all", async () => {
	const s = site();
	const a = await s.machine("a");
	const from = s.base();
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const to = run(tree.path, "rev-parse", "HEAD");
	const kept = { ref: "refs/pawl/run-1/US-001/kept", commit: to };
	assert.deepEqual(await a.remote.moveBase("main", from, to, [kept]), { result: "moved" });
	assert.deepEqual([s.base(), s.git("rev-parse", kept.ref)], [to, to]);
	assert.deepEqual(await a.remote.moveBase("main", from, to, [kept]), { result: "moved" });
	const next = commit(tree.path, { "a.txt": "y\n" });
	const theirs = s.pushes({ "c.txt": "c\n" }, "theirs");
	const other = { ref: "refs/pawl/run-1/US-001/other", commit: next };
	assert.deepEqual(await a.remote.moveBase("main", to, next, [other]), { result: "moved-meanwhile", commit: theirs });
	assert.equal(s.git("for-each-ref", other.ref), "");
	s.git("update-ref", "-d", "refs/heads/main");
	assert.deepEqual(await a.remote.moveBase("main", to, next, [other]), { result: "moved-meanwhile", commit: null });
});

test("A10: a base that a person rewound is not brought back; a plain push would have done that", async () => {
	const s = site();
	const a = await s.machine("a");
	const first = s.base();
	const theirs = s.pushes({ "bad.txt": "bad\n" }, "a mistake");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const made = run(tree.path, "rev-parse", "HEAD");
	s.rewinds(first);
	assert.deepEqual(await a.remote.moveBase("main", theirs, made, []), { result: "moved-meanwhile", commit: first });
	assert.equal(s.base(), first);
	// What the lease is for: without it git sees a fast-forward, and the mistake is back.
	a.git("push", "-q", s.address, `${made}:refs/heads/main`);
	assert.ok(s.log().includes("a mistake"));
});

test("A10: base took the commit, the answer got lost, and a person has taken it off since: it is not sent again", async () => {
	const s = site();
	const server = await serve(s);
	const a = await s.machine("a", server.address);
	const from = s.base();
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const to = run(tree.path, "rev-parse", "HEAD");
	const kept = { ref: "refs/pawl/run-1/US-001/kept", commit: to };
	// The person is as fast as the server itself, once.
	s.hook("post-receive", `[ -e once ] && exit 0\n: > once\ngit update-ref refs/heads/main ${from}`);
	server.on("/git-receive-pack", "cut after");
	assert.deepEqual(await a.remote.moveBase("main", from, to, [kept]), { result: "moved" });
	assert.equal(s.base(), from);
});

test("a base that the server protects: its own words, and nothing changed", async () => {
	const s = site();
	const a = await s.machine("a");
	const from = s.base();
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const to = run(tree.path, "rev-parse", "HEAD");
	s.hook("update", '[ "$1" = refs/heads/main ] || exit 0\necho "main is protected: open a pull request" >&2\nexit 1');
	const result = await a.remote.moveBase("main", from, to, [{ ref: "refs/pawl/run-1/US-001/kept", commit: to }]);
	assert.ok(result.result === "protected" && /open a pull request/.test(result.message), JSON.stringify(result));
	assert.equal(s.base(), from);
	assert.equal(s.git("for-each-ref", "refs/pawl"), "");
	s.hook("update", null);
	assert.equal((await a.over(`file://${s.home}/nowhere.git`).moveBase("main", from, to, [])).result, "unreachable");
});

test("G-26 what a session writes into the clone's configuration does not lead pawl elsewhere, nor run a program", async () => {
	const s = site();
	const a = await s.machine("a");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const made = run(tree.path, "rev-parse", "HEAD");
	const trap = join(s.home, "trap");
	a.git("config", "remote.origin.url", `ext::touch ${trap}`);
	a.git("config", "remote.origin.pushurl", `ext::touch ${trap}`);
	assert.equal((await a.remote.publish(made, NAME)).result, "published");
	a.git("config", `url.ext::touch ${trap} .insteadOf`, s.address);
	a.git("config", "protocol.ext.allow", "always");
	assert.equal((await a.remote.publish(made, { ...NAME, attempt: 2 })).result, "unreachable");
	assert.equal((await a.remote.baseCommit("main")).result, "unreachable");
	assert.equal(existsSync(trap), false);
	assert.deepEqual(
		readdirSync(s.home).filter((name) => name.startsWith("trap")),
		[],
	);
});

test("what was published for a run is found and removed, and nothing that changed meanwhile", async () => {
	const s = site();
	const a = await s.machine("a");
	const tree = await a.story(1, "US-001", { "a.txt": "x\n" });
	const made = run(tree.path, "rev-parse", "HEAD");
	for (const attempt of [1, 2, 3]) await a.remote.publish(made, { ...NAME, attempt });
	await a.remote.publish(made, { ...NAME, run: "run-2" });
	for (const other of ["refs/pawl/kept/x/y", "refs/pawl/odd", "refs/other/pawl/run-1/US-001/x-1"]) s.git("update-ref", other, made);
	const found = await a.remote.runRefs();
	assert.ok(found.result === "found");
	const one = found.refs.filter((ref) => ref.run === "run-1");
	assert.deepEqual(
		one.map(({ ref }) => ref),
		[1, 2, 3].map((attempt) => `refs/pawl/run-1/US-001/implement-${attempt}`),
	);
	assert.equal(found.refs.length, 4);
	const moved = s.git("rev-parse", "main");
	s.git("update-ref", "-d", REF);
	s.git("update-ref", "refs/pawl/run-1/US-001/implement-2", moved);
	assert.deepEqual(await a.remote.removeRefs(one), { result: "removed" });
	assert.deepEqual(s.git("for-each-ref", "--format=%(refname)", "refs/pawl/run-1", "refs/pawl/run-2", "refs/pawl/kept").split("\n"), [
		"refs/pawl/kept/x/y",
		"refs/pawl/run-1/US-001/implement-2",
		"refs/pawl/run-2/US-001/implement-1",
	]);
	rmSync(s.shared, { recursive: true });
	assert.equal((await a.remote.removeRefs(one)).result, "unreachable");
});
