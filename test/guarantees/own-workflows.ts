// Two workflows of a user's own. Between them they have every kind of step: stories in worktrees with a gate, and a loop with a command
// and an approval in the user's tree.
import type { Part } from "../../src/engine/testing/cast.suite.ts";
import type { HarnessOptions } from "../../src/engine/testing/harness.suite.ts";

const README = { "README.md": "a project\n" };
const SUMMARY = "## SUMMARY\n- it is done\n";

const FAILURES = `
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error`;

const STORIES = `name: own-stories
title: Look, work, review
description: Stories in worktrees, with a gate
resume: yes
inputs:
  prd: {reader: prd, workspace: worktree}
roles:
  agent: {description: Does it, can: [run, commit], report: {notes: summary}}
  check: {description: Reads, can: [], report: &verdict {findings: FINDINGS, earlier: EARLIER, signals: {fine: {VERDICT: FINE}, bad: {VERDICT: BAD}}}}
  advise: {description: Reads too, can: [], report: *verdict}
steps: [stories]
types:
  stories:
    description: The stories
    each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [look, work, review, merge]}
  look: {description: Look, role: agent, timeout: 10m, writes: none}
  work: {description: Work, role: agent, timeout: 10m, writes: any}
  review:
    description: Review
    gate: {members: {check: {authority: blocking, prompt: prompts/review.md}, advise: {authority: advisory, prompt: prompts/review.md}}}
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
      conflict: {goto: work, max: 2/story, exhausted: fail story}
      checks_failed: {goto: work, max: 2/story, exhausted: fail story}
      dirty: wait time
on:
  done: next${FAILURES}:
    {rollback: failures, retry: true, max: 2/step, exhausted: fail story}
  lost: {rollback: failures, retry: true, max: 3/step, exhausted: fail story}
  rate_limited|overloaded: {rollback: failures, wait: time}
  auth|out_of_credit: fail run
`;

const LOOP = `name: own-loop
title: A command, an approval, a loop
description: A loop in the user's own tree
resume: yes
inputs:
  request: {reader: request, workspace: tree}
roles:
  worker: {description: Works, can: [run, commit], report: {promise: ALL DONE}}
  reviewer:
    description: Reviews
    can: []
    report: {signals: {fine: {STEERING_NEEDED: "no"}, steering: {STEERING_NEEDED: "yes"}}, keys: [REASON]}
  closer: {description: Closes, can: [run, commit], report: {notes: summary}}
types:
  prepare: {description: The engine runs a command, command: prepare, timeout: 10m, on: {done: next, checks_failed: fail run}}
  agree: {description: A person agrees, approval: person, on: {approved: next, rejected: fail run}}
  work:
    description: Work
    timeout: 10m
    loop: {schedule: WR, roles: {W: worker, R: reviewer}, max: 12, inject: {steering: W}}
    on:
      promise: next
      done|fine: retry
      max_iterations: fail run
      unreadable: {retry: true, max: 3/step, exhausted: fail run}
  close: {description: Close, role: closer, timeout: 10m, writes: any}
steps: [prepare, agree, work, close]
on:
  done: next
  lost: {rollback: failures, retry: true, max: 3/step, exhausted: fail run}${FAILURES}:
    {rollback: failures, retry: true, max: 2/step, exhausted: fail run}
  rate_limited|overloaded: {rollback: failures, wait: time}
  auth|out_of_credit: fail run
`;

const promptsFor = (...names: readonly string[]): Record<string, string> =>
	Object.fromEntries(names.map((name) => [`prompts/${name}.md`, "Do it: {{step_description}}\n"]));

const works: Part = ({ files, checkout, story }) => {
	files.write(`${story}.txt`, `${story}\n`);
	checkout.commitAll(`work on ${story}`);
	return SUMMARY;
};

export const ownStories: HarnessOptions = {
	workflow: { yaml: STORIES, prompts: promptsFor("look", "work", "review") },
	stories: ["US-1", "US-2"],
	options: { agents: 2 },
	files: README,
	cast: { work: works, check: "VERDICT: FINE\nFINDINGS: none", advise: "VERDICT: FINE\nFINDINGS: none", "*": SUMMARY },
};

export const ownLoop: HarnessOptions = {
	workflow: { yaml: LOOP, prompts: promptsFor("worker", "reviewer", "close") },
	given: "Add a file",
	files: README,
	checks: { prepare: () => 0 },
	cast: {
		worker: ({ files, checkout }) => {
			const n = files.read("item-1.txt") === null ? 1 : 2;
			files.write(`item-${n}.txt`, "done\n");
			checkout.commitAll(`item ${n}`);
			return n === 1 ? "One of two." : "<promise>ALL DONE</promise>";
		},
		reviewer: "STEERING_NEEDED: no\nREASON: it fits",
		closer: SUMMARY,
	},
};
