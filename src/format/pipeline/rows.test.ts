// The rows of a run after every input, as document 002 draws its state machine.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Input, Outcome } from "../../core/input.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { readReport } from "../../core/report/report.ts";
import { transition } from "../../core/transition.ts";
import { MINI, parse } from "./pipeline.suite.ts";
import { changedRows, rowsOf } from "./rows.ts";
import { currentStoryOf, storiesOf } from "./stories.ts";

const STORIES = JSON.stringify(["US-001", "US-002"].map((id) => ({ id, title: `T ${id}`, description: "d", acceptanceCriteria: ["c"] })));

/** A run without an engine: `begin` is an agent that comes to a step, `end` what it prints. */
function drive(text = MINI) {
	const loaded = parse(text);
	assert.ok(loaded.ok);
	const { definition } = loaded;
	let at = 0;
	let state: RunState | null = null;
	const feed = (input: Input) => {
		state = transition(state, input).state;
	};
	const now = (): RunState => {
		assert.ok(state);
		return state;
	};
	const options = {
		mode: "request",
		agents: 1,
		slots: [1],
		base: "main",
		yes: false,
		maxWaitMs: null,
		timeouts: {},
		budgets: {},
		shell: {},
	};
	feed({ type: "create_run", at, id: "r", title: "t", definition, options, input: { request: "t" }, fields: {}, stories: [] });
	feed({ type: "advance", at });
	const scopes = () => [now().root, ...now().stories.map((s) => s.scope)];
	const find = (type: string) => {
		const scope = scopes().find((s) => s.steps.some((x) => x.type === type && x.running.length > 0));
		const step = scope?.steps.find((x) => x.type === type && x.running.length > 0);
		assert.ok(scope && step, `${type} is not under way`);
		return { scope: scope.id, step: step.id, attempt: step.attempt };
	};
	return {
		state: now,
		begin: (type: string) => feed({ type: "attempt_prepared", at: ++at, ...find(type), commit: "c", log: "l" }),
		end: (type: string, said: string, more: Partial<Outcome> = {}) => {
			const grammar = definition.types[type]?.report;
			assert.ok(grammar);
			const report = readReport(grammar, said);
			const usage = { costUsd: null, inputTokens: null, outputTokens: null };
			const outcome: Outcome = {
				...report,
				error: report.problem,
				usage,
				edits: null,
				checks: [],
				changed: definition.types[type]?.writes === "any",
				retryAt: null,
				...more,
			};
			feed({ type: "attempt_ended", at: ++at, ...find(type), outcome });
			// The repository's own checks come after the last step of a story and of the run; they pass here.
			for (const checks of ["implement.checks", "final_checks"])
				if (scopes().some((s) => s.steps.some((x) => x.type === checks && x.running.length > 0)))
					feed({ type: "attempt_ended", at: ++at, ...find(checks), outcome: { ...outcome, signal: "done", error: null } });
		},
		steps: () => Object.fromEntries(rowsOf(now()).steps.map((s) => [s.step_id, s.status])),
		stories: () => rowsOf(now()).stories.map((s) => `${s.story_id} ${s.status} ${s.retry_count}`),
		current: () => rowsOf(now()).steps.find((s) => s.step_id === "implement")?.current_story_id,
		field: (scope: string, name: string) =>
			(scope === RUN_SCOPE ? now().root : now().stories.find((s) => s.id === scope)?.scope)?.fields[name],
	};
}

function planned() {
	const d = drive();
	d.begin("plan");
	d.end("plan", `STATUS: done\nSTORIES_JSON: ${STORIES}`);
	return d;
}

describe("rows of a pipeline's run", () => {
	test("A-14 at the beginning the first step is pending, the others wait", () => {
		const d = drive();
		assert.deepEqual(d.steps(), { plan: "pending", implement: "waiting", verify: "waiting", test: "waiting" });
		d.begin("plan");
		assert.equal(d.steps()["plan"], "running");
	});

	test("A-24 A-34 A-35 A-37 A-39 A-40 the way of two good stories", () => {
		const d = planned();
		assert.deepEqual(d.steps(), { plan: "done", implement: "pending", verify: "waiting", test: "waiting" });
		assert.deepEqual(d.stories(), ["US-001 pending 0", "US-002 pending 0"]);
		d.begin("implement");
		assert.deepEqual([d.steps()["implement"], d.current()], ["running", "r:US-001"]);
		assert.deepEqual(d.stories(), ["US-001 running 0", "US-002 pending 0"]);
		d.end("implement", "STATUS: done\nCHANGES: first");
		assert.deepEqual(d.steps(), { plan: "done", implement: "running", verify: "pending", test: "waiting" });
		assert.deepEqual([d.stories(), d.current()], [["US-001 done 0", "US-002 pending 0"], null]);
		assert.match(rowsOf(d.state()).stories[0]?.output ?? "", /first/);
		assert.equal(d.field("US-001", "changes"), "first");
		d.begin("verify");
		assert.equal(d.steps()["verify"], "running");
		d.end("verify", "STATUS: done\nVERIFIED: yes");
		assert.deepEqual(d.steps(), { plan: "done", implement: "pending", verify: "waiting", test: "waiting" });
		d.begin("implement");
		assert.equal(d.current(), "r:US-002");
		d.end("implement", "STATUS: done");
		d.begin("verify");
		d.end("verify", "STATUS: done");
		assert.deepEqual(d.steps(), { plan: "done", implement: "done", verify: "done", test: "pending" });
		assert.deepEqual(d.stories(), ["US-001 done 0", "US-002 done 0"]);
		d.begin("test");
		d.end("test", "STATUS: done");
		assert.deepEqual([d.steps()["test"], d.state().status], ["done", "completed"]);
	});

	test("A-41 A-42 a rejected story is pending again, counted, and its issues are kept for the developer", () => {
		const d = planned();
		d.begin("implement");
		d.end("implement", "STATUS: done");
		d.begin("verify");
		d.end("verify", "STATUS: retry\nISSUES: the label");
		assert.deepEqual(d.steps(), { plan: "done", implement: "pending", verify: "waiting", test: "waiting" });
		assert.deepEqual(d.stories(), ["US-001 pending 1", "US-002 pending 0"]);
		assert.equal(d.field("US-001", "verify_feedback"), "the label");
		d.begin("implement");
		assert.equal(d.current(), "r:US-001");
		d.end("implement", "STATUS: done");
		d.begin("verify");
		d.end("verify", "STATUS: done");
		assert.equal(d.field("US-001", "verify_feedback"), "");
		assert.equal(d.field("US-002", "verify_feedback"), undefined);
	});

	test("A-43 A-45 A-55 rejections and failures are counted together; at max_retries story, step and run have failed", () => {
		const d = planned();
		d.begin("implement");
		d.end("implement", "no status");
		assert.deepEqual(d.stories()[0], "US-001 pending 1");
		d.begin("implement");
		d.end("implement", "", { signal: "agent_error", error: "gone" });
		assert.deepEqual(d.stories()[0], "US-001 pending 2");
		d.begin("implement");
		d.end("implement", "STATUS: done");
		d.begin("verify");
		d.end("verify", "STATUS: retry\nISSUES: no");
		assert.deepEqual(d.stories(), ["US-001 failed 3", "US-002 pending 0"]);
		assert.deepEqual([d.steps()["implement"], d.state().status], ["failed", "failed"]);
	});

	test("A-44 a verifier that cannot be read is asked again, and nothing passes", () => {
		const d = planned();
		d.begin("implement");
		d.end("implement", "STATUS: done");
		for (const _ of [1, 2]) {
			d.begin("verify");
			d.end("verify", "fine, I guess");
			assert.deepEqual([d.steps()["verify"], d.stories()[0]], ["pending", "US-001 done 0"]);
		}
		d.begin("verify");
		d.end("verify", "fine, I guess");
		assert.equal(d.state().status, "failed");
	});

	test("A-36 without verify_each one story follows the other", () => {
		const d = drive(MINI.replace("verify_each: true", "verify_each: false"));
		d.begin("plan");
		d.end("plan", `STATUS: done\nSTORIES_JSON: ${STORIES}`);
		d.begin("implement");
		d.end("implement", "STATUS: done");
		assert.deepEqual([d.steps()["implement"], d.stories()], ["pending", ["US-001 done 0", "US-002 pending 0"]]);
		d.begin("implement");
		d.end("implement", "STATUS: done");
		assert.deepEqual(d.steps(), { plan: "done", implement: "done", verify: "pending", test: "waiting" });
	});

	test("A-53 a second list replaces one that nobody has begun with, and is refused afterwards", () => {
		const d = drive(MINI.replace("retry_step: implement", "retry_step: plan").replace(/ {4}type: loop\n {4}loop:\n( {6}.*\n)+/, ""));
		const other = STORIES.replaceAll("US-00", "X-");
		d.begin("plan");
		d.end("plan", `STATUS: done\nSTORIES_JSON: ${STORIES}`);
		d.begin("implement");
		d.end("implement", `STATUS: done\nSTORIES_JSON: ${other}`);
		assert.deepEqual(
			d.state().stories.map((s) => s.id),
			["X-1", "X-2"],
		);
		const e = planned();
		e.begin("implement");
		e.end("implement", `STATUS: done\nSTORIES_JSON: ${other}`);
		assert.deepEqual(e.stories(), ["US-001 pending 1", "US-002 pending 0"]);
	});

	test("A-15 A-58 the stories in the names of the document, in their order, and the one that a step is at", () => {
		const d = planned();
		const first = {
			id: "r:US-001",
			runId: "r",
			storyIndex: 0,
			storyId: "US-001",
			title: "T US-001",
			description: "d",
			acceptanceCriteria: ["c"],
			status: "pending",
			retryCount: 0,
			maxRetries: 3,
		};
		assert.deepEqual(storiesOf(d.state()), [first, { ...first, id: "r:US-002", storyIndex: 1, storyId: "US-002", title: "T US-002" }]);
		assert.equal(currentStoryOf(d.state(), "implement"), null);
		d.begin("implement");
		assert.deepEqual(currentStoryOf(d.state(), "implement"), { ...first, status: "running" });
		assert.equal(currentStoryOf(d.state(), "verify"), null);
		d.end("implement", "STATUS: done\nCHANGES: first");
		assert.equal(currentStoryOf(d.state(), "implement"), null);
		assert.match(storiesOf(d.state())[0]?.output ?? "", /CHANGES: first/);
	});

	test("a commit writes only what it changes", () => {
		const d = planned();
		const before = d.state();
		d.begin("implement");
		const rows = changedRows(before, d.state());
		assert.deepEqual(
			[rows?.steps.map((s) => s.step_id), rows?.stories.map((s) => s.story_id), rows?.gone],
			[["implement"], ["US-001"], []],
		);
	});
});
