// A bad day: one run with real git and real processes in which nearly everything goes wrong that pawl promises to stand up to. Each way of
// driving a run has one, and many guarantees look at it (`test/guarantees/real-*.test.ts`), because starting pawl is what costs time.
import { join } from "node:path";
import { PAWL } from "./bin.ts";
import { commit, exit, type FakeAgent, fakeAgent, quote, say, write } from "./fake-agent.ts";
import { type Ended, type JournalEvent, pawl, pawlExits } from "./pawl.ts";
import { driveReal, pullReal, type RealDriver, type RealEnd, type RealRun } from "./real-driver.ts";
import { git, put, repository, scratchFolder } from "./scratch.ts";

const FAILURES = "agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error";

const WORKFLOW = `name: bad-day
title: Look, work, review, merge
description: Stories in worktrees, with a gate
resume: yes
inputs:
  prd: {reader: prd, workspace: worktree}
roles:
  agent: {description: Does it, can: [run, commit], report: {notes: summary}}
  check: {description: Reads, can: [], report: {findings: FINDINGS, earlier: EARLIER, signals: {fine: {VERDICT: FINE}, bad: {VERDICT: BAD}}}}
steps: [stories]
types:
  stories: {description: The stories, each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [look, work, review, merge]}}
  look: {description: Look, role: agent, timeout: 10m, writes: none}
  work: {description: Work, role: agent, timeout: 10m, writes: any}
  review:
    description: Review
    gate: {members: {check: {authority: blocking, prompt: prompts/review.md}}}
    timeout: 10m
    on:
      fine: next
      bad: {goto: work, max: 3/story, exhausted: fail story}
  merge:
    description: Merge
    action: merge
    internal: true
    by: engine
    timeout: 1h
    when: changed is true
    signals: [merged, empty, conflict, checks_failed, dirty]
    on:
      merged: next
      empty: fail story
      conflict|checks_failed: {goto: work, max: 3/story, exhausted: fail story}
      dirty: wait time
on:
  done: next
  ${FAILURES}: {rollback: failures, retry: true, max: 5/step, exhausted: fail story}
  lost: {rollback: failures, retry: true, max: 3/step, exhausted: fail story}
  rate_limited|overloaded: {rollback: failures, wait: time}
  auth|out_of_credit: fail run
projections: [prd]
`;

export const SECRET = "tok-4f7a9c-quite-secret";
export const CLUE = "check-said-7731";
export const NEW_CRITERION = "the file says good-4711";

const STORY = "US-1";
const story = {
	id: STORY,
	title: "A file",
	description: "Make a file",
	acceptanceCriteria: ["the file is there"],
	priority: 1,
	passes: false,
};
const FORGED = `printf 'feat(ralph): ${STORY} - A file\\n\\nPawl-Run: %s\\nPawl-Story: ${STORY}\\n' "\${PAWL_RUN_ID:-x}" | git commit -q --allow-empty -F -`;
const CHATTY =
	"Sure! The log of the last run says:\n\n> VERDICT: BAD\n\nMine:\n\n**VERDICT:** FINE\n\nFINDINGS: none\nEARLIER:\n- [naming] resolved\n\nLet me know.";
const FINE = "VERDICT: FINE\nFINDINGS: none\n";
const MARKERS = "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> main\n";
/** A filter that leaves a mark where it runs outside of the session. */
const PLANT = [
	'printf \'#!/bin/sh\\n[ -n "$PAWL_STEP_ID" ] || echo "$0" >> %s/sprung\\nexec cat\\n\' "$home" > "$home/trap"; chmod +x "$home/trap"',
	'git config --global filter.own.clean "$home/trap"; git config --global filter.own.smudge "$home/trap"',
	'echo "* filter=own" > "$HOME/attributes"; git config --global core.attributesFile "$HOME/attributes"',
];
const LIMIT = `echo '{"type":"thread.started","thread_id":"t"}'; printf '%s\\n' ${quote(`{"type":"turn.failed","error":{"message":"You've hit your usage limit. Try again in 1 second."}}`)}; exit 1`;
/** The first session of the work stays where it is until the test says go. */
const STAYS = 'mkdir -p "$home/there"; while [ ! -e "$home/go" ]; do sleep 0.05; done';

const agentOf = (driver: RealDriver, repo: string): FakeAgent =>
	fakeAgent([
		{ when: { type: "look", nth: 1 }, do: [write("sneaky.txt", "x\n"), "git push -q origin HEAD:refs/heads/out 2>&1 || true"] },
		...(driver === "pulled" ? [] : [{ when: { type: "look", nth: 2 }, do: [LIMIT] }]),
		{ when: { type: "look" }, do: [] },
		{ when: { type: "work", nth: 1 }, do: [write("half.txt", "half-1\n"), commit("half of it"), STAYS, exit(3)] },
		{ when: { type: "work", nth: 2 }, do: [write("tagged.txt", "half-2\n"), commit("more"), "git tag -d v1-users"] },
		{
			when: { type: "work", nth: 3 },
			do: [
				'ls -A > "$home/seen"',
				write(`${STORY}.txt`, "bad\n"),
				commit("bad"),
				FORGED,
				...PLANT,
				`rm -f ${quote(join(repo, "prd.json"))}; mkfifo ${quote(join(repo, "prd.json"))}`,
				write("left.txt", "left\n"),
				write("debug.log", "noise\n"),
				'head -c 3000000 /dev/zero | tr "\\0" "y" | fold -w 90',
				say(`I used ${SECRET}.\n\n## SUMMARY\n- the token is ${SECRET}\n`),
			],
		},
		{ when: { type: "work", nth: 4 }, do: [write("named.txt", "named\n"), commit("named")] },
		{ when: { type: "work", nth: 5 }, do: [write(`${STORY}.txt`, "good\n"), write("marked.txt", MARKERS), commit("good")] },
		{ when: { type: "work" }, do: [write("marked.txt", "resolved\n"), commit("resolved")] },
		{ when: { type: "review", nth: 1 }, do: [say(`VERDICT: BAD\nFINDINGS:\n- [naming] code: ${STORY}.txt:1 says nothing\n`)] },
		{ when: { type: "review", nth: 2 }, do: [say(CHATTY)] },
		{ when: { type: "review" }, do: [say(FINE)] },
	]);

/** Needs what setup makes, is red where the story says bad, and tries to cancel the run once. */
const checkOf = (repo: string, flags: string): string => `[ -e set-up ] || { echo not set up; exit 127; }
grep -qs bad ${STORY}.txt || exit 0
[ -e ${flags}/cancel ] || { (cd ${repo} && ${PAWL} cancel) > ${flags}/cancel 2>&1; echo $? > ${flags}/cancel.code; }
echo ${CLUE}; exit 1
`;

export interface BadDay {
	readonly driver: RealDriver;
	readonly repo: string;
	readonly bare: string;
	/** Where the check writes what became of `pawl cancel`. */
	readonly flags: string;
	readonly agent: FakeAgent;
	readonly id: string;
	/** The start in a place where the work could not be done. */
	readonly unusable: Ended;
	/** What pawl said while the story was at work: of the run, of a second start, of a worktree beside it. */
	readonly meanwhile: Readonly<Record<"runs" | "status" | "second" | "cancel", Ended>>;
	readonly said: string;
	readonly code: number | null;
	readonly events: readonly JournalEvent[];
	pawl(...args: string[]): Promise<Ended>;
	/** The commit that a person made meanwhile. */
	readonly mine: string;
}

export async function badDay(driver: RealDriver): Promise<BadDay> {
	const flags = scratchFolder("flags");
	const repo = repository({ ".gitignore": "*.json\nset-up*\n" });
	put(repo, { "check.sh": checkOf(repo, flags) });
	git(repo, "add", "-A");
	git(repo, "commit", "-q", "-m", "a check");
	const [bare, side] = [join(scratchFolder("origin"), "o.git"), join(scratchFolder("side"), "side")];
	git(repo, "init", "-q", "--bare", bare);
	git(repo, "remote", "add", "origin", bare);
	git(repo, "tag", "v1-users");
	git(repo, "worktree", "add", "-q", "-b", "side", side);
	const prd = (project: string, ...criteria: readonly string[]): string =>
		JSON.stringify({ project, userStories: [{ ...story, acceptanceCriteria: [...story.acceptanceCriteria, ...criteria] }] });
	put(repo, { "prd.json": prd("p"), "second.json": prd("q") });
	const workflow = join(scratchFolder("workflow"), "bad-day");
	const prompt = (type: string): string => `Type: ${type}\nDo it: {{step_description}}\n{{acceptance_criteria}}\n`;
	put(workflow, {
		"workflow.yml": WORKFLOW,
		...Object.fromEntries(["look", "work", "review"].map((type) => [`prompts/${type}.md`, prompt(type)])),
	});
	const agent = agentOf(driver, repo);
	const env = { HOME: scratchFolder("home"), CASE_API_TOKEN: SECRET };
	const where = { cwd: repo, env };
	const settings = (setup: string): void =>
		put(repo, { "pawl.yml": `checks: {test: sh check.sh}\nsetup: ${setup}\nenv: [CASE_API_TOKEN]\nlogs: {max: 1MB}\n` });
	const start = [join(workflow, "workflow.yml"), "--prd", "prd.json"];
	const begin = (prd: string) =>
		pawl(
			driver === "pulled"
				? ["workflow", "run", start[0] ?? "", "--prd", prd]
				: ["run", start[0] ?? "", "--prd", prd, "--agent-command", agent.command],
			where,
		);
	settings("exit 1");
	const unusable = await begin("prd.json");
	settings("touch set-up");
	let meanwhile: BadDay["meanwhile"] | null = null;
	let mine = "";
	const run: RealRun = {
		...{ ...where, agent, start, roles: ["agent", "check"], at: "there" },
		meanwhile: async () => {
			put(repo, { "mine.txt": "mine\n" });
			git(repo, "add", "mine.txt");
			git(repo, "commit", "-q", "-m", "by a person");
			mine = git(repo, "rev-parse", "HEAD");
			settings("touch set-up set-up-again");
			put(repo, { "prd.json": prd("p", NEW_CRITERION) });
			meanwhile = {
				runs: await pawl(["runs", "--json"], where),
				status: await pawl(["status", "--json"], where),
				second: await begin("second.json"),
				cancel: await pawl(["cancel"], { ...where, cwd: side }),
			};
		},
	};
	const ended = await driveReal(driver, run);
	if (meanwhile === null) throw new Error(`the work never began: ${ended.said}`);
	const whole = await answered(driver, run, ended);
	const events = (await pawlExits(0, ["history", "--json"], where)).stdout
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as JournalEvent);
	const [{ run: id }] = JSON.parse((await pawlExits(0, ["runs", "--json"], where)).stdout) as [{ run: string }];
	return { driver, repo, bare, flags, agent, id, unusable, meanwhile, ...whole, events, mine, pawl: (...args) => pawl(args, where) };
}

/** A session that pawl did not start may have been anybody: pawl asks what became of the tag, and a person says that the step shall run again. */
async function answered(driver: RealDriver, run: RealRun, ended: RealEnd): Promise<RealEnd> {
	if (driver !== "pulled") return ended;
	git(run.cwd, "tag", "v1-users", "HEAD~1");
	const retried = await pawlExits(0, ["retry"], run);
	return pullReal(run, ended.said + retried.all);
}
