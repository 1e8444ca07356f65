import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { askGit } from "./find.ts";
import { plainCheckout } from "./plain-checkout.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-plain-checkout-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

const git = (cwd: string, ...args: readonly string[]): string =>
	execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd, encoding: "utf8" });

let made = 0;
function repository(...init: readonly string[]): string {
	const path = join(scratch, String(made++));
	mkdirSync(path);
	git(path, "init", "--quiet", "--initial-branch=main", ...init);
	git(path, "commit", "--quiet", "--allow-empty", "--message=first");
	return path;
}

/** git's own answer, which has to be the same wherever there is one without it. */
async function expectSame(path: string): Promise<void> {
	const plain = plainCheckout(path);
	assert.notEqual(plain, null, "git had to be asked");
	assert.deepEqual({ ...plain, commonDir: plain?.gitDir, root: plain?.top }, await askGit(path));
}

describe("an ordinary checkout is found without git, with git's own answer", () => {
	it("on a branch, in a folder below, through a link", async () => {
		const path = repository();
		await expectSame(path);
		mkdirSync(join(path, "a", "b"), { recursive: true });
		await expectSame(join(path, "a", "b"));
		symlinkSync(join(path, "a"), join(scratch, "link"));
		await expectSame(join(scratch, "link"));
	});

	it("on a branch of which only the packed refs know", async () => {
		const path = repository();
		git(path, "checkout", "--quiet", "-b", "feature/one.two");
		git(path, "pack-refs", "--all");
		await expectSame(path);
	});

	it("on no branch", async () => {
		const path = repository();
		git(path, "checkout", "--quiet", "--detach");
		await expectSame(path);
	});
});

describe("git is asked about everything else", () => {
	const asked: Readonly<Record<string, () => string>> = {
		"no repository": () => scratch,
		"a bare one": () => {
			const path = join(scratch, "bare.git");
			git(scratch, "init", "--quiet", "--bare", path);
			return path;
		},
		"inside the git folder": () => join(repository(), ".git", "refs"),
		"a branch without a commit": () => {
			const path = repository();
			git(path, "checkout", "--quiet", "--orphan", "empty");
			return path;
		},
		"a linked worktree": () => {
			git(repository(), "worktree", "add", "--quiet", join(scratch, "linked"));
			return join(scratch, "linked");
		},
		"files elsewhere (core.worktree)": () => {
			const path = repository();
			git(path, "config", "core.worktree", "/");
			return path;
		},
		"a configuration that includes another": () => {
			const path = repository();
			appendFileSync(join(path, ".git", "config"), "[Include]\n\tpath = other\n");
			return path;
		},
		"another hash": () => repository("--object-format=sha256"),
		"a HEAD that leads out of the branches": () => {
			const path = repository();
			writeFileSync(join(path, ".git", "HEAD"), "ref: refs/heads/../../config\n");
			return path;
		},
		"a HEAD that is a folder": () => {
			const path = repository();
			rmSync(join(path, ".git", "HEAD"));
			mkdirSync(join(path, ".git", "HEAD"));
			return path;
		},
	};
	for (const [name, make] of Object.entries(asked)) it(name, () => assert.equal(plainCheckout(make()), null));
});
