// What a person who was away reads about a pipeline that has ended: in the summary and in `pawl status`, in process.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { asideLines } from "../../src/cli/text/delivered-lines.ts";
import { LineTeller, noteOf } from "../../src/cli/text/event-lines.ts";
import { summaryText } from "../../src/cli/text/summary.ts";
import { paint } from "../../src/cli/text/text.ts";
import { statusText } from "../../src/cli/watch/status.ts";
import type { Event } from "../../src/core/event.ts";
import { fold as foldEvents } from "../../src/core/fold/apply.ts";
import type { Step } from "../../src/core/model.ts";
import { foreignRefs } from "../../src/engine/attempt/ref-text.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Cast, inOrder, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, harness } from "../../src/engine/testing/harness.suite.ts";
import { MemoryRepository } from "../../src/engine/testing/memory-repository.suite.ts";
import { lookAtEnded } from "../../src/runs/drive/ended.ts";
import { keptRefs, putBackIn } from "../../src/runs/look/delivery.ts";
import { adviceFor } from "../../src/runs/look/next.ts";
import { statusIn } from "../../src/runs/look/status.ts";
import { goOn } from "../guarantees/walk.ts";

const look = { width: 160, color: paint(false), now: 0 };

async function shown(h: Harness): Promise<{ readonly summary: string; readonly status: string }> {
	const [repository, events, state] = [new MemoryRepository(h.site), await h.events(), await h.state()];
	const store = h.store.open(h.clock.now);
	try {
		const view = await statusIn({ root: h.site.root, repository, store, events, state }, h.clock.now());
		return {
			summary: summaryText(await lookAtEnded(repository, events, state), look),
			status: statusText(view, look.width, look.color, h.clock.now()),
		};
	} finally {
		await store.close();
	}
}

const run = (t: TestContext, workflow: string, cast: Cast): Promise<Harness> => {
	const usual = BUILT_IN[workflow] ?? assert.fail(`there is no ${workflow}`);
	return harness(t, { ...usual, cast: { ...usual.cast, ...cast } });
};

const approve = { type: "decide", scope: null, step: null, verdict: "approve", reason: "" } as const;

test("G-16 the status of a run that is over names its branch, its commits and its pull request, as the summary does", async (t) => {
	const h = await run(t, "bug-fix", {});
	assert.equal((await h.toHalt()).status, "completed");
	for (const text of Object.values(await shown(h))) {
		assert.match(text, /commits on fix\/it\n {2}[0-9a-f]{8} {2}\S/);
		assert.match(text, /branch: fix\/it \(1 commit on top of main, which is as it was\)/);
		assert.match(text, /pull request: not opened; its text is in .*pull-request\.md/);
	}
});

test("G-16 a story that a person settled without a change is shown with the reason", async (t) => {
	const h = await run(t, "security-audit", { "US-001 fix": "STATUS: blocked\nREASON: wrong-4730" });
	assert.equal((await h.toHalt()).status, "waiting");
	assert.equal((await goOn(h, { ...approve, at: h.clock.now() })).status, "completed");
	for (const text of Object.values(await shown(h))) assert.match(text, /settled without a change\n {2}US-001: Title 1 \(.*wrong-4730/);
});

test("G-16 G-10 what was put aside, and refs that were taken away, are named at the end and later", async (t) => {
	const h = await run(t, "bug-fix", {});
	assert.equal((await h.toHalt()).status, "completed");
	mkdirSync(join(h.sharedDir, "put_aside/run-fix-2/tmp"), { recursive: true });
	writeFileSync(join(h.sharedDir, "put_aside/run-fix-2/tmp/x"), "");
	writeFileSync(join(h.sharedDir, "put_aside/run-fix-2/.env"), "");
	for (const text of Object.values(await shown(h))) {
		assert.match(
			text,
			/files that were put aside as no part of the work\n {2}put_aside\/run-fix-2\/\.env\n {2}put_aside\/run-fix-2\/tmp\/x\n/,
		);
		assert.doesNotMatch(text, /for-each-ref/);
	}
	const text =
		foreignRefs("fix", [{ what: "tag wip", change: "made", by: "session", kept: "refs/pawl/put-back/tags/wip/1", putBack: true }]) ?? "";
	const remark: Event = { event: "remarked", at: 0, scope: "@run", step: "fix", attempt: 1, text };
	const back = putBackIn([{ ...remark, text: "put back: prd.json: story S1 (a worker may not change it)" }, remark]);
	assert.match(
		asideLines({ aside: [], keptRefs: null, putBack: back }, look).join("\n"),
		/^\nwhat sessions may not change, and was put back\n {2}prd\.json: story S1 \(a worker may not change it\)$/,
	);
	const refs = keptRefs([remark]);
	assert.deepEqual([refs, keptRefs([{ ...remark, text: "wip" }])], ["refs/pawl/put-back", null]);
	assert.match(asideLines({ aside: [], keptRefs: refs, putBack: [] }, look).join("\n"), /git for-each-ref refs\/pawl\/put-back$/);
});

/** Commits one more file. */
const works = (said: string) => (turn: Turn) => {
	turn.files.write(`work-${turn.story}-${turn.nth}.txt`, "w\n");
	turn.checkout.commitAll("fix: it");
	return said;
};
const CLAIM = "STATUS: done\nCHANGES: c\nREGRESSION_TEST: r\nTESTS: t\n";
const asked = async (h: Harness): Promise<string> =>
	(await h.events()).flatMap((event) => (event.event === "step_waiting" ? [event.reason] : [])).at(-1) ?? "";

test("G-16 whoever decides between a judge and a fixer reads both, how often it was looked at, and what each answer means", async (t) => {
	const refuses = works(CLAIM.replace("CHANGES: c", "CHANGES: no: callers-4820 need it."));
	const h = await run(t, "bug-fix", { fix: refuses, verify: "STATUS: retry\nISSUES:\n- rename-4821." });
	const state = await h.toHalt();
	assert.equal(state.status, "waiting");
	assert.match(
		await asked(h),
		/^- rename-4821\. verify has looked 4 times\. What fix said last: CHANGES: no: callers-4820 need it\. REGRESSION_TEST: r TESTS: t\. If you approve, the work counts as it is; if you reject, the run fails; retried, it goes back to fix$/,
	);
	assert.deepEqual(
		adviceFor(state, false).flatMap(({ commands }) => commands.filter((command) => /retry|steer/.test(command))),
		["pawl retry run-1", 'pawl steer run-1 "…"'],
	);
});

test("G-15 what a person says who has the work mended once more reaches the one who mends it, after a review too", async (t) => {
	const again = "STATUS: retry\nDECISION: changes_requested\nFEEDBACK:\n- rename";
	const review = ({ nth }: Turn): string => (nth <= 4 ? again : "STATUS: done\nDECISION: approved");
	const h = await run(t, "feature-dev", { review, "review-fix": "STATUS: done\nCHANGES: no-4822\nTESTS: t" });
	assert.equal((await h.toHalt()).status, "waiting");
	assert.match(await asked(h), /What review-fix said last: CHANGES: no-4822/);
	const state = await goOn(h, { type: "decide", scope: null, step: null, verdict: "retry", reason: "only-4823 then", at: h.clock.now() });
	assert.equal(state.status, "completed", state.reason ?? "");
	const fixes = h.prompts.filter(({ type }) => type === "review-fix").map(({ prompt }) => prompt);
	assert.equal(fixes.length, 4);
	assert.match(fixes.at(-1) ?? "", /Why this step runs again[\s\S]*only-4823 then/);
});

test("G-16 what a failed check printed is in the terminal once", async (t) => {
	const usual = BUILT_IN["bug-fix"] ?? assert.fail("there is no bug-fix");
	const checks = { test: ({ read }: Turn["files"]) => (read("broken.txt") === null ? 0 : { exitCode: 1, output: "boom-4824\nFAILED" }) };
	const fix = inOrder(
		({ files, checkout }: Turn) => {
			files.write("broken.txt", "x\n");
			checkout.commitAll("fix: it");
			return CLAIM;
		},
		(turn: Turn) => {
			turn.files.remove("broken.txt");
			return works(CLAIM)(turn);
		},
	);
	const h = await harness(t, { ...usual, checks, cast: { ...usual.cast, fix } });
	assert.equal((await h.toHalt()).status, "completed");
	const [events, teller] = [await h.events(), new LineTeller()];
	const lines = events.flatMap((event, at) => {
		const state = foldEvents(events.slice(0, at + 1)) ?? assert.fail("there is no run");
		return teller.linesFor(event, state, { color: look.color, columns: null });
	});
	assert.equal(lines.filter((line) => line.includes("boom-4824")).length, 1, lines.join("\n"));
	assert.match(lines.join("\n"), /fix\.checks +sends back to fix: .*`test` exited 1\n/);
});

test("G-16 a step that sent the work back is not shown as completed, nor the run as all done", async (t) => {
	const test = "STATUS: retry\nFAILURES:\n- sum";
	const h = await run(t, "security-audit", { test, "test-fix": () => ({ result: "agent_error", error: "boom" }) });
	assert.equal((await h.toHalt()).status, "waiting");
	const { status, summary } = await shown(h);
	for (const text of [status, summary]) assert.match(text, /^ {2}test +sent back/m);
	assert.match(status, /2 of 2 stories, 99 %/);
});

test("G-16 the note of a step is what it says, without headings, fences, marks or a greeting", () => {
	const note = (notes: string): string => noteOf({ error: null, skipReason: null, notes } as Step);
	assert.equal(note("### STATUS: done\n### CAUSE\npages() rounds\n- **FIX_PLAN**: round up"), "CAUSE; pages() rounds; FIX_PLAN: round up");
	assert.equal(note("Here's the PR:\n**STATUS: done**\n**PR_TITLE:** `Round up`"), "PR_TITLE: `Round up`");
	assert.equal(note("All tests pass.\n```\nSTATUS: done\nCHANGES: snake_case a__b\n```"), "All tests pass. CHANGES: snake_case a__b");
});

test("G-16 a session that changes a file in the person's own checkout is remarked on", async (t) => {
	const usual = BUILT_IN["bug-fix"] ?? assert.fail("there is no bug-fix");
	const fix = (turn: Turn) => {
		const stray = join(h.site.root, "stray-4825.txt");
		writeFileSync(stray, "x\n");
		mkdirSync(join(h.sharedDir, "logs/run"), { recursive: true });
		writeFileSync(join(h.sharedDir, "logs/run/fix.jsonl"), `${JSON.stringify({ file_path: stray })}\n`);
		return works(CLAIM)(turn);
	};
	const h = await harness(t, { ...usual, checkouts: "disk", cast: { ...usual.cast, fix } });
	assert.equal((await h.toHalt()).status, "completed");
	const remarks = (await h.events()).flatMap((event) => (event.event === "remarked" ? [`${event.step}: ${event.text}`] : []));
	assert.match(remarks.join("\n"), /^fix: while it ran, files changed in your own checkout .*: stray-4825\.txt\./m);
});

test("G-16 T-27 a pull request says what a review asked for and what came of it, also if it was refused", async (t) => {
	const review = inOrder("STATUS: retry\nDECISION: changes_requested\nFEEDBACK:\n- rename", "STATUS: done\nDECISION: approved");
	const h = await run(t, "feature-dev", {
		pr: "STATUS: done\nPR_TITLE: Add it\nPR_BODY: It adds it.",
		review,
		"review-fix": "STATUS: done\nCHANGES: not renamed: callers-4826 need the name\nTESTS: none",
	});
	assert.equal((await h.toHalt()).status, "completed");
	const text = readFileSync(join(h.sharedDir, "pull-request.md"), "utf8");
	assert.match(
		text,
		/It adds it\.[\s\S]*## After this text was written\n\n- review-fix: CHANGES: not renamed: callers-4826 need the name TESTS: none\n/,
	);
});
