// A workflow of two steps for tests about reports: one that writes, and one that has to give a verdict.
import { join } from "node:path";
import { put, scratchFolder } from "../support/scratch.ts";

const WORKFLOW = `name: verdict
title: A step that writes and one that judges
resume: yes
inputs:
  request: {reader: request, workspace: tree}
roles:
  worker:
    description: Works
    can: [run, commit]
    report: {notes: summary}
  reviewer:
    description: Gives a verdict
    can: [run]
    report:
      notes: text
      keys: [VERDICT]
      signals:
        acceptable: {VERDICT: ACCEPTABLE}
        block: {VERDICT: BLOCK}
steps: [stories]
types:
  stories:
    description: The stories
    each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [coding, review]}
  coding: {description: Write the file, role: worker, timeout: 10m, writes: any}
  review:
    description: Judge it
    role: reviewer
    timeout: 10m
    writes: none
    on: {acceptable: next, block: {fail: story}}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error: {fail: story}
  lost: {insert: [same], max: 3/step, exhausted: {fail: story}}
  rate_limited|overloaded: {wait: time}
  auth: fail run
projections: [workflow_state]
`;

// The heading is how the stub knows the step.
const PROMPT = "# {{step_type}} ({{step_id}}) of story {{story_id}}\n\n{{story_description}}\n";

/** The path to give to `pawl run`. */
export function verdictWorkflow(): string {
	const folder = scratchFolder("workflow");
	put(folder, { "verdict/workflow.yml": WORKFLOW, "verdict/prompts/coding.md": PROMPT, "verdict/prompts/review.md": PROMPT });
	return join(folder, "verdict");
}
