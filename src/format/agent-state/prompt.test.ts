// What the prompts of a phased run are told, with the real prompts and a scripted world.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckResult } from "../../core/input.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { type Script, World } from "../../core/testing/world.suite.ts";
import { conflict, definition, failed, passed, promptIn, SHA, seed, USUAL, world } from "./phased-world.suite.ts";

test("T-30: every role is told what stands around the tasks; a task's roles only the text of its own phase", async () => {
	const w = world();
	const script: Script = {
		...USUAL,
		post_task: [conflict("auto_fix", "low"), { signal: "pass" }],
		scan: [{ signal: "findings" }, { signal: "clean" }],
	};
	for (const type of ["plan", "1.1 pre_task", "1.1 execute", "1.1 post_task", "1.1 fix", "2.1 pre_task", "scan", "improve"]) {
		w.until(type, script);
		const prompt = await promptIn(w);
		assert.match(prompt, /about-71/, type);
		const own = type.startsWith("1.1") ? "1" : type.startsWith("2.1") ? "2" : "12";
		assert.deepEqual([prompt.includes("phase-72"), prompt.includes("phase-73")], [own.includes("1"), own.includes("2")], type);
		assert.doesNotMatch(prompt, /\{\{/, type);
		if (type === "1.1 post_task") w.end(type, conflict("auto_fix", "low"));
		if (type === "scan")
			w.end(type, { signal: "findings", fields: { FINDINGS: "- [a-key] one" }, findings: [{ key: "a-key", class: "", text: "one" }] });
		if (type === "improve") assert.match(prompt, /- a-key: true/, "the example has the keys of this run");
	}
});

test("T-32: a supervisor that is asked again is told why; after the task it is told its commits and what each criterion is worth", async () => {
	const w = world().until("1.1 pre_task", USUAL);
	const said = "ACTION: auto_fix\nSEVERITY: medium\nCONFLICT_TYPE: pattern\nRESOLUTION: reuse-51";
	w.end("1.1 pre_task", { signal: "unreadable", error: "SEVERITY: `medium` is none of high, critical, low", notes: said });
	w.until("1.1 pre_task", USUAL);
	const again = await promptIn(w);
	assert.match(again, /^## Why this step runs again\n\n<reason>\nSEVERITY: `medium` is none of/);
	assert.ok(again.includes(`<earlier_report>\n${said}\n</earlier_report>`), "it mends what it said");
	w.until("1.1 execute", USUAL);
	assert.doesNotMatch(await promptIn(w), /earlier_report/);
	w.end("1.1 execute", { checks: [passed] });
	w.until("1.1 post_task", USUAL);
	const after = await promptIn(w);
	assert.match(after, /^Look at what was done in task 1\.1/, "what to do comes first");
	assert.ok(after.includes(`git diff ${SHA.first}..HEAD`));
	assert.match(after, /- file_exists: File exists `test -f a` \(pawl ran `test -f a` after the executor had ended: it exited 0\)/);
	assert.match(after, /- notes_are_written: Notes are written \(the executor's word; nobody has checked it\)/);
	w.until("scan", USUAL);
	assert.match(await promptIn(w), /Where it differs from the task document, a person approved a new plan: the list counts\./);
	const scan = await promptIn(w);
	const base = w.state.root.steps.find((step) => step.commit !== null)?.commit ?? "none";
	assert.ok(scan.includes(`git diff ${base.slice(0, 12)}..HEAD`), "where the run began");
	assert.ok(scan.includes(`1.1: Job 1.1 (completed, commits ${SHA.first.slice(0, 12)}..${SHA.done.slice(0, 12)})`), scan);
});

test("T-32: an executor is told the last failure first, and no earlier one", async () => {
	const w = world().until("1.1 execute", USUAL);
	w.end("1.1 execute", { checks: [failed("first-81")] });
	w.end("1.1 execute", { checks: [failed("second-82")] });
	const prompt = await promptIn(w);
	assert.match(prompt, /^## What fails now/);
	assert.match(prompt, /`test -f a`\): it exited 1[\s\S]*second-82/);
	assert.doesNotMatch(prompt, /first-81|scratch-99/);
	w.end("1.1 execute");
	w.until("2.1 execute", USUAL);
	assert.doesNotMatch(await promptIn(w), /second-82|What fails now/);
});

test("T-32: a plan that cannot be is asked for again with what is wrong with it, and shows the tasks as they are", async () => {
	const w = world().until("1.1 execute", USUAL);
	w.end("1.1 execute");
	w.end("1.1 post_task", conflict("re_plan", "high"));
	w.until("1.1 replan", { save_point: { facts: { save_point: SHA.saved } } });
	const first = await promptIn(w);
	assert.match(first, /why-74/);
	assert.match(first, /What was done of the task so far is in the commits/);
	assert.ok(
		first.includes(
			`TASKS_JSON: [\n${["1.1", "2.1"].map((id) => JSON.stringify({ task: id, name: `Job ${id}`, description: `Do ${id}.`, criteria: seed(id).criteria })).join(",\n")}\n]`,
		),
		"all tasks that the new list replaces",
	);
	w.end("1.1 replan", {
		stories: [],
		checks: [{ name: "tasks", command: "TASKS_JSON", exitCode: 1, output: "one is no label of a task", said: true }],
	});
	assert.match(await promptIn(w), /^## What fails now[\s\S]*one is no label of a task/);
	w.end("1.1 replan", { stories: [seed("1.1", { title: "Other" }), seed("2.1")] });
	w.until("1.1 post_task", { ...USUAL, begin: { facts: { start: SHA.second } } });
	assert.match(
		await promptIn(w),
		new RegExp(`commits are \`${SHA.second}..HEAD\` and, from before it was planned anew, \`${SHA.first}..${SHA.saved}\``),
	);
	assert.equal(w.state.root.id, RUN_SCOPE);
});

test("T-32: what did not run is not said to have passed, and what a person approved is said", async () => {
	const w = world().until("1.1 execute", USUAL);
	w.end("1.1 execute");
	const after = await promptIn(w);
	assert.match(after, /- file_exists: .*\(`test -f a` has not passed; nobody has checked it\)/);
	const asked = world().until("1.1 execute", USUAL);
	asked.end("1.1 execute", { checks: [{ ...failed(""), exitCode: 127, signal: "criterion_broken" }] });
	asked.feed({ type: "decide", id: "d", scope: "1.1", step: null, verdict: "approve", reason: "" });
	assert.match(await promptIn(asked), /- file_exists: .*\(`test -f a` cannot be run; a person approved that\)/);
});

test("T-32: a task that was stopped before it began has no commits to look at", async () => {
	const w = world().until("1.1 pre_task", { ...USUAL, begin: { changed: false, facts: { start: SHA.first } } });
	w.end("1.1 pre_task", { ...conflict("re_plan", "high"), changed: false });
	w.until("1.1 replan", { save_point: { changed: false, facts: { save_point: SHA.first } } });
	const prompt = await promptIn(w);
	assert.match(prompt, /Nothing has been done of the task yet\./);
	assert.doesNotMatch(prompt, /\.\.HEAD/);
});

test("T-32: before the task the supervisor reads whose word counts; the executor reads what comes after it, by phase", async () => {
	const w = world().until("1.1 pre_task", USUAL);
	assert.match(await promptIn(w), /Notes are written \(the executor's word counts\)[\s\S]*Phase 2, Roof:\n\n2\.1: Job 2\.1 \(not begun\)/);
	w.until("1.1 execute", USUAL);
	assert.match(
		await promptIn(w),
		/Notes are written \(your word counts\)[\s\S]*## What comes after it[\s\S]*Phase 2, Roof:\n2\.1: Job 2\.1/,
	);
});

test("T-32: a supervisor that looks again after a fix reads what was changed, not that something is done", async () => {
	const w = world().until("1.1 post_task", USUAL);
	w.end("1.1 post_task", conflict("auto_fix", "low"));
	w.until("1.1 fixed", USUAL);
	w.end("1.1 fixed", { notes: "fix worked on the conflict that you found and changed src/a.ts", facts: { fixed_files: "src/a.ts" } });
	assert.match(
		await promptIn(w),
		/^## Why this step runs again\n\n<reason>\nfix worked on the conflict that you found and changed src\/a\.ts\n/,
	);
});

test("CONTRACT: a task that changes nothing goes back to the executor once, and passes only on the supervisor's word", async () => {
	const still: Script = {
		...USUAL,
		begin: { changed: false, facts: { start: SHA.first } },
		execute: { changed: false },
		"tasks.checks": { changed: false },
	};
	const w = world().until("1.1 post_task", still);
	assert.match(await promptIn(w), /This task has changed no file/);
	const silent: Script = { ...still, unchanged: { signal: "unchanged", error: "nothing was changed", changed: false } };
	w.until("1.1 execute", silent);
	assert.match(await promptIn(w), /^## Why this step runs again[\s\S]*nothing was changed/);
	w.play(silent);
	assert.equal(w.story("1.1").status, "failed");
	const said = world().until("1.1 post_task", still);
	said.end("1.1 post_task", { signal: "pass", changed: false, fields: { ACTION: "pass", ALREADY_DONE: "a.ts has it" } });
	assert.equal(said.scope("1.1").fields["already_done"], "a.ts has it");
});

test("T-32 G-15: a line that the report left out is no failure: whoever works again may change nothing and report", async () => {
	const w = world().until("1.1 execute", USUAL);
	const output = 'the report does not say whether it holds: CRITERIA needs a line "- notes_are_written: true"';
	const unsaid: CheckResult = {
		name: "notes_are_written",
		command: "CRITERIA: notes_are_written",
		exitCode: 1,
		output,
		said: true,
		unsaid: true,
	};
	w.end("1.1 execute", { checks: [passed, unsaid] });
	const prompt = await promptIn(w);
	assert.match(
		prompt,
		/^## What the report before yours left out\n\n.*If nothing of it is missing, change nothing[\s\S]*- `notes_are_written`/,
	);
	assert.doesNotMatch(prompt, /What fails now|has to pass/);
});

test("T-32: a prompt speaks of commands only where there are some, and of commits only to those who may make some", async () => {
	const w = world().until("1.1 pre_task", USUAL);
	assert.doesNotMatch(await promptIn(w), /Only add commits/);
	w.until("1.1 execute", USUAL);
	assert.match(await promptIn(w), /Only add commits/);
	assert.match(await promptIn(w), /pawl runs the commands itself[^\n]* Where your word counts, say `true` only/);
	const words = new World(definition, {
		stories: [seed("1.1", { criteria: ["Notes are written"] })],
		options: { yes: true, mode: "document" },
		fields: { supervisor: "true", phases: "[]" },
	}).until("1.1 execute", USUAL);
	assert.doesNotMatch(await promptIn(words), /runs the commands itself|Where your word counts/);
	assert.match(await promptIn(words), /After you pawl runs the repository's own checks\. Say `true` only of what you have checked\./);
});
