// A workflow of two steps, for what has nothing to do with the ten of `dynamic`: `look` may write nothing, `work` anything.
import { join } from "node:path";
import { put, scratchFolder } from "./scratch.ts";

const DEFINITION = `name: small
title: Two steps
description: One step that looks and one that works
resume: yes
inputs:
  request: {reader: request, workspace: tree}
roles:
  agent:
    description: Does both
    can: [run, commit]
    report: {notes: summary}
steps: [stories]
types:
  stories:
    description: The stories
    each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [look, work]}
  look: {description: Look, role: agent, timeout: 1m, writes: none, edits: true}
  work: {description: Work, role: agent, timeout: 1m, writes: any, edits: true}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error:
    {rollback: failures, fail: story}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: story}}
  rate_limited|overloaded: {rollback: failures, wait: time}
  auth: fail run
projections: [workflow_state]
`;

/** The path to give to `pawl run`. */
export function smallWorkflow(): string {
	const folder = join(scratchFolder("workflow"), "small");
	put(folder, {
		"workflow.yml": DEFINITION,
		"prompts/look.md": "Look around: {{story_description}}\n",
		"prompts/work.md": "Work: {{story_description}}\n",
	});
	return join(folder, "workflow.yml");
}
