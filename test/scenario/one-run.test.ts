// One undisturbed run of `dynamic`, looked at from every side: calls, state file, history, notes, logs, scratch files, git.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { before, describe, it } from "node:test";
import type { StoryRecord, WorkflowState } from "../../src/format/workflow-state/document.ts";
import { parseWorkflowState } from "../../src/format/workflow-state/document.ts";
import { commit, type FakeAgent, fakeAgent, say, usage, write } from "../support/fake-agent.ts";
import { type Ended, pawlExits, runDynamic, runFolder, STEP_TYPES, stateFile, step, storyOf } from "../support/pawl.ts";
import { exists, git, list, read, repository } from "../support/scratch.ts";

const DESCRIPTIONS = [
	"Explore codebase, DB schema, docs, and related code",
	"Produce implementation plan based on gathered context",
	"Design code structure and identify files to modify",
	"Design test strategy and identify test files",
	"Implement the changes",
	"Run formatters and lint checks",
	"Run tests and identify failures",
	"Self-review against acceptance criteria",
	"Remove redundant tests",
	"Final verification and commit",
];
const STEP_KEYS = [
	"id",
	"type",
	"status",
	"description",
	"started_at",
	"completed_at",
	"git_sha_at_start",
	"notes",
	"error",
	"skip_reason",
	"restart_count",
	"cost_usd",
	"input_tokens",
	"output_tokens",
	"log_file",
];

describe("an undisturbed run of dynamic", () => {
	let repo: string;
	let agent: FakeAgent;
	let ended: Ended;
	let state: WorkflowState;
	let story: StoryRecord;
	let first: StoryRecord;

	before(async () => {
		repo = repository({}, "trunk");
		agent = fakeAgent([
			{
				when: { type: "context_gathering" },
				do: ['echo "found-9901" >> "$PAWL_SHARED_DIR/scratch_one-shot.md"', 'echo "global-9902" >> "$PAWL_SHARED_DIR/scratch.md"'],
			},
			{
				when: { type: "planning" },
				do: [
					usage({ input_tokens: 1200, output_tokens: 34, cost_usd: 0.25 }),
					say("Thought.\n\nSUMMARY: not this one\n\n## SUMMARY\n- plan-7421\n- two\n- three"),
				],
			},
			{ when: { type: "architecture" }, do: [say("I designed something, and forgot how to end: no-heading-3307")] },
			{ when: { type: "coding" }, do: [write("committed.txt", "c\n"), commit("work"), write("loose.txt", "l\n")] },
		]);
		ended = await runDynamic(repo, agent, [], 0, { TEST_MARKER: "x" });
		state = stateFile(repo);
		story = storyOf(state);
		first = storyOf(agent.calls()[0]?.state as WorkflowState);
	});

	it("D-01 D-38 D-156 launches one agent for each of the ten steps, in the template's order", () => {
		assert.deepEqual(agent.types(), STEP_TYPES);
		assert.deepEqual(
			agent.calls().map((call) => call.step),
			story.steps.map((s) => s.id),
		);
		assert.equal(new Set(agent.calls().map((call) => call.env["PAWL_MARK"])).size, 10, "each call is an attempt of its own");
	});
	it("D-02 never runs two steps of a story at once", () => {
		const calls = agent.calls();
		calls
			.slice(1)
			.forEach((call, i) => assert.ok((calls[i]?.to ?? call.from + 1n) <= call.from, `${call.step} overlaps the step before it`));
	});
	it("D-38 D-39 D-40 begins with ten fresh steps and the template's descriptions", () => {
		assert.deepEqual(
			first.steps.map((s) => [s.id, s.type]),
			STEP_TYPES.map((type, i) => [`step-${String(i + 1).padStart(3, "0")}`, type]),
		);
		assert.deepEqual(
			first.steps.map((s) => s.description),
			DESCRIPTIONS,
		);
		for (const { id: _, type: __, description: ___, ...rest } of first.steps.slice(1)) {
			assert.deepEqual(
				Object.entries(rest).filter(([, value]) => value !== null),
				[
					["status", "pending"],
					["restart_count", 0],
				],
			);
		}
	});
	it("D-43 D-44 D-45 shows pending, in_progress and completed as they happen", () => {
		for (const [i, call] of agent.calls().entries()) {
			const now = storyOf(call.state as WorkflowState).steps.map((s) => s.status);
			assert.deepEqual(now, [...Array(i).fill("completed"), "in_progress", ...Array(9 - i).fill("pending")]);
		}
		assert.ok(story.steps.every((s) => s.status === "completed"));
	});
	it("D-67 D-110 writes version, time, source and stories as pretty JSON that fits the format", () => {
		const text = read(runFolder(repo), "workflow_state.json");
		assert.deepEqual(Object.keys(state), ["version", "created_at", "prd_file", "stories"]);
		assert.equal(state.version, 1);
		assert.equal(text.trimEnd(), JSON.stringify(state, null, 2));
		assert.equal(parseWorkflowState(text).ok, true);
		for (const call of agent.calls()) assert.equal(parseWorkflowState(JSON.stringify(call.state)).ok, true, call.step);
	});
	it("D-68 D-59 D-60 has the story's record with its claim and its end", () => {
		assert.deepEqual(Object.keys(story), [
			"story_id",
			"title",
			"status",
			"agent_id",
			"claimed_at",
			"completed_at",
			"depends_on",
			"steps",
			"history",
		]);
		assert.equal(first.status, "in_progress");
		assert.equal(first.agent_id, 1);
		assert.ok(first.claimed_at !== null && first.completed_at === null);
		assert.equal(story.status, "completed");
		assert.ok(story.completed_at !== null);
		assert.deepEqual(story.depends_on, []);
	});
	it("D-69 D-70 gives pending and finished steps exactly the document's keys, and times in UTC", () => {
		for (const s of [...first.steps, ...story.steps]) assert.deepEqual(Object.keys(s), STEP_KEYS);
		const times = [
			state.created_at,
			story.claimed_at,
			...story.steps.flatMap((s) => [s.started_at, s.completed_at]),
			...story.history.map((h) => h.timestamp),
		];
		for (const time of times) assert.match(time ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
	});
	it("D-71 D-111 records HEAD before the agent starts, and not earlier", () => {
		for (const call of agent.calls()) {
			const seen = storyOf(call.state as WorkflowState);
			assert.equal(step(seen, call.step).git_sha_at_start, call.head);
			for (const s of seen.steps.filter((s) => s.status === "pending")) assert.equal(s.git_sha_at_start, null);
		}
		assert.notEqual(agent.of("linting")[0]?.head, agent.of("coding")[0]?.head);
	});
	it("D-72 has no error and no skip reason where nothing went wrong", () => {
		assert.ok(story.steps.every((s) => s.error === null && s.skip_reason === null));
	});
	it("D-73 X-15 takes usage from the agent, unknown stays null, and the totals are shown", async () => {
		const { cost_usd, input_tokens, output_tokens } = step(story, "planning");
		assert.deepEqual([cost_usd, input_tokens, output_tokens], [0.25, 1200, 34]);
		assert.deepEqual([step(story, "coding").cost_usd, step(story, "coding").input_tokens], [null, null]);
		assert.match(ended.stdout, /\$0\.25/);
		const cost = await pawlExits(0, ["cost"], { cwd: repo });
		assert.match(cost.stdout, /\$0\.25/);
		assert.match((await pawlExits(0, ["status"], { cwd: repo })).stdout, /\$0\.25/);
	});
	it("D-74 D-117 names the log while the step runs, and every line of it parses", () => {
		for (const call of agent.calls())
			assert.equal(step(storyOf(call.state as WorkflowState), call.step).log_file, `logs/one-shot/${call.step}.jsonl`);
		for (const s of story.steps) {
			const lines = read(runFolder(repo), s.log_file ?? "")
				.trimEnd()
				.split("\n")
				.map((line) => JSON.parse(line) as unknown);
			assert.ok(lines.length >= 2);
		}
		assert.match(read(runFolder(repo), "logs/one-shot/step-002.jsonl"), /plan-7421/);
	});
	it("D-77 D-78 D-81 keeps a history with the document's keys and actions only", () => {
		for (const entry of story.history) assert.deepEqual(Object.keys(entry), ["timestamp", "action", "agent_id", "step_id", "details"]);
		const actions = story.history.map((entry) => entry.action);
		assert.deepEqual(actions, ["story_claimed", ...STEP_TYPES.flatMap(() => ["step_started", "step_completed"]), "story_completed"]);
	});
	it("D-30 D-112 D-113 hands the SUMMARY of every completed step to all later ones, in order, with id and type", () => {
		assert.match(step(story, "planning").notes ?? "", /plan-7421/);
		assert.doesNotMatch(step(story, "planning").notes ?? "", /Thought|not this one/);
		for (const [i, call] of agent.calls().entries()) {
			const earlier = STEP_TYPES.slice(0, i).filter((type) => type !== "planning" && type !== "architecture");
			const places = earlier.map((type) => call.prompt.indexOf(`marker-step-${String(STEP_TYPES.indexOf(type) + 1).padStart(3, "0")}`));
			assert.ok(
				places.every((place) => place > 0),
				`${call.type} has the notes of ${earlier.join(", ")}`,
			);
			assert.deepEqual(
				places,
				places.toSorted((a, b) => a - b),
			);
			assert.equal(call.prompt.includes("plan-7421"), i > 1);
		}
		const coding = agent.of("coding")[0]?.prompt ?? "";
		for (const [id, type] of [
			["step-001", "context_gathering"],
			["step-002", "planning"],
			["step-004", "test_architecture"],
		])
			assert.match(coding, new RegExp(`${id}.{0,10}${type}`));
	});
	it("D-112 D-31 puts instructions, story, description, notes and both scratch files into a prompt, and ends with the SUMMARY", () => {
		const prompt = agent.of("coding")[0]?.prompt ?? "";
		for (const part of [
			"Implement the changes",
			"Add a file",
			"plan-7421",
			"found-9901",
			"global-9902",
			"Exit criteria",
			"Prohibited actions",
		])
			assert.ok(prompt.includes(part), part);
		for (const call of agent.calls()) assert.match(call.prompt.trimEnd().split("\n").slice(-12).join("\n"), /SUMMARY/, call.type);
	});
	it("D-32 keeps the end of a message without a SUMMARY as notes, warns, and completes the step", () => {
		assert.match(step(story, "architecture").notes ?? "", /no-heading-3307/);
		assert.equal(step(story, "architecture").status, "completed");
		assert.match(ended.stderr, /step-003.*SUMMARY/i);
	});
	it("D-16 D-18 D-19 begins without scratch files, and archives the story's own at its end", () => {
		assert.doesNotMatch(agent.calls()[0]?.prompt ?? "", /found-9901|global-9902/);
		assert.ok(!exists(runFolder(repo), "scratch_one-shot.md"));
		assert.match(read(runFolder(repo), "archive/scratch_one-shot.md"), /found-9901/);
		assert.match(read(runFolder(repo), "scratch.md"), /global-9902/);
	});
	it("D-159 X-07 commits to the current branch, whatever its name, with what a step left uncommitted", () => {
		assert.equal(git(repo, "rev-parse", "--abbrev-ref", "HEAD"), "trunk");
		assert.deepEqual(git(repo, "ls-files").split("\n"), ["README.md", "committed.txt", "loose.txt"]);
		assert.equal(git(repo, "worktree", "list").split("\n").length, 1);
		assert.equal(git(repo, "branch", "--format=%(refname:short)"), "trunk");
	});
	it("X-08 leaves nothing of its own in git", () => {
		assert.equal(git(repo, "status", "--porcelain"), "");
		assert.doesNotMatch(git(repo, "log", "--stat", "--all"), /\.pawl|workflow_state|scratch_|\.jsonl/);
		assert.deepEqual(
			list(repo).filter((name) => name !== ".git"),
			[".pawl", "README.md", "committed.txt", "loose.txt"],
		);
	});
	it("D-164 X-10 gives the agent the story's folder and an environment of named variables only", () => {
		for (const call of agent.calls()) {
			assert.equal(call.cwd, repo);
			assert.equal(call.env["TEST_MARKER"], undefined);
			assert.equal(call.env["PAWL_SHARED_DIR"], runFolder(repo));
			assert.equal(call.env["RALPH_SHARED_DIR"], runFolder(repo));
			assert.equal(call.env["COMPOSE_PROJECT_NAME"], "ralph_agent_1");
			assert.equal(call.env["PAWL_ROLE"], "agent");
			assert.equal(call.env["PAWL_ATTEMPT"], "1");
			const own = Object.keys(call.env).filter(
				(name) =>
					!/^(PAWL_|GIT_TRACE2_EVENT|GIT_CONFIG_PARAMETERS|RALPH_SHARED_DIR|COMPOSE_PROJECT_NAME|PATH|HOME|LANG|TERM|TMPDIR|PWD|OLDPWD|SHLVL|_)/.test(
						name,
					),
			);
			assert.deepEqual(own, []);
		}
	});
	it("X-13 D-70 writes the times of the run's own clock, in UTC, in order", () => {
		const times = story.history.map((entry) => Date.parse(entry.timestamp));
		assert.deepEqual(
			times,
			times.toSorted((a, b) => a - b),
		);
	});
	it("D-164 starts Claude Code with streaming JSON where nothing else is said, with nothing of the prompt in its arguments", async () => {
		const claude = fakeAgent();
		symlinkSync(claude.command, claude.flag("claude"));
		const fresh = repository();
		await pawlExits(0, ["run", "dynamic", "Add a file"], { cwd: fresh, env: { PATH: `${claude.home}:${process.env["PATH"]}` } });
		assert.deepEqual(claude.types(), STEP_TYPES);
		for (const call of claude.calls()) {
			assert.match(call.argv.join(" "), /--output-format stream-json/);
			assert.doesNotMatch(call.argv.join(" "), /--continue|--resume|Add a file/);
			assert.equal(call.cwd, fresh);
		}
	});
});
