// The pipelines bug-fix and security-audit, looked at after each transition: rows, commits, files, prompts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Dialogue } from "../support/dialogue.ts";
import { commit, say, write } from "../support/fake-agent.ts";
import { exited, runFolder } from "../support/pawl.ts";
import { plans, script, site, story } from "../support/pipeline-site.ts";
import { exists, list, read, userView } from "../support/scratch.ts";

/** `a done, b running` for steps in order; those that are not named wait. */
const steps = (names: readonly string[], ...now: string[]): string[] =>
	names.map((name) => now.find((one) => one.split(" ")[0] === name) ?? `${name} waiting`);

test("bug-fix, transition by transition: the test is committed before the fix, a rejected fix goes back with the issues", async () => {
	const s = site();
	const before = userView(s.repo);
	const d = new Dialogue(s, "run", "bug-fix", "It crashes on an empty list");
	const rows = (...now: string[]) => steps(["triage", "investigate", "fix", "verify", "pr"], ...now);
	const none = { stories: [], progress: null };
	const fixed = (n: number) => [
		write(`test-${n}.txt`, "t"),
		commit(`test: an empty list (${n})`),
		write(`fix-${n}.txt`, "f"),
		commit(`fix: the last index (${n})`),
		say(`STATUS: done\nCHANGES: change-${n}\nREGRESSION_TEST: make test-${n}`),
	];
	const commits = ["test: an empty list (1)", "fix: the last index (1)", "test: an empty list (2)", "fix: the last index (2)"];

	const triage = await d.at("triage", { ...none, run: "running", steps: rows("triage running"), commits: [] });
	assert.match(triage.prompt, /It crashes on an empty list/);
	d.says("STATUS: done", "SEVERITY: high", "REPRODUCTION: run-it", "EXPECTED: no crash", "AREA: lists", "BRANCH: fix/empty-list");

	const cause = await d.at("investigate", { ...none, run: "running", steps: rows("triage done", "investigate running"), commits: [] });
	assert.match(cause.prompt, /run-it[\s\S]*no crash[\s\S]*lists[\s\S]*branch fix\/empty-list/);
	assert.match(String(s.rows("select output from steps where step_id = 'triage'")[0]?.["output"]), /REPRODUCTION: run-it/);
	d.says("STATUS: done", "CAUSE: off-by-one", "FIX_PLAN: <=", "TEST_PLAN: empty list", "RISKS: none");

	const past = ["triage done", "investigate done"];
	const first = await d.at("fix", { ...none, run: "running", steps: rows(...past, "fix running"), commits: [] });
	assert.match(first.prompt, /off-by-one/);
	d.does(...fixed(1));

	const looked = await d.at("verify", {
		...none,
		run: "running",
		steps: rows(...past, "fix done", "verify running"),
		commits: commits.slice(0, 2),
	});
	assert.match(looked.prompt, /change-1[\s\S]*make test-1/);
	assert.equal(looked.cwd, first.cwd);
	assert.equal(s.git("rev-parse", "main"), before["head"], "the work is on the run's branch alone");
	d.says("STATUS: retry", "ISSUES:", "- the suite fails, issue-3141");

	const second = await d.at("fix", { ...none, run: "running", steps: rows(...past, "fix running"), commits: commits.slice(0, 2) });
	assert.match(second.prompt, /issue-3141/);
	d.does(...fixed(2));

	const again = await d.at("verify", { ...none, run: "running", steps: rows(...past, "fix done", "verify running"), commits });
	assert.match(again.prompt, /change-2/);
	assert.equal(exists(runFolder(s.repo), "pull-request.md"), false);
	d.says("STATUS: done", "VERIFIED: all-of-it");

	const done = [...past, "fix done", "verify done"];
	const text = await d.at("pr", { ...none, run: "running", steps: rows(...done, "pr running"), commits });
	assert.match(text.prompt, /all-of-it/);
	d.says("STATUS: done", "PR_TITLE: Mend the empty list", "PR_BODY: It crashed.");

	exited(await d.ends("fix/empty-list", { ...none, run: "completed", steps: rows(...done, "pr done"), commits }), 0);
	assert.match(read(runFolder(s.repo), "pull-request.md"), /^# Mend the empty list[\s\S]*It crashed\./);
	assert.deepEqual(list(runFolder(s.repo), "failures"), []);
	const { branches: _, ...rest } = userView(s.repo);
	const { branches: __, ...was } = before;
	assert.deepEqual(rest, was, "the user's checkout is as it was");
});

test("security-audit, transition by transition: findings become stories, each is fixed and verified", async () => {
	const s = site();
	const d = new Dialogue(s, "run", "security-audit", "Look at everything");
	const rows = (...now: string[]) => steps(["scan", "prioritize", "fix", "verify", "test", "pr"], ...now);
	const log = (id: string, n: number) => `printf '%s\\n' 'entry ${id} ${n}' >> "$PAWL_PROGRESS_FILE"`;
	const closes = (id: string, n: number) => [
		write(`${id}-${n}.txt`, "x"),
		commit(`fix: ${id} (${n})`),
		log(id, n),
		say(`STATUS: done\nCHANGES: closed-${id}-${n}\nTESTS: one`),
	];

	await d.at("scan", { run: "running", steps: rows("scan running"), stories: [], commits: [], progress: null });
	d.says("STATUS: done", "FINDINGS:", "- high: a.ts:1 injection-4711", "SCANNED: all", "NOT_SCANNED: none");

	const chosen = await d.at("prioritize", { run: "running", steps: rows("scan done", "prioritize running"), stories: [], progress: null });
	assert.match(chosen.prompt, /injection-4711/);
	d.says("STATUS: done", "BRANCH: security/audit", `STORIES_JSON: ${JSON.stringify([story(1), story(2)])}`, "DEFERRED: low-99");

	const past = ["scan done", "prioritize done"];
	const first = await d.at("fix", {
		run: "running",
		steps: rows(...past, "fix running US-001"),
		stories: ["US-001 running 0", "US-002 pending 0"],
		commits: [],
		progress: null,
	});
	assert.match(first.prompt, /mark-1[\s\S]*after this one:\s+1\./);
	assert.doesNotMatch(first.prompt, /mark-2/);
	d.does(...closes("US-001", 1));

	const looked = await d.at("verify", {
		run: "running",
		steps: rows(...past, "fix running", "verify running"),
		stories: ["US-001 done 0", "US-002 pending 0"],
		commits: ["fix: US-001 (1)"],
		progress: "entry US-001 1\n",
	});
	assert.match(looked.prompt, /mark-1[\s\S]*closed-US-001-1[\s\S]*entry US-001 1/);
	assert.match(String(s.rows("select output from stories where story_id = 'US-001'")[0]?.["output"]), /closed-US-001-1/);
	d.says("STATUS: retry", "ISSUES: a-way-around");

	const back = await d.at("fix", {
		run: "running",
		steps: rows(...past, "fix running US-001"),
		stories: ["US-001 running 1", "US-002 pending 0"],
		commits: ["fix: US-001 (1)"],
		progress: "entry US-001 1\n",
	});
	assert.match(back.prompt, /a-way-around/);
	d.does(...closes("US-001", 2));

	await d.at("verify", {
		run: "running",
		steps: rows(...past, "fix running", "verify running"),
		stories: ["US-001 done 1", "US-002 pending 0"],
		commits: ["fix: US-001 (1)", "fix: US-001 (2)"],
		progress: "entry US-001 1\nentry US-001 2\n",
	});
	d.says("STATUS: done", "VERIFIED: tried");

	const other = await d.at("fix", {
		run: "running",
		steps: rows(...past, "fix running US-002"),
		stories: ["US-001 done 1", "US-002 running 0"],
		commits: ["fix: US-001 (1)", "fix: US-001 (2)"],
	});
	assert.match(other.prompt, /mark-2[\s\S]*after this one:\s+0\./);
	assert.doesNotMatch(other.prompt, /a-way-around/, "what was wrong with one story is not told about another");
	d.does(...closes("US-002", 1));

	const commits = ["fix: US-001 (1)", "fix: US-001 (2)", "fix: US-002 (1)"];
	const all = ["US-001 done 1", "US-002 done 0"];
	const entries = "entry US-001 1\nentry US-001 2\nentry US-002 1\n";
	await d.at("verify", { run: "running", steps: rows(...past, "fix running", "verify running"), stories: all, commits, progress: entries });
	d.says("STATUS: done", "VERIFIED: tried");

	const closed = [...past, "fix done", "verify done"];
	const tested = await d.at("test", { run: "running", steps: rows(...closed, "test running"), stories: all, commits, progress: entries });
	assert.match(tested.prompt, /entry US-002 1/);
	d.says("STATUS: done", "RESULTS: all-12-pass");

	const text = await d.at("pr", { run: "running", steps: rows(...closed, "test done", "pr running"), stories: all, commits });
	assert.match(text.prompt, /low-99[\s\S]*all-12-pass/);
	d.says("STATUS: done", "PR_TITLE: Close two holes", "PR_BODY: Both.");

	const ended = { run: "completed", steps: rows(...closed, "test done", "pr done"), stories: all, commits, progress: null };
	exited(await d.ends("security/audit", ended), 0);
	const [id = ""] = s.rows("select id from runs").map((r) => String(r["id"]));
	assert.equal(read(runFolder(s.repo), "archive", id, "progress.txt"), entries);
	assert.match(read(runFolder(s.repo), "pull-request.md"), /^# Close two holes/);
});

test("G-22 I7 a session that resets the run's branch or amends what lies below its story: git has the commits of the earlier story again", async () => {
	const s = site();
	const works = (n: number, ...more: object[]): object[] => [
		{ write: { path: `work-${n}.txt`, content: "work\n" } },
		...more,
		{ say: "STATUS: done\nCHANGES: one\nTESTS: one\n" },
	];
	const file = script([
		plans({ type: "prioritize" }, [story(1), story(2)], "security/audit"),
		{ on: { type: "fix", story: "US-001" }, do: works(1, { commit: "fix: one" }) },
		{
			on: { type: "fix", story: "US-002", nth: 1 },
			do: [{ run: ["git", "reset", "-q", "--hard", "main"] }, ...works(2, { commit: "two" })],
		},
		{ on: { type: "fix", story: "US-002" }, do: works(3, { commit: "fix: two" }) },
	]);
	const ended = exited(await s.pawl("run", "security-audit", "Look at everything", "--agent", "scripted", "--script", file), 0);
	assert.match(ended.stderr, /took commits off the branch that were there before it began \(\w+ fix: one\): they are put back/);
	assert.deepEqual(s.git("log", "--format=%s", "main..security/audit").split("\n"), ["fix: two", "fix: one"]);
});
