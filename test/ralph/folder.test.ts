// Run folders: made, checked, filled by an agent, and what a run leaves in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { controlPlaneText } from "../../src/format/run-folder/permissions.ts";
import { fakeAgent, say, write } from "../support/fake-agent.ts";
import { exited, pawl } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import { DIR, folderFiles, json, MOVES, on, prompt, quickRalph, SAYS, story, transcripts } from "../support/ralph-site.ts";
import { exists, git, list, put, read, repository } from "../support/scratch.ts";

const check = async (files: Record<string, string>) => pawl(["ralph", "check", "demo"], { cwd: quickRepository(files) });

test("X-27 R-13 R-14 R-37 T-43: init makes a folder that passes its check once it is filled in, and the table of the control plane", async () => {
	const repo = quickRepository();
	exited(
		await pawl(["ralph", "init", "add-search", 'Add <b>search</b> & "more"', "--promise", "SEARCH WORKS", "--max-iterations", "40"], {
			cwd: repo,
		}),
		0,
	);
	const folder = "ralph/runs/add-search";
	for (const name of [
		"PRD.md",
		"prd.json",
		"PROMPT.md",
		"progress.md",
		"SUMMARY.md",
		"transcripts",
		"run.json",
		"control.json",
		"orchestration.json",
		"events.ndjson",
	])
		assert.ok(exists(repo, folder, name), name);
	assert.match(read(repo, folder, "PROMPT.md"), /<promise>SEARCH WORKS<\/promise>/);
	assert.match(read(repo, folder, "PRD.md"), /Add <b>search<\/b> & "more"/);
	const run = JSON.parse(read(repo, folder, "run.json")) as Record<string, unknown>;
	assert.deepEqual([run["status"], run["iteration"], run["max_iterations"], run["error"]], ["pending", 0, 40, null]);
	const untouched = exited(await pawl(["ralph", "check", "add-search"], { cwd: repo }), 1);
	assert.match(untouched.stdout, /missing: prd\.json: story S1 still has the text of the template\n[\s\S]*is not ready/);
	assert.match(exited(await pawl(["run", "ralph", "add-search"], { cwd: repo }), 2).stderr, /still has the text of the template/);
	put(repo, { [`${folder}/prd.json`]: read(repo, folder, "prd.json").replaceAll("TODO: ", "") });
	const checked = exited(await pawl(["ralph", "check", "add-search"], { cwd: repo }), 0);
	assert.match(checked.stdout, /weak: {4}PRD\.md still has 3 TODO lines\n[\s\S]*is ready, with 1 weak point/);
	assert.equal(read(repo, "ralph/templates/CONTROL_PLANE.md"), controlPlaneText());
	const before = read(repo, folder, "prd.json");
	exited(await pawl(["ralph", "init", "add-search"], { cwd: repo }), 2);
	assert.equal(read(repo, folder, "prd.json"), before);
	for (const bad of ["../x", "a/b", "a b", ".x", "", "x".repeat(65)]) exited(await pawl(["ralph", "init", bad], { cwd: repo }), 2);
	assert.deepEqual(list(repo, "ralph/runs"), ["add-search"]);
	const agent = quickAgent([
		{ do: [`sed -i 's/"passes": false/"passes": true/' ${folder}/prd.json`, "echo x >> x.txt", say("<promise>SEARCH WORKS</promise>")] },
	]);
	exited(await pawl(["run", "ralph", "add-search", "--agent-command", agent.command], { cwd: repo }), 0);
	assert.equal(agent.calls().length, 1);
});

test("R-15 R-16 R-17: what is missing is named, each of the six demands on the prompt too, and such a run is refused with nobody called", async () => {
	const without = (text: RegExp, other = "") => ({ more: { "PROMPT.md": prompt().replace(text, other) } });
	const cases: [Parameters<typeof folderFiles>[0], RegExp][] = [
		[without(/Read (.*) first\./, "$1"), /read-first/],
		[without(/with passes=false/), /pick the next story/],
		[without(/Implement, test and commit it\./), /implement \+ test \+ commit/],
		[without(/Set passes=true only when its criteria are met\./), /set passes=true only/],
		[without(/ and ralph\/runs\/demo\/progress\.md|Append a progress entry\./g), /append a progress entry/],
		[without(/<promise>.*<\/promise>/), /completion promise tag/],
		[without(/ralph\/runs\/demo\/prd\.json/), /does not name prd\.json/],
		[{ more: { "prd.json": "{" } }, /prd\.json: line 1: this is not JSON/],
		[{ stories: [story(1), story(1)] }, /the id "S1" is used twice/],
		[{ stories: [story(1, { passes: "no" })] }, /passes/],
		[{ more: { "orchestration.json": json({ scheme: "W0" }) } }, /"W0" is not a scheme/],
		[{ more: { "loop_state.json": "[]" } }, /loop_state\.json holds no JSON object/],
	];
	for (const [folder, names] of cases) {
		const repo = quickRepository(folderFiles(folder));
		assert.match(exited(await pawl(["ralph", "check", "demo"], { cwd: repo }), 1).stdout, names);
	}
	const s = quickRalph([], without(/<promise>.*<\/promise>/));
	const refused = await s.run(2, 3);
	assert.match(refused.stderr, /PROMPT\.md does not say: the completion promise tag/);
	assert.deepEqual([s.agent.calls().length, exists(s.repo, ".pawl/runs")], [0, false]);
	assert.match((await check({})).stdout, /there is no folder ralph\/runs\/demo/);
});

test("R-24 R-38: what is weak is a warning, line by line, and the run goes on", async () => {
	const stories = [
		story(1, { acceptance_criteria: [] }),
		story(2, { acceptance_criteria: ["It works well"], size: "L" }),
		story(3, { depends_on: ["S4"], size: undefined }),
		story(4),
	];
	const checked = exited(await check(folderFiles({ stories })), 0);
	assert.match(checked.stdout, /weak: +prd\.json: story S1 has no acceptance criteria/);
	assert.match(checked.stdout, /story S2 has a criterion that is a matter of taste: "It works well"/);
	assert.match(checked.stdout, /story S2 has the size L/);
	assert.match(checked.stdout, /story S3 comes before what it depends on \(S4\)/);
	assert.match(checked.stdout, /story S3 has no size/);
	assert.doesNotMatch(checked.stdout, /S4 /);
	const repo = quickRepository(folderFiles({ stories }));
	const view = JSON.parse((await pawl(["ralph", "check", "demo", "--json"], { cwd: repo })).stdout) as { ready: boolean; weak: string[] };
	assert.deepEqual([view.ready, view.weak.length], [true, 5]);
});

test("R-14 R-18 R-19: every iteration leaves a numbered transcript with its role, and an entry in progress.md, written by pawl where the agent forgot", async () => {
	const s = quickRalph(
		[on(1, "echo 1 > a.txt", say("said-1")), on(2, ...MOVES, say("said-2")), on(3, say("STEERING_NEEDED: no\nREASON: said-3"))],
		{ scheme: "W2R" },
	);
	const ended = await s.run(4, 3);
	assert.deepEqual(transcripts(s), ["0001-worker.md", "0002-worker.md", "0003-reviewer.md"]);
	for (const [i, name] of transcripts(s).entries())
		assert.match(s.file(`transcripts/${name}`), new RegExp(`Iteration ${i + 1}: [\\s\\S]*said-${i + 1}`));
	const entries = s.file("progress.md").match(/Iteration:? \d/g) ?? [];
	assert.equal(entries.length, 3);
	assert.equal(s.file("progress.md").match(/no entry was written/g)?.length, 2);
	assert.match(ended.all, /iteration 1 \(worker\) left no entry/);
});

test("R-38 X-27: a prep agent fills the folder; the prompt has the five demands, what is not ready goes back to it, and it writes nowhere else", async () => {
	const repo = repository();
	const good = json({ run_id: "add-search", title: "Search", stories: [story(1), story(2)] });
	const agent = fakeAgent([
		on(1, write("ralph/runs/add-search/prd.json", "{"), "echo x > code.txt", say("Done.")),
		on(2, write("ralph/runs/add-search/prd.json", good), say("Two stories.")),
	]);
	const ended = exited(
		await pawl(["ralph", "init", "add-search", "Add search\nto it", "--agent-command", agent.command], { cwd: repo }),
		0,
	);
	const [first, second] = agent.calls();
	for (const word of ["unambiguous", "bite-sized", "ordered", "testable", "safe", "Add search\nto it"])
		assert.ok(first?.prompt.includes(word), word);
	assert.match(second?.prompt ?? "", /prd\.json: line 1: this is not JSON/);
	assert.match(second?.prompt ?? "", /PRD\.md still has 3 TODO lines/);
	assert.equal(first?.env["PAWL_ROLE"], "prep");
	assert.equal(agent.calls().length, 2);
	assert.match(ended.all, /put back: code\.txt/);
	assert.deepEqual([exists(repo, "code.txt"), git(repo, "log", "--format=%s")], [false, "start"]);
	assert.equal(read(repo, "ralph/runs/add-search/prd.json"), good);
	exited(await pawl(["ralph", "check", "add-search"], { cwd: repo }), 0);
	const configured = repository({ "pawl.yml": `agent: mine\nagents: {mine: {type: command, command: ${agent.command}}}\n` });
	exited(await pawl(["ralph", "init", "other", "Something", "--templates"], { cwd: configured }), 0);
	exited(await pawl(["ralph", "init", "none"], { cwd: configured }), 0);
	assert.equal(agent.calls().length, 2);
});

test("R-30 R-39: a reviewer's prompt names the task file, which says the mode and the iteration", async () => {
	const s = quickRalph([on(2, `cp ${DIR}/task.json "$home/task"`, say("STEERING_NEEDED: no"))], { scheme: "W1R" });
	await s.run(4, 2);
	const call = s.agent.calls()[1];
	assert.ok(call?.prompt.includes(`${s.repo}/${DIR}/task.json`));
	const task = JSON.parse(read(s.agent.flag("task"))) as Record<string, unknown>;
	assert.deepEqual([task["run_id"], task["role"], task["iteration"], task["review_mode"]], ["demo", "reviewer", 2, "periodic"]);
	assert.doesNotMatch(call?.prompt ?? "", new RegExp(SAYS));
});
