// The base branch and its checkout during a run, with real git: dirty, moved by somebody else, and everything that a merge has to carry
// over unharmed. What is decided about it: src/engine/actions/merge.test.ts.
import assert from "node:assert/strict";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { violations } from "../support/crash-checks.ts";
import { snapshot, until, worldFor } from "../support/crash-world.ts";

describe("the base branch during a run", { concurrency: 2 }, () => {
	test("X-16 a dirty checked-out base: the merge waits, says so, loses nothing, and continues by itself when it is clean", async (t) => {
		const world = worldFor(t, { stories: [{ id: "US-1" }], agent: {} });
		world.write("README.md", "the user is at work\n");
		const pawl = world.start(world.runArgs(1));
		await until("pawl says what it waits for", () => /uncommitted changes \(README\.md\)/.test(pawl.text()));
		assert.equal(world.read("README.md"), "the user is at work\n");
		assert.equal(world.git(["rev-parse", "main"]), world.first);
		world.git(["checkout", "-q", "--", "README.md"]);
		const ended = await pawl.ended;
		assert.equal(ended.code, 0, ended.err);
		assert.deepEqual(violations(world), []);
	});

	test("D-136 D-138 base is moved by somebody else while stories are at work: both land on top of it", async (t) => {
		const world = worldFor(t, {
			stories: [{ id: "US-1" }, { id: "US-2" }],
			agent: { "any.linting": "hold linting" },
		});
		// What a pawl leaves that was killed while it took the lock of the checkout.
		writeFileSync(join(world.root, ".git", "pawl-lock"), "pawl is");
		const pawl = world.start(world.runArgs(2));
		await until("both have coded", () => world.noted("at-linting").length === 2);
		world.write("users.txt", "of the user\n");
		world.git(["add", "users.txt"]);
		world.git(["commit", "-qm", "of the user"]);
		const foreign = [world.git(["rev-parse", "main"])];
		world.release("linting");
		const ended = await pawl.ended;
		assert.equal(ended.code, 0, ended.err);
		assert.deepEqual(violations(world, { foreign }), []);
		assert.equal(world.read("users.txt"), "of the user\n");
	});

	test("D-135 X-16 a rename, a mode, a symlink, CRLF, a large binary, a submodule, hooks and signing come through a real run", async (t) => {
		const world = worldFor(t, {
			stories: [{ id: "US-1" }, { id: "US-2" }],
			agent: {
				"US-1.coding":
					'git mv README.md READ.md; printf "a\\r\\nb\\r\\n" > crlf.txt; head -c 3000000 /dev/urandom > big.bin; cksum < big.bin > "$W/notes/big"; ' +
					'ln -s crlf.txt link; . "$W/do/any.coding"',
				"US-2.coding": 'chmod +x tool.sh; . "$W/do/any.coding"',
			},
			user: (w) => {
				w.git(["init", "-q", "-b", "main", join(w.folder, "sub")]);
				for (const args of [
					["config", "user.name", "Ada"],
					["config", "user.email", "ada@example.org"],
					["commit", "-q", "--allow-empty", "-m", "sub"],
				])
					w.git(args, join(w.folder, "sub"));
				w.git(["-c", "protocol.file.allow=always", "submodule", "add", "-q", join(w.folder, "sub"), "sub"]);
				w.write("tool.sh", "#!/bin/sh\n");
				w.write(".gitattributes", "*.txt text=auto\ncrlf.txt -text\n");
				w.git(["add", "-A", "--", ":!prd.json"]);
				w.git(["commit", "-qm", "more"]);
				w.git(["config", "commit.gpgsign", "true"]);
				w.git(["config", "user.signingkey", "nobody"]);
				for (const hook of ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-checkout", "pre-rebase"]) {
					const file = join(w.root, ".git", "hooks", hook);
					writeFileSync(file, `#!/bin/sh\necho ${hook} >> "${w.folder}/notes/hooks"\nexit 0\n`);
					chmodSync(file, 0o755);
				}
				w.agent("any.coding", 'echo "$S" > "$S.txt"; mkdir -p more; echo "$S" > "more/$S.txt"; wrote');
			},
		});
		const before = snapshot(world);
		const ended = await world.pawl(world.runArgs(2));
		assert.equal(ended.code, 0, ended.err);
		assert.deepEqual(violations(world, { before, after: snapshot(world) }), []);
		assert.deepEqual(world.noted("hooks"), [], "no hook of the user's ran in a call of pawl's");
		assert.equal(world.read("crlf.txt"), "a\r\nb\r\n");
		assert.equal(statSync(join(world.root, "tool.sh")).mode & 0o111, 0o111);
		assert.equal(world.read("README.md"), null);
		assert.match(world.git(["ls-tree", "main", "link", "sub"]), /^120000 .*link\n160000 .*sub$/);
		assert.equal(world.git(["status", "--porcelain"]), "?? prd.json");
		assert.match(world.noted("big")[0] ?? "", / 3000000$/);
	});
});
