// The workflow feature-dev, looked at after each transition: rows, commits, the progress log, prompts, sessions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Dialogue } from "../support/dialogue.ts";
import { commit, quote, say, write } from "../support/fake-agent.ts";
import { exited, runFolder } from "../support/pawl.ts";
import { quickPipes, type Site, site, story } from "../support/pipeline-site.ts";
import { exists, put, read, scratchFolder } from "../support/scratch.ts";

const TASK = "Add a status field to profiles";
const STEPS = ["plan", "implement", "verify", "test", "pr", "review"];
const rows = (...now: string[]): string[] => STEPS.map((name) => now.find((one) => one.split(" ")[0] === name) ?? `${name} waiting`);
const develops = (id: string, n: number): string[] => [
	write(`${id}-${n}.txt`, "x"),
	commit(`feat: ${id} (${n})`),
	`printf '%s\\n' 'entry ${id} ${n}' >> "$PAWL_PROGRESS_FILE"`,
	say(`STATUS: done\nCHANGES: changed-${id}-${n}\nTESTS: one`),
];
const PLAN = [
	"STATUS: done",
	"REPO: /somewhere/else",
	"BRANCH: feature/status",
	`STORIES_JSON: ${JSON.stringify([story(1), story(2), story(3)])}`,
];

test("A-03 A-10 A-27 A-28 A-54 A-58 A-59 A-68 A-69 three stories: verified one by one, reviewed once; rows, commits and log after each", async () => {
	const s = site();
	const d = new Dialogue(s, "run", "feature-dev", TASK);
	const commits: string[] = [];
	let progress: string | null = null;
	const done = (...more: string[]) => ["plan done", ...more];

	await d.at("plan", { run: "running", steps: rows("plan running"), stories: [], commits, progress });
	d.says(...PLAN);
	for (const [at, id] of ["US-001", "US-002", "US-003"].entries()) {
		// The second is sent back once.
		for (let n = 1; n <= (at === 1 ? 2 : 1); n++) {
			const stories = (mine: string) =>
				["US-001", "US-002", "US-003"].map((one, i) => {
					const retries = i === 1 ? (at > 1 ? 1 : at === 1 ? n - 1 : 0) : 0;
					return `${one} ${i < at ? "done" : i === at ? mine : "pending"} ${retries}`;
				});
			const dev = await d.at("implement", {
				run: "running",
				steps: rows(...done(`implement running ${id}`)),
				stories: stories("running"),
				commits,
				progress,
			});
			assert.match(dev.prompt, new RegExp(`come after this one: ${2 - at}\\.`), "those that are pending, without this one");
			assert.match(dev.prompt, /branch `?feature\/status/);
			assert.ok(dev.prompt.includes(dev.cwd), "{{repo}} is where the run works");
			assert.equal(dev.prompt.includes("the-label"), n === 2);
			const shown = exited(await s.pawl("step", "stories"), 0).stdout.split("\n");
			assert.match(shown[at] ?? "", new RegExp(`^${id} \\[running\\] Title ${at + 1}${n === 2 ? " \\(retry 1\\)" : ""}$`));
			assert.match(exited(await s.pawl("workflow", "status"), 0).stdout, new RegExp(`stories: ${at}/3 done`));
			d.does(...develops(id, n));
			commits.push(`feat: ${id} (${n})`);
			progress = `${progress ?? ""}entry ${id} ${n}\n`;

			const verify = await d.at("verify", {
				run: "running",
				steps: rows(...done("implement running", "verify running")),
				stories: stories("done"),
				commits,
				progress,
			});
			assert.match(verify.prompt, new RegExp(`Story ${id}: [\\s\\S]*changed-${id}-${n}[\\s\\S]*entry ${id} ${n}`));
			if (at === 1 && n === 1) d.says("STATUS: retry", "ISSUES: the-label");
			else d.says("STATUS: done", "VERIFIED: looked");
		}
	}
	const stories = ["US-001 done 0", "US-002 done 1", "US-003 done 0"];
	const past = done("implement done", "verify done");
	const tested = await d.at("test", { run: "running", steps: rows(...past, "test running"), stories, commits, progress });
	assert.match(tested.prompt, /entry US-003 1/);
	d.says("STATUS: done", "RESULTS: fine");
	await d.at("pr", { run: "running", steps: rows(...past, "test done", "pr running"), stories, commits, progress });
	d.says("STATUS: done", "PR_TITLE: Status", "PR_BODY: Text");
	await d.at("review", { run: "running", steps: rows(...past, "test done", "pr done", "review running"), stories, commits, progress });
	assert.ok(exists(runFolder(s.repo), "pull-request.md"), "what is reviewed is there");
	d.says("STATUS: done", "DECISION: approved");
	const end = { run: "completed", steps: STEPS.map((name) => `${name} done`), stories, commits, progress: null };
	exited(await d.ends("feature/status", end), 0);
	assert.deepEqual([d.agent.of("verify").length, d.agent.of("review").length], [4, 1], "each story, and the one that came back once more");

	// A second run knows nothing of the first one's log.
	const second = new Dialogue(s, "run", "feature-dev", TASK);
	await second.at("plan", { progress: null });
	second.says(...PLAN);
	const fresh = await second.at("implement", { progress: null });
	assert.match(fresh.prompt, /\(no progress yet\)/);
	assert.doesNotMatch(fresh.prompt, /entry US-001/);
	exited(await s.pawl("cancel"), 0);
	await second.ends("main", { progress: null });
});

test("A-10 A-58 a story that fails: its row, that of its step and that of the run; nobody works on it any more", async () => {
	const s = quickPipes();
	const d = new Dialogue(s, "run", "feature-dev", TASK);
	await d.at("plan", {});
	d.says(...PLAN);
	for (const n of [1, 2]) {
		await d.at("implement", { steps: rows("plan done", "implement running US-001") });
		d.does(...develops("US-001", n));
		await d.at("verify", {});
		d.says("STATUS: retry", "ISSUES: no");
	}
	const stories = ["US-001 failed 2", "US-002 pending 0", "US-003 pending 0"];
	const ended = await d.ends("feature/status", { run: "failed", steps: rows("plan done", "implement failed"), stories, progress: null });
	exited(ended, 1);
	const [id = ""] = s.rows("select id from runs").map((r) => String(r["id"]));
	assert.equal(read(runFolder(s.repo), "archive", id, "progress.txt"), "entry US-001 1\nentry US-001 2\n");
});

/** A workflow whose developer is told all that there is. */
function tells(loop: boolean): string {
	const folder = scratchFolder("flow");
	const all = ["current_story", "current_story_id", "current_story_title", "completed_stories", "stories_remaining", "verify_feedback"];
	const input = [...all, "progress"].map((name) => `${name}=<{{${name}}}>`).join("\n");
	const once = { id: "only", agent: "dev", input };
	const steps = [
		{ id: "plan", agent: "dev", input: "p <{{progress}}>" },
		{
			id: "build",
			agent: "dev",
			type: "loop",
			loop: { over: "stories", completion: "all_done", verify_each: true, verify_step: "look" },
			input,
		},
		{ id: "look", agent: "dev", input: "look" },
		{ id: "after", agent: "dev", input: "a <{{progress}}>" },
	];
	put(folder, { "workflow.yml": JSON.stringify({ id: "tells", agents: [{ id: "dev", role: "coding" }], steps: loop ? steps : [once] }) });
	return folder;
}

test("A-26 A-27 A-28 A-29 the seven variables of a loop, and the log in every step of a run that has stories", async () => {
	const s = quickPipes();
	const d = new Dialogue(s, "run", tells(true), TASK);
	const plan = await d.at("plan", {});
	assert.match(plan.prompt, /p <\(no progress yet\)>/);
	d.says("STATUS: done", `STORIES_JSON: ${JSON.stringify([story(1), story(2)])}`);
	const first = await d.at("build", {});
	const block = (n: number) =>
		`current_story=<Story US-00${n}: Title ${n}\n\nDo mark-${n}\n\nAcceptance criteria:\n1. criterion ${n}\n2. Typecheck passes>`;
	for (const part of [
		block(1),
		"current_story_id=<US-001>",
		"current_story_title=<Title 1>",
		"completed_stories=<(none yet)>",
		"stories_remaining=<1>",
		"verify_feedback=<>",
		"progress=<(no progress yet)>",
	])
		assert.ok(first.prompt.includes(part), `${part}\n${first.prompt}`);
	d.does(...develops("US-001", 1));
	await d.at("look", {});
	d.says("STATUS: retry", "ISSUES: too short");
	const again = await d.at("build", {});
	for (const part of ["stories_remaining=<1>", "verify_feedback=<too short>", "progress=<entry US-001 1>"])
		assert.ok(again.prompt.includes(part), part);
	d.does(...develops("US-001", 2));
	await d.at("look", {});
	d.says("STATUS: done");
	const second = await d.at("build", {});
	for (const part of [block(2), "completed_stories=<- US-001: Title 1>", "stories_remaining=<0>", "verify_feedback=<>"])
		assert.ok(second.prompt.includes(part), part);
	d.does(...develops("US-002", 1));
	await d.at("look", {});
	d.says("STATUS: done");
	const after = await d.at("after", {});
	assert.match(after.prompt, /a <entry US-001 1\nentry US-001 2\nentry US-002 1>/);
	// A folder in its place cannot be read.
	d.does('rm "$PAWL_PROGRESS_FILE" && mkdir "$PAWL_PROGRESS_FILE"', say("nothing"));
	const unreadable = await d.at("after", {});
	assert.match(unreadable.prompt, /a <\(no progress yet\)>/);
	d.says("STATUS: done");
	exited(await d.ends("main", { run: "completed" }), 0);
});

test("A-29 a pipeline without a loop has no progress file", async () => {
	const s = quickPipes();
	const d = new Dialogue(s, "run", tells(false), TASK);
	const only = await d.at("only", { progress: null });
	assert.match(only.prompt, /progress=<\(no progress file\)>/);
	assert.equal(only.env["PAWL_PROGRESS_FILE"], undefined);
	d.does(write("w.txt", "w"), commit("w"), say("STATUS: done"));
	exited(await d.ends("main", { run: "completed" }), 0);
});

/** A program that talks like Claude Code, and records how it was started. */
function fakeClaude(s: Site): string {
	const folder = scratchFolder("claude");
	const result = (text: string) => JSON.stringify({ type: "result", subtype: "success", is_error: false, num_turns: 1, result: text });
	put(folder, {
		plan: result(`STATUS: done\nREPO: .\nBRANCH: feature/x\nSTORIES_JSON: ${JSON.stringify([story(1), story(2)])}`),
		retry: result("STATUS: retry\nISSUES: no"),
		done: result(
			[
				"STATUS: done",
				...["CHANGES", "TESTS", "VERIFIED", "RESULTS", "PR_TITLE", "PR_BODY"].map((key) => `${key}: x`),
				"DECISION: approved",
			].join("\n"),
		),
	});
	s.program(
		"claude",
		`#!/bin/sh
[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit 0; }
cat > /dev/null
printf '%s\\n' "$PAWL_STEP_TYPE $PAWL_STORY_ID $*" >> ${quote(folder)}/calls
answer=done
case "$PAWL_STEP_TYPE" in
plan) answer=plan ;;
implement) echo "$$" > "$PAWL_STORY_ID-$$.txt" ;;
verify) [ -e ${quote(folder)}/rejected ] || { : > ${quote(folder)}/rejected; answer=retry; } ;;
esac
printf '{"type":"system","subtype":"init","session_id":"s-%s","model":"m"}\\n' "$$"
cat ${quote(folder)}/$answer; echo
`,
	);
	return folder;
}

test("A-02 every story, every verification and every second try is a session of its own", async () => {
	const s = site();
	const folder = fakeClaude(s);
	exited(await s.pawl("run", "feature-dev", TASK, "--agent", "claude"), 0);
	const calls = read(folder, "calls").trimEnd().split("\n");
	assert.deepEqual(
		calls.map((line) => line.split(" ").slice(0, 2).join(" ").trim()).filter((line) => /implement|verify/.test(line)),
		[..."12"].flatMap((n) => Array.from({ length: n === "1" ? 2 : 1 }, () => [`implement US-00${n}`, `verify US-00${n}`]).flat()),
	);
	for (const line of calls) assert.doesNotMatch(line, /--(resume|continue|session-id|fork-session)/);
});
