// pawl finds, undoes and reports what an agent does to the repository itself.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { excludePatterns } from "../exclude.ts";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { sharedGuard } from "./guard.ts";

describe("tampering", () => {
	it("with configuration, hooks, exclude and attributes hides nothing, runs nothing and is put back", async (t) => {
		const s = scratchRepository(t);
		s.write(".git/hooks/pre-push", "the user's own");
		const config = s.read(".git/config");
		const exclude = s.read(".git/info/exclude");
		const tree = s.worktree();
		const point = await tree.point();
		const ran = join(s.outside, "ran");
		mkdirSync(s.outside);
		const evil = join(s.outside, "evil");
		writeFileSync(evil, `#!/bin/sh\ntouch '${ran}'\ncat\n`);
		chmodSync(evil, 0o755);
		s.git(["config", "filter.evil.clean", evil]);
		s.git(["config", "core.fsmonitor", evil]);
		s.git(["config", "core.worktree", "/"]);
		s.write(".git/info/attributes", "* filter=evil\n");
		s.write(".git/info/exclude", "secret.txt\n");
		s.write(".git/hooks/reference-transaction", readFileSync(evil, "utf8"));
		chmodSync(join(s.root, ".git/hooks/reference-transaction"), 0o755);
		rmSync(join(s.root, ".git/hooks/pre-push"));
		s.write("secret.txt", "hidden", tree.path);
		const changes = await tree.changes(point);
		assert.deepEqual(changes.paths, ["secret.txt"]);
		assert.deepEqual([...changes.tampered].sort(), [
			".git/config",
			".git/hooks/pre-push",
			".git/hooks/reference-transaction",
			".git/info/attributes",
			".git/info/exclude",
		]);
		await tree.commitAll("work");
		assert.equal(existsSync(ran), false);
		assert.equal(s.read(".git/config"), config);
		assert.equal(s.read(".git/info/exclude"), exclude);
		assert.equal(s.read(".git/info/attributes"), null);
		assert.equal(s.read(".git/hooks/pre-push"), "the user's own");
		assert.equal(existsSync(join(s.root, ".git/hooks/reference-transaction")), false);
		// Perhaps a person changed it: it can be found again.
		assert.equal(
			readdirSync(join(s.root, ".git/pawl/put-aside")).some((name) => name.startsWith("config-")),
			true,
		);
		assert.deepEqual((await tree.changes(changes.point)).tampered, []);
	});

	it("is not what a person changes after this process has let go of an attempt that somebody else runs", async (t) => {
		const s = scratchRepository(t);
		const claimed = s.worktree("US-001");
		await claimed.point();
		claimed.letGo();
		s.git(["config", "user.name", "Grace"]);
		const next = s.worktree("US-002");
		const point = await next.point();
		assert.equal(s.git(["config", "user.name"]), "Grace");
		assert.deepEqual((await next.changes(point)).tampered, []);
	});

	it("G-24 is not what another run does that starts meanwhile: its exclude lines stay, those of a session do not", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const commonDir = join(s.root, ".git");
		const first = await tree.point();
		const before = s.read(".git/info/exclude") ?? "";
		await excludePatterns(commonDir, ["/tasks/"]);
		assert.deepEqual((await tree.changes(first)).tampered, []);
		const second = await tree.point();
		await excludePatterns(commonDir, ["/more/"]);
		s.write(".git/info/exclude", `${s.read(".git/info/exclude")}secret.txt\n`);
		assert.deepEqual((await tree.changes(second)).tampered, [".git/info/exclude"]);
		assert.equal(s.read(".git/info/exclude"), `${before}# files of pawl's runs\n/tasks/\n/more/\n`);
		const third = await tree.point();
		s.write(".git/info/exclude", before);
		assert.deepEqual((await tree.changes(third)).tampered, [".git/info/exclude"]);
		assert.match(s.read(".git/info/exclude") ?? "", /\/tasks\/\n\/more\//);
	});

	it("with folders that became links or pipes is undone without following them", async (t) => {
		const s = scratchRepository(t);
		s.write(".git/info/exclude", "*.mine\n");
		const tree = s.worktree();
		const point = await tree.point();
		const trap = join(s.outside, "trap");
		mkdirSync(trap, { recursive: true });
		writeFileSync(join(trap, "post-commit"), "x");
		rmSync(join(s.root, ".git/hooks"), { recursive: true });
		symlinkSync(trap, join(s.root, ".git/hooks"));
		rmSync(join(s.root, ".git/info"), { recursive: true });
		symlinkSync(trap, join(s.root, ".git/info"));
		const { tampered } = await tree.changes(point);
		assert.equal(tampered.includes(".git/hooks") && tampered.includes(".git/info"), true);
		assert.deepEqual(readdirSync(trap), ["post-commit"]);
		assert.equal(s.read(".git/info/exclude"), "*.mine\n");
	});

	it("with the .git file of a worktree redirects nothing", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		const file = join(tree.path, ".git");
		const text = readFileSync(file, "utf8");
		for (const spoil of [
			() => rmSync(file),
			() => writeFileSync(file, `gitdir: ${join(s.outside, "other")}\n`),
			() => {
				rmSync(file);
				s.git(["init", "-q"], tree.path);
			},
		]) {
			spoil();
			s.write("new.txt", String(Math.random()), tree.path);
			const changes = await tree.changes(point);
			assert.deepEqual(changes.tampered, [".git"]);
			assert.deepEqual(changes.paths, ["new.txt"]);
			assert.equal(readFileSync(file, "utf8"), text);
		}
		await tree.rollback(point);
		assert.equal(s.status(tree.path), "");
	});

	it("that takes the user's .git away is an error that says so, and touches no file", async (t) => {
		const s = scratchRepository(t);
		const tree = s.tree();
		const point = await tree.point();
		s.write("new.txt", "n");
		rmSync(join(s.root, ".git"), { recursive: true });
		for (const work of [() => tree.changes(point), () => tree.rollback(point), () => tree.saveDiff(point, join(s.outside, "d.diff"))]) {
			await assert.rejects(work, { name: "WorkspaceError", message: /git folder of .* was deleted or replaced/ });
		}
		assert.equal(s.read("new.txt"), "n");
		assert.equal(existsSync(join(s.root, ".git")), false);
	});

	it("with HEAD is reported, and the work done there is not lost", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		s.git(["checkout", "-q", "-b", "elsewhere"], tree.path);
		s.write("new.txt", "n", tree.path);
		s.git(["add", "-A"], tree.path);
		s.git(["commit", "-qm", "there"], tree.path);
		const changes = await tree.changes(point);
		assert.deepEqual(changes.tampered, ["HEAD (was elsewhere)"]);
		assert.deepEqual([changes.paths, changes.committed, changes.uncommitted], [["new.txt"], false, true]);
		await tree.commitAll("work");
		assert.equal(s.git(["show", "ralph/US-001:new.txt"]), "n");
		assert.equal(s.status(tree.path), "");
	});

	it("an unfinished rebase is ended and reported, with the branch where it was (D-141)", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		s.write("a.txt", "mine\n", tree.path);
		await tree.commitAll("mine");
		s.write("a.txt", "theirs\n");
		s.git(["commit", "-qam", "theirs"]);
		const point = await tree.point();
		assert.throws(() => s.git(["rebase", "main"], tree.path));
		const changes = await tree.changes(point);
		assert.deepEqual(changes.tampered, ["an unfinished rebase", `HEAD (was ${s.git(["rev-parse", "main"])})`]);
		assert.deepEqual([changes.paths, changes.committed], [["a.txt"], false]);
		assert.doesNotMatch(s.git(["status"], tree.path), /rebase/);
	});

	it("with the branch itself is reported and put back", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		const point = await tree.point();
		s.git(["update-ref", "-d", "refs/heads/ralph/US-001"]);
		const changes = await tree.changes(point);
		assert.deepEqual(changes.tampered, ["branch ralph/US-001"]);
		assert.deepEqual(changes.point, point);
		assert.equal(s.git(["rev-parse", "ralph/US-001"]), point.commit);
	});
});

describe("attempts side by side", () => {
	it("what one does to the shared configuration is not taken for granted by one that starts meanwhile", async (t) => {
		const s = scratchRepository(t);
		const config = s.read(".git/config");
		const [one, two] = [s.worktree("US-001"), s.worktree("US-002")];
		const first = await one.point();
		s.git(["config", "core.pager", "evil"]);
		const second = await two.point();
		assert.equal(s.read(".git/config"), config);
		assert.deepEqual((await one.changes(first)).tampered, [".git/config"]);
		assert.deepEqual((await two.changes(second)).tampered, []);
		assert.equal(s.read(".git/config"), config);
	});

	it("between attempts a person may change the configuration; so may pawl at any time", async (t) => {
		const s = scratchRepository(t);
		const tree = s.worktree();
		await tree.changes(await tree.point());
		s.git(["config", "user.name", "Grace"]);
		const point = await tree.point();
		await sharedGuard(tree.commonDir).change(async () => s.write(".git/info/exclude", "ours/\n"));
		assert.deepEqual((await tree.changes(point)).tampered, []);
		assert.equal(s.git(["config", "user.name"]), "Grace");
		assert.equal(s.read(".git/info/exclude"), "ours/\n");
	});
});
