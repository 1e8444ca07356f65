import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ReaderInput } from "../../reader.ts";
import { runFolder } from "./reader.ts";

const tree = realpathSync(mkdtempSync(join(tmpdir(), "pawl-prompt-file-")));
after(() => rmSync(tree, { recursive: true, force: true }));

const put = (files: Readonly<Record<string, string>>): void => {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(join(tree, name, ".."), { recursive: true });
		writeFileSync(join(tree, name), text);
	}
};
const reads = (text: string | undefined, more: Partial<ReaderInput> = {}) =>
	runFolder({ text, root: tree, tree, cwd: tree, options: {}, flags: {}, ...more });
const prd = (...passes: boolean[]): string =>
	JSON.stringify({ project: "x", branchName: "main", userStories: passes.map((one, i) => ({ id: `US-${i}`, title: "t", passes: one })) });
const problemsOf = async (...given: Parameters<typeof reads>): Promise<string> => {
	const read = await reads(...given);
	return read === null || read.ok ? "it was taken" : read.problems.join("\n");
};

put({
	"scripts/ralph/prompt.md": "# Agent\n\nRead prd.json.\n\n<promise>COMPLETE</promise>\n",
	"scripts/ralph/prd.json": prd(true, false),
	"scripts/other.json": prd(false),
	"lonely/prompt.md": "Do it all.\n\n<promise>DONE</promise>\n",
	"broken/prompt.md": "Do it.\n",
	"broken/prd.json": '{"userStories": [{"id": "A", "title": "a"}]}',
	"empty/prompt.md": "\n",
});

test("T-43: a prompt file runs with the prd.json beside it, by a path from where pawl is started", async () => {
	for (const [text, cwd] of [
		["scripts/ralph/prompt.md", tree],
		["./prompt.md", join(tree, "scripts/ralph")],
		[join(tree, "scripts/ralph/prompt.md"), tmpdir()],
	] as const) {
		const read = await reads(text, { cwd });
		assert.ok(read?.ok, text);
		const { input, fields } = read;
		assert.equal(read.branch, "main");
		assert.deepEqual(
			[input["prompt_file"], input["prd_name"], input["progress_name"], input["folder_name"]],
			[join(tree, "scripts/ralph/prompt.md"), "scripts/ralph/prd.json", "scripts/ralph/progress.txt", "ralph/runs/scripts-ralph-prompt"],
		);
		assert.deepEqual(
			[fields["scheme"], fields["promise"], fields["story"], fields["stories_passed"], fields["stories_total"]],
			["W", "COMPLETE", "US-1", "1", "2"],
		);
	}
});

test("G-16: a person who starts a loop in which every story passes already is told so before it costs anything", async () => {
	put({ "done/prompt.md": "Do it.\n\n<promise>DONE</promise>\n", "done/prd.json": prd(true, true) });
	const warned = async (file: string): Promise<readonly string[]> => {
		const read = await reads(file);
		assert.ok(read?.ok);
		return read.warnings ?? [];
	};
	assert.match((await warned("done/prompt.md")).join("\n"), /^done\/prd\.json: every story passes already/);
	assert.deepEqual(await warned("scripts/ralph/prompt.md"), []);
});

test("T-43: commands of ralph/config.json know the task file and the checkout, as the templates of other tools write them", async () => {
	put({ "ralph/config.json": JSON.stringify({ driver: { worker_cmd: "worker -p {task_file} --add-dir <PROJECT_ROOT>" } }) });
	const read = await reads("scripts/ralph/prompt.md");
	rmSync(join(tree, "ralph/config.json"));
	assert.ok(read?.ok);
	assert.equal(read.commands?.["worker"], `worker -p ${join(tree, "ralph/runs/scripts-ralph-prompt/task.json")} --add-dir ${tree}`);
});

test("T-43: --prd names other stories; a prompt file without any is a prompt like any other", async () => {
	const other = await reads("scripts/ralph/prompt.md", { flags: { prd: "scripts/other.json", promise: "FINE" } });
	assert.ok(other?.ok);
	assert.deepEqual([other.input["prd_name"], other.fields["stories_total"], other.fields["promise"]], ["scripts/other.json", "1", "FINE"]);
	const lonely = await reads("lonely/prompt.md");
	assert.ok(lonely?.ok);
	assert.deepEqual(
		[lonely.input["prompt_file"], lonely.input["folder"], lonely.fields["promise"], lonely.title],
		[join(tree, "lonely/prompt.md"), undefined, "DONE", "Do it all."],
	);
	assert.equal(await reads("Make it work, please"), null, "words are no file");
});

test("T-43: what cannot be run is refused, and the reason names the file", async () => {
	assert.match(await problemsOf("broken/prompt.md"), /broken\/prd\.json cannot be used:\n.*has no `passes`/);
	assert.match(await problemsOf("empty/prompt.md"), /empty\/prompt\.md is empty/);
	assert.match(await problemsOf("lonely/prompt.md", { flags: { prd: "nowhere.json" } }), /nowhere\.json: there is no such file/);
	assert.match(await problemsOf("lonely/prompt.md", { flags: { prd: "/etc/hostname" } }), /\/etc\/hostname is outside of the repository/);
	assert.match(await problemsOf("demo", { flags: { prd: "scripts/other.json" } }), /--prd goes with a prompt file/);
	assert.match(await problemsOf("prompt.md"), /there is no run folder ralph\/runs\/prompt\.md/);
});

test("T-43: the PROMPT.md of a run folder means that folder", async () => {
	put({ "ralph/runs/demo/PROMPT.md": "nothing\n" });
	assert.match(await problemsOf("ralph/runs/demo/PROMPT.md"), /ralph\/runs\/demo is not ready/);
});
