// Single faults (T-..) that need a whole run to be seen, in process; and none of the rules has lost its test.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LineTeller } from "../../src/cli/text/event-lines.ts";
import { paint } from "../../src/cli/text/text.ts";
import { fold } from "../../src/core/fold/apply.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { fails, partOf, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { type HarnessOptions, harness } from "../../src/engine/testing/harness.suite.ts";
import { runView } from "../../src/runs/look/run-view.ts";
import { pawlExits } from "../support/pawl.ts";
import { git, repository } from "../support/scratch.ts";
import { goOn, saidBy } from "./walk.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Without stories of the test: the reader makes one of the request. */
const { stories: _, ...REQUEST } = BUILT_IN["dynamic, a request"] ?? assert.fail("there is no run on a request");

/** A run on a request in which one step type does something besides. */
const playing = (type: string, play: (turn: Turn) => void): HarnessOptions => ({
	...REQUEST,
	cast: {
		...REQUEST.cast,
		[type]: async (turn) => {
			play(turn);
			return saidBy(partOf(REQUEST.cast, turn), turn);
		},
	},
});

test("T-07 a terminal of no columns at all: every line of a run can be told", async (t) => {
	const h = await harness(t, { ...REQUEST, cast: { ...REQUEST.cast, planning: () => fails("agent_error", "it gave up") } });
	await h.toHalt();
	const events = await h.events();
	for (const columns of [0, 1, 2]) {
		const teller = new LineTeller();
		const lines = events.flatMap((event, n) => {
			const state = fold(events.slice(0, n + 1));
			return state === null ? [] : teller.linesFor(event, state, { color: paint(false), columns });
		});
		assert.ok(lines.length > 0);
	}
});

test("T-08 `pawl lock list` writes nothing", async () => {
	const repo = repository();
	await pawlExits(0, ["lock", "list"], { cwd: repo });
	assert.equal(git(repo, "status", "--porcelain", "--ignored"), "");
});

test("T-11 one stray file of a step that may only read is put back and told, and the step runs once more", async (t) => {
	const h = await harness(
		t,
		playing("planning", ({ nth, files }) => {
			if (nth === 1) files.write("stray.txt", "x\n");
		}),
	);
	const state = await h.toHalt();
	assert.equal(state.status, "completed", state.reason ?? "");
	const [first, second, ...more] = h.prompts.filter(({ type }) => type === "planning");
	assert.doesNotMatch(first?.prompt ?? "", /stray\.txt/);
	assert.match(second?.prompt ?? "", /stray\.txt/);
	assert.deepEqual(more, []);
	assert.equal(h.site.show("main")["stray.txt"], undefined);
});

test("T-11 … and a second time fails the story", async (t) => {
	const h = await harness(
		t,
		playing("planning", ({ files }) => files.write("stray.txt", "x\n")),
	);
	const state = await h.toHalt();
	assert.equal(state.status, "failed");
	assert.equal(h.prompts.filter(({ type }) => type === "planning").length, 2);
	assert.match(JSON.stringify(state.stories), /stray\.txt/, "it does not say why");
});

test("T-14 a one-shot's agents are told where they work, from which commit on, and that the request is all there is to meet", async (t) => {
	const h = await harness(t, REQUEST);
	const start = h.site.user.commit ?? "";
	await h.toHalt();
	for (const { type, prompt } of h.prompts) {
		assert.ok(prompt.includes(start.slice(0, 12)), `${type} is not told from which commit on`);
		assert.ok(prompt.includes(h.site.root), `${type} is not told where it works`);
		assert.match(prompt, /Add a file/, type);
	}
	assert.match(h.prompts[0]?.prompt ?? "", /no (?:other )?criteria|request is all|request itself/i);
});

test("T-14 pawl's own commits on the user's branch are one in the end, in words of the request; an agent's stay as made", async (t) => {
	const h = await harness(
		t,
		playing("coding", ({ files, checkout }) => {
			files.write("mine.txt", "mine\n");
			checkout.commitAll("feat: by the agent");
		}),
	);
	const state = await h.toHalt();
	assert.equal(state.status, "completed", state.reason ?? "");
	const subjects = h.site.subjects("main");
	assert.ok(subjects.includes("feat: by the agent"), subjects.join("; "));
	assert.deepEqual(
		subjects.filter((subject) => subject.startsWith("pawl: ")),
		[],
	);
	assert.equal(subjects.at(-1), "Add a file");
});

test("T-14 what pawl committed before an agent did stays where it is, with a subject like the others; what comes last is one commit", async (t) => {
	const leaves = ({ type, files, checkout }: Turn): string => {
		files.write(`${type}.txt`, "left\n");
		if (type === "linting") checkout.commitAll("feat: by the agent");
		return "## SUMMARY\n- it is done\n";
	};
	const h = await harness(t, { ...REQUEST, cast: { ...REQUEST.cast, coding: leaves, linting: leaves, review: leaves } });
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(h.site.subjects("main").slice(-3), ["Add a file (left by coding)", "feat: by the agent", "Add a file"]);
	assert.deepEqual(
		["coding", "linting", "review"].filter((type) => h.site.show("main")[`${type}.txt`] === undefined),
		[],
	);
});

test("T-68 a run has ended when it is over: one that stands still has no end, and both say how long the journal is", async (t) => {
	const h = await harness(t, { ...REQUEST, options: { budgets: { cost: 1 } } });
	const stopped = await h.toHalt();
	assert.equal(stopped.status, "stopped");
	const view = runView(stopped, await h.events(), h.clock.now());
	assert.deepEqual([view.ended_at, view.version], [null, (await h.events()).length]);
	const ended = await goOn(h, { type: "extend", at: h.clock.now(), budgets: { cost: 1000 }, allowUnknownCost: true });
	assert.equal(ended.status, "completed", ended.reason ?? "");
	assert.notEqual(runView(ended, await h.events(), h.clock.now()).ended_at, null);
});

test("every rule of single faults about the engine, `dynamic` and what a person meets has a test with its id", () => {
	const ids = [...range(1, 14), ...range(16, 19), 60, ...range(63, 68)].map((n) => `T-${String(n).padStart(2, "0")}`);
	const texts = globSync("{src,test}/**/*.test.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
	const named = texts.flatMap((text) => [...text.matchAll(/\b(?:test|it|describe)\(\s*(["'`])(.*?)\1/gs)].map(([, , name = ""]) => name));
	assert.deepEqual(
		ids.filter((id) => !named.some((name) => new RegExp(`\\b${id}\\b`).test(name))),
		[],
	);
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);
