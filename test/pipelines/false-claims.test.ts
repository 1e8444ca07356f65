// Sessions of the built-in pipelines that do not do what they say. Whatever the agents claim, a run that is `completed` delivers what it says.
// In process, by both drivers.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { RunState } from "../../src/core/model.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Cast, inOrder, type Part, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../../src/engine/testing/harness.suite.ts";
import { goOn } from "../guarantees/walk.ts";

interface Played {
	readonly h: Harness;
	readonly state: RunState;
}

const partOf = (workflow: string, type: string): Part => BUILT_IN[workflow]?.cast[type] ?? "STATUS: done\n";

async function played(t: TestContext, workflow: string, cast: Cast, more: Partial<HarnessOptions> = {}): Promise<Played> {
	const usual = BUILT_IN[workflow];
	assert.ok(usual);
	const h = await harness(t, { ...usual, ...more, cast: { ...usual.cast, ...cast } });
	return { h, state: await h.toHalt() };
}

/** Like `git reset --hard main`. */
const resets = ({ checkout }: Turn): void => {
	const base = checkout.git.refs.get("refs/heads/main") ?? assert.fail("there is no main");
	checkout.put(checkout.git.at(base).tree);
	checkout.git.refs.set(`refs/heads/${checkout.branch}`, base);
};

/** Like `git commit --amend` with one more file. */
const amends = ({ checkout, files }: Turn, path: string): void => {
	files.write(path, "x\n");
	const { parents, message } = checkout.git.at(checkout.commit ?? "");
	checkout.git.refs.set(`refs/heads/${checkout.branch}`, checkout.git.commit(checkout.look(), parents, message));
};

/** The types of the sessions, in order. */
const sessions = ({ h }: Played): string[] => h.prompts.map(({ type }) => type);
const promptsOf = ({ h }: Played, type: string): string[] => h.prompts.filter((one) => one.type === type).map(({ prompt }) => prompt);

const CLAIM = "STATUS: done\nCHANGES: claimed-4711\nREGRESSION_TEST: none\nTESTS: none\n";

for (const pulled of [false, true])
	describe(`nothing was changed, ${pulled ? "pulled" : "pushed"}`, () => {
		test("G-15 I21 bug-fix: who says done and changed nothing gets the step back at once, before anybody looks at it", async (t) => {
			const it = await played(t, "bug-fix", { fix: inOrder(CLAIM, partOf("bug-fix", "fix")) }, { pulled });
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.deepEqual(sessions(it), ["triage", "investigate", "fix", "fix", "verify", "pr"]);
			assert.match(promptsOf(it, "fix")[1] ?? "", /nothing was changed: there is no commit and no changed file/);
			assert.doesNotMatch(promptsOf(it, "fix")[1] ?? "", /claimed-4711|was put back/);
		});

		test("G-16 I21 bug-fix: a fixer that never changes anything ends in a question, whatever a verifier would say", async (t) => {
			const it = await played(t, "bug-fix", { fix: CLAIM }, { pulled });
			assert.equal(it.state.status, "waiting");
			assert.equal(sessions(it).includes("verify"), false);
			// A person who approves it is asked once more before the run ends with nothing.
			const approve = { type: "decide", scope: null, step: null, verdict: "approve", reason: "" } as const;
			const state = await goOn(it.h, { ...approve, at: it.h.clock.now() });
			assert.equal(state.status, "waiting");
			assert.match(state.root.steps.find(({ type }) => type === "pr.publish")?.feedback ?? "", /nothing to deliver/);
		});

		test("G-15 I7 security-audit: one false claim costs one session of the fixer, not a verifier and the audit", async (t) => {
			const it = await played(t, "security-audit", { "US-002 fix": inOrder(CLAIM, partOf("security-audit", "fix")) }, { pulled });
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.equal(sessions(it).filter((type) => type === "verify").length, 2);
			assert.match(promptsOf(it, "fix").at(-1) ?? "", /nothing was changed/);
		});
	});

/** The subjects on the branch of the run. */
const subjects = ({ h }: Played, branch: string): string[] => {
	const { git } = h.site;
	const tip = git.refs.get(`refs/heads/${branch}`) ?? assert.fail(`there is no ${branch}`);
	return git.between(git.refs.get("refs/heads/main") ?? "", tip).map(({ message }) => message.trim());
};

for (const pulled of [false, true])
	describe(`commits of others on the run's branch, ${pulled ? "pulled" : "pushed"}`, () => {
		const does = partOf("security-audit", "fix");
		const after =
			(first: (turn: Turn) => void): Part =>
			(turn) => {
				first(turn);
				return typeof does === "string" ? does : does(turn);
			};

		test("G-22 I7 a later story that takes an earlier one's commits off the branch has not counted: they are put back, and it is told", async (t) => {
			const it = await played(t, "security-audit", { "US-002 fix": inOrder(after(resets), does) }, { pulled });
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.deepEqual(subjects(it, "security/audit"), ["feat: US-001", "feat: US-002"]);
			assert.match(promptsOf(it, "fix").at(-1) ?? "", /took commits off the branch that were there before it began \(\w+ feat: US-001\)/);
		});

		test("G-22 I7 nor may it amend them", async (t) => {
			const it = await played(
				t,
				"security-audit",
				{
					"US-002 fix": inOrder((turn) => {
						amends(turn, "amended.txt");
						return CLAIM;
					}, does),
				},
				{ pulled },
			);
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.deepEqual(subjects(it, "security/audit"), ["feat: US-001", "feat: US-002"]);
		});

		test("G-22 a developer whose work came back may amend the commits of its own story", async (t) => {
			const it = await played(
				t,
				"security-audit",
				{
					"US-002 fix": inOrder(does, (turn) => {
						amends(turn, "amended.txt");
						return CLAIM;
					}),
					"US-002 verify": inOrder("STATUS: retry\nISSUES:\n- a way around it", "STATUS: done\nVERIFIED: tried\n"),
				},
				{ pulled },
			);
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.equal(promptsOf(it, "fix").length, 3);
			assert.deepEqual(subjects(it, "security/audit"), ["feat: US-001", "feat: US-002"]);
		});

		test("G-22 I7 a repair of the run's own, after the stories, keeps their commits", async (t) => {
			const mends = (turn: Turn): string => {
				resets(turn);
				turn.files.write("mended.txt", "x\n");
				turn.checkout.commitAll("fix: all of it");
				return CLAIM;
			};
			const keeps = ({ files, checkout }: Turn): string => {
				files.write("mended.txt", "x\n");
				checkout.commitAll("fix: all of it");
				return CLAIM;
			};
			const test = inOrder("STATUS: retry\nFAILURES:\n- the sum is wrong", "STATUS: done\nRESULTS: green\n");
			const it = await played(t, "security-audit", { test, "test-fix": inOrder(mends, keeps) }, { pulled });
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.deepEqual(subjects(it, "security/audit"), ["feat: US-001", "feat: US-002", "fix: all of it"]);
		});
	});

for (const pulled of [false, true])
	describe(`checks and those who judge, ${pulled ? "pulled" : "pushed"}`, () => {
		const test_ = (files: Turn["files"]): number => (files.read("broken.txt") === null ? 0 : 1);
		const breaks = ({ files, checkout }: Turn): string => {
			files.write("broken.txt", "x\n");
			checkout.commitAll("fix: it");
			return CLAIM;
		};
		const repairs = ({ files, checkout }: Turn): string => {
			files.remove("broken.txt");
			checkout.commitAll("fix: repaired");
			return CLAIM;
		};

		test("G-01 I21 bug-fix: red checks go back to the fixer before a verifier looks", async (t) => {
			const fix = inOrder(breaks, (turn) => {
				turn.files.write("work.txt", "w\n");
				return repairs(turn);
			});
			const it = await played(t, "bug-fix", { fix }, { pulled, checks: { test: test_ } });
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.deepEqual(sessions(it), ["triage", "investigate", "fix", "fix", "verify", "pr"]);
			assert.match(promptsOf(it, "fix")[1] ?? "", /What fails now[\s\S]*check `test`/);
		});

		test("G-01 I21 what is repaired before the delivery is tested again, and its pull request is written again", async (t) => {
			const test = inOrder("STATUS: retry\nFAILURES:\n- the sum is wrong", "STATUS: done\nRESULTS: green\n");
			const it = await played(
				t,
				"security-audit",
				{ test, "test-fix": breaks, repair_checks: repairs },
				{ pulled, checks: { test: test_ } },
			);
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.deepEqual(sessions(it).slice(-7), ["test", "test-fix", "test", "pr", "repair_checks", "test", "pr"]);
			assert.match(promptsOf(it, "repair_checks")[0] ?? "", /do not take the work back/);
			assert.match(promptsOf(it, "test").at(-1) ?? "", /Since then it was changed: `git diff \w+\.\.HEAD`/);
		});
	});
