// Agents that misbehave as processes: what they print, what they do not, what they kill, what they leave. Each has a clear outcome.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { describe, it } from "node:test";
import { isolation } from "../../src/process/isolation.ts";
import { CODING, commit, exit, type FakeAgent, fakeAgent, LEAVE, say, write } from "../support/fake-agent.ts";
import { type Ended, pawl, pawlExits, runFolder, step, story } from "../support/pawl.ts";
import { quickAgent } from "../support/quick-agent.ts";
import { quickRepository, quickSite } from "../support/quick-pawl.ts";
import { exists, git, processesNaming, put, read, repository } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

const workflow = smallWorkflow();
const namespaces = (await isolation()) !== "none";
const DO_WORK = [write("work.txt", "done\n"), commit("work")];
const working = (...lines: readonly string[]) => ({ when: { type: "work" }, do: [...DO_WORK, ...lines] });
const run = (repo: string, agent: FakeAgent, code = 0, more: readonly string[] = []): Promise<Ended> =>
	pawlExits(code, ["run", workflow, "Add a file", "--agent-command", agent.command, ...more], { cwd: repo });

describe("what an agent prints", () => {
	it("X-12 50 MB on stdout go to the log and not into the notes", async () => {
		const repo = repository();
		const agent = fakeAgent([
			working("head -c 50000000 /dev/zero | tr '\\0' 'x' | fold -w 1000", say("## SUMMARY\n- flooded-771\n- b\n- c")),
		]);
		await run(repo, agent);
		assert.match(step(story(repo), "work").notes ?? "", /flooded-771/);
		assert.ok((step(story(repo), "work").notes ?? "").length < 5000);
		assert.ok(statSync(`${runFolder(repo)}/logs/one-shot/step-002.jsonl`).size > 50_000_000);
	});
	it("X-12 20 MB without a line end are no line that does not parse", async () => {
		const repo = repository();
		await run(repo, fakeAgent([working("head -c 20000000 /dev/zero | tr '\\0' 'y'", say("\n## SUMMARY\n- one-line-772\n- b\n- c"))]));
		for (const line of read(runFolder(repo), "logs/one-shot/step-002.jsonl").trimEnd().split("\n")) JSON.parse(line);
		assert.match(step(story(repo), "work").notes ?? "", /one-line-772/);
	});
	it("D-117 invalid UTF-8, control characters and NULs become lines that parse", async () => {
		const repo = repository();
		const ended = await run(
			repo,
			fakeAgent([working("printf '\\377\\376\\000\\033[2J\\033]0;title\\007 \\n'", say("## SUMMARY\n- \u001b[31mred\n- b\n- c"))]),
		);
		for (const line of read(runFolder(repo), "logs/one-shot/step-002.jsonl").trimEnd().split("\n")) JSON.parse(line);
		assert.equal(story(repo).status, "completed");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: that none of them reaches the terminal is the point
		assert.doesNotMatch(ended.all, /[\u001b\u0007\u0000]/);
	});
	it("D-32 nothing at all completes the step, with a warning", async () => {
		const repo = quickRepository();
		const ended = await run(repo, quickAgent([working("exit 0")]));
		assert.equal(step(story(repo), "work").status, "completed");
		assert.match(ended.stderr, /step-002.*(no|without|nothing)/i);
	});
	it("D-30 a SUMMARY that is only quoted from the prompt is not the agent's", async () => {
		const repo = quickRepository();
		await run(repo, quickAgent([working('cat "$call/prompt"', say("## SUMMARY\n- my own words 4\n- b\n- c"))]));
		assert.match(step(story(repo), "work").notes ?? "", /^- my own words 4/);
	});
	it("an agent that closes its output and goes on is waited for", async () => {
		const repo = repository();
		await run(repo, fakeAgent([{ when: { type: "work" }, do: ["said=1; exec >&- 2>&-", "sleep 0.3", ...DO_WORK] }]));
		assert.equal(read(repo, "work.txt"), "done\n");
		assert.equal(story(repo).status, "completed");
	});
	it("an agent that does not read its prompt is no failure, however long the prompt", async () => {
		const repo = repository();
		put(repo, { "agent.sh": "#!/bin/sh\nexec <&-\necho x > x.txt\necho done\n" });
		git(repo, "add", "-A");
		git(repo, "commit", "-q", "-m", "agent");
		await pawlExits(
			0,
			[
				"run",
				workflow,
				`Add ${"a very long ".repeat(8000)} file`,
				"--agent-command",
				`sh -c '[ $PAWL_STEP_TYPE = look ] || sh ${repo}/agent.sh'`,
			],
			{ cwd: repo },
		);
		assert.equal(story(repo).status, "completed");
	});
	it("a prompt of more than 1 MB arrives whole", async () => {
		const repo = repository({ ".gitignore": "prd.json\n" });
		const long = "0123456789abcdef".repeat(65_536);
		const one = {
			id: "US-1",
			title: "Long",
			description: `start-of-it ${long} end-of-it`,
			acceptanceCriteria: [],
			priority: 1,
			passes: false,
			notes: "",
		};
		put(repo, { "prd.json": JSON.stringify({ project: "p", branchName: "b", description: "d", userStories: [one] }) });
		const agent = fakeAgent([CODING]);
		await pawlExits(0, ["run", "dynamic", "--prd", "prd.json", "--agent-command", agent.command], { cwd: repo });
		assert.ok(agent.of("coding")[0]?.prompt.includes(one.description));
	});
	it("a scratch file of 5 MB does not make a prompt of 5 MB", async () => {
		const repo = quickRepository();
		const agent = quickAgent([
			{
				when: { type: "context_gathering" },
				do: [
					'head -c 5000000 /dev/zero | tr "\\0" z > "$PAWL_SHARED_DIR/scratch_one-shot.md"',
					'echo newest-815 >> "$PAWL_SHARED_DIR/scratch_one-shot.md"',
				],
			},
		]);
		await pawlExits(0, ["run", "dynamic", "Add a file", "--agent-command", agent.command], { cwd: repo });
		const [{ prompt = "" } = {}] = agent.of("planning");
		assert.match(prompt, /newest-815/);
		assert.ok(prompt.length < 2_500_000);
	});
	it("D-17 scratch files that are links, FIFOs or folders hang nobody and let nothing in", async () => {
		const repo = quickRepository();
		const agent = quickAgent([
			{ when: { type: "context_gathering" }, do: ['cd "$PAWL_SHARED_DIR" && mkfifo scratch_one-shot.md && mkdir scratch.md'] },
			{
				when: { type: "architecture" },
				do: ['cd "$PAWL_SHARED_DIR" && rm -r scratch_one-shot.md scratch.md && ln -s /etc/passwd scratch_one-shot.md'],
			},
		]);
		await pawlExits(0, ["run", "dynamic", "Add a file", "--agent-command", agent.command], { cwd: repo });
		assert.ok(agent.calls().every((call) => !call.prompt.includes("root:x:0")));
	});
});

describe("whom an agent kills", () => {
	for (const [name, kill] of [
		["everything in its own group (kill -9 0)", "kill -9 0"],
		["itself", "kill -9 $$"],
		["itself, with a signal that says nothing bad", "kill -TERM $$"],
	] as const)
		it(`${name}: the step fails, and nothing is left of it`, async () => {
			const repo = repository();
			const agent = fakeAgent([working(write("half.txt", "half\n"), LEAVE, kill)]);
			const ended = await run(repo, agent, 1);
			assert.equal(story(repo).status, "failed");
			assert.equal(step(story(repo), "work").status, "failed");
			assert.match(ended.all, /step-002.*(KILL|TERM|signal|137|143)/);
			assert.equal(git(repo, "status", "--porcelain"), "");
			assert.deepEqual(agent.left(), []);
		});
	for (const [name, kill] of [
		["its parent", 'kill -9 "$PPID"'],
		["its parent's group", 'kill -s KILL -- -"$PPID"'],
		["all processes that there are (kill -9 -1)", "kill -s KILL -- -1"],
	] as const)
		it(`${name}: in its namespace there is nobody else to kill, and the run goes on`, {
			skip: !namespaces && "no pid namespaces here",
		}, async () => {
			const repo = repository();
			const agent = fakeAgent([working(LEAVE, kill)]);
			const ended = await pawl(["run", workflow, "Add a file", "--agent-command", agent.command], { cwd: repo });
			assert.equal(ended.signal, null, "pawl is alive");
			assert.ok(["completed", "failed"].includes(story(repo).status));
			assert.equal(ended.code, story(repo).status === "completed" ? 0 : 1);
			assert.equal(git(repo, "status", "--porcelain"), "");
			assert.deepEqual(agent.left(), []);
		});
	it("D-153 D-149 pawl itself, where there are no namespaces: resume ends what is left of the attempt and does the step again", async () => {
		const repo = repository();
		const agent = fakeAgent([
			{ when: { type: "work", nth: 1 }, do: [write("half.txt", "half-44\n"), LEAVE, 'kill -s KILL -- -"$PPID"', "sleep 100"] },
			working(),
		]);
		const started = await pawl(["run", workflow, "Add a file", "--agent-command", agent.command], {
			cwd: repo,
			env: { PAWL_ISOLATION: "none" },
		});
		assert.equal(started.signal, "SIGKILL");
		await pawlExits(0, ["resume"], { cwd: repo, env: { PAWL_ISOLATION: "none" } });
		const after = story(repo);
		assert.equal(after.status, "completed");
		assert.match(step(after, "step-002").error ?? "", /orchestrator restart — agent not found/);
		assert.match(read(runFolder(repo), "failures/one-shot-step-002.diff"), /half-44/);
		assert.ok(!exists(repo, "half.txt"));
		assert.deepEqual(agent.left(), []);
		assert.deepEqual(processesNaming(agent.home), []);
	});
});

describe("what an agent leaves", () => {
	it("D-116 a daemon that holds its output open does not hold up the run, and is ended", async () => {
		const repo = repository();
		const agent = fakeAgent([working('FAKE_LEFT="$home" setsid sh -c "trap \\"\\" TERM HUP; sleep 100" & sleep 0.05')]);
		await run(repo, agent);
		assert.deepEqual(agent.left(), []);
	});
	it("D-46 an agent that says that all is well and exits with 1 has failed", async () => {
		const repo = quickRepository();
		await run(repo, quickAgent([working(say("## SUMMARY\n- all is well"), exit(1))]), 1);
		assert.equal(step(story(repo), "work").status, "failed");
	});
	it("D-106 a state file that an agent wrote over is written again; what it said counts for nothing", async () => {
		const repo = quickRepository();
		const agent = quickAgent([
			{ when: { type: "look" }, do: ['echo "{}" > "$PAWL_SHARED_DIR/workflow_state.json"'] },
			working('rm "$PAWL_SHARED_DIR/workflow_state.json"', 'mkdir -p "$PAWL_SHARED_DIR/workflow_state.json.tmp"'),
		]);
		await run(repo, agent);
		const seen = agent.of("work")[0]?.state;
		assert.equal(Object.keys(seen?.stories ?? {})[0], "one-shot");
		assert.equal(story(repo).status, "completed");
	});
	it("D-106 a lock that is no lock any more, and a folder in place of the state file, hold up nothing", async () => {
		const repo = quickRepository();
		const agent = quickAgent([
			{
				when: { type: "look" },
				do: [
					'cd "$PAWL_SHARED_DIR" && rm workflow_state.json && mkdir -p workflow_state.json/x',
					"rm -f workflow_state.json.lock && echo garbage garbage garbage garbage > workflow_state.json.lock",
				],
			},
			working(),
		]);
		await run(repo, agent);
		assert.equal(story(repo).status, "completed");
	});
	it("a FIFO, or a link, in place of the next step's log fails that step at once, and nothing is written through it", async () => {
		for (const make of ["mkfifo", 'ln -s "$home/evil"']) {
			const repo = repository();
			const agent = fakeAgent([{ when: { type: "look" }, do: [`${make} "$PAWL_SHARED_DIR/logs/one-shot/step-002.jsonl"`] }, working()]);
			const ended = await run(repo, agent, 1);
			assert.match(ended.all, /cannot write the log/);
			assert.ok(!exists(agent.flag("evil")));
		}
	});
	it("D-120 a file in place of the folder for diffs is said, and the work is not thrown away", async () => {
		const { root: repo, memory } = quickSite();
		const ended = await run(repo, quickAgent([working('echo x > "$PAWL_SHARED_DIR/failures"', exit(3))]), 1);
		assert.match(ended.all, /failures/);
		assert.equal(memory.show("main")["work.txt"], "done\n");
	});
	it("a run folder that an agent removed does not lose the run", async () => {
		const repo = quickRepository();
		await run(repo, quickAgent([working('rm -rf "$PAWL_SHARED_DIR"/logs "$PAWL_SHARED_DIR"/prompts "$PAWL_SHARED_DIR"/workflow_edits')]));
		assert.equal(story(repo).status, "completed");
		assert.match((await pawlExits(0, ["status"], { cwd: repo })).stdout, /completed/);
	});
});
