import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadDefinition } from "./load.ts";
import { workflow } from "./marked.suite.ts";

const temp = mkdtempSync(join(tmpdir(), "pawl-load-"));
after(() => rmSync(temp, { recursive: true, force: true }));

function folder(name: string, text: string, prompts: Record<string, string> = { "prompts/a.md": "Do it." }): string {
	const dir = join(temp, name);
	for (const [path, content] of Object.entries({ "workflow.yml": text, ...prompts })) {
		mkdirSync(join(dir, path, ".."), { recursive: true });
		writeFileSync(join(dir, path), content);
	}
	return dir;
}

async function problems(path: string): Promise<string[]> {
	const loaded = await loadDefinition(path);
	return loaded.ok ? [] : loaded.problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`);
}

const text = (prompt = "prompts/a.md") => workflow(`  a: {role: dev, prompt: ${prompt}}`, "[a]");

test("a folder or its file loads, with its prompts", async () => {
	const dir = folder("t", text());
	const [byFolder, byFile] = [await loadDefinition(dir), await loadDefinition(join(dir, "workflow.yml"))];
	assert.ok(byFolder.ok && byFile.ok);
	assert.deepEqual(byFolder.definition, byFile.definition);
	assert.equal(byFolder.definition.prompts["prompts/a.md"], "Do it.");
	assert.deepEqual(byFolder.warnings, []);
});

test("a folder of another name than the workflow is a warning", async () => {
	const loaded = await loadDefinition(folder("other", text()));
	assert.ok(loaded.ok);
	assert.match(loaded.warnings[0]?.message ?? "", /called `t`, but its folder is `other`/);
});

test("prompts stay within the folder, also through links", async () => {
	writeFileSync(join(temp, "secret.md"), "secret");
	const dir = folder("links", text("l.md"));
	symlinkSync("../secret.md", join(dir, "l.md"));
	assert.match((await problems(dir))[0] ?? "", /workflow\.yml:13:26: `l\.md` leads out of the workflow's folder/);
	assert.match((await problems(folder("climb", text("../secret.md"))))[0] ?? "", /leads out/);
	assert.match((await problems(folder("absolute", text(join(temp, "secret.md")))))[0] ?? "", /leads out/);
});

test("a prompt that is missing, not text or not a file is a problem at its name", async () => {
	assert.match((await problems(folder("missing", text("nowhere.md"))))[0] ?? "", /:13:26: there is no prompt `nowhere\.md`/);
	assert.match((await problems(folder("dir", text("prompts"))))[0] ?? "", /not a regular file/);
	const pipe = folder("pipe", text("p.md"));
	execFileSync("mkfifo", [join(pipe, "p.md")]);
	assert.match((await problems(pipe))[0] ?? "", /not a regular file/);
	const bytes = folder("bytes", text("b.md"));
	writeFileSync(join(bytes, "b.md"), Buffer.from([0xff, 0xfe, 0x00]));
	assert.match((await problems(bytes))[0] ?? "", /not UTF-8 text/);
});

test("a problem in a prompt names the prompt's file and place", async () => {
	const dir = folder("vars", text(), { "prompts/a.md": "Do\n {{setp_id}}" });
	assert.deepEqual(await problems(dir), [
		`${join(dir, "prompts/a.md")}:2:2: there is no variable \`{{setp_id}}\`; did you mean \`step_id\`?`,
	]);
});

test("a file that is not there is a problem, not a throw", async () => {
	assert.match((await problems(join(temp, "nothing.yml")))[0] ?? "", /it does not exist/);
	assert.match((await problems(join(temp, "climb", "..", "empty")))[0] ?? "", /it does not exist/);
});
