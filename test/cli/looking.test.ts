// The commands that only look, on one run in which a story was completed, one failed and one was blocked by it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { ok, prd, quickScratch, scratch, until, WORKS } from "./scratch.ts";

interface Run {
	readonly run: string;
	readonly status: string;
	readonly sessions: number;
	readonly cost_usd: number;
	readonly unknown_cost_sessions: number;
	readonly stories: readonly { readonly id: string; readonly status: string; readonly steps: readonly unknown[] }[];
	readonly diffs: readonly string[];
	readonly files: string;
}

const FAILS = `${WORKS}  - on: {type: linting, story: BAD}
    do:
      - write: {path: half.txt, content: "half\\n"}
      - fail: {exit: 3, error: "it broke"}
`;

describe("looking at a run", () => {
	const s = quickScratch({ "script.yml": FAILS });
	let run = "";

	before(async () => {
		s.write({ "prd.json": prd({ id: "GOOD" }, { id: "BAD" }, { id: "NEXT", depends_on: ["BAD"] }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"), 1);
		run = (await s.json<Run>("status")).run;
	});

	it("X-02: `runs` lists it, for people and as JSON", async () => {
		assert.match(ok(await s.pawl("runs")).stdout, new RegExp(`^${run} +dynamic +failed .* a test\n$`));
		const [only, ...more] = await s.json<{ run: string; status: string; created_at: string }[]>("runs");
		assert.deepEqual([only?.run, only?.status, more.length], [run, "failed", 0]);
		assert.equal(new Date(only?.created_at ?? "").toISOString(), only?.created_at);
	});

	it("X-02 X-15: `status` shows stories, cost with what is unknown, and where the failure's diff is", async () => {
		const { stdout } = ok(await s.pawl("status", run.slice(0, -2)));
		assert.match(stdout, /1 of 3 stories, .*base main, 16 agent sessions, \$0\.10, .*\s?cost of 14 sessions unknown\n/);
		assert.match(stdout, /GOOD +completed/);
		assert.match(stdout, /BAD +failed .*Story BAD$/m);
		assert.equal(stdout.match(/it broke/g)?.length, 1, "G-16: the reason is said once");
		assert.match(stdout, /BAD step-006 linting failed: .*it broke/);
		assert.match(stdout, /NEXT +blocked .*needs BAD/);
		const diff = join(s.root, ".pawl", "runs", run, "failures", "BAD-step-006.diff");
		assert.ok(stdout.includes(diff) && readFileSync(diff, "utf8").includes("half.txt"));
		assert.ok(stdout.split("\n").every((line) => line.length <= 100 || line.includes(s.root)));
	});

	it("X-02: `status --json` is one document with every story and step", async () => {
		const view = await s.json<Run>("status", run);
		assert.deepEqual([view.run, view.status, view.sessions, view.unknown_cost_sessions], [run, "failed", 16, 14]);
		assert.ok(Math.abs(view.cost_usd - 0.1) < 1e-9);
		assert.deepEqual(
			view.stories.map((story) => [story.id, story.status, story.steps.length]),
			[
				["GOOD", "completed", 10],
				["BAD", "failed", 10],
				["NEXT", "blocked", 0],
			],
		);
		assert.deepEqual(
			view.diffs.map((diff) => existsSync(diff)),
			[true],
		);
	});

	it("`stories` has the same stories", async () => {
		assert.deepEqual(
			(await s.json<Run["stories"]>("stories", "latest")).map((story) => story.id),
			["GOOD", "BAD", "NEXT"],
		);
		assert.match(ok(await s.pawl("stories")).stdout, /GOOD .*\n.*BAD .*\n.*NEXT/);
	});

	it("X-15: `cost` sums by story and step type, and says what is unknown", async () => {
		const view = await s.json<{
			by_story: Record<string, unknown>[];
			by_step_type: Record<string, unknown>[];
			cost_per_completed_story_usd: number;
		}>("cost");
		assert.deepEqual(
			view.by_story.map((row) => [row["name"], row["sessions"], row["cost_usd"], row["unknown_cost_sessions"]]),
			[
				["BAD", 6, 0.05, 5],
				["GOOD", 10, 0.05, 9],
			],
			"in the order in which they began: NEXT waits for BAD",
		);
		const coding = view.by_step_type.find((row) => row["name"] === "coding");
		assert.deepEqual([coding?.["sessions"], coding?.["input_tokens"], coding?.["unknown_cost_sessions"]], [2, 2000, 0]);
		assert.ok(Math.abs(view.cost_per_completed_story_usd - 0.1) < 1e-9);
		assert.match(ok(await s.pawl("cost")).stdout, /linting +2 sessions +cost unknown/);
	});

	it("`history` has a line for every event, in order", async () => {
		const { stdout } = ok(await s.pawl("history", "latest", "--json"));
		const events = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as { event: string });
		assert.equal(events[0]?.event, "run_created");
		assert.equal(events.at(-1)?.event, "run_status_changed");
		const lines = ok(await s.pawl("history"))
			.stdout.trimEnd()
			.split("\n");
		assert.equal(lines.length, events.length);
		assert.match(lines.find((line) => line.includes("failed (agent_error)")) ?? "", /BAD step-006 .*it broke/);
	});

	it("`logs` prints what a step printed, as text or as it is, and names what there is where it is asked for something else", async () => {
		const text = ok(await s.pawl("logs", "latest", "GOOD", "coding")).stdout;
		assert.match(text, /^==> GOOD step-005 coding <==\n--- attempt 1[\s\S]*work-GOOD\.txt[\s\S]*## SUMMARY/);
		const raw = ok(await s.pawl("logs", "latest", "GOOD", "step-005", "--json")).stdout;
		assert.equal(raw, readFileSync(join(s.root, ".pawl", "latest", "logs", "GOOD", "step-005.jsonl"), "utf8"));
		const all = ok(await s.pawl("logs")).stdout;
		assert.deepEqual(
			[...all.matchAll(/==> (\S+) step-0/g)].map((match) => match[1]).join(" "),
			`${"GOOD ".repeat(10)}${"BAD ".repeat(6)}`.trim(),
		);
		assert.match(ok(await s.pawl("logs", "latest", "NONE"), 2).stderr, /no story NONE; there are GOOD, BAD, NEXT/);
		assert.match(
			ok(await s.pawl("logs", "latest", "GOOD", "step-099"), 2).stderr,
			/no step step-099; there are step-001 \(context_gathering\)/,
		);
	});

	it("`diff` shows the commit of a merged story, and the work that a failed one left", async () => {
		const { git } = s.memory;
		const commits = [...git.ancestors(git.refs.get("refs/heads/main") ?? "")];
		const sha = commits.find((id) => git.at(id).message.includes("Pawl-Story: GOOD"));
		const merged = ok(await s.pawl("diff", "latest", "GOOD")).stdout;
		assert.match(merged, new RegExp(`^commit ${sha} feat\\(ralph\\): GOOD - Story GOOD\n\ndiff --git`));
		assert.match(merged, /^\+GOOD$/m);
		assert.match((await s.json<{ patch: string }>("diff", "latest", "BAD")).patch, /^\+BAD$/m);
		assert.match(ok(await s.pawl("diff"), 2).stderr, /which story\? there are GOOD, BAD, NEXT/);
	});

	it("X-01: refusals are one message on stderr and exit 2", async () => {
		for (const args of [
			["status", "nope"],
			["logs", "nope"],
			["cost", "nope"],
			["checks", "nope"],
			["status", "--bogus"],
		]) {
			const result = ok(await s.pawl(...args), 2);
			assert.equal(result.stdout, "");
			assert.equal(result.stderr.trimEnd().split("\n").length, 1, result.stderr);
		}
	});
});

describe("looking where there is nothing", () => {
	const s = quickScratch();
	it("says so, and makes nothing", async () => {
		assert.match(ok(await s.pawl("status"), 2).stderr, /there are no runs in .* yet/);
		assert.equal(ok(await s.pawl("runs", "--json")).stdout, "[]\n");
		for (const args of [["resume"], ["cancel"], ["retry"], ["approve"]]) ok(await s.pawl(...args), 2);
		assert.equal(existsSync(join(s.root, ".pawl")), false);
	});
});

describe("pawl logs --follow", () => {
	const s = scratch({
		"script.yml":
			'steps:\n  - on: {type: coding}\n    do:\n      - say: "before the wait\\n"\n      - wait_for: {shared: go}\n      - write: {path: a.txt, content: a}\n',
	});
	it("prints as it comes and ends with the run", async () => {
		const run = s.start("run", "dynamic", "do it", "--script", "script.yml");
		const logs = join(s.root, ".pawl", "latest", "logs");
		await until(() => existsSync(join(logs, "request", "step-005.jsonl")) || existsSync(join(logs, "one-shot", "step-005.jsonl")));
		const follow = s.start("logs", "-f");
		s.write({ ".pawl/latest/go": "" });
		ok(await run.ended);
		assert.match(ok(await follow.ended).stdout, /before the wait[\s\S]*step-010 final_review[\s\S]*ended: ok\n$/);
	});
});
