// What a run comes to after its process was killed or stopped: attempts that are lost, stories that fail and are retried, budgets, and what
// a person asks for from another terminal.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Input } from "../core/input.ts";
import type { RunState, Story } from "../core/model.ts";
import { storyOf } from "../core/testing/builders.suite.ts";
import { Run } from "./run.ts";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import { type Cast, fails, type Turn } from "./testing/cast.suite.ts";
import { Harness, type HarnessOptions, harness } from "./testing/harness.suite.ts";
import { violations } from "./testing/invariants.suite.ts";
import { dieAt, dieBy } from "./testing/life.suite.ts";

const dynamic = BUILT_IN["dynamic"]!;
const writes = ({ files, story }: Turn): void => files.write(`${story}.txt`, `${story}\n`);
const SUMMARY = "## SUMMARY\n- done\n";

/** One story, unless said otherwise, in steps that do no more than they have to. */
const optionsOf = (cast: Cast, more: Partial<HarnessOptions> = {}): HarnessOptions => ({
	...dynamic,
	stories: ["US-1"],
	options: {},
	...more,
	cast: { coding: writes, "*": SUMMARY, ...cast },
});

function storyIn(state: RunState, id = "US-1"): Story {
	const found = state.stories.find((story) => story.id === id);
	assert.ok(found);
	return found;
}

const statuses = (state: RunState) => Object.fromEntries(state.stories.map((story) => [story.id, story.status]));

/** Resumes with what a person said meanwhile. */
async function goOn(h: Harness, ...said: readonly Input[]): Promise<RunState> {
	const ended = await h.drive(undefined, [...said, { type: "resume", at: h.clock.now() }, { type: "advance", at: h.clock.now() }]);
	assert.equal(ended.how, "halted");
	return h.state();
}

test("D-149 D-150 D-152 a step that is cut off has failed, its work is kept as a diff and put back, and a copy of it runs next", async (t) => {
	const h = await harness(
		t,
		optionsOf({
			linting: async ({ files, nth, dies }) => {
				if (nth > 1) return SUMMARY;
				files.write("half.txt", "half\n");
				return dies();
			},
		}),
	);
	assert.equal((await h.drive()).how, "killed");
	assert.equal(storyIn(await h.state()).status, "in_progress");
	assert.deepEqual(h.swept, []);
	const state = await h.toHalt();
	assert.deepEqual(h.swept, [`${h.run}:US-1:step-006:1`], "nothing that the lost session started lives on beside its copy");
	assert.deepEqual(
		storyIn(state)
			.scope.steps.filter((step) => step.type === "linting")
			.map((step) => [step.id, step.status, step.error]),
		[
			["step-006", "failed", "orchestrator restart — agent not found"],
			["step-011", "completed", null],
		],
	);
	assert.match([...h.site.diffs].find(([file]) => file.endsWith("/failures/US-1-step-006.diff"))?.[1] ?? "", /^\+half$/m);
	assert.equal(h.site.show("main")["half.txt"], undefined, "what the lost attempt left is not in the story");
	assert.deepEqual(await violations(h), []);
});

test("I7 D-119 a session that is cut off has asked for nothing: its edit file is put with the failed ones, also if the run is over then", async (t) => {
	const asks = (turn: Turn): void => turn.edit([{ operation: "add_after", target_step_id: turn.step, new_steps: [] }]);
	const h: Harness = await harness(
		t,
		optionsOf({
			planning: async (turn) => {
				asks(turn);
				if (turn.nth === 1) return turn.dies();
				await h.post({ type: "stop", at: 0, how: "cancel" });
				return turn.hangs();
			},
		}),
	);
	assert.equal((await h.drive()).how, "killed");
	assert.equal((await h.drive()).how, "halted");
	assert.equal((await h.state()).status, "cancelled");
	const folder = join(h.sharedDir, "workflow_edits");
	assert.deepEqual(
		readdirSync(join(folder, "failed")).filter((name) => name.endsWith(".json")),
		["US-1-step-002-1.json", "US-1-step-011-1.json"],
	);
	assert.deepEqual(await violations(h), []);
});

test("D-152 three recoveries of one step, then the story fails; a person's retry continues it", async (t) => {
	const h = await harness(t, optionsOf({ coding: (turn) => (turn.nth <= 4 ? turn.dies() : writes(turn)) }));
	for (let n = 1; n <= 4; n++) assert.equal((await h.drive()).how, "killed");
	assert.deepEqual(statuses(await goOn(h)), { "US-1": "failed" });
	const state = await goOn(h, { type: "retry_story", at: h.clock.now(), story: null });
	assert.equal(state.status, "completed");
	assert.deepEqual(h.site.subjects("main").slice(1), ["feat(ralph): US-1 - Story US-1"]);
	assert.deepEqual(await violations(h), []);
});

// A resume that has the rollback of a failed story still to do must not wait for the release of the same slot, which is behind it.
test("D-123 D-124 killed anywhere while the failure of a story is put in order: it is failed, its dependent blocked, a retry completes both", async () => {
	const once = () => {
		let failed = false;
		return optionsOf(
			{
				"US-1 coding": (turn) => {
					turn.files.write("half.txt", "half\n");
					if (!failed) {
						failed = true;
						return fails("agent_error");
					}
					turn.files.remove("half.txt");
					return writes(turn);
				},
			},
			{ stories: ["US-1", storyOf("US-2", { dependsOn: ["US-1"] })], options: { agents: 2 } },
		);
	};
	const calm = new Harness(once());
	await calm.create();
	const { life } = await calm.drive();
	calm.remove();
	assert.ok(life.boundaries.includes("after rollback"));
	const from = life.boundaries.indexOf("start rollback");
	for (const at of life.telling.filter((n) => n >= from)) {
		const h = new Harness(once());
		try {
			await h.create();
			const where = `killed at ${at} (${life.boundaries[at]})`;
			assert.deepEqual(statuses(await h.toHalt(dieAt(at))), { "US-1": "failed", "US-2": "blocked" }, where);
			assert.deepEqual(await violations(h), [], where);
			const retried = await goOn(h, { type: "retry_story", at: h.clock.now(), story: null });
			assert.deepEqual([retried.status, statuses(retried)], ["completed", { "US-1": "completed", "US-2": "completed" }], where);
			assert.deepEqual(await violations(h), [], where);
		} finally {
			h.remove();
		}
	}
});

test("X-15 D-127 a budget stops several agents at once without overshooting by more than they; extended, the run completes", async (t) => {
	const costs = (costUsd: number) => ({ text: SUMMARY, usage: { costUsd, inputTokens: 10, outputTokens: 5 } });
	const codes = (turn: Turn) => {
		writes(turn);
		return costs(0);
	};
	const h = await harness(
		t,
		optionsOf(
			{ coding: codes, linting: () => costs(1), "*": () => costs(0) },
			{ stories: ["US-1", "US-2", "US-3"], options: { agents: 3, budgets: { cost: 2 } } },
		),
	);
	const stopped = await h.toHalt();
	assert.equal(stopped.status, "stopped");
	const spent = stopped.totals.costUsd ?? 0;
	assert.ok(spent >= 2 && spent <= 3, `spent ${spent}`);
	assert.equal((await goOn(h)).status, "stopped", "nothing has changed yet");
	const last = await goOn(h, { type: "extend", at: h.clock.now(), budgets: { cost: 20 } });
	assert.equal(last.status, "completed");
	assert.deepEqual(await violations(h), []);
});

/** Two stories; what a person asks for comes while both are at work, which then go on until they are told to end. */
const interrupted = (how: "pause" | "cancel", h: () => Harness): HarnessOptions =>
	optionsOf(
		{
			coding: async (turn) => {
				if (turn.nth > 1) return writes(turn);
				turn.files.write("half.txt", "half\n");
				await turn.takes(1_000);
				if (turn.story === "US-1") await h().post({ type: "stop", at: 0, how });
				return turn.hangs();
			},
		},
		{ stories: ["US-1", "US-2"], options: { agents: 2 } },
	);

test("X-05 D-47 a pause cancels the attempts and rolls their work back; the run continues as if nothing had happened", async (t) => {
	const h: Harness = await harness(
		t,
		interrupted("pause", () => h),
	);
	const paused = await h.toHalt();
	assert.equal(paused.status, "paused");
	for (const id of ["US-1", "US-2"]) {
		assert.equal(storyIn(paused, id).status, "in_progress");
		assert.equal(storyIn(paused, id).scope.steps.find((step) => step.id === "step-005")?.status, "cancelled");
	}
	assert.equal((await goOn(h)).status, "completed");
	assert.deepEqual(Object.keys(h.site.show("main")).sort(), ["README.md", "US-1.txt", "US-2.txt"]);
	assert.deepEqual(await violations(h), []);
});

test("X-05 a cancel ends the run: nothing lands, nothing is left over", async (t) => {
	const h: Harness = await harness(
		t,
		interrupted("cancel", () => h),
	);
	assert.equal((await h.toHalt()).status, "cancelled");
	assert.deepEqual([h.site.subjects("main"), h.site.branches()], [["first"], ["main"]]);
	assert.deepEqual(await violations(h), []);
});

test("X-05 D-64 D-65 D-129 a retry during the run: the failed story keeps its steps and completes", async (t) => {
	const h = await harness(
		t,
		optionsOf(
			{
				"US-1 coding": (turn) => (turn.nth === 1 ? fails("agent_error") : writes(turn)),
				"US-2 coding": async (turn) => {
					await turn.takes(60_000);
					const state = await h.state();
					assert.deepEqual(statuses(state), { "US-1": "failed", "US-2": "in_progress", "US-3": "blocked" });
					await h.post({ type: "retry_story", at: 0, story: "US-1" });
					await turn.takes(60_000);
					return writes(turn);
				},
			},
			{ stories: ["US-1", "US-2", storyOf("US-3", { dependsOn: ["US-1"] })], options: { agents: 2 } },
		),
	);
	const state = await h.toHalt();
	assert.equal(state.status, "completed");
	const sessions = h.prompts.filter((prompt) => prompt.story === "US-1");
	assert.equal(sessions.filter((prompt) => prompt.type === "planning").length, 1, "what was done before the failure is not done again");
	assert.deepEqual(
		sessions.filter((prompt) => prompt.type === "coding").map((prompt) => prompt.step),
		["step-005", "step-005"],
	);
	assert.deepEqual(await violations(h), []);
});

test("a pause that comes in while a resume still takes up what a crash left counts, although the resume is fed after it", async (t) => {
	const h = await harness(t, optionsOf({ coding: (turn) => (turn.nth === 1 ? turn.dies() : writes(turn)) }));
	assert.equal((await h.drive()).how, "killed");
	let posted: Promise<void> | null = null;
	const ended = await h.drive((boundary) => {
		if (boundary === "before commit") posted ??= h.post({ type: "stop", at: h.clock.now(), how: "pause" });
		return "go";
	});
	await posted;
	assert.equal(ended.how, "halted");
	assert.equal((await h.state()).status, "paused");
	assert.deepEqual(await violations(h), []);
});

test("X-05 a pause is heard at every moment of a resume, also while the next attempt waits for the lost one to be rolled back", async (t) => {
	let isLate = false;
	for (let n = 1; !isLate; n++) {
		let posted: Promise<void> | null = null;
		const pause = (): void => {
			posted ??= h.post({ type: "stop", at: h.clock.now(), how: "pause" });
		};
		const coding = (turn: Turn) => {
			if (turn.nth === 1) return turn.dies();
			// It works, and all moments before that were tried.
			isLate = posted === null;
			pause();
			return turn.hangs();
		};
		const h: Harness = await harness(t, optionsOf({ coding }));
		assert.equal((await h.drive()).how, "killed");
		let count = 0;
		const ended = await h.drive(() => {
			if (++count === n) pause();
			return "go";
		});
		assert.equal(ended.how, "halted");
		await posted;
		assert.equal((await h.state()).status, "paused", `after ${n} operations`);
		assert.deepEqual(await violations(h), []);
	}
});

test("I14 a clock that is set back while a merge waits for a clean checkout: the wait ends", async (t) => {
	const h = await harness(t, optionsOf({}));
	const { files } = h.site.user;
	files.write("README.md", "being edited\n");
	h.clock.after(30 * 60_000, () => h.clock.jump(-20 * 60_000));
	h.clock.after(31 * 60_000, () => files.write("README.md", h.site.user.committed().get("README.md") ?? ""));
	const state = await h.toHalt();
	assert.equal(state.status, "completed");
	assert.deepEqual(await violations(h), []);
});

for (const name of ["dynamic", "feature-dev"])
	test(`I18 ${name}: a run that is killed when it clears up, and again when it is resumed for that, is still resumed`, async (t) => {
		const h = await harness(t, BUILT_IN[name] as HarnessOptions);
		const said = (): Input[] => [
			{ type: "resume", at: h.clock.now() },
			{ type: "advance", at: h.clock.now() },
		];
		const clearing = () => dieBy("halted");
		for (let n = 0; n < 3; n++) {
			assert.equal((await h.drive(clearing(), n === 0 ? undefined : said())).how, "killed", `life ${n}`);
			assert.ok((await h.open()) > 0, `after kill ${n + 1} nothing says that there is something left to do`);
		}
		await goOn(h);
		assert.equal(await h.open(), 0);
	});

/** One step in the checkout of a person. */
const IN_TREE = {
	yaml: "name: t\ntitle: T\ninputs: {request: {reader: request, workspace: tree}}\nsteps: [work]\ntypes: {work: {prompt: Do it., writes: any}}\n",
	prompts: {},
};
const HOUR = 3_600_000;

for (const why of ["waits for a limit", "is paused"])
	test(`I8 a run in the checkout of a person ${why}, and its process is killed: what they have changed since the rollback stays`, async (t) => {
		let found: string | undefined;
		const edit = (): void => h.site.user.files.write("mine.txt", "changed by hand\n");
		const h: Harness = await harness(t, {
			workflow: IN_TREE,
			given: "do it",
			files: { "README.md": "a\n", "mine.txt": "old\n" },
			cast: {
				"*": async (turn) => {
					if (turn.nth > 1) found = turn.files.read("mine.txt") ?? undefined;
					if (turn.nth > 1) return;
					turn.files.write("half.txt", "half\n");
					if (why === "is paused") {
						await h.post({ type: "stop", at: 0, how: "pause" });
						return turn.hangs();
					}
					h.clock.after(HOUR, edit);
					h.clock.after(2 * HOUR, () => void turn.dies());
					return fails("rate_limited", "at its limit", { retryAt: turn.now() + 5 * HOUR });
				},
			},
		});
		assert.equal((await h.drive(why === "is paused" ? dieBy("halted") : undefined)).how, "killed");
		if (why === "is paused") edit();
		assert.equal((await goOn(h)).status, "completed");
		assert.equal(found, "changed by hand\n");
		assert.equal(h.site.user.files.read("half.txt"), null, "what the first attempt left was put back");
	});

const GATE = `name: t
title: T
inputs: {request: {reader: request, workspace: tree}}
roles:
  quick: {description: Reads, can: [], report: &report {signals: {fine: {VERDICT: FINE}}}}
  slow: {description: Reads too, can: [], report: *report}
steps: [review]
types:
  review:
    description: Review
    gate: {members: {quick: {authority: blocking, prompt: prompts/look.md}, slow: {authority: blocking, prompt: prompts/look.md}}}
    timeout: 10m
    on: {fine: next}
`;

test("I11 the end of one member of a gate cannot be committed: the engine ends when the session of the other one has", async (t) => {
	let alive = 0;
	const h: Harness = await harness(t, {
		workflow: { yaml: GATE, prompts: { "prompts/look.md": "look" } },
		given: "do it",
		files: { "README.md": "a\n" },
		cast: {
			quick: "VERDICT: FINE",
			slow: async (turn) => {
				alive++;
				await turn.hangs();
				// It takes a moment to die.
				await new Promise<void>((died) => h.clock.after(3_000, died));
				alive--;
			},
		},
	});
	h.store.fault = ({ events }) => (events.some((event) => event.event === "attempt_reported") ? "fail" : null);
	assert.equal((await h.drive()).how, "failed");
	assert.equal(alive, 0);
});

test("I11 an engine that fails while it takes up what a crash left begins nothing of it", async (t) => {
	let begun = 0;
	const h: Harness = await harness(
		t,
		optionsOf(
			{
				"US-1 planning": async (turn) => {
					begun++;
					await turn.takes(1_000);
					return turn.nth === 1 ? turn.dies() : SUMMARY;
				},
				"US-2 planning": (turn) => (turn.nth === 1 ? turn.hangs() : SUMMARY),
			},
			{ stories: ["US-1", "US-2"], options: { agents: 2, slots: [1, 2] } },
		),
	);
	assert.equal((await h.drive()).how, "killed");
	// The session of US-1 is reported as lost, and its copy is to start behind the rollback; then that of US-2 cannot be reported.
	h.store.fault = ({ events }) => (events.some((event) => event.event === "step_failed" && event.scope === "US-2") ? "fail" : null);
	assert.equal((await h.drive()).how, "failed");
	assert.equal(begun, 1);
	h.store.fault = () => null;
	assert.equal((await h.toHalt()).status, "completed");
});

test("I1 what is done stays noted if the store refuses the commit that says so: a rollback is not done again on top of later work", async (t) => {
	const h = await harness(t, optionsOf({}));
	const store = h.store.open(h.clock.now);
	t.after(() => store.close());
	const lease = await store.lease(h.run, "@run", 60_000);
	assert.ok(lease !== null);
	const opened = await Run.open({ store, rows: h.rows, secrets: [] }, h.run, lease);
	assert.ok(opened !== null);
	const { run } = opened;
	await run.feed({ type: "advance", at: h.clock.now() });
	const [{ seq } = { seq: 0 }] = await run.pending();
	run.noteDone(seq);
	h.store.fault = () => "fail";
	await assert.rejects(run.feed({ type: "steer", at: h.clock.now(), by: { user: "somebody", how: "test" }, text: "refused" }));
	h.store.fault = () => null;
	await run.feed({ type: "steer", at: h.clock.now(), by: { user: "somebody", how: "test" }, text: "taken" });
	assert.deepEqual(await run.pending(), []);
});
