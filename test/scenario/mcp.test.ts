// `pawl mcp` inside of real runs: an agent that reports, edits, notes and learns by tools, and whose late calls change nothing.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { builtOr, PAWL } from "../support/bin.ts";
import { type Answered, type Call, type Plan, readAnswers } from "../support/mcp-agent.child.ts";
import { pawl, pawlExits, runFolder, step, story } from "../support/pawl.ts";
import { exists, list, put, read, repository, scratchFolder } from "../support/scratch.ts";

const WORKFLOW = `name: flow
title: Steps with signals
description: Two steps of a worker and one of a reviewer
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
      keys: [VERDICT, WHY]
      signals:
        acceptable: {VERDICT: ACCEPTABLE}
        block: {VERDICT: BLOCK}
steps: [stories]
types:
  stories:
    description: The stories
    each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: false, steps: [look, work, judge]}
  again: {description: Look again, role: worker, timeout: 1m, writes: none, edits: true}
  look: {description: Look, role: worker, timeout: 1m, writes: none, edits: true}
  work: {description: Work, role: worker, timeout: 1m, writes: any, edits: false}
  judge:
    description: Judge
    role: reviewer
    timeout: 1m
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

interface Scene {
	readonly repo: string;
	readonly answers: readonly Answered[];
	of(type: string): Answered;
	readonly stderr: string;
}

async function run(steps: Plan["steps"], code = 0, workflow = WORKFLOW): Promise<Scene> {
	const home = scratchFolder("mcp");
	const repo = repository();
	put(home, {
		"flow/workflow.yml": workflow,
		"flow/prompts/look.md": "Look: {{story_description}}\n",
		"flow/prompts/again.md": "Again: {{story_description}}\n",
		"flow/prompts/work.md": "Work: {{story_description}}\n",
		"flow/prompts/judge.md": "Judge: {{story_description}}\n",
		"plan.json": JSON.stringify({ pawl: PAWL, steps } satisfies Plan),
	});
	const agent = [process.execPath, builtOr("mcp-agent-child.mjs", "test/support/mcp-agent.child.ts"), join(home, "plan.json")].join(" ");
	const ended = await pawlExits(code, ["run", join(home, "flow", "workflow.yml"), "Do it", "--agent-command", agent], { cwd: repo });
	const answers = readAnswers(join(home, "answers.jsonl"));
	const of = (type: string): Answered => {
		const found = answers.findLast((one) => one.type === type);
		assert.ok(found, `no step ${type} ran: ${ended.stderr}`);
		return found;
	};
	return { repo, answers, of, stderr: ended.stderr };
}

const call = (tool: string, args: Call["with"] = {}, env: Call["env"] = {}): Call => ({ tool, with: args, env });
const ACCEPTABLE = { calls: [call("report", { signal: "acceptable", summary: "fine" })] };

/** The same, but the step says how its report is read, and its role says something else. */
const BY_STEP = WORKFLOW.replace(/ {4}report:\n {6}notes: text\n( {6,8}.*\n)+/, "    report: {notes: summary}\n").replace(
	"    on: {acceptable",
	"    report: {notes: text, keys: [VERDICT], signals: {acceptable: {VERDICT: ACCEPTABLE}, block: {VERDICT: BLOCK}}}\n    on: {acceptable",
);

describe("pawl mcp", () => {
	it("reads a report as the step says, where it says so, and tells the agent these signals", async () => {
		const plan = {
			look: { calls: [] },
			work: { calls: [] },
			judge: { say: "VERDICT: BLOCK", calls: [call("read_story"), ...ACCEPTABLE.calls] },
		};
		const { repo, of } = await run(plan, 0, BY_STEP);
		const [told, taken] = of("judge").answers;
		assert.deepEqual(JSON.parse(told?.text ?? "{}").you.signals, ["acceptable", "block"]);
		assert.match(taken?.text ?? "", /^Taken: acceptable/);
		assert.deepEqual([step(story(repo), "judge").status, step(story(repo), "judge").notes], ["completed", "fine"]);
	});

	it("takes reports, edits, notes and learnings, and tells about the story", async () => {
		const { repo, of } = await run({
			look: {
				say: "Not a word of a report.",
				calls: [
					call("read_story"),
					call("edit_workflow", {
						operations: [{ operation: "skip", target_step_id: "step-009", reason: "x" }, { operation: "nonsense" }],
					}),
					call("edit_workflow", {
						operations: [
							{
								operation: "add_after",
								target_step_id: "step-001",
								new_steps: [{ type: "again", description: "Look again" }],
								reason: "unsure",
							},
						],
					}),
					call("edit_workflow", {
						operations: [{ operation: "edit_description", target_step_id: "step-002", new_description: "Work hard", reason: "better" }],
					}),
					call("note", { text: "for this story" }),
					call("note", { text: "for everybody", for: "all" }),
					call("learn", { text: "the tests need a database" }),
					call("report", { signal: "acceptable", summary: "no such signal here" }),
					call("report", { summary: "- looked around\n- found it", fields: { STATUS: "x" } }),
				],
			},
			again: { calls: [call("read_story")] },
			work: { say: "## SUMMARY\nsaid in words", calls: [call("edit_workflow", { operations: [{ operation: "skip" }] })] },
			judge: ACCEPTABLE,
		});
		const { tools, instructions, answers } = of("look");
		assert.deepEqual(tools, ["report", "edit_workflow", "note", "learn", "read_story"]);
		assert.match(instructions, /You are doing step-001 \(look\) of the story/);
		const done = story(repo);
		assert.deepEqual(
			done.steps.map((s) => [s.id, s.type, s.status, s.description]),
			[
				["step-001", "look", "completed", "Look"],
				["step-004", "again", "completed", "Look again"],
				["step-002", "work", "completed", "Work hard"],
				["step-003", "judge", "completed", "Judge"],
			],
		);
		assert.equal(step(done, "step-001").notes, "- looked around\n- found it");
		assert.match(answers.at(-2)?.text ?? "", /no signal "acceptable"; there are done/);
		assert.match(answers.at(-1)?.text ?? "", /^Taken: done\..*ignored: STATUS/);
		const about = JSON.parse(of("again").answers[0]?.text ?? "") as {
			you: { step: string };
			steps: { id: string; notes: string | null }[];
		};
		assert.equal(about.you.step, "step-004");
		assert.equal(about.steps.find((s) => s.id === "step-001")?.notes, "- looked around\n- found it");
		assert.deepEqual([answers[1]?.error, answers[2]?.error], [true, false]);
		assert.match(
			answers[1]?.text ?? "",
			/operation 1 \("skip"\): .*there is no step "step-009"[\s\S]*operation 2 \("nonsense"\): `reason` is missing/,
		);
		assert.match(of("work").answers[0]?.text ?? "", /steps of type work may not edit/);
		assert.equal(step(done, "work").notes, "said in words", "text is read where nothing was reported");
		assert.equal(step(done, "judge").notes, "fine");
		const shared = runFolder(repo);
		assert.match(
			read(shared, "scratch.md"),
			/- \[\S+ step-001 .*\] for everybody\n[\s\S]*## Learned \(\S+ step-001, .*\)\n\nthe tests need a database\n/,
		);
		const archived = list(shared, "archive").map((name) => read(shared, "archive", name));
		assert.match(archived.join(""), /- \[\S+ step-001 .*\] for this story\n/);
		assert.equal(exists(shared, "inbox"), true);
		assert.deepEqual(list(shared, "inbox"), [], "no report box stays open");
	});

	it("a report by tool wins over what the text says; a failed step's report does not count", async () => {
		const { repo } = await run(
			{
				look: { calls: [call("report", { summary: "went well" })], say: "## SUMMARY\nother words" },
				work: { calls: [] },
				judge: { calls: [call("report", { summary: "no", fields: { verdict: "block" } })], say: "VERDICT: ACCEPTABLE" },
			},
			1,
		);
		assert.equal(step(story(repo), "look").notes, "went well");
		assert.deepEqual([step(story(repo), "judge").status, story(repo).status], ["failed", "failed"]);
		const failed = await run({ look: { calls: [call("report", { summary: "went well" })], exit: 3 } }, 1);
		assert.equal(step(story(failed.repo), "look").status, "failed");
	});

	it("an attempt that has ended, or another attempt's token, changes nothing (the fence)", async () => {
		const late = { PAWL_INBOX: "$PAWL_INBOX@look", PAWL_INBOX_TOKEN: "$PAWL_INBOX_TOKEN@look" };
		const { repo, of } = await run({
			look: { calls: [] },
			work: {
				calls: [
					call("report", { summary: "late" }, late),
					call("note", { text: "late note" }, late),
					call("report", { summary: "foreign" }, { PAWL_INBOX_TOKEN: late.PAWL_INBOX_TOKEN }),
					call("learn", { text: "foreign learning" }, { PAWL_INBOX_TOKEN: "" }),
				],
				say: "## SUMMARY\nhonest words",
			},
			judge: ACCEPTABLE,
		});
		const { answers } = of("work");
		assert.deepEqual(
			answers.map((one) => one.error),
			[true, true, true, true],
		);
		assert.match(answers[0]?.text ?? "", /this attempt has ended/);
		assert.match(answers[2]?.text ?? "", /report box of another attempt/);
		assert.equal(step(story(repo), "work").notes, "honest words");
		const shared = runFolder(repo);
		assert.equal(exists(shared, "scratch.md") && /late|foreign/.test(read(shared, "scratch.md")), false);
		assert.notEqual(of("look").env["PAWL_INBOX_TOKEN"], of("work").env["PAWL_INBOX_TOKEN"]);
	});

	it("refuses to start outside of an attempt", async () => {
		const ended = await pawl(["mcp"], { cwd: repository(), env: { PAWL_INBOX: "" } });
		assert.equal(ended.code, 2);
		assert.match(ended.stderr, /inside an attempt only/);
	});
});
