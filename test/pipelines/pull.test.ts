// Agents that pawl did not start, from the outside: claim, complete, fail, and the timer that wakes them.
import assert from "node:assert/strict";
import { chmodSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exited, pawl, runFolder } from "../support/pawl.ts";
import { quickPipes, type Site, site, story } from "../support/pipeline-site.ts";
import { exists, git, put, read, scratchFolder } from "../support/scratch.ts";

interface Claimed {
	readonly found: boolean;
	readonly claim: string;
	readonly stepId: string;
	readonly input: string;
	readonly workspace: string;
	readonly leaseSeconds: number;
}

const claim = async (s: Site, agent: string, ...more: string[]): Promise<Claimed> =>
	JSON.parse(exited(await s.pawl("step", "claim", agent, ...more), 0).stdout) as Claimed;
const complete = (s: Site, claimed: Claimed, text: string) => s.feed(text, "step", "complete", claimed.claim);
const begin = async (s: Site) => exited(await s.pawl("workflow", "run", "feature-dev", "A task"), 0).stdout.trim();
const PLAN = `STATUS: done\nBRANCH: feature/pulled\nSTORIES_JSON: ${JSON.stringify([story(1)])}\n`;

async function work(s: Site, claimed: Claimed): Promise<void> {
	put(claimed.workspace, { [`work-${claimed.stepId.replaceAll(":", "-")}.txt`]: "w\n" });
	s.commit(claimed.workspace, "pulled");
	assert.equal((await complete(s, claimed, "STATUS: done\nCHANGES: pulled\n")).code, 0);
}

test("A-23 A-25 A-31 A-37 a whole run by agents that come for it", async () => {
	const s = site();
	const id = await begin(s);
	assert.equal(s.rows("select id from runs")[0]?.["id"], id);
	assert.deepEqual([s.steps()["plan"], s.steps()["implement"]], ["pending", "waiting"]);
	assert.equal((await claim(s, "developer")).found, false);
	const plan = await claim(s, "planner", "--lease", "90s");
	assert.deepEqual([plan.found, plan.leaseSeconds, s.steps()["plan"]], [true, 90, "running"]);
	assert.equal((await complete(s, plan, PLAN)).code, 0);
	const again = await complete(s, plan, "STATUS: retry");
	assert.deepEqual([again.code, JSON.parse(again.stdout).changed], [0, false]);
	// By the name that openclaw gives it, and by the name of its step.
	const dev = await claim(s, "feature-dev_developer");
	assert.match(dev.input, /mark-1/);
	assert.doesNotMatch(dev.input, /These files say who you are/, "it has its files where it was set up");
	await work(s, dev);
	assert.equal((await claim(s, "developer")).found, false);
	const verify = await claim(s, "verifier");
	assert.equal((await s.feed("STATUS: retry\nISSUES: issue-77\n", "step", "complete", verify.stepId)).code, 0);
	const second = await claim(s, "developer");
	assert.match(second.input, /issue-77/);
	await work(s, second);
	for (const agent of ["verifier", "tester", "developer", "reviewer"])
		assert.equal((await complete(s, await claim(s, agent), "STATUS: done\n")).code, 0);
	assert.deepEqual([s.stories(), s.rows("select status from runs")], [["US-001 done 1"], [{ status: "completed" }]]);
	assert.equal(s.git("rev-list", "--count", "main..feature/pulled"), "2");
	assert.ok(exists(runFolder(s.repo), "pull-request.md"));
	assert.equal(exists(s.repo, ".pawl/worktrees"), false);
	assert.match(exited(await s.pawl("step", "stories"), 0).stdout, /^US-001 \[done\] Title 1 \(retry 1\)\n$/);
	assert.match(exited(await s.pawl("workflow", "status"), 0).stdout, /stories: 1\/1 done/);
});

test("I18 pawl is killed when it puts back what a cancelled run left: a resume says that the run cannot continue, and clears up", async () => {
	const s = site();
	const id = await begin(s);
	assert.equal((await complete(s, await claim(s, "planner"), PLAN)).code, 0);
	const dev = await claim(s, "developer");
	put(dev.workspace, { "half.txt": "half\n" });
	assert.notEqual((await pawl(["cancel", id], { cwd: s.repo, env: { ...s.env, PAWL_CRASH_AT: "start rollback#1" } })).code, 0);
	assert.ok(exists(s.repo, ".pawl/worktrees"));
	assert.match(exited(await s.pawl("resume", id), 2).stderr, /is cancelled: it cannot continue/);
	assert.equal(exists(s.repo, ".pawl/worktrees"), false);
});

test("G-26 a filter that an agent set up while it had a step does not run when it brings its result", async () => {
	const s = site();
	const [trap, mark] = [join(scratchFolder("trap"), "trap"), join(scratchFolder("trap"), "sprung")];
	put(join(trap, ".."), { trap: `#!/bin/sh\necho ran >> ${mark}\nexec cat\n` });
	chmodSync(trap, 0o755);
	await begin(s);
	assert.equal((await complete(s, await claim(s, "planner"), PLAN)).code, 0);
	const dev = await claim(s, "developer");
	git(dev.workspace, "config", "filter.own.clean", trap);
	git(dev.workspace, "config", "filter.own.smudge", trap);
	put(dev.workspace, { ".gitattributes": "*.md filter=own\n", "left.md": "left\n" });
	await work(s, dev);
	rmSync(mark, { force: true });
	put(dev.workspace, { "left.md": "left again\n" });
	assert.equal((await complete(s, await claim(s, "verifier"), "STATUS: done\n")).code, 0);
	assert.equal(exists(mark), false);
	put(dev.workspace, { "left.md": "once more\n" });
	git(dev.workspace, "add", "left.md");
	assert.equal(exists(mark), true, "the trap works");
});

test("T-25 a timer asks without taking; the claim says all that is needed; a misspelt agent is named; a late answer is told so", async () => {
	const s = quickPipes();
	const peek = async (agent: string) => (await s.pawl("step", "peek", agent)).code;
	assert.equal(await peek("planner"), 1);
	await begin(s);
	assert.deepEqual([await peek("planner"), await peek("developer"), s.steps()["plan"]], [0, 1, "pending"]);
	assert.match(exited(await s.pawl("status"), 0).stdout, /plan waits for planner to claim it \(pawl step claim planner\)/);
	assert.match(exited(await s.pawl("step", "claim", "plannr"), 2).stderr, /planner/);
	const plan = (await claim(s, "planner")) as Claimed & { readonly answer: Readonly<Record<string, string>> };
	assert.ok(exists(plan.workspace) && plan.input.length > 0);
	assert.match(plan.answer["done"] ?? "", new RegExp(`pawl step complete ${plan.claim}`));
	assert.match(plan.answer["cannot"] ?? "", new RegExp(`pawl step fail ${plan.claim}`));
	assert.equal((await complete(s, plan, PLAN)).code, 0);
	const late = await complete(s, plan, "STATUS: retry");
	assert.equal(late.code, 0);
	assert.match(late.stderr, /too late/);
});

test("X-25 an agent that no workflow has, and one whose workflow has no run, find nothing", async () => {
	const s = quickPipes();
	assert.equal((await claim(s, "planner")).found, false);
	await begin(s);
	assert.deepEqual([(await claim(s, "nobody")).found, (await claim(s, "other-flow_planner")).found], [false, false]);
	assert.equal((await claim(s, "planner")).found, true);
});

test("X-26 a row tells when its status last changed, and only then", async () => {
	const s = quickPipes();
	await begin(s);
	const times = () => Object.fromEntries(s.rows("select step_id, updated_at from steps").map((row) => [row["step_id"], row["updated_at"]]));
	const before = times();
	const plan = await claim(s, "planner");
	const claimed = times();
	assert.ok(String(claimed["plan"]) > String(before["plan"]), "pending → running");
	assert.deepEqual({ ...claimed, plan: null }, { ...before, plan: null }, "nothing happened to the others");
	assert.equal((await complete(s, plan, PLAN)).code, 0);
	const completed = times();
	assert.ok(String(completed["plan"]) > String(claimed["plan"]), "running → done");
	assert.ok(String(completed["implement"]) > String(claimed["implement"]), "waiting → pending");
	assert.equal(completed["review"], before["review"]);
});

test("A-55 A-57 failing a story counts; what a failed attempt left is put back; a claim of nobody is refused", async () => {
	const s = quickPipes();
	await begin(s);
	await complete(s, await claim(s, "planner"), PLAN);
	const first = await claim(s, "developer");
	put(first.workspace, { "half.txt": "half\n" });
	exited(await s.pawl("step", "fail", first.claim, "it", "broke"), 0);
	assert.deepEqual([s.stories(), s.steps()["implement"]], [["US-001 pending 1"], "pending"]);
	const late = await complete(s, first, "STATUS: done\n");
	assert.equal(late.code, 1);
	assert.match(late.stderr, /stale/);
	const second = await claim(s, "developer");
	assert.match(second.input, /it broke/);
	assert.equal(exists(second.workspace, "half.txt"), false);
	exited(await s.pawl("step", "fail", second.claim, "again"), 0);
	assert.deepEqual(
		[s.stories(), s.rows("select status from runs"), s.steps()["implement"]],
		[["US-001 failed 2"], [{ status: "failed" }], "failed"],
	);
	assert.equal((await s.feed("x", "step", "complete", "nobody")).code, 1);
});

test("an answer that does not say what is expected is taken as a failure and told so; a person's retry goes on", async () => {
	const s = quickPipes();
	await begin(s);
	for (const _ of [1, 2, 3]) {
		const said = await complete(s, await claim(s, "planner"), "Here is my plan.");
		assert.equal(said.code, 1);
		assert.match(said.stderr, /STATUS: done/);
	}
	assert.deepEqual(s.rows("select status from runs"), [{ status: "waiting" }]);
	assert.equal((await claim(s, "planner")).found, false);
	exited(await s.pawl("retry"), 0);
	assert.equal((await claim(s, "planner")).found, true);
});

test("several runs at once: each agent gets a step of its own", async () => {
	const s = quickPipes();
	const ids = [await begin(s), await begin(s)];
	const both = await Promise.all([claim(s, "planner"), claim(s, "planner")]);
	assert.deepEqual(both.map((c) => c.stepId.split(":")[0]).sort(), ids.toSorted());
	assert.notEqual(both[0]?.workspace, both[1]?.workspace);
	assert.equal((await claim(s, "planner")).found, false);
});

test("A-63 A-70 install sets up folders and timer, keeps what was changed, and uninstall takes away just that", async () => {
	const s = site();
	const folder = scratchFolder("crontab");
	put(folder, { tab: "0 1 * * * mine\n" });
	s.program("crontab", `#!/bin/sh\nif [ "$1" = -l ]; then cat ${folder}/tab; else cat > ${folder}/tab; fi\n`);
	const printed = exited(await s.pawl("workflow", "install", "feature-dev"), 0).stdout;
	assert.match(printed, /\*\/5 \* \* \* \* cd /);
	assert.equal(read(folder, "tab"), "0 1 * * * mine\n");
	const home = join(s.repo, ".pawl/agents/feature-dev/developer");
	put(home, { "AGENTS.md": `${read(home, "AGENTS.md")}\n## Codebase Knowledge\n- learned\n` });
	const again = exited(await s.pawl("workflow", "install", "feature-dev", "--timer", "--agent-command", "my-agent -q"), 0).stdout;
	assert.match(again, /changed since: AGENTS\.md/);
	assert.match(read(home, "AGENTS.md"), /learned/);
	assert.match(read(home, "POLL.md"), /step claim developer/);
	exited(await s.pawl("workflow", "install", "feature-dev", "--timer", "--agent-command", "my-agent -q"), 0);
	assert.equal(read(folder, "tab").match(/my-agent -q/g)?.length, 5, "one line an agent, however often it is installed");
	// An agent that only another workflow of the same name has.
	cpSync(join(s.repo, ".pawl/agents/feature-dev/planner"), join(s.repo, ".pawl/agents/feature-dev/setup"), { recursive: true });
	assert.match(exited(await s.pawl("workflow", "uninstall", "feature-dev"), 0).stdout, /^setup: removed$/m);
	assert.equal(read(folder, "tab"), "0 1 * * * mine\n");
	for (const agent of ["planner", "setup"]) assert.equal(exists(s.repo, `.pawl/agents/feature-dev/${agent}`), false);
	assert.match(read(home, "AGENTS.md"), /learned/);
	assert.equal(s.git("status", "--porcelain"), "");
});

test("a run that agents come for can be paused, resumed and cancelled; its claims are taken back", async () => {
	const s = site();
	await begin(s);
	const first = await claim(s, "planner");
	assert.match(exited(await s.pawl("pause"), 0).stdout, /is paused/);
	assert.equal((await complete(s, first, PLAN)).code, 1);
	assert.equal((await claim(s, "planner")).found, false);
	exited(await s.pawl("resume"), 0);
	const second = await claim(s, "planner");
	assert.equal((await complete(s, second, PLAN)).code, 0);
	assert.deepEqual(s.stories(), ["US-001 pending 0"]);
	assert.match(exited(await s.pawl("cancel"), 0).stdout, /is cancelled/);
	assert.equal((await claim(s, "developer")).found, false);
	assert.equal(exists(s.repo, ".pawl/worktrees"), false);
	assert.equal(s.git("for-each-ref", "--format=%(refname:short)", "refs/heads"), "main", "a branch without work does not stay");
});

test("what agents brought back is in the logs, attempt by attempt; a late or failed one with its reason", async () => {
	const s = quickPipes();
	await begin(s);
	const logs = async (...args: string[]) => exited(await s.pawl("logs", "latest", ...args), 0).stdout;
	await complete(s, await claim(s, "planner"), "Here is a plan-8812.\n");
	await complete(s, await claim(s, "planner"), PLAN);
	assert.match(
		await logs(),
		/--- attempt 1[\s\S]*plan-8812[\s\S]*--- ended: unreadable, it does not say STATUS: done[\s\S]*--- attempt 2[\s\S]*STORIES_JSON[\s\S]*--- ended: ok/,
	);
	const dev = await claim(s, "developer");
	exited(await s.pawl("step", "fail", dev.claim, "no", "compiler"), 0);
	await work(s, await claim(s, "developer"));
	assert.match(await logs("US-001", "implement"), /--- ended: agent_error, no compiler[\s\S]*CHANGES: pulled/);
	await claim(s, "verifier", "--lease", "1ms");
	await claim(s, "verifier");
	assert.match(await logs("US-001", "verify"), /--- ended: timeout, verifier claimed it and did not come back in time/);
	for (const line of read(runFolder(s.repo), "logs/US-001/implement.jsonl").trimEnd().split("\n")) JSON.parse(line);
});
