// A story that failed and that a person retries is still the same story: what was committed for it before counts. In process.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Cast, inOrder, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../../src/engine/testing/harness.suite.ts";
import { goOn, retried } from "../guarantees/walk.ts";

const run = (t: TestContext, cast: Cast, more: Partial<HarnessOptions> = {}): Promise<Harness> => {
	const usual = BUILT_IN["feature-dev"] ?? assert.fail("there is no feature-dev");
	return harness(t, { ...usual, ...more, cast: { ...usual.cast, ...more.cast, ...cast } });
};
const told = (h: Harness, type: string, story = "US-001"): string[] =>
	h.prompts.filter((one) => one.type === type && one.story === story).map(({ prompt }) => prompt);
const DONE = "STATUS: done\nCHANGES: c\nTESTS: t\n";
const AGAIN = "STATUS: retry\nISSUES:\n- point-4901";

const works = ({ files, checkout, nth }: Turn): string => {
	files.write(`work-${nth}.txt`, "w\n");
	checkout.commitAll(`feat: work ${nth}`);
	return DONE;
};
const plan = `STATUS: done\nREPO: .\nBRANCH: feature/it\nSTORIES_JSON: ${JSON.stringify(
	[1, 2].map((n) => ({ id: `US-00${n}`, title: `T${n}`, description: "d", acceptanceCriteria: ["c"], depends_on: [] })),
)}\n`;

for (const [where, more] of [
	["on the branch of the run", {}],
	["in a worktree of its own", { options: { agents: 2, slots: [1, 2, 3] } }],
	["pulled", { pulled: true }],
] as const)
	test(`G-15 G-12 a retried story begins where it began at first: its prompts, its range and whether it changed anything, ${where}`, async (t) => {
		const h = await run(
			t,
			{
				plan,
				"US-001 implement": inOrder(works, works, works, DONE),
				"US-001 verify": inOrder(AGAIN, AGAIN, AGAIN, "STATUS: done\nVERIFIED: v"),
			},
			more,
		);
		assert.equal((await h.toHalt()).status, "failed");
		const range = /git diff [0-9a-f]{12}\^?\.\.HEAD/.exec(told(h, "verify")[0] ?? "")?.[0] ?? assert.fail("the verifier has no range");
		assert.equal((await retried(h)).status, "completed", "a developer who refuses a wrong point leaves the work as it is");
		const again = told(h, "implement").at(-1) ?? "";
		assert.equal(/on the branch ralph\//.test(again), "options" in more);
		assert.match(again, /What you did so far is committed/);
		assert.ok(again.includes(range), again.slice(0, 600));
		assert.ok((told(h, "verify").at(-1) ?? "").includes(range), "the verifier looks at all of the story");
	});

test("G-15 a verifier whose first look is its last is not told that it sent the story back before", async (t) => {
	const h = await run(t, {
		"US-001 implement": inOrder("no report", works),
		"US-001 verify": AGAIN,
	});
	assert.equal((await h.toHalt()).status, "failed");
	const [first = "", ...more] = told(h, "verify");
	assert.equal(more.length, 0);
	assert.match(
		first,
		/If you send it back now, the run fails: no retry of this story is left\. A failed attempt at the story uses up a retry as well\./,
	);
	assert.doesNotMatch(first, /as often as/);
});

test("A-43 a story that a person lets be tried again has all of its retries, whether it failed or waited", async (t) => {
	const cast = { "US-001 verify": inOrder(AGAIN, AGAIN, AGAIN, "STATUS: done\nVERIFIED: v") };
	const failed = await run(t, { ...cast, "US-001 implement": works });
	assert.equal((await failed.toHalt()).status, "failed");
	assert.equal((await retried(failed)).status, "completed", "one more rejection, then accepted");
	// There a person is asked instead.
	const waiting = await run(t, { ...cast, "US-001 fix": works }, BUILT_IN["security-audit"]);
	assert.equal((await waiting.toHalt()).status, "waiting");
	const again = await goOn(waiting, { type: "decide", scope: null, step: null, verdict: "retry", reason: "", at: waiting.clock.now() });
	assert.equal(again.status, "completed", again.reason ?? "");
});
