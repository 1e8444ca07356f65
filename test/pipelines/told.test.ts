// What the agents of feature-dev are told when work comes back: in process, by the prompts that they get.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Cast, inOrder } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../../src/engine/testing/harness.suite.ts";

const base = BUILT_IN["feature-dev"] ?? assert.fail("there is no feature-dev");
const run = (t: TestContext, cast: Cast, more: Partial<HarnessOptions> = {}): Promise<Harness> =>
	harness(t, { ...base, ...more, cast: { ...base.cast, ...cast } });
const told = (h: Harness, type: string): string[] => h.prompts.filter((one) => one.type === type).map(({ prompt }) => prompt);
const remarks = async (h: Harness): Promise<string> =>
	(await h.events()).flatMap((event) => (event.event === "remarked" ? [event.text] : [])).join("\n");

test("T-22 G-15 a verifier that looks again sees the whole story, what is new, and what it said", async (t) => {
	const h = await run(t, {});
	assert.equal((await h.toHalt()).status, "completed");
	const [first = "", second = ""] = told(h, "verify");
	const range = (text: string): string => /Read all of\s+`git diff (\w+)\.\.HEAD`/.exec(text)?.[1] ?? "";
	assert.equal(range(second), range(first), "from the beginning of the story");
	assert.match(second, /^<looked_before>\nYou sent this back before[\s\S]*there is not enough of it yet/);
	const since = /changed since you looked: `git diff (\w+)\.\.HEAD`/.exec(second)?.[1] ?? "";
	assert.notEqual(since, "");
	assert.notEqual(since, range(second));
	assert.doesNotMatch(first, /You sent this back before/);
	assert.match(first, /That can happen once more; the next time, the run fails\. A failed attempt at the story uses up a retry as well\./);
	assert.match(second, /If you send it back now, the run fails/);
});

test("G-15 what was done about it, and a refusal with its reason, reaches whoever sent the work back", async (t) => {
	const h = await run(t, {
		review: inOrder("STATUS: retry\nDECISION: changes_requested\nFEEDBACK:\n- rename it", "STATUS: done\nDECISION: approved"),
		"review-fix": "STATUS: done\nCHANGES: not renamed: callers-4711 need the name\nTESTS: all",
		test: inOrder("STATUS: retry\nFAILURES:\n- sum is wrong", "STATUS: done\nRESULTS: green"),
		"test-fix": ({ files }) => {
			files.write("fixed.txt", "f\n");
			return "STATUS: done\nCHANGES: sum-4712 mended\nTESTS: all";
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(told(h, "review")[1] ?? "", /^<looked_before>[\s\S]*- rename it[\s\S]*callers-4711 need the name[\s\S]*<\/looked_before>/);
	assert.match(told(h, "test")[1] ?? "", /^<looked_before>[\s\S]*- sum is wrong[\s\S]*sum-4712 mended[\s\S]*<\/looked_before>/);
	assert.match(told(h, "review-fix")[0] ?? "", /^The step `review` sent the work back to you/);
	assert.match(told(h, "review")[0] ?? "", /3 times more; the next time, a person decides/);
});

test("G-17 a judge that says done and names something wrong does not pass, in any of the three steps that judge", async (t) => {
	for (const [type, said] of [
		["verify", "STATUS: done\nVERIFIED: most\nISSUES:\n- the label is missing"],
		["test", "STATUS: done\nRESULTS: 9 of 10\nFAILURES:\n- sum"],
		["review", "STATUS: done\nDECISION: changes_requested\nFEEDBACK:\n- rename it"],
	] as const) {
		const h = await run(t, { [type]: said });
		assert.notEqual((await h.toHalt()).status, "completed", type);
	}
});

test("G-17 a session that can be continued is asked which it means, and for the fields that it forgot", async (t) => {
	const kept = (text: string) => ({ text, sessionId: "s-1", resumable: true });
	const h = await run(t, {
		"US-002 verify": inOrder(
			() => kept("STATUS: done\nVERIFIED: all\nISSUES: the name is odd"),
			() => kept("STATUS: done\nVERIFIED: all\nISSUES: none"),
		),
		pr: inOrder(
			() => kept("STATUS: done\nPR_TITLE: Add it"),
			() => kept("PR_BODY: |\n  It adds it."),
		),
	});
	const state = await h.toHalt();
	assert.equal(state.status, "completed");
	const asked = (await h.events()).flatMap((event) => (event.event === "report_asked" ? [event.missing] : []));
	assert.match(asked[0] ?? "", /^the report contradicts itself: STATUS says done, but ISSUES says .*which is meant/);
	assert.deepEqual([asked.length, asked[1]], [2, "the report has no PR_BODY"]);
	assert.deepEqual([state.root.fields["pr_title"], state.root.fields["pr_body"]], ["Add it", "It adds it."]);
});

test("G-20 a branch that cannot be used, and stories that run in order though there are agents for more, are named", async (t) => {
	const plan = (base.cast["plan"] as string).replace("feature/field", "main");
	const h = await run(t, { plan }, { options: { ...base.options, agents: 2 } });
	assert.equal((await h.toHalt()).status, "completed");
	const text = await remarks(h);
	assert.equal(text.match(/BRANCH: `main` is not used/g)?.length, 1, text);
	assert.match(text, /one after the other, although there are 2 agents: none of them names another in `depends_on`/);
});

test("G-20 words that are no name of a branch become one, and that is said", async (t) => {
	const plan = (base.cast["plan"] as string).replace("feature/field", "Fix First Page!!");
	const h = await run(t, { plan });
	const state = await h.toHalt();
	assert.equal(state.branch, "fix-first-page");
	const text = await remarks(h);
	assert.equal(
		text.match(/BRANCH: `Fix First Page!!` is not the name of a branch as it stands\. The work is on `fix-first-page`/g)?.length,
		1,
		text,
	);
});

test("G-17 a bug that cannot be reproduced: the question says what approving goes without", async (t) => {
	const bug = BUILT_IN["bug-fix"] ?? assert.fail("there is no bug-fix");
	const h = await harness(t, { ...bug, cast: { ...bug.cast, triage: "STATUS: failed\nTRIED: everything" } });
	assert.equal((await h.toHalt()).status, "waiting");
	const [why = ""] = (await h.events()).flatMap((event) => (event.event === "step_waiting" ? [event.reason] : []));
	assert.match(
		why,
		/If you approve, the run goes on without what triage was asked for \(SEVERITY, REPRODUCTION, .*\); if you reject, the run fails$/,
	);
});

test("T-23 a type check is asked for only where there is one", async (t) => {
	const h = await run(t, {});
	await h.toHalt();
	const [plan = ""] = told(h, "plan");
	assert.equal(plan.match(/Typecheck passes/g)?.length, 1);
	assert.match(plan, /"Typecheck passes" if the project has a type checker, and only then/);
});

test("G-15 T-12 the output of a check that failed is there once, and every command that will run is named", async (t) => {
	let red = true;
	const checks = {
		lint: () => 0,
		test: () => (red ? { exitCode: 1, output: "boom-4713" } : 0),
	};
	const h = await run(
		t,
		{
			implement: ({ files, checkout, prompt, story }) => {
				if (prompt.includes("boom-4713")) red = false;
				files.write(`${story}.txt`, prompt.includes("boom-4713") ? "2\n" : "1\n");
				checkout.commitAll("work");
				return "STATUS: done\nCHANGES: c\nTESTS: t";
			},
			verify: "STATUS: done\nVERIFIED: v",
		},
		{ checks: checks as NonNullable<HarnessOptions["checks"]> },
	);
	await h.toHalt();
	const again = told(h, "implement").find((prompt) => prompt.includes("boom-4713")) ?? assert.fail("nobody was told");
	assert.equal(again.split("boom-4713").length, 2);
	assert.match(again, /<sent_back>\nThe work below is done and committed .*Only what fails now is left/);
	assert.equal(told(h, "verify").length, 2, "nobody had to look at work that fails the checks");
	assert.match(told(h, "implement")[0] ?? "", /Lint with `[^`]+`\. Test with `[^`]+`\./);
});

test("G-15 why a report could not be read is not told again once the judge has given its verdict", async (t) => {
	const h = await run(t, {
		"US-002 verify": inOrder("STATUS: done\nISSUES: odd-4714", "STATUS: retry\nISSUES: the label is missing", "STATUS: done\nVERIFIED: v"),
	});
	await h.toHalt();
	const [, second, third] = h.prompts.filter(({ type, story }) => type === "verify" && story === "US-002").map(({ prompt }) => prompt);
	assert.match(second ?? "", /contradicts itself[\s\S]*odd-4714/);
	assert.match(third ?? "", /the label is missing/);
	assert.doesNotMatch(third ?? "", /odd-4714/);
});
