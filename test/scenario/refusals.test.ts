// What pawl refuses at the start: one clear message, exit 2, and nothing written, started or lost.
import assert from "node:assert/strict";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fakeAgent } from "../support/fake-agent.ts";
import { inProcess, pawlExits, runDynamic, runFolder } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository } from "../support/quick-pawl.ts";
import { exists, git, list, put, read, repository, scratchFolder, userView } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

/** Refused in this repository, with this message; the repository is as it was and the agent was never called. */
async function refused(repo: string, args: (command: string) => readonly string[], message: RegExp): Promise<string> {
	const agent = fakeAgent();
	const before = viewOf(repo);
	const ended = await pawlExits(2, args(agent.command), { cwd: repo });
	assert.match(ended.stderr, message);
	assert.doesNotMatch(ended.stderr, /\n\s+at .*:\d+/, "no stack");
	assert.equal(ended.stdout, "");
	assert.deepEqual(agent.calls(), []);
	assert.ok(!exists(repo, ".pawl"), "nothing is written");
	assert.deepEqual(viewOf(repo), before);
	return ended.stderr;
}
/** null where there is no commit; of a repository in memory, its files. */
function viewOf(repo: string): unknown {
	if (inProcess.has(repo)) return list(repo).map((name) => [name, statSync(join(repo, name)).isFile() && read(repo, name)]);
	return exists(repo, ".git") && git(repo, "rev-list", "--all") !== "" ? userView(repo) : null;
}
const request = (command: string) => ["run", "dynamic", "Add a file", "--agent-command", command];
const shot = (command: string) => ["Add a file", "--agent-command", command];

describe("D-159 X-01 a tree that cannot be worked in", () => {
	const dirty: Readonly<Record<string, (repo: string) => void>> = {
		"an untracked file": (repo) => put(repo, { "mine.txt": "precious\n" }),
		"a changed file": (repo) => put(repo, { "README.md": "changed\n" }),
		"a staged file": (repo) => {
			put(repo, { "mine.txt": "staged\n" });
			git(repo, "add", "-A");
		},
		"a deleted file": (repo) => void git(repo, "rm", "-q", "README.md"),
		"a file in an untracked folder": (repo) => put(repo, { "a/b/c.txt": "x\n" }),
	};
	for (const [what, make] of Object.entries(dirty))
		it(`${what} is refused by name and kept`, async () => {
			const repo = repository();
			make(repo);
			await refused(repo, shot, /not clean.*(mine\.txt|README\.md|a\/b\/c\.txt)/);
			await refused(repo, request, /not clean/);
		});
	it("a folder that is no git repository", async () => {
		await refused(scratchFolder("plain"), shot, /not in a git repository/);
	});
	it("a repository without a commit", async () => {
		const repo = scratchFolder("empty");
		git(repo, "init", "-q");
		await refused(repo, shot, /no commit yet/);
	});
	it("a detached HEAD", async () => {
		const repo = repository();
		git(repo, "checkout", "-q", "--detach");
		await refused(repo, shot, /detached/);
	});
	it("a bare repository", async () => {
		const repo = scratchFolder("bare");
		git(repo, "init", "-q", "--bare");
		const ended = await pawlExits(2, shot(fakeAgent().command), { cwd: repo });
		assert.match(ended.stderr, /bare/);
	});
});

describe("X-09 an agent that cannot be started", () => {
	it("a command that does not exist", async () => {
		await refused(quickRepository(), () => ["Add a file", "--agent-command", "no-such-agent-7731 --x"], /no-such-agent-7731 is not found/);
	});
	it("a file that is not executable", async () => {
		const agent = fakeAgent();
		chmodSync(agent.command, 0o644);
		await refused(quickRepository(), () => ["Add a file", "--agent-command", agent.command], /not executable/);
	});
	it("a folder", async () => {
		await refused(quickRepository(), () => ["Add a file", "--agent-command", scratchFolder("agent")], /not found or not executable/);
	});
	it("an unknown agent", async () => {
		await refused(quickRepository(), () => ["Add a file", "--agent", "clod"], /no agent clod.*claude/);
	});
	it("a command that cannot be split", async () => {
		await refused(quickRepository(), () => ["Add a file", "--agent-command", 'sh "unfinished'], /cannot be read/);
	});
	it("an unknown agent for a role", async () => {
		await refused(quickRepository(), (command) => [...shot(command), "--role", "agent=clod"], /no agent clod/);
	});
});

describe("X-01 files that cannot be read", () => {
	it("a pawl.yml with mistakes: all of them, with their places and suggestions", async () => {
		const repo = quickRepository({ "pawl.yml": "agnt: claude\ntimeouts: {coding: soon}\nparallel: -1\n" });
		const said = await refused(repo, shot, /pawl\.yml:1:1: unknown key `agnt`.*`agent`/);
		assert.match(said, /pawl\.yml:2:\d+.*timeouts\.coding/);
		assert.match(said, /pawl\.yml:3:\d+.*parallel/);
	});
	it("a pawl.yml that is no YAML", async () => {
		await refused(quickRepository({ "pawl.yml": "checks: {lint: [\n" }), shot, /pawl\.yml:\d+:\d+/);
	});
	it("a workflow with mistakes, with their places", async () => {
		const file = smallWorkflow();
		put(file.slice(0, -"workflow.yml".length), {
			"workflow.yml": read(file)
				.replace("steps: [look, work]", "steps: [look, wrok]")
				.replace("role: agent, timeout: 1m, writes: none", "role: nobody, timeout: 1m, writes: none"),
		});
		const said = await refused(
			quickRepository(),
			(command) => ["run", file, "Add a file", "--agent-command", command],
			/workflow\.yml:\d+:\d+.*wrok/,
		);
		assert.match(said, /nobody/);
	});
	it("a workflow that is no YAML, and one that is not there", async () => {
		const folder = scratchFolder("workflow");
		put(folder, { "workflow.yml": "a: b: c\n" });
		await refused(quickRepository(), (command) => ["run", `${folder}/workflow.yml`, "x y", "--agent-command", command], /workflow\.yml:1:/);
		await refused(quickRepository(), (command) => ["run", "dynamc", "x y", "--agent-command", command], /dynamc.*dynamic/s);
	});
	it("a script with mistakes, and one that is not there", async () => {
		const folder = scratchFolder("script");
		put(folder, { "script.yml": "steps:\n  - on: {typ: coding}\n    do: []\n" });
		await refused(
			quickRepository(),
			() => ["Add a file", "--agent", "scripted", "--script", `${folder}/script.yml`],
			/script\.yml:2:\d+.*typ/,
		);
		await refused(
			quickRepository(),
			() => ["Add a file", "--agent", "scripted", "--script", "/no/such.yml"],
			/no\/such\.yml cannot be read/,
		);
	});
});

describe("X-01 words that make no sense", () => {
	const cases: readonly (readonly [name: string, args: (command: string) => readonly string[], message: RegExp])[] = [
		["an unknown option", (c) => [...shot(c), "--agnet", "x"], /unknown option '--agnet'/],
		["an option without its value", () => ["Add a file", "--agent-command"], /argument missing/],
		["a number that is none", (c) => [...shot(c), "--agents", "many"], /--agents.*many/],
		["no agents at all", (c) => [...shot(c), "--agents", "0"], /--agents/],
		["a duration that is none", (c) => [...shot(c), "--timeout", "coding=soon"], /duration/],
		["a step type that is none", (c) => [...shot(c), "--timeout", "codign=5m"], /no step type codign/],
		["an amount that is none", (c) => [...shot(c), "--max-cost", "lots"], /amount/],
		["a branch that is not there", (c) => [...request(c), "--base", "nowhere"], /no branch nowhere|check out nowhere first/],
		["a branch that looks like an option", (c) => [...request(c), "--base", "--exec=touch x"], /--exec|branch|argument/],
		["an empty request", (c) => ["run", "dynamic", "", "--agent-command", c], /empty/],
		["no request", (c) => ["run", "dynamic", "--agent-command", c], /what is to be done/],
		["two requests", (c) => [...shot(c), "and another"], /too many arguments/],
		["a mistyped command", () => ["stauts"], /no command stauts.*status/],
		["one word that is no command", () => ["frobnicate"], /no command frobnicate/],
	];
	for (const [name, args, message] of cases) it(name, async () => void (await refused(quickRepository(), args, message)));
	it("nothing at all: what can be done, and exit 2", async () => {
		const ended = await pawlExits(2, [], { cwd: quickRepository() });
		assert.match(ended.stdout, /pawl "REQUEST"/);
	});
	it("--help and --version are no refusals", async () => {
		const repo = quickRepository();
		assert.match((await pawlExits(0, ["--help"], { cwd: repo })).stdout, /run\s+start a run/);
		assert.match((await pawlExits(0, ["--version"], { cwd: repo })).stdout, /^\d+\.\d+\.\d+\n$/);
		const help = (await pawlExits(0, ["run", "--help"], { cwd: repo })).stdout;
		assert.match(help, /--agent-command/);
		assert.doesNotMatch(help, /default: [[{]/, "an empty default says nothing");
	});
});

describe("X-06 story ids that are none", () => {
	for (const id of ["../x", "a/b", "--exec=touch pwned", "-x", "a..b", "", "x".repeat(65), "a b", "ü", "$(id)", ".hidden", "a\nb"])
		it(`${JSON.stringify(id.slice(0, 20))} is refused by name`, async () => {
			const repo = quickRepository({ ".gitignore": "prd.json\n" });
			const prd = {
				project: "p",
				branchName: "b",
				description: "d",
				userStories: [{ id, title: 't"; rm', description: "d", acceptanceCriteria: [], priority: 1, passes: false, notes: "" }],
			};
			put(repo, { "prd.json": JSON.stringify(prd, null, 1) });
			await refused(repo, (c) => ["run", "dynamic", "--prd", "prd.json", "--agent-command", c], /prd\.json:\d+:\d+.*id/);
			assert.ok(!list(repo).includes("pwned"));
		});
});

describe("X-18 looking at files before they are used", () => {
	it("X-18 validates an edit file against a run without changing anything", async () => {
		const repo = quickRepository();
		await runDynamic(repo, quickAgent([{ when: { type: "planning" }, do: ["exit 3"] }]), [], 1);
		const before = read(runFolder(repo), "workflow_state.json");
		const folder = scratchFolder("edits");
		put(folder, {
			"good.json": JSON.stringify([{ operation: "skip", target_step_id: "step-009", reason: "small" }]),
			"bad.json": JSON.stringify([{ operation: "skip", target_step_id: "step-006", reason: "no" }]),
			"torn.json": "[",
		});
		const validate = (code: number, name: string) =>
			pawlExits(code, ["edits", "validate", `${folder}/${name}`, "--story", "one-shot"], { cwd: repo });
		assert.match((await validate(0, "good.json")).stdout, /accepted/);
		assert.match((await validate(2, "bad.json")).stderr, /mandatory/);
		assert.match((await validate(2, "torn.json")).stderr, /not JSON/);
		assert.match((await validate(2, "none.json")).stderr, /no file/);
		assert.equal(read(runFolder(repo), "workflow_state.json"), before);
	});
});
