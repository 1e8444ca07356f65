// A person's checkout follows base on the shared repository: forward only, and only if nothing of the person's is in the way.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openPersonsCheckout } from "./persons-checkout.ts";

const folder = mkdtempSync(join(tmpdir(), "pawl-persons-checkout-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]): string =>
	execFileSync("git", ["-c", "user.name=A Person", "-c", "user.email=person@example.com", ...args], { cwd, encoding: "utf8" }).trim();

let count = 0;

/** A shared repository whose main has got a commit since the person cloned it. */
async function site() {
	const at = join(folder, String(++count));
	const [shared, me, other] = [`${at}.git`, at, `${at}-other`];
	git(folder, "init", "-q", "--bare", "-b", "main", shared);
	git(folder, "clone", "-q", shared, other);
	const commit = (name: string): string => {
		writeFileSync(join(other, name), `${name}\n`);
		git(other, "add", ".");
		git(other, "commit", "-qm", name);
		git(other, "push", "-q", "origin", "HEAD:main");
		return git(other, "rev-parse", "HEAD");
	};
	commit("first");
	git(folder, "clone", "-q", shared, me);
	const landed = commit("landed");
	const checkout = await openPersonsCheckout(me, shared, { waitsMs: [] });
	assert.ok(!("problem" in checkout));
	const follow = (ignore: readonly string[] = []) => checkout.followBase("main", ignore);
	return { me, other, shared, landed, commit, follow, head: () => git(me, "rev-parse", "HEAD"), main: () => git(me, "rev-parse", "main") };
}

describe("a person's checkout", () => {
	test("moves forward with base, its files too, and is told when there is nothing more", async () => {
		const s = await site();
		const from = s.head();
		assert.deepEqual(await s.follow(), { result: "moved", from, to: s.landed });
		assert.equal(s.head(), s.landed);
		assert.equal(readFileSync(join(s.me, "landed"), "utf8"), "landed\n");
		assert.equal(git(s.me, "status", "--porcelain"), "");
		assert.deepEqual(await s.follow(), { result: "there", commit: s.landed });
	});

	const cases: Readonly<Record<string, readonly [(s: Awaited<ReturnType<typeof site>>) => void, RegExp]>> = {
		"with changes": [(s) => writeFileSync(join(s.me, "first"), "mine\n"), /it has changes of yours \(first\)/],
		"with commits of its own": [
			(s) => git(s.me, "commit", "-q", "--allow-empty", "-m", "mine"),
			/your main has commits that .* does not have/,
		],
		"on another branch": [(s) => git(s.me, "checkout", "-q", "-b", "mine"), /main is not checked out here/],
		"with a file in the way that git does not track": [
			(s) => writeFileSync(join(s.me, "landed"), "mine\n"),
			/would be overwritten|untracked/,
		],
	};
	for (const [what, [change, why]] of Object.entries(cases))
		test(`${what} stays as it is, and says why`, async () => {
			const s = await site();
			change(s);
			const before = [s.head(), s.main(), git(s.me, "status", "--porcelain")];
			const mine = existsSync(join(s.me, "landed")) ? readFileSync(join(s.me, "landed"), "utf8") : null;
			const how = await s.follow();
			assert.equal(how.result, "stays");
			assert.match(how.result === "stays" ? how.why : "", why);
			assert.deepEqual([s.head(), s.main(), git(s.me, "status", "--porcelain")], before);
			assert.equal(existsSync(join(s.me, "landed")) ? readFileSync(join(s.me, "landed"), "utf8") : null, mine);
		});

	test("a file that the run itself writes may have changes, which stay", async () => {
		const s = await site();
		writeFileSync(join(s.me, "first"), "passes\n");
		assert.equal((await s.follow([join(s.me, "first")])).result, "moved");
		assert.equal(readFileSync(join(s.me, "first"), "utf8"), "passes\n");
	});

	test("a base that somebody rewound is not brought back, and a remote that is away is said", async () => {
		const s = await site();
		await s.follow();
		git(s.other, "push", "-q", "--force", "origin", "HEAD~1:main");
		assert.deepEqual(await s.follow(), { result: "there", commit: s.landed });
		rmSync(s.shared, { recursive: true });
		assert.equal((await s.follow()).result, "unreachable");
		assert.equal(s.head(), s.landed);
		assert.ok("problem" in (await openPersonsCheckout(s.me, "ext::sh -c true")));
	});
});
