// Reports by pawl's own tools, with each of the four real CLIs: it starts the server, is not asked for an approval, and what the tool was
// told counts, against what the last words say. In steps that may write and in those that may not.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { put, scratchFolder } from "../support/scratch.ts";
import { chosenClis } from "./clis.ts";
import { drive } from "./drive.ts";
import { BY_TOOL, reported } from "./model/turn.ts";

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

function workflow(): string {
	const folder = scratchFolder("workflow");
	put(folder, { "verdict/workflow.yml": WORKFLOW, "verdict/prompts/coding.md": PROMPT, "verdict/prompts/review.md": PROMPT });
	return join(folder, "verdict");
}

describe("a report by tool", () => {
	for (const cli of chosenClis()) {
		it(`${cli.name} reports by the tool of pawl's server, unattended, and that counts`, async () => {
			const driven = await drive({ cli, args: [workflow(), BY_TOOL], mcp: true });
			assert.equal(driven.code, 0, driven.said.slice(-3000));
			// The checks before a story is done are steps as well.
			const sessions = driven.events.filter(({ event, role }) => event === "step_started" && role !== "checks").map(({ step }) => step);
			const ofSessions = driven.events.filter(({ step }) => sessions.includes(step));
			const routes = ofSessions.filter(({ event }) => event === "route_taken").map(({ signal }) => signal);
			assert.deepEqual(routes.slice(0, 2), ["done", "acceptable"], "its last words say BLOCK");
			const notes = ofSessions.filter(({ event }) => event === "step_completed").map((event) => event["notes"]);
			assert.deepEqual(notes.slice(0, 2), [reported("coding"), reported("review")]);
			assert.deepEqual(driven.left, []);
		});
		it(`${cli.name} without \`mcp\` is offered no tool of pawl`, async () => {
			const driven = await drive({ cli, args: [workflow(), "Add a file"] });
			assert.ok(driven.asked.length > 0);
			for (const { question } of driven.asked) assert.ok(!question?.tools.some((name) => name.includes("pawl")));
			assert.deepEqual(driven.left, []);
		});
	}
});
