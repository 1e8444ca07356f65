// `pawl retro`: an agent reads the record of a finished run, and what it says is kept in the run's folder. The user's repository stays as it is.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { RunsContext } from "../../src/runs/context.ts";
import { UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { journalOf } from "../../src/runs/look/journal.ts";
import { asRefusal, type Refusal } from "../../src/runs/refusal.ts";
import { readRetro, retroPrompt } from "../../src/runs/retro/prompt.ts";
import { retro } from "../../src/runs/retro/retro.ts";
import { prepare } from "../../src/runs/start/prepare.ts";
import { startPulled, startRun } from "../../src/runs/start/start.ts";
import { services } from "../../src/wiring.ts";
import { git, put, repository, scratchFolder } from "../support/scratch.ts";

const WORKFLOW = `name: worked
title: One step with a check
resume: yes
inputs: {request: {reader: request, workspace: tree}}
roles: {agent: {description: Works, can: [run, commit], report: {notes: summary}}}
steps: [stories]
types:
  stories: {description: The stories, each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [work]}}
  work: {description: Work, role: agent, timeout: 1m, writes: any, checks: [test], on: {checks_failed: {retry: true, max: 2/step, exhausted: fail story}}}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|auth: {rollback: failures, fail: story}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: story}}
  rate_limited|overloaded: {rollback: failures, wait: time}
`;
const CHECK = `checks: {test: "grep -q right work.txt || { echo 'AssertionError: it says wrong-4711'; exit 1; }"}\n`;
const WORK = `steps:
  - on: {type: work, attempt: 1}
    do: [{write: {path: work.txt, content: "wrong\\n"}}, {usage: {cost_usd: 0.5}}, {say: "## SUMMARY\\n\\n- noted-815"}]
  - on: {type: work}
    do: [{write: {path: work.txt, content: "right\\n"}}, {usage: {cost_usd: 0.25}}, {say: "## SUMMARY\\n\\n- noted-816"}]
`;
const ANSWER = "## What cost sessions\n\n1. US-001 step-001 work, attempt 1: the check failed.\n\n## What to change\n\nNothing.";

const said = (text: string, more = ""): string => `steps:\n  - on: {type: retro}\n    do: [${more}{say: ${JSON.stringify(text)}}]\n`;

interface Site extends RunsContext {
	readonly warnings: string[];
	readonly script: (text: string) => string;
	readonly workflow: string;
}

function site(): Site {
	const folder = scratchFolder("retro");
	put(folder, { "worked/workflow.yml": WORKFLOW, "worked/prompts/work.md": "Work: {{story_description}}\n" });
	const warnings: string[] = [];
	let scripts = 0;
	return {
		...{ cwd: repository({ "pawl.yml": CHECK }), services, now: Date.now, self: [], warnings },
		env: { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: folder },
		workflow: `${folder}/worked`,
		script: (text) => {
			const file = join(folder, `script-${++scripts}.yml`);
			writeFileSync(file, text);
			return file;
		},
		warn: (text) => void warnings.push(text),
	};
}

const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
	work.then(
		() => assert.fail("it was not refused"),
		(error: unknown) => asRefusal(error),
	);

describe("a finished run", () => {
	const c = site();
	const fileOf = (): string => join(c.cwd, ".pawl", "latest", "retro.md");
	before(async () => {
		const prepared = await prepare(c, c.workflow, "Write what is right", { script: c.script(WORK) });
		const { ended } = await startRun(c, prepared, UNOBSERVED);
		assert.equal(ended?.state.status, "completed");
	});

	it("is read from a folder with its record; what the agent says is kept with what it cost, and the journal stays closed", async () => {
		const copy = join(scratchFolder("record"), "copy");
		const closed = (await journalOf(c, undefined)).length;
		const look = `{run: [sh, -c, ${JSON.stringify(`cp -r . ${copy} && pwd > ${copy}/here`)}]}, {usage: {cost_usd: 0.125, input_tokens: 10, output_tokens: 5}}, `;
		const view = await retro(c, undefined, { script: c.script(said(`Here it is.\n\n${ANSWER}`, look)) });
		assert.deepEqual([view.agent, view.cost_usd, view.input_tokens, view.text], ["scripted", 0.125, 10, ANSWER]);
		const text = readFileSync(fileOf(), "utf8");
		assert.match(
			text,
			/^# Retro of run \S+\n\n- worked: Write what is right; completed\n- by scripted on \S+: \$0\.13, 10 tokens in, 5 out\n\n## What cost sessions\n/,
		);
		assert.equal((await journalOf(c, undefined)).length, closed);

		const record = (name: string): string => readFileSync(join(copy, name), "utf8");
		assert.match(record("overview.md"), /2 sessions, \$0\.75/);
		assert.match(
			record("attempts.md"),
			/\| step-001 work \| 1 \| agent \|.*\| \$0\.50 \| checks_failed \| .*test failed.*\n\| step-001 work \| 2 \|.*\| done \|/,
		);
		assert.match(record("checks.md"), /wrong-4711/);
		assert.match(record("notes.md"), /noted-816/);
		assert.match(record("journal.jsonl"), /"event":"run_created"/);
		assert.match(record("diffs/one-shot.diff"), /^\+right$/m);
		assert.match(record("logs/one-shot-step-001.jsonl"), /noted-815/);
		assert.match(record("workflow/prompts/work.md"), /Work: /);
		assert.equal(record("pawl.yml"), CHECK);
		assert.equal(existsSync(record("here").trim()), false, "the folder is gone");
	});

	it("an answer without usable text is an error that says so; an earlier retro stays as it was", async () => {
		const kept = existsSync(fileOf()) ? readFileSync(fileOf(), "utf8") : null;
		for (const [text, says] of [
			["It went well.", /has no section "What cost sessions".*Nothing was written.*retro\.jsonl/s],
			["## What cost sessions\n\n## What to change\n\nNothing.", /is empty/],
		] as const) {
			const refusal = await refusalOf(retro(c, undefined, { script: c.script(said(text)) }));
			assert.equal(refusal.code, "unavailable");
			assert.match(refusal.message, says);
		}
		const failed = await refusalOf(retro(c, undefined, { script: c.script("steps:\n  - do: [{fail: {error: no model}}]\n") }));
		assert.match(failed.message, /no model/);
		assert.equal(existsSync(fileOf()) ? readFileSync(fileOf(), "utf8") : null, kept);
	});

	it("G-22 what the agent does to refs is put back; a rebase that the user has under way is left alone", async () => {
		git(c.cwd, "branch", "mine");
		const meddle = `git -C ${c.cwd} branch -D mine; git -C ${c.cwd} tag forged; mkdir ${c.cwd}/.git/rebase-merge`;
		await retro(c, undefined, { script: c.script(said(ANSWER, `{run: [sh, -c, ${JSON.stringify(meddle)}]}, `)) });
		assert.equal(git(c.cwd, "branch", "--list", "mine").trim(), "mine");
		assert.equal(git(c.cwd, "tag", "--list"), "");
		assert.match(c.warnings.join("\n"), /branch mine was deleted[\s\S]*tag forged was made/);
		assert.ok(existsSync(join(c.cwd, ".git", "rebase-merge")));
	});

	it("G-27 is not for agents: it costs a session, which a person decides about", async () => {
		const inside = { ...c, services: { ...services, caller: () => ({ user: "agent", marks: ["other:run:step-001:1"] }) } };
		assert.equal((await refusalOf(retro(inside, undefined, { script: c.script(said(ANSWER)) }))).code, "refused");
	});

	it("names an agent that does not exist", async () => {
		assert.match((await refusalOf(retro(c, undefined, { agent: "nobody" }))).message, /there is no agent nobody/);
	});
});

it("a run that has not ended is refused, with what to do", async () => {
	const c = site();
	const run = await startPulled(c, await prepare(c, c.workflow, "Write what is right", { script: c.script(WORK) }));
	const refusal = await refusalOf(retro(c, undefined, { script: c.script(said(ANSWER)) }));
	assert.equal(refusal.code, "refused");
	assert.match(refusal.message, new RegExp(`run ${run} has not ended.*pawl cancel ${run}`));
});

it("the answer is read from its first section on; the prompt and its example are no answer", () => {
	const prompt = retroPrompt({ run: "r", folder: "/f", files: [["overview.md", "the run"]], config: "pawl.yml", workflow: null });
	assert.ok(prompt.length < 3500 && prompt.startsWith("Find out what cost sessions"));
	assert.deepEqual(readRetro(`Sure!\n\n${ANSWER}\n`, prompt), { text: ANSWER });
	assert.deepEqual(readRetro("### what cost sessions:\n\nNothing.", prompt), { text: "### what cost sessions:\n\nNothing." });
	for (const text of ["", " \n", prompt, /<example>\n([\s\S]*)\n<\/example>/.exec(prompt)?.[1] ?? "", "I could not read it."])
		assert.ok("problem" in readRetro(text, prompt), text);
});
