// Agents that misbehave in git: pawl sees, puts back and reports forbidden changes, and the user's repository stays as it was.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commit, type FakeAgent, fakeAgent, write } from "../support/fake-agent.ts";
import { type Ended, pawlExits, runFolder, step, story } from "../support/pawl.ts";
import { exists, git, list, read, repository, userView } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

const workflow = smallWorkflow();
const run = (repo: string, agent: FakeAgent, code = 0): Promise<Ended> =>
	pawlExits(code, ["run", workflow, "Add a file", "--agent-command", agent.command], { cwd: repo });
const looking = (...lines: readonly string[]) => fakeAgent([{ when: { type: "look" }, do: lines }]);
const DO_WORK = [write("work.txt", "done\n"), commit("work")];
const working = (...lines: readonly string[]) => fakeAgent([{ when: { type: "work" }, do: [...DO_WORK, ...lines] }]);

describe("a step that may only look", () => {
	const cases: Readonly<Record<string, readonly [does: string, says: RegExp]>> = {
		"writes a file": ["echo x > sneaky.txt", /may not write.*sneaky\.txt/],
		"changes a file": ["echo x >> README.md", /README\.md/],
		"deletes a file": ["rm README.md", /README\.md/],
		"makes a file executable": ["chmod +x README.md", /README\.md/],
		"commits a file": ["echo x > sneaky.txt; git add -A; git commit -q -m sneaky", /sneaky\.txt/],
		"makes an empty commit": ["git commit -q --allow-empty -m sneaky", /may not commit/],
		"changes a file and hides it with skip-worktree": ["git update-index --skip-worktree README.md; echo x > README.md", /README\.md/],
		"changes a file and hides it with assume-unchanged": [
			"git update-index --assume-unchanged README.md; echo x > README.md",
			/README\.md/,
		],
		"hides a new file with info/exclude": ["echo sneaky.txt >> .git/info/exclude; echo x > sneaky.txt", /sneaky\.txt|exclude/],
		"hides a new file with an exclude file of the configuration": [
			"echo sneaky.txt > .git/own; git config core.excludesFile .git/own; echo x > sneaky.txt",
			/sneaky\.txt|config/,
		],
		"plants a hook": [
			'printf "#!/bin/sh\\ntouch $home/pwned\\n" > .git/hooks/post-commit; chmod +x .git/hooks/post-commit; printf "#!/bin/sh\\ntouch $home/pwned\\n" > .git/hooks/reference-transaction; chmod +x .git/hooks/reference-transaction',
			/hooks/,
		],
		"plants an fsmonitor": [
			'printf "#!/bin/sh\\ntouch $home/pwned\\n" > "$home/monitor"; chmod +x "$home/monitor"; git config core.fsmonitor "$home/monitor"',
			/config/,
		],
		"plants a filter": [
			'git config filter.x.clean "touch $home/pwned; cat"; echo "* filter=x" > .git/info/attributes',
			/config|attributes/,
		],
		"changes the identity": ["git config user.name Mallory", /config/],
	};
	for (const [name, [does, says]] of Object.entries(cases))
		it(`${name}: the step fails, and all of it is undone`, async () => {
			const repo = repository();
			git(repo, "config", "core.hooksPath", ".git/hooks");
			const before = userView(repo);
			const agent = looking(does);
			const ended = await run(repo, agent, 1);
			assert.equal(step(story(repo), "look").status, "failed");
			assert.match(step(story(repo), "look").error ?? "", says);
			assert.match(ended.all, says);
			assert.deepEqual(userView(repo), before);
			assert.equal(read(repo, "README.md"), "# scratch\n");
			assert.ok(!exists(agent.flag("pwned")), "nothing that it planted was run");
			assert.deepEqual(
				list(repo).filter((n) => n !== ".git"),
				[".pawl", "README.md"],
			);
		});
	it("what it wrote is kept as a diff", async () => {
		const repo = repository();
		await run(repo, looking("echo x-9917 > sneaky.txt; git add -A; git commit -q -m sneaky; echo y-9918 > loose.txt"), 1);
		const diff = read(runFolder(repo), "failures/one-shot-step-001.diff");
		assert.match(diff, /x-9917/);
		assert.match(diff, /y-9918/);
	});
	it("D-126 may still write to the scratch files", async () => {
		const repo = repository();
		await run(
			repo,
			fakeAgent([
				{ when: { type: "look" }, do: ['echo seen >> "$PAWL_SHARED_DIR/scratch_one-shot.md"'] },
				{ when: { type: "work" }, do: DO_WORK },
			]),
		);
		assert.match(read(runFolder(repo), "archive/scratch_one-shot.md"), /seen/);
	});
	it("ignored files are nobody's business", async () => {
		const repo = repository({ ".gitignore": "cache/\n" });
		await run(
			repo,
			fakeAgent([
				{ when: { type: "look" }, do: ["mkdir cache && echo x > cache/x"] },
				{ when: { type: "work" }, do: DO_WORK },
			]),
		);
		assert.equal(read(repo, "cache/x"), "x\n");
	});
});

describe("a step that works, and does more than that", () => {
	it("G-22 works on a branch of its own making: the branch goes, its work is kept, and the step does not count", async () => {
		const repo = repository();
		const before = userView(repo);
		const agent = fakeAgent([{ when: { type: "work" }, do: ["git checkout -q -b elsewhere", ...DO_WORK] }]);
		const ended = await run(repo, agent, 1);
		assert.match(ended.all, /made branch elsewhere/);
		assert.deepEqual(userView(repo), before);
		const [kept = ""] = git(repo, "for-each-ref", "--format=%(refname)", "refs/pawl/put-back").split("\n");
		assert.equal(git(repo, "show", `${kept}:work.txt`), "done");
	});
	it("T-64 works while a person commits beside it: that commit stays, and is not listed as the run's", async () => {
		const repo = repository();
		// Without the session's environment a git command is a person's.
		const ended = await run(repo, working("env -u GIT_TRACE2_EVENT git commit -q --allow-empty -m 'of a person'"));
		assert.match(git(repo, "log", "--format=%s"), /^of a person$/m);
		assert.match(ended.stdout, /^ {2}[0-9a-f]{8} {2}work$/m);
		assert.doesNotMatch(ended.stdout, /of a person/);
	});
	it("detaches HEAD: as if it had not", async () => {
		const repo = repository();
		const ended = await run(repo, working("git checkout -q --detach", write("more.txt", "m\n"), commit("detached")));
		assert.match(ended.stderr, /HEAD/);
		assert.equal(git(repo, "symbolic-ref", "HEAD"), "refs/heads/main");
		assert.equal(git(repo, "show", "main:more.txt"), "m");
		assert.equal(git(repo, "status", "--porcelain"), "");
	});
	it("starts a rebase and leaves it: the step fails, its work is kept as a diff, and nothing of the rebase is left", async () => {
		const repo = repository();
		const before = userView(repo);
		const agent = working(
			"git checkout -q -b side HEAD~1; echo other > work.txt; git add -A; git commit -q -m side; git rebase main >/dev/null 2>&1; git branch -q -m side kept",
		);
		const ended = await run(repo, agent, 1);
		assert.match(ended.all, /unfinished rebase/);
		assert.ok(!exists(repo, ".git/rebase-merge") && !exists(repo, ".git/rebase-apply"));
		const { branches: _, ...after } = userView(repo);
		const { branches: __, ...was } = before;
		assert.deepEqual(after, was);
		assert.match(read(runFolder(repo), "failures/one-shot-step-002.diff"), /work\.txt/);
	});
	it("removes the branch: it is there again", async () => {
		const repo = repository();
		const start = git(repo, "rev-parse", "HEAD");
		await pawlExits(
			0,
			["run", workflow, "Add a file", "--agent-command", working("git checkout -q --detach; git branch -q -D main").command],
			{ cwd: repo },
		);
		assert.equal(git(repo, "symbolic-ref", "HEAD"), "refs/heads/main");
		git(repo, "merge-base", "--is-ancestor", start, "main");
		assert.equal(git(repo, "show", "main:work.txt"), "done");
	});
	it("leaves git's locks: the step fails, its work is kept as a diff, and git works again", async () => {
		const repo = repository();
		await run(repo, working(": > .git/index.lock", ": > .git/HEAD.lock", write("more.txt", "m-31\n")), 1);
		assert.equal(git(repo, "status", "--porcelain"), "");
		assert.match(read(runFolder(repo), "failures/one-shot-step-002.diff"), /m-31/);
		git(repo, "commit", "-q", "--allow-empty", "-m", "it works");
	});
	it("changes configuration and hooks: they are put back, and it is said", async () => {
		const repo = repository();
		const { config, hooks } = userView(repo);
		const ended = await run(
			repo,
			working(
				'git config user.name Mallory; printf "#!/bin/sh\\nexit 1\\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
				write("more.txt", "m\n"),
			),
		);
		assert.equal(userView(repo)["config"], config);
		assert.equal(userView(repo)["hooks"], hooks);
		assert.match(ended.stderr, /changed the repository itself.*config/);
		assert.equal(git(repo, "log", "-1", "--format=%an"), "Scenario");
	});
	it("X-08 removes .pawl's ignore file and commits everything: the step fails, and nothing of .pawl is in a commit", async () => {
		const repo = repository();
		const ended = await run(repo, working("rm .pawl/.gitignore", "git add -A", "git commit -q -m everything"), 1);
		assert.match(ended.all, /pawl's own files in a commit/);
		assert.doesNotMatch(git(repo, "log", "--stat"), /\.pawl/);
		assert.equal(git(repo, "status", "--porcelain"), "");
		assert.match((await pawlExits(0, ["status"], { cwd: repo })).stdout, /failed/);
	});
	it("X-08 G-28 cleans up with git clean -fdx, which takes the journal along: the run stops and says so", async () => {
		const repo = repository();
		const ended = await run(repo, fakeAgent([{ when: { type: "look" }, do: ["git clean -qfdx"] }]), 1);
		assert.match(ended.all, /pawl\.db: it was deleted while pawl was using it/);
		assert.doesNotMatch(git(repo, "log", "--stat"), /\.pawl/);
		assert.equal(git(repo, "status", "--porcelain"), "");
	});
	it("makes a repository inside of the repository: neither lost nor in the way", async () => {
		const repo = repository();
		await run(
			repo,
			working(
				"git init -q inner && echo x > inner/x && git -C inner -c user.name=a -c user.email=a@b add -A && git -C inner -c user.name=a -c user.email=a@b commit -q -m inner",
			),
		);
		assert.equal(story(repo).status, "completed");
	});
	it("deletes .git: it ends with a clear message, and the user's files are still there", async () => {
		const repo = repository({ "mine.txt": "precious\n" });
		const ended = await run(repo, working("rm -rf .git"), 1);
		assert.match(ended.all, /git folder .* was deleted or replaced/);
		assert.equal(read(repo, "mine.txt"), "precious\n");
		assert.equal(read(repo, "work.txt"), "done\n");
	});
	it("replaces .git by a repository of its own: said, and left alone", async () => {
		const repo = repository({ "mine.txt": "precious\n" });
		const ended = await run(repo, working("mv .git $home/moved.git && git init -q"), 1);
		assert.match(ended.all, /git folder .* was deleted or replaced/);
		assert.equal(read(repo, "mine.txt"), "precious\n");
	});
	it("moves the whole tree away: it ends, and says what is wrong", async () => {
		const repo = repository();
		const agent = working('mv "$PWD" "$home/moved"');
		const ended = await pawlExits(1, ["run", workflow, "Add a file", "--agent-command", agent.command], { cwd: repo });
		assert.match(ended.stderr, /pawl:|git/);
		assert.equal(read(agent.flag("moved"), "work.txt"), "done\n");
	});
});
