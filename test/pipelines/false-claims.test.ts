// Sessions of the built-in pipelines that do not do what they say. Whatever the agents claim, a run that is `completed` delivers what it says.
// In process, by both drivers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { AgentOutcome } from "../../src/agent.ts";
import type { RunState } from "../../src/core/model.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Cast, inOrder, type Part, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../../src/engine/testing/harness.suite.ts";
import { goOn, retried } from "../guarantees/walk.ts";

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
			const remarks = (await it.h.events()).flatMap((event) => (event.event === "remarked" ? [event.text] : []));
			const said = remarks.filter((text) =>
				/it rewrote commits of earlier sessions of US-002 \(\w+ feat: US-002\)\. They are kept under refs/.test(text),
			);
			assert.equal(said.length, 1, "G-16 and it is said");
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

for (const pulled of [false, true])
	describe(`reports, ${pulled ? "pulled" : "pushed"}`, () => {
		const works = ({ files, checkout }: Turn, said: string): string => {
			files.write("work.txt", "w\n");
			checkout.commitAll("fix: it");
			return said;
		};

		test("G-15 I7 a report without its STATUS does not cost the work: the next session mends the report", async (t) => {
			const fix = inOrder((turn) => works(turn, "CHANGES: all-4720 of it\nREGRESSION_TEST: one"), CLAIM);
			const it = await played(t, "bug-fix", { fix }, { pulled });
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			assert.deepEqual(subjects(it, "fix/it"), ["fix: it"]);
			const again = promptsOf(it, "fix")[1] ?? "";
			assert.match(again, /What that attempt changed is still in the tree\. Check what still holds[\s\S]*all-4720/);
			assert.doesNotMatch(again, /was put back/);
		});

		test("G-15 a judge that touched a file keeps what it had found, and the range that it looks at", async (t) => {
			const touches = ({ files }: Turn): string => {
				files.write("stray.txt", "x\n");
				return "STATUS: retry\nISSUES:\n- found-4721";
			};
			const verify = inOrder("STATUS: retry\nISSUES:\n- first-4722", touches, "STATUS: done\nVERIFIED: v");
			const fix = (turn: Turn): string => {
				turn.files.write(`work-${turn.nth}.txt`, "w\n");
				return works(turn, CLAIM);
			};
			const it = await played(t, "bug-fix", { fix, verify }, { pulled });
			assert.equal(it.state.status, "completed", it.state.reason ?? "");
			const third = promptsOf(it, "verify")[2] ?? "";
			assert.match(third, /may not write in the worktree[\s\S]*<earlier_report>[\s\S]*found-4721/);
			const since = (text: string): string => /changed since you looked: `git diff (\w+)\.\.HEAD`/.exec(text)?.[1] ?? "";
			assert.notEqual(since(third), "");
			assert.equal(since(third), since(promptsOf(it, "verify")[1] ?? ""));
		});

		test("G-17 bug-fix: a triager that cannot reproduce it asks at once; retried, it reads why it runs again", async (t) => {
			const triage = inOrder("STATUS: blocked\nTRIED: three-4723 ways\nNEEDED: the version", partOf("bug-fix", "triage"));
			const it = await played(t, "bug-fix", { triage }, { pulled });
			assert.deepEqual([it.state.status, sessions(it)], ["waiting", ["triage"]]);
			const decide = { type: "decide", scope: null, step: null, verdict: "retry", reason: "it is version-7" } as const;
			assert.equal((await goOn(it.h, { ...decide, at: it.h.clock.now() })).status, "completed");
			assert.match(promptsOf(it, "triage")[1] ?? "", /Why this step runs again[\s\S]*version-7[\s\S]*three-4723/);
		});

		test("G-17 I7 security-audit: a wrong finding is settled by a person without a change, and later agents read why", async (t) => {
			const it = await played(t, "security-audit", { "US-001 fix": "STATUS: blocked\nREASON: wrong-4724" }, { pulled });
			assert.equal(it.state.status, "waiting");
			const decide = { type: "decide", scope: null, step: null, verdict: "approve", reason: "" } as const;
			const state = await goOn(it.h, { ...decide, at: it.h.clock.now() });
			assert.equal(state.status, "completed", state.reason ?? "");
			assert.deepEqual(subjects(it, "security/audit"), ["feat: US-002"]);
			assert.match(promptsOf(it, "pr")[0] ?? "", /US-001: Title 1 \(nothing was changed for it: .*wrong-4724/);
		});

		test("G-15 the agent of a failed story that a person retries reads why", async (t) => {
			const fails = (turn: Turn): string | Partial<AgentOutcome> =>
				turn.nth <= 2 ? { result: "agent_error", error: "boom-4725" } : works(turn, CLAIM);
			const it = await played(t, "security-audit", { "US-001 fix": fails }, { pulled });
			assert.equal(it.state.status, "failed");
			await retried(it.h);
			assert.match(promptsOf(it, "fix")[2] ?? "", /Why this step runs again[\s\S]*retried by a person[\s\S]*boom-4725/);
		});
	});

test("G-16 a session that changes pawl.yml is remarked on, and the pull request says it first", async (t) => {
	const fix = ({ files, checkout }: Turn): string => {
		files.write("pawl.yml", 'checks: {test: "true"}\n');
		checkout.commitAll("fix: it");
		return CLAIM;
	};
	const it = await played(t, "bug-fix", { fix });
	assert.equal(it.state.status, "completed", it.state.reason ?? "");
	assert.match(JSON.stringify(await it.h.events()), /it changed pawl\.yml, which names the checks of later runs/);
	assert.match(readFileSync(join(it.h.sharedDir, "pull-request.md"), "utf8"), /This branch changes `pawl\.yml`/);
});
