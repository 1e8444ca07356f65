// A workflow of two steps, for what does not need the ten of `dynamic`: the first writes and meets the faults, the second shows that
// the run went on.
import { join } from "node:path";
import { put, scratchFolder } from "../support/scratch.ts";

type Session = "fresh" | "continue";

const definition = (session: Session): string => `name: two-steps
title: A step that writes and one after it
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
    each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [coding, review]}
  coding: {description: Write the file, role: agent, timeout: 30m, writes: any, session: ${session}}
  review: {description: Look at it, role: agent, timeout: 10m, writes: none, session: ${session}}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error:
    {rollback: failures, fail: story}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: story}}
  rate_limited|overloaded: {rollback: failures, wait: time}
  auth: {rollback: failures, fail: run}
projections: [workflow_state]
`;

// The heading is how the stub knows the step.
const prompt = (task: string): string => `# {{step_type}} ({{step_id}}) of story {{story_id}}\n\n${task}\n\n{{story_description}}\n`;

/** The path to give to `pawl run`. */
export function twoSteps(session: Session = "fresh"): string {
	const folder = join(scratchFolder("workflow"), "two-steps");
	put(folder, {
		"workflow.yml": definition(session),
		"prompts/coding.md": prompt("Write the file and commit it."),
		"prompts/review.md": prompt("Look at what was written."),
	});
	return join(folder, "workflow.yml");
}
