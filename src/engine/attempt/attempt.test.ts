// How pawl judges an attempt: by what the engine sees, no matter who ran the session.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { RunState, Step } from "../../core/model.ts";
import { WorkspaceError } from "../../workspace.ts";
import { type Cast, fails, type Part } from "../testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../testing/harness.suite.ts";
import { violations } from "../testing/invariants.suite.ts";
import type { Decide } from "../testing/life.suite.ts";

/** `look` may write nothing, `document` only under docs, `work` anything; two readers share a tree in `review`. */
const WORKFLOW = `name: small
title: A few steps
description: Steps with boundaries
resume: yes
inputs:
  request: {reader: request, workspace: tree}
roles:
  agent: {description: Does it, can: [run, commit], report: {notes: summary}}
  check: {description: Reads, can: [], report: &verdict {signals: {fine: {VERDICT: FINE}, bad: {VERDICT: BAD}}}}
  advise: {description: Reads too, can: [], report: *verdict}
steps: [stories]
types:
  stories:
    description: The stories
    each: {concurrency: 1, order: list, on_failure: block, expects_change: false, steps: [look, document, work, review]}
  look: {description: Look, role: agent, timeout: 1m, writes: none, edits: true}
  document: {description: Document, role: agent, timeout: 1m, writes: ["docs/**"]}
  work: {description: Work, role: agent, timeout: 1m, writes: any, edits: true, checks: [test]}
  review:
    description: Review
    gate: {members: {check: {authority: blocking, prompt: prompts/review.md}, advise: {authority: advisory, prompt: prompts/review.md}}}
    timeout: 1m
    on: {fine: next, bad: fail story}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|checks_failed:
    {rollback: failures, fail: story}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: story}}
  rate_limited|overloaded: {rollback: failures, wait: time, max: 5/step, exhausted: {rollback: failures, fail: story}}
  auth: fail run
`;

const PROMPT = "Do it: {{story_description}}\n";
const SUMMARY = "## SUMMARY\n- done\n";

const optionsOf = (cast: Cast, more: Partial<HarnessOptions> = {}): HarnessOptions => ({
	workflow: {
		yaml: WORKFLOW,
		prompts: Object.fromEntries(["look", "document", "work", "review"].map((name) => [`prompts/${name}.md`, PROMPT])),
	},
	given: "Add a file",
	stories: ["US-1"],
	files: { "README.md": "a project\n", ".gitignore": "*.log\n" },
	...more,
	cast: { "*": SUMMARY, check: "VERDICT: FINE", advise: "VERDICT: FINE", ...cast },
});

const stepOf = (state: RunState, type: string): Step => {
	const found = state.stories[0]?.scope.steps.findLast((step) => step.type === type);
	assert.ok(found, `there is no step ${type}`);
	return found;
};

for (const driver of ["pushed", "pulled"] as const)
	describe(`an attempt is judged, ${driver}`, () => {
		const run = async (t: TestContext, cast: Cast, more: Partial<HarnessOptions> = {}): Promise<{ h: Harness; state: RunState }> => {
			const h = await harness(t, optionsOf(cast, { ...more, pulled: driver === "pulled" }));
			const state = await h.toHalt();
			assert.deepEqual(await violations(h), []);
			return { h, state };
		};
		const isClean = (h: Harness): void => assert.deepEqual(h.site.user.look(), h.site.user.committed());

		test("a good one completes, and everything in its way is seen in the journal", async (t) => {
			const { h, state } = await run(t, { document: ({ files }) => files.write("docs/a.md", "a\n") });
			assert.equal(state.status, "completed");
			assert.equal(h.site.show("main")["docs/a.md"], "a\n");
			isClean(h);
		});

		const crossed: Readonly<Record<string, readonly [type: string, Part, says: RegExp]>> = {
			"writes where it may not write at all": ["look", ({ files }) => files.write("sneaky.txt", "x\n"), /may not write.*sneaky\.txt/],
			"removes a file": ["look", ({ files }) => files.remove("README.md"), /may not write.*README\.md/],
			"commits what it may not write": [
				"look",
				({ files, checkout }) => {
					files.write("sneaky.txt", "x\n");
					checkout.commitAll("sneaky");
				},
				/may not write.*sneaky\.txt/,
			],
			"makes a commit with nothing in it": ["look", ({ checkout }) => void checkout.commitAll("sneaky"), /may not commit/],
			"changes the repository itself": ["look", ({ checkout }) => void checkout.tampered.push("config"), /may not change.*config/],
			"writes beside what it may write": [
				"document",
				({ files }) => {
					files.write("docs/a.md", "a\n");
					files.write("src/b.ts", "b\n");
				},
				/may only write docs\/\*\*, but changed src\/b\.ts$/,
			],
		};
		for (const [name, [type, part, says]] of Object.entries(crossed))
			test(`one that ${name} has failed: its work is kept as a diff and put back`, async (t) => {
				const { h, state } = await run(t, { [type]: part });
				assert.deepEqual([state.status, stepOf(state, type).status], ["failed", "failed"]);
				assert.match(stepOf(state, type).error ?? "", says);
				assert.deepEqual(h.site.show("main"), { "README.md": "a project\n", ".gitignore": "*.log\n" });
				assert.deepEqual(h.site.subjects("main"), ["first"]);
				isClean(h);
			});

		test("G-10 a log that a step drops outside of what it may write is put aside and named: its work stays", async (t) => {
			const part: Part = ({ files }) => {
				files.write("docs/a.md", "a\n");
				files.write("trace.dump", "x\n");
			};
			const { h, state } = await run(t, { document: part });
			assert.equal(state.status, "completed");
			assert.equal(h.site.show("main")["docs/a.md"], "a\n");
			assert.equal(h.site.show("main")["trace.dump"], undefined);
			assert.match(stepOf(state, "document").notes ?? "", /trace\.dump .*put aside as no part of the work/);
			isClean(h);
		});

		test("a reader in a gate that writes is put back at once, and said: nobody else would", async (t) => {
			const { h, state } = await run(t, {
				advise: ({ files }) => {
					files.write("advice.txt", "x\n");
					return "VERDICT: FINE";
				},
			});
			assert.match(h.warnings.join("\n"), /advice\.txt.*put back/);
			assert.equal(h.site.user.files.read("advice.txt"), null);
			assert.notEqual(state.status, "running");
			isClean(h);
		});

		test("a reader that only advises and writes alone, when nobody else is in the round, is put back as well", async (t) => {
			const again = "boundary_violation: {rollback: failures, retry: true, max: 1/step, exhausted: {rollback: failures, fail: story}}";
			const yaml = WORKFLOW.replace("on: {fine: next, bad: fail story}", `on: {fine: next, bad: fail story, ${again}}`);
			const { prompts } = optionsOf({}).workflow as { readonly prompts: Readonly<Record<string, string>> };
			const advise: Part = ({ files }) => {
				files.write("advice.txt", "x\n");
				return "VERDICT: FINE";
			};
			const { h, state } = await run(t, { advise }, { workflow: { yaml, prompts } });
			assert.equal(state.status, "completed");
			assert.equal(h.warnings.filter((text) => /advice\.txt.*put back/.test(text)).length, 2, h.warnings.join("\n"));
			assert.equal(h.site.user.files.read("advice.txt"), null);
			isClean(h);
		});

		test("ignored files do not count; uncommitted files are committed and noted", async (t) => {
			const { h, state } = await run(t, {
				look: ({ files }) => files.write("x.log", "x\n"),
				work: ({ files }) => files.write("work.txt", "w\n"),
			});
			assert.equal(state.status, "completed");
			assert.equal(h.site.show("main")["work.txt"], "w\n");
			assert.match(stepOf(state, "work").notes ?? "", /work\.txt .*left uncommitted, and committed by pawl/);
			assert.equal(h.site.user.files.read("x.log"), "x\n");
			isClean(h);
		});

		test("a check that mends files or commits slips nothing in; one that fails fails the step", async (t) => {
			const { h, state } = await run(
				t,
				{ work: ({ files }) => files.write("work.txt", "w\n") },
				{
					checks: {
						test: (files, checkout) => {
							files.write("made-by-check.txt", "x\n");
							checkout.commitAll("sneaky");
							return 0;
						},
					},
				},
			);
			assert.equal(state.status, "completed");
			assert.equal(h.site.show("main")["made-by-check.txt"], undefined);
			assert.doesNotMatch(h.site.subjects("main").join("\n"), /sneaky/);
			const failing = await run(t, {}, { checks: { test: () => ({ exitCode: 1, output: "boom-71" }) } });
			assert.equal(stepOf(failing.state, "work").status, "failed");
			assert.match(JSON.stringify(await failing.h.events()), /boom-71/);
		});

		test("an answer that says none of the expected words is unreadable, and never a pass", async (t) => {
			const { state } = await run(t, { check: "It looks good to me." });
			assert.equal(state.status, "failed");
			assert.match(stepOf(state, "review").error ?? "", /VERDICT|unreadable|say/i);
		});

		test("D-119 one that fails is put back, and the edits that it asked for are set apart", async (t) => {
			const { h, state } = await run(t, {
				work: ({ files, edit }) => {
					files.write("half.txt", "half\n");
					edit([{ operation: "skip", target_step_id: "step-004", reason: "short" }]);
					return fails("agent_error", "it gave up");
				},
			});
			assert.deepEqual(
				[stepOf(state, "work").status, stepOf(state, "work").error, stepOf(state, "review").status],
				["failed", "it gave up", "pending"],
			);
			assert.deepEqual(readdirSync(join(h.sharedDir, "workflow_edits", "failed")).sort(), [
				"US-1-step-003-1.json",
				"US-1-step-003-1.reason.txt",
			]);
			assert.equal(h.site.user.files.read("half.txt"), null);
			isClean(h);
		});

		test("an edit file that lay there before is nobody's request; the attempt's own is", async (t) => {
			const skip = (step: string) => JSON.stringify([{ operation: "skip", target_step_id: step, reason: "short" }]);
			const h = await harness(t, optionsOf({ look: ({ edit }) => edit(skip("step-002")) }, { pulled: driver === "pulled" }));
			mkdirSync(join(h.sharedDir, "workflow_edits"), { recursive: true });
			writeFileSync(join(h.sharedDir, "workflow_edits", "US-1.json"), skip("step-003"));
			const state = await h.toHalt();
			assert.deepEqual([stepOf(state, "document").status, stepOf(state, "work").status], ["skipped", "completed"]);
			assert.match(h.warnings.join("\n"), /unexpected edit file for US-1/);
			assert.deepEqual(await violations(h), []);
		});
	});

describe("sessions that pawl starts", () => {
	test("D-116 one that takes too long has timed out, whatever it says then", async (t) => {
		const h = await harness(t, optionsOf({ work: ({ takes }) => takes(120_000) }));
		const state = await h.toHalt();
		assert.equal(stepOf(state, "work").status, "cancelled");
		assert.match(stepOf(state, "work").error ?? "", /did not end in 60000 ms/);
	});

	test("a limit waits until the server's time, without using anything up; a fallback agent continues at once", async (t) => {
		const limited: Cast = {
			work: (turn) => (turn.nth === 1 ? fails("rate_limited", "limit", { retryAt: turn.now() + 3_600_000 }) : SUMMARY),
		};
		const times = async (more: Partial<HarnessOptions>) => {
			const h = await harness(t, optionsOf(limited, more));
			const state = await h.toHalt();
			assert.equal(state.status, "completed");
			assert.equal(stepOf(state, "work").doneBy?.agent, more.standIn === undefined ? "cast" : "stand-in", "the journal says who did it");
			const [first, second] = h.prompts.filter((prompt) => prompt.type === "work").map((prompt) => prompt.at);
			return (second ?? 0) - (first ?? 0);
		};
		assert.equal(await times({}), 3_600_000);
		assert.ok((await times({ standIn: { "*": SUMMARY, check: "VERDICT: FINE", advise: "VERDICT: FINE" } })) <= 1);
	});

	test("a problem with the checkout is the outcome of the attempt, in words for a person", async (t) => {
		const usage = { costUsd: 2, inputTokens: null, outputTokens: null };
		const h = await harness(
			t,
			optionsOf({
				work: ({ files, edit }) => {
					files.write("work.txt", "w\n");
					edit([{ operation: "skip", target_step_id: "step-004", reason: "short" }]);
					return { text: SUMMARY, usage };
				},
			}),
		);
		const full: Decide = (boundary) => (boundary === "before commit work" ? { fail: new WorkspaceError("the disk is full") } : "go");
		const state = await h.toHalt(full);
		assert.deepEqual([state.status, stepOf(state, "work").error], ["failed", "the disk is full"]);
		assert.equal(h.site.user.files.read("work.txt"), null);
		assert.equal(state.totals.costUsd, 2, "what the session cost is known all the same");
		assert.deepEqual(await violations(h), []);
	});

	test("I13 a full disk is named where git only said that it could not write", async (t) => {
		const h = await harness(t, optionsOf({ work: ({ files }) => files.write("work.txt", "w\n") }));
		const said = "fatal: cannot update ref 'refs/heads/main': couldn't write '/x/main.lock'";
		const state = await h.toHalt((boundary) => (boundary === "before commit work" ? { fail: new WorkspaceError(said) } : "go"));
		assert.equal(stepOf(state, "work").error, `${said}\nCheck that the disk is not full or broken before this is tried again.`);
	});

	test("any other error is the engine's own: the run stays as it is, and a resume continues it", async (t) => {
		const h = await harness(t, optionsOf({ work: ({ files }) => files.write("work.txt", "w\n") }));
		const ended = await h.drive((boundary) => (boundary === "before commit work" ? { fail: new Error("a bug") } : "go"));
		assert.equal(ended.how === "failed" && String(ended.error), "Error: a bug");
		assert.equal((await h.state()).status, "running");
		assert.equal((await h.toHalt()).status, "completed");
		assert.deepEqual(await violations(h), []);
	});
});

test("I2 I10 killed between the members of a gate: no session starts for a member of the round that is over", async (t) => {
	const h = await harness(t, optionsOf({ work: ({ files }) => files.write("work.txt", "w\n") }));
	// Right after the first member was prepared: the second has not begun.
	const prepared = async (): Promise<number> =>
		(await h.events()).filter((e) => e.event === "step_prepared" && e.step.startsWith("step-004")).length;
	let was = 0;
	const first = await h.drive((boundary) => {
		if (boundary === "after attempt_prepared") was++;
		return was === 4 ? "die" : "go";
	});
	assert.equal(first.how, "killed");
	assert.equal(await prepared(), 1);
	const state = await h.toHalt();
	assert.equal(state.status, "completed");
	const events = await h.events();
	const started = h.prompts.filter((one) => one.type === "review").map((one) => `${one.step} ${one.attempt}`);
	const counted = events.flatMap((e) => (e.event === "usage_recorded" ? [`${e.step} ${e.attempt}`] : []));
	assert.deepEqual(
		started.filter((one) => !counted.includes(one)),
		[],
		"every session that was started is in the journal with its usage",
	);
});
