// A run in the user's own tree: alone there, and only on its branch.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { ok, quickScratch, scratch, until } from "./scratch.ts";

const HANG = `sh -c 'echo here > started.txt; sleep 600'`;

it("X-11 G-24: a second run in the same tree is refused while the first one works there, and until it is over or cancelled", async () => {
	const s = scratch({ ".gitignore": "started.txt\n" });
	const first = s.start("run", "dynamic", "Wait", "--agent-command", HANG);
	await until(() => existsSync(join(s.root, "started.txt")));
	for (const args of [["Another thing"], ["run", "dynamic", "Another thing"]])
		assert.match(ok(await s.pawl(...args, "--agent-command", "true"), 2).stderr, /another run works in this tree/);
	first.kill("SIGINT");
	assert.equal((await first.ended).code, 130);
	const stopped = ok(await s.pawl("run", "dynamic", "Not yet", "--agent-command", "true"), 2);
	assert.match(stopped.stderr, /works in this checkout, on main, and it is paused: .*pawl cancel/);
	ok(await s.pawl("cancel"));
	ok(await s.pawl("run", "dynamic", "Now it is free", "--agent-command", "true"), 1);
});

it("a stopped run is not gone on with while another branch is checked out: that branch is the user's", async () => {
	const s = scratch({ ".gitignore": "started.txt\n" });
	const first = s.start("run", "dynamic", "Wait", "--agent-command", HANG);
	await until(() => existsSync(join(s.root, "started.txt")));
	first.kill("SIGKILL");
	await first.ended;
	s.git("switch", "-q", "-c", "mine");
	s.write({ "precious.txt": "mine\n" });
	assert.match(ok(await s.pawl("resume"), 2).stderr, /works on the branch main, and mine is checked out/);
	assert.equal(s.git("status", "--porcelain"), "?? precious.txt");
	assert.equal(s.git("branch", "--show-current"), "mine");
	s.git("switch", "-q", "main");
	ok(await s.pawl("cancel"));
});

it("--base that is not the branch of the tree is refused where the work is done in the tree", async () => {
	const s = quickScratch();
	s.memory.git.refs.set("refs/heads/other", s.memory.user.commit ?? "");
	assert.match(
		ok(await s.pawl("run", "dynamic", "x", "--base", "other", "--agent-command", "true"), 2).stderr,
		/on main: check out other first/,
	);
});

it("C-02: a state file that a person changed is neither overwritten nor taken for the truth: the run is not gone on with", async () => {
	const s = scratch({ ".gitignore": "started.txt\n" });
	const first = s.start("run", "dynamic", "Wait", "--agent-command", HANG);
	await until(() => existsSync(join(s.root, "started.txt")));
	first.kill("SIGKILL");
	await first.ended;
	const file = join(s.root, ".pawl", "latest", "workflow_state.json");
	const written = readFileSync(file, "utf8");
	writeFileSync(file, written.replace("pending", "completed"));
	assert.match(ok(await s.pawl("resume"), 2).stderr, /workflow_state\.json was changed since pawl wrote it/);
	assert.notEqual(readFileSync(file, "utf8"), written);
	writeFileSync(file, written);
	ok(await s.pawl("cancel"));
});

it("X-08: --shared-dir inside the tree that the run works in is refused: its files would be committed", async () => {
	const s = quickScratch();
	for (const folder of [".", "state"])
		assert.match(ok(await s.pawl("run", "dynamic", "x", "--shared-dir", folder, "--agent-command", "true"), 2).stderr, /lies in the tree/);
	assert.deepEqual(s.memory.user.look(), s.memory.user.committed());
});
