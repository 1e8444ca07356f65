// Going on with runs, and reaching them from another terminal.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ok, prd, quickScratch, type Scratch, scratch, until, WORKS } from "./scratch.ts";

const WAITS = `steps:
  - on: {type: coding}
    do:
      - write: {path: "work-{story}.txt", content: "{story}\\n"}
      - shared: {path: reached, content: ""}
      - wait_for: {shared: go}
      - usage: {cost_usd: 1}
`;

const statusOf = async (s: Scratch) => (await s.json<{ status: string; stories: { id: string; status: string }[] }>("status")).status;
const reached = (s: Scratch) => until(() => existsSync(join(s.root, ".pawl", "latest", "reached")));

/** A run of one story whose coding step waits for the file `go` in the shared folder. */
async function waiting(more: readonly string[] = []) {
	const s = scratch({ "script.yml": WAITS });
	s.write({ "prd.json": prd({ id: "A" }) });
	const run = s.start("run", "dynamic", "--prd", "prd.json", "--script", "script.yml", ...more);
	await reached(s);
	return { s, run, go: () => s.write({ ".pawl/latest/go": "" }) };
}

describe("pawl retry", () => {
	it("D-65: a failed story continues from the step that failed, and its dependents are unblocked", async () => {
		const s = quickScratch({ "script.yml": `${WORKS}  - on: {type: linting, story: A, attempt: 1}\n    do:\n      - fail: {exit: 3}\n` });
		s.write({ "prd.json": prd({ id: "A" }, { id: "B", depends_on: ["A"] }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"), 1);
		assert.match(ok(await s.pawl("resume"), 1).stderr, /failed: .*\n?.*pawl retry/s);
		assert.match(ok(await s.pawl("retry", "latest", "B"), 2).stderr, /B is blocked .*only a failed story/);
		assert.match(ok(await s.pawl("retry", "latest", "Z"), 2).stderr, /no story Z; there are A, B/);
		ok(await s.pawl("retry", "latest", "A"));
		const view = await s.json<{ status: string; stories: { status: string; steps: { attempt: number }[] }[] }>("status");
		assert.deepEqual([view.status, ...view.stories.map((story) => story.status)], ["completed", "completed", "completed"]);
		assert.deepEqual(
			view.stories[0]?.steps.map((step) => step.attempt),
			[1, 1, 1, 1, 1, 2, 1, 1, 1, 1],
		);
		assert.match(ok(await s.pawl("resume")).stdout, /completed: there is nothing left to do/);
		assert.match(ok(await s.pawl("retry"), 2).stderr, /no story .* has failed/);
	});
});

describe("pawl resume --detach", () => {
	it("continues the run in the background and prints its id, also with --json", async () => {
		const { s, run, go } = await waiting();
		ok(await s.pawl("pause"));
		await run.ended;
		const [{ run: id } = { run: "" }] = await s.json<{ run: string }[]>("runs");
		assert.equal(ok(await s.pawl("resume", id, "--detach")).stdout, `${id}\n`);
		assert.match(ok(await s.pawl("resume", id, "--detach"), 2).stderr, /already being run by another pawl/);
		ok(await s.pawl("pause"));
		const idle = async () => (await s.json<{ driven: boolean }[]>("runs"))[0]?.driven === false;
		await until(idle);
		assert.equal(ok(await s.pawl("resume", "--detach", "--json")).stdout, `${id}\n`);
		go();
		await until(async () => (await statusOf(s)) === "completed");
		assert.match(readFileSync(join(s.root, ".pawl", "runs", id, "pawl.log"), "utf8"), /completed/);
		// The engine clears up after the run has completed, and has it until then.
		await until(async () => /completed: there is nothing left to do/.test((await s.pawl("resume", "--detach")).stdout));
	});
});

describe("pawl skip", () => {
	it("a person leaves the step out that failed, and the story goes on after it; the journal and the status say who and why", async () => {
		const s = quickScratch({ "script.yml": `${WORKS}  - on: {type: prune_tests}\n    do:\n      - fail: {exit: 3}\n` });
		s.write({ "prd.json": prd({ id: "A" }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"), 1);
		assert.match(ok(await s.pawl("skip", "latest", "A", "merge", "--reason", "x"), 2).stderr, /cannot be skipped: pawl itself does it/);
		assert.match(ok(await s.pawl("skip", "latest", "A", "nothing", "--reason", "x"), 2).stderr, /has no step nothing; there are step-001/);
		ok(await s.pawl("skip", "latest", "A", "prune_tests", "--reason", "nothing to prune", "--resume"));
		const { stories } = await s.json<{ stories: { status: string; steps: { type: string; status: string }[] }[] }>("status");
		assert.deepEqual([stories[0]?.status, stories[0]?.steps.find((step) => step.type === "prune_tests")?.status], ["completed", "skipped"]);
		assert.match(ok(await s.pawl("history", "latest")).stdout, /nothing to prune/);
	});
});

describe("pausing and cancelling", () => {
	it("X-05: pause from another terminal, then resume to the end", async () => {
		const { s, run, go } = await waiting();
		assert.match(ok(await s.pawl("resume"), 2).stderr, /already being run by another pawl/);
		assert.match(ok(await s.pawl("pause")).stdout, /is paused; continue with: pawl resume/);
		ok(await run.ended, 3);
		assert.equal(await statusOf(s), "paused");
		assert.match(ok(await s.pawl("pause")).stdout, /is paused/);
		go();
		ok(await s.pawl("resume"));
		assert.equal(await statusOf(s), "completed");
		assert.equal(s.git("show", "main:work-A.txt"), "A");
	});

	it("X-05: cancel from another terminal ends a run for good", async () => {
		const { s, run } = await waiting();
		assert.deepEqual((await s.json<{ status: string }>("cancel")).status, "cancelled");
		ok(await run.ended, 1);
		assert.match(ok(await s.pawl("resume"), 2).stderr, /is cancelled: it cannot continue/);
		assert.match(ok(await s.pawl("cancel")).stdout, /is cancelled/);
		assert.equal(s.git("worktree", "list").split("\n").length, 1);
	});

	it("X-03: cancels a run whose process was killed, without starting its agent again", async () => {
		const { s, run } = await waiting();
		run.kill("SIGKILL");
		await run.ended;
		const log = join(s.root, ".pawl", "latest", "logs", "A", "step-005.jsonl");
		const before = readFileSync(log, "utf8");
		assert.match(ok(await s.pawl("cancel")).stdout, /is cancelled/);
		assert.equal(readFileSync(log, "utf8"), before);
		assert.equal(s.git("worktree", "list").split("\n").length, 1);
	});

	it("X-02 X-03: tells that nobody is at a run whose process was killed, and resumes it", async () => {
		const { s, run, go } = await waiting();
		const driven = async (): Promise<unknown> => (await s.json<{ status: string; driven: boolean }>("status")).driven;
		assert.deepEqual([await driven(), / running /.test((await s.pawl("runs")).stdout)], [true, true]);
		run.kill("SIGKILL");
		await run.ended;
		assert.match(ok(await s.pawl("status")).stdout, /no pawl process runs it now; continue with: pawl resume/);
		assert.deepEqual([await driven(), / cut off /.test((await s.pawl("runs")).stdout)], [false, true]);
		go();
		ok(await s.pawl("resume"));
		assert.equal(s.git("log", "-1", "--format=%s", "main"), "feat(ralph): A - Story A");
	});
});

describe("pawl extend", () => {
	it("a run that its budget stopped continues after the limit was raised", async () => {
		const s = quickScratch({
			"script.yml": "steps: [{on: {type: coding}, do: [{write: {path: work.txt, content: x}}, {usage: {cost_usd: 1}}]}]\n",
		});
		s.write({ "prd.json": prd({ id: "A" }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml", "--max-cost", "0.5", "--allow-unknown-cost"), 4);
		assert.match(ok(await s.pawl("resume"), 4).stderr, /cost budget .* used up.*pawl extend \S+ --max-cost/);
		assert.match(ok(await s.pawl("extend", "latest", "--max-cost", "0.75"), 2).stderr, /new total, and the run has cost \$1\.00 already/);
		assert.match(ok(await s.pawl("extend"), 2).stderr, /which limit\?/);
		assert.match(
			ok(await s.pawl("extend", "latest", "--max-cost", "5")).stdout,
			/extended: cost up to \$5\.00; continue with: pawl resume/,
		);
		ok(await s.pawl("resume"));
	});
});

describe("pawl steer", () => {
	it("a running engine takes it, and the next step can read it", async () => {
		const { s, run, go } = await waiting();
		assert.match(ok(await s.pawl("steer", "mind the gap")).stdout, /goes on with it/, "T-63: without a run the latest is meant");
		go();
		ok(await run.ended);
		assert.match(ok(await s.pawl("history")).stdout, /mind the gap/);
		assert.match(ok(await s.pawl("steer", "latest", "too late"), 2).stderr, /is completed/);
	});
});

const APPROVAL = `name: asks
title: Asks before it works
inputs:
  request: {reader: request, workspace: tree}
roles:
  agent: {description: works, can: [run, commit], report: {notes: text}}
steps: [ask, stories]
types:
  ask: {description: May it start?, approval: person, on: {approved: next, rejected: fail run}}
  stories:
    description: the work
    each: {concurrency: 1, order: list, on_failure: block, expects_change: true, steps: [coding]}
  coding: {description: Work, role: agent, timeout: 1m, writes: any, prompt: coding.md}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|lost|auth: fail story
  rate_limited|overloaded: wait time
`;

describe("pawl approve and reject", () => {
	const files = { "script.yml": WORKS, ".pawl/workflows/asks/workflow.yml": APPROVAL, ".pawl/workflows/asks/coding.md": "Do it.\n" };
	const asking = async <T extends Pick<Scratch, "pawl">>(s: T): Promise<T> => {
		ok(await s.pawl("run", "asks", "do it", "--script", "script.yml"), 3);
		assert.match(ok(await s.pawl("status")).stdout, /waits for a person\n +step-001 ask: May it start\?/);
		return s;
	};

	it("an approval is recorded, and resume continues", async () => {
		const s = await asking(quickScratch(files));
		assert.match(ok(await s.pawl("approve", "latest", "nothing"), 2).stderr, /nothing does not wait .* step-001 \(ask\)/);
		assert.match(ok(await s.pawl("approve")).stdout, /step-001 \(ask\) approved; continue with: pawl resume/);
		assert.match(ok(await s.pawl("approve"), 2).stderr, /nothing in run .* waits/);
		ok(await s.pawl("resume"));
	});

	it("a run that was cancelled while it asked waits for nobody", async () => {
		const s = await asking(quickScratch(files));
		const waits = async () => {
			const [row] = await s.json<{ waiting: number }[]>("runs");
			const { waiting, reasons } = await s.json<{ waiting: unknown[]; reasons: { kind: string }[] }>("status");
			return [row?.waiting, waiting.length, reasons.filter(({ kind }) => kind === "waits").length];
		};
		assert.deepEqual(await waits(), [1, 1, 1]);
		ok(await s.pawl("cancel", "latest"));
		assert.deepEqual(await waits(), [0, 0, 0]);
		assert.doesNotMatch(ok(await s.pawl("status")).stdout, /waits for a person/);
	});

	it("T-67: of simultaneous decisions exactly one counts; the others exit non-zero and name it; the journal has the reason and the person", async () => {
		const s = await asking(scratch(files));
		const all = await Promise.all(["one", "two", "three"].map((reason) => s.pawl("approve", "latest", "ask", "--reason", reason)));
		const counted = all.flatMap((ended, i) => (ended.code === 0 ? [["one", "two", "three"][i]] : []));
		assert.equal(counted.length, 1, JSON.stringify(all));
		for (const { stderr } of all.filter(({ code }) => code !== 0))
			assert.match(stderr, new RegExp(`step-001 was approved by .*: ${counted[0]}`));
		const journal = ok(await s.pawl("history", "--json"))
			.stdout.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		const decided = journal.filter(({ event }) => event === "decided");
		assert.deepEqual(
			decided.map(({ verdict, reason, by }) => [verdict, reason, by]),
			[["approve", counted[0], { user: userInfo().username, how: "cli" }]],
		);
	});

	it("G-27: pawl refuses decisions to processes of a session, except about runs created in that session", async () => {
		const s = await asking(scratch(files));
		const inside = (...args: string[]) => s.pawlWith({ PAWL_MARK: "other-run:A:step-001:1" }, ...args);
		const before = ok(await s.pawl("history", "--json")).stdout;
		for (const args of [
			["approve"],
			["reject", "latest", "--reason", "no"],
			["cancel"],
			["pause"],
			["resume"],
			["retry"],
			["extend", "latest", "--max-cost", "5"],
			["steer", "latest", "hear"],
			["check"],
		])
			assert.match(ok(await inside(...args), 2).stderr, /only a person decides this/, args.join(" "));
		for (const args of [["status"], ["runs"], ["logs"], ["todo", "list"]])
			assert.doesNotMatch((await inside(...args)).stderr, /only a person/);
		assert.equal(ok(await s.pawl("history", "--json")).stdout, before, "nothing was changed");
		ok(await s.pawl("cancel"));
		ok(await inside("run", "asks", "do it", "--script", "script.yml"), 3);
		assert.match(ok(await s.pawlWith({ PAWL_MARK: "third:A:step-001:1" }, "approve"), 2).stderr, /only a person/);
		ok(await inside("approve"));
		ok(await s.pawl("cancel"));
	});

	it("T-65: with --resume the run continues in this process, with its exit code", async () => {
		const s = await asking(quickScratch(files));
		const { run, advice } = await s.json<{ run: string; advice: { commands: string[] }[] }>("status");
		assert.deepEqual(advice[0]?.commands, [`pawl approve ${run}`, `pawl reject ${run} --reason "…"`]);
		const ended = ok(await s.pawl("approve", "--resume"));
		assert.match(ended.stdout, /asks completed/);
		const other = await asking(quickScratch(files));
		assert.match(ok(await other.pawl("reject", "--reason", "not today", "--resume"), 1).stdout, /is failed/);
	});

	it("T-63: --quiet says nothing while it runs and sums up at the end; errors of the parser read like ours", async () => {
		const s = quickScratch(files);
		const ended = ok(await s.pawl("run", "asks", "do it", "--script", "script.yml", "--yes", "--quiet"));
		assert.doesNotMatch(ended.stderr, /coding/);
		assert.match(ended.stdout, /asks completed/);
		assert.equal(ok(await s.pawl("status", "--bogus"), 2).stderr, "pawl: unknown option '--bogus'\n");
	});

	it("a rejection needs a reason and takes its route", async () => {
		const s = await asking(quickScratch(files));
		ok(await s.pawl("reject"), 2);
		assert.match(ok(await s.pawl("reject", "latest", "ask", "--reason", "not today")).stdout, /rejected; run \S+ is failed/);
		assert.match((await s.json<{ reason: string }>("status")).reason, /not today/);
	});
});
