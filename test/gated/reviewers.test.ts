// Two reviewers share a tree: what one of them does to it must neither stay nor be taken by the other for how it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import { always, assertLanded, ISSUE, issueSite, turn, verdict } from "../support/issue-site.ts";
import { exists, git, list, read } from "../support/scratch.ts";

test("O-03 O-07 what an advising reviewer writes before it fails is gone as well", async () => {
	const site = issueSite([
		turn("simplify", 1, "sleep 0.3", "echo '// evil' >> src/sum.mjs; echo x > evil.txt", "exit 3"),
		always("simplify", verdict("ACCEPTABLE")),
	]);
	await site.runs(0);
	assertLanded(site);
	assert.ok(!exists(site.tree, "evil.txt") && !/evil/.test(read(site.tree, "src/sum.mjs")));
	assert.ok(site.commits().every((c) => !c.files.includes("evil.txt")));
	assert.ok(list(site.shared(), "failures").some((name) => name.includes("simplify")));
});

test("O-03 O-07 both reviewers write, commit and change the plan at once: tree and plan are as they were", async () => {
	const bad = (who: string): string[] => [
		`echo ${who} > ${who}.txt; echo ${who} >> .workflow/run-${ISSUE}/plan.md`,
		`/usr/bin/env PATH=/usr/bin:/bin git add -A; /usr/bin/env PATH=/usr/bin:/bin git -c user.name=e -c user.email=e@example.invalid commit -qm ${who}`,
		verdict("ACCEPTABLE"),
	];
	const site = issueSite([turn("check", 1, ...bad("check-was-here")), turn("simplify", 1, ...bad("simplify-was-here"))]);
	await site.run();
	assert.ok(list(site.tree).every((name) => !name.includes("was-here")));
	assert.doesNotMatch(read(site.dir, "plan.md"), /was-here/);
	assert.ok(site.commits().every((c) => c.files.every((file) => !file.includes("was-here")) && !c.subject.includes("was-here")));
});

test("O-03 O-07 a reviewer may look at branches and tags, and makes or removes none", async () => {
	const site = issueSite([
		turn(
			"check",
			1,
			'{ git branch --show-current; git branch --list "main"; git tag; git worktree list; } > "$home/looked" 2>&1',
			"git branch left-over; git tag left-over; git branch -D main; git worktree add -q ../left-over; true",
			verdict("ACCEPTABLE"),
		),
	]);
	const before = git(site.repo, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags");
	await site.runs(0);
	assert.equal(git(site.repo, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"), before);
	assert.doesNotMatch(read(site.agent.home, "looked"), /refused/);
	assert.match(read(site.agent.home, "looked"), /feature\/gal-39/);
});
