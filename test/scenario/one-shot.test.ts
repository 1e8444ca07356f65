// `pawl "REQUEST"`: the ten steps in the user's tree with a state that nobody sees afterwards, unless something went wrong.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CODING, edit, exit, fakeAgent, HANG, write } from "../support/fake-agent.ts";
import { exited, oneShot, PROJECT, pawlExits, STEP_TYPES, startPawl, storyOf } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository, quickSite } from "../support/quick-pawl.ts";
import { exists, git, list, put, read, repository, scratchFolder, until } from "../support/scratch.ts";

describe('pawl "REQUEST"', () => {
	it("D-156 D-157 D-159 runs the ten steps with its state in a temporary folder that is gone at the end", async () => {
		const repo = repository();
		const agent = fakeAgent();
		const { ended, temporary } = await oneShot(repo, agent);
		assert.deepEqual(agent.types(), STEP_TYPES);
		for (const call of agent.calls()) {
			assert.ok(call.env["PAWL_SHARED_DIR"]?.startsWith(`${temporary}/`));
			assert.ok(call.state !== null, "the state file is there while it runs");
			assert.ok(call.prompt.includes("Add a file"));
		}
		assert.deepEqual(list(temporary), []);
		assert.deepEqual(list(repo), [".git", ".pawl", "README.md", "work"]);
		assert.equal(git(repo, "status", "--porcelain"), "");
		assert.equal(git(repo, "log", "--format=%s").split("\n")[0], "work");
		assert.match(ended.stdout, /completed/);
		const status = await pawlExits(0, ["status"], { cwd: repo });
		assert.match(status.stdout, /^files: removed when the run ended$/m);
		assert.ok(!status.stdout.includes(temporary));
	});
	it("D-157 D-48 D-83 takes edits and restarts as a kept run does", async () => {
		const repo = quickRepository();
		const restart = { operation: "restart", target_step_id: "step-005", reason: "wrong", new_description: "right" };
		const add = { operation: "add_after", target_step_id: "step-007", reason: "x", new_steps: [{ type: "coding", description: "fix" }] };
		const agent = quickAgent([
			{ when: { type: "coding", nth: 1 }, do: [write("wrong.txt", "x"), edit([restart])] },
			{ when: { type: "initial_testing" }, do: [edit([add])] },
			{ when: { type: "review" }, do: [edit([{ operation: "skip", target_step_id: "step-010", reason: "no" }])] },
		]);
		await oneShot(repo, agent);
		assert.deepEqual(agent.types(), [
			...STEP_TYPES.slice(0, 5),
			"coding",
			"linting",
			"initial_testing",
			"coding",
			"review",
			"prune_tests",
			"final_review",
		]);
		const seen = storyOf(agent.calls().at(-1)?.state as NonNullable<ReturnType<typeof agent.calls>[number]["state"]>);
		assert.deepEqual(
			seen.history.filter((entry) => entry.action === "workflow_edit").map((entry) => entry.details["operation"]),
			["restart", "add_after"],
		);
		assert.match(agent.of("prune_tests")[0]?.prompt ?? "", /rejected/);
		assert.ok(!exists(repo, "wrong.txt"));
	});
	it("D-158 D-126 keeps the state of a failed run and says where, with the diff", async () => {
		const repo = repository();
		const { ended, temporary } = await oneShot(
			repo,
			fakeAgent([{ when: { type: "coding" }, do: [write("x.txt", "x-77\n"), exit(1)] }]),
			[],
			1,
		);
		const kept = /kept in (\S+)/.exec(ended.stderr)?.[1] ?? "";
		assert.ok(kept.startsWith(temporary) && exists(kept, "workflow_state.json") && exists(kept, "logs"));
		const diff = /\S+\.diff/.exec(ended.stdout)?.[0] ?? "";
		assert.match(read(diff), /x-77/);
		assert.equal(git(repo, "status", "--porcelain"), "");
	});
	it("X-03 D-158 stops at SIGINT with the tree put back and the state kept", async () => {
		const repo = repository();
		const temporary = scratchFolder("tmp");
		const agent = fakeAgent([{ when: { type: "coding" }, do: [write("half.txt", "x"), ': > "$home/there"', HANG] }]);
		const started = startPawl(["Add a file", "--agent-command", agent.command], { cwd: repo, env: { TMPDIR: temporary } });
		await until("the coding step", () => exists(agent.flag("there")));
		started.child.kill("SIGINT");
		const ended = exited(await started.done, 130);
		assert.equal(git(repo, "status", "--porcelain"), "");
		assert.ok(exists(/kept in (\S+)/.exec(ended.stderr)?.[1] ?? "/nowhere"));
	});
	it("D-160 prompts as a kept run and as a story of a PRD do, paths and ids aside", async () => {
		const prompts = async (args: readonly string[], files: Record<string, string>, id: string) => {
			const { root: repo, memory } = quickSite();
			put(repo, files);
			const start = memory.user.commit ?? "";
			const agent = quickAgent([{ ...CODING, when: { type: "coding" } }]);
			const temporary = scratchFolder("tmp");
			await pawlExits(0, [...args, "--agent-command", agent.command], { cwd: repo, env: { TMPDIR: temporary } });
			const plain = (text: string, shared = "") =>
				text
					.replaceAll(shared, "SHARED")
					.replaceAll(start.slice(0, 12), "START")
					.replaceAll(repo, "TREE")
					.replaceAll(/TREE\/\.pawl\/worktrees\/agent-1/g, "TREE")
					.replaceAll(`ralph/${id}`, "main")
					.replaceAll(id, "ID");
			return agent.calls().map((call) => plain(call.prompt, call.env["PAWL_SHARED_DIR"]));
		};
		const shot = await prompts(["Add a file"], {}, "one-shot");
		assert.equal(shot.length, 10);
		assert.deepEqual(await prompts(["run", "dynamic", "Add a file"], {}, "one-shot"), shot);
		const userStories = [
			{ id: "US-1", title: "Add a file", description: "Add a file", acceptanceCriteria: [], priority: 1, passes: false, notes: "" },
		];
		const prd = JSON.stringify({ project: "p", branchName: "b", description: "d", userStories });
		assert.deepEqual(await prompts(["run", "dynamic", "--prd", "prd.json"], { "prd.json": prd }, "US-1"), shot);
	});
	it("X-07 works from a folder inside of the repository", async () => {
		const repo = repository({ "deep/er/file.txt": "x\n" });
		const agent = fakeAgent();
		await pawlExits(0, ["run", "dynamic", "Add a file", "--agent-command", agent.command], { cwd: join(repo, "deep/er") });
		assert.ok(agent.calls().every((call) => call.cwd === repo));
		assert.ok(exists(repo, ".pawl/latest/workflow_state.json") && !exists(repo, "deep/er/.pawl"));
	});
	it("X-06 takes a request with quotes, dollars, backticks, newlines and other scripts as it is", async () => {
		const repo = repository();
		const agent = fakeAgent();
		const request = `Say "hi"; rm -rf $HOME \`id\` $& {{steer}} \\ 'q' 🙂 ünï <script>\nsecond line`;
		await pawlExits(0, ["run", "dynamic", request, "--agent-command", agent.command], { cwd: repo });
		for (const call of agent.calls()) assert.ok(call.prompt.includes(request), call.type);
		assert.ok(agent.calls().every((call) => !call.argv.join(" ").includes("rm -rf")));
	});
	it("X-06 works in a repository and with an agent whose paths have spaces and quotes", async () => {
		const parent = scratchFolder("odd");
		const repo = join(parent, "a 'b\" $c é");
		mkdirSync(repo);
		git(repo, "init", "-q", "-b", "main");
		put(repo, { "README.md": "x\n" });
		git(repo, "add", "-A");
		git(repo, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "start");
		const agent = fakeAgent([{ when: { type: "coding" }, do: [write("new file.txt", "x\n")] }]);
		await pawlExits(0, ["run", "dynamic", "Add a file", "--agent-command", `"${agent.command}" 'an argument'`], { cwd: repo });
		assert.deepEqual(agent.calls()[0]?.argv, ["an argument"]);
		assert.equal(git(repo, "log", "-1", "--format=%s"), "Add a file");
	});
	it("X-04 prints plan and prompts with --dry-run, and starts and writes nothing", async () => {
		const repo = quickRepository();
		const agent = quickAgent();
		const dry = await pawlExits(0, ["Add a file", "--agent-command", agent.command, "--dry-run"], { cwd: repo });
		for (const type of STEP_TYPES) assert.match(dry.stdout, new RegExp(`===== one-shot step-\\d+ ${type}`));
		assert.deepEqual(agent.calls(), []);
		assert.deepEqual(list(repo), ["README.md"]);
		put(repo, { "mine.txt": "mine\n" });
		const unclean = await pawlExits(0, ["Add a file", "--agent-command", agent.command, "--dry-run"], { cwd: repo });
		assert.match(unclean.stderr, /a run would be refused: the working tree is not clean \(uncommitted: mine\.txt\)/);
		assert.match(unclean.stdout, /nothing was started/);
	});
	it("X-10 keeps secrets of the environment out of logs, prompts and the agent's environment", async () => {
		const repo = repository();
		const secret = "s3cr3t-value-5c1e";
		const agent = fakeAgent([{ when: { type: "planning" }, do: [`echo "I found ${secret} somewhere"`] }]);
		await pawlExits(0, ["run", "dynamic", "Add a file", "--agent-command", agent.command], { cwd: repo, env: { SOME_API_KEY: secret } });
		for (const call of agent.calls()) assert.ok(!call.prompt.includes(secret) && call.env["SOME_API_KEY"] === undefined);
		assert.throws(() => git(repo, "grep", "--no-index", "-rl", "-a", secret, ".pawl"), "nothing below .pawl has it");
	});
	it("D-155 has no command for one worker: the slots of the engine do that, and the documentation says so", async () => {
		assert.match(read(PROJECT, "docs", "dynamic.md"), /slots of the engine do that internally/);
		const refused = await pawlExits(2, ["run", "dynamic", "--agent-id", "1", "--story", "US-001"], { cwd: quickRepository() });
		assert.match(refused.stderr, /--agent-id/);
	});
	it("D-161 has its accepted limits in the documentation", () => {
		const docs = list(PROJECT, "docs").filter((name) => name.endsWith(".md"));
		const text = [
			...docs.map((name) => read(PROJECT, "docs", name)),
			...["README.md"].filter((name) => exists(PROJECT, name)).map((name) => read(PROJECT, name)),
		].join("\n");
		for (const limit of [/start-up|start up/i, /self-review|same model/i, /docker/i, /\bRAM\b|memory/i]) assert.match(text, limit);
	});
});
