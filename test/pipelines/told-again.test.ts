// What the agents of bug-fix and security-audit are told about what happened before them: all of it, and nothing that no longer holds. In process.
import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bodyOf } from "../../src/engine/actions/pull-request-text.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Cast, inOrder, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../../src/engine/testing/harness.suite.ts";
import { goOn } from "../guarantees/walk.ts";

const run = (t: TestContext, workflow: string, cast: Cast, more: Partial<HarnessOptions> = {}): Promise<Harness> => {
	const usual = BUILT_IN[workflow] ?? assert.fail(`there is no ${workflow}`);
	return harness(t, { ...usual, ...more, cast: { ...usual.cast, ...cast } });
};
const told = (h: Harness, type: string, story?: string): string[] =>
	h.prompts.filter((one) => one.type === type && (story === undefined || one.story === story)).map(({ prompt }) => prompt);
const approve = (h: Harness) => goOn(h, { type: "decide", scope: null, step: null, verdict: "approve", reason: "", at: h.clock.now() });

/** Commits one more file. */
const works = (said: string) => (turn: Turn) => {
	turn.files.write(`work-${turn.nth}.txt`, "w\n");
	turn.checkout.commitAll("fix: it");
	return said;
};
const CLAIM = "STATUS: done\nCHANGES: c\nREGRESSION_TEST: r\nTESTS: t\n";

test("G-15 what a person let pass is no longer a reason when the work comes back for another one", async (t) => {
	const fix = inOrder(works("no-4801"), works("no-4801"), works("no-4801"), CLAIM);
	const h = await run(t, "bug-fix", { fix, verify: inOrder("STATUS: retry\nISSUES:\n- point-4802", "STATUS: done\nVERIFIED: v") });
	assert.equal((await h.toHalt()).status, "waiting");
	assert.equal((await approve(h)).status, "completed");
	const last = told(h, "fix").at(-1) ?? "";
	assert.match(last, /<sent_back>[\s\S]*point-4802/);
	assert.doesNotMatch(last, /STATUS: done; it says|no-4801/);
});

test("G-15 G-22 all that was wrong is said at once: a file, a tag, and what the report lacks", async (t) => {
	const triage = ({ files, checkout }: Turn): string => {
		files.write("stray-4803.txt", "x\n");
		checkout.refChanges.push({ what: "tag wip-4804", change: "made", by: "session", kept: null, putBack: true });
		return "STATUS: done\nREPRODUCTION: run it\nBRANCH: fix/it";
	};
	const h = await run(t, "bug-fix", { triage: inOrder(triage, BUILT_IN["bug-fix"]?.cast["triage"] ?? "") });
	assert.equal((await h.toHalt()).status, "completed");
	const again = told(h, "triage")[1] ?? "";
	for (const what of [/made tag wip-4804/, /stray-4803\.txt/, /has no SEVERITY, EXPECTED, AREA/])
		assert.match(again.split("</reason>")[0] ?? "", what);
});

test("G-22 who may write reads once what it may do to the repository, who may not does not", async (t) => {
	const h = await run(t, "bug-fix", {});
	await h.toHalt();
	const [fix = ""] = told(h, "fix");
	assert.equal(fix.match(/Make no other branch, tag or stash/g)?.length, 1);
	assert.match(fix, /## Where you work[\s\S]*Only add commits[\s\S]*## /);
	assert.match(fix, /Other checkouts of the repository are people's: change nothing there/);
	assert.doesNotMatch(told(h, "verify")[0] ?? "", /Only add commits|tag or stash/);
});

test("G-15 a judge that looks again is told if nothing was committed since", async (t) => {
	const verify = inOrder("STATUS: retry\nISSUES:\n- point", "STATUS: done\nVERIFIED: v");
	const h = await run(t, "bug-fix", { fix: inOrder(works(CLAIM), CLAIM), verify });
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(told(h, "verify")[1] ?? "", /^<looked_before>\n.*Nothing was committed since you looked\./);
});

test("G-15 T-27 who writes the pull request reads of all changes, not only of the last repair", async (t) => {
	const said = (changes: string) => CLAIM.replace("CHANGES: c", `CHANGES: ${changes}`);
	const verify = inOrder("STATUS: retry\nISSUES:\n- point", "STATUS: done\nVERIFIED: v");
	const h = await run(t, "bug-fix", { fix: inOrder(works(said("first-4805")), works(said("second-4806"))), verify });
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(told(h, "pr")[0] ?? "", /CHANGES\nAt first: first-4805\n\nAfter it came back: second-4806\n/);
	assert.doesNotMatch(told(h, "verify")[1] ?? "", /first-4805/, "a judge looks at what is new");
});

test("G-16 what a person let pass is not called verified", async (t) => {
	const h = await run(t, "bug-fix", { fix: works(CLAIM), verify: "STATUS: retry\nISSUES:\n- point-4807" });
	assert.equal((await h.toHalt()).status, "waiting");
	assert.equal((await approve(h)).status, "completed");
	assert.match(
		told(h, "pr")[0] ?? "",
		/VERIFIED\n\(not by verify: it sent the work back, and a person let it pass all the same\. It had said:\n- point-4807\)/,
	);
});

test("G-15 security-audit: the pull request is written from the findings, and from what was said of each story", async (t) => {
	const h = await run(t, "security-audit", {
		scan: "STATUS: done\nFINDINGS: high, a.ts:1: hole-4808\nSCANNED: all\nNOT_SCANNED: none",
		fix: ({ story, files, checkout }) => {
			files.write(`${story}.txt`, "w\n");
			checkout.commitAll("fix");
			return `STATUS: done\nCHANGES: changed-${story}\nTESTS: t`;
		},
		verify: ({ story }) => `STATUS: done\nVERIFIED: tried-${story}`,
	});
	assert.equal((await h.toHalt()).status, "completed");
	const [pr = ""] = told(h, "pr");
	assert.match(pr, /FINDINGS\nhigh, a\.ts:1: hole-4808/);
	assert.match(
		pr,
		/- US-001: Title 1\n {2}changed: changed-US-001\n {2}verified: tried-US-001\n- US-002: Title 2\n {2}changed: changed-US-002/,
	);
	assert.match(told(h, "verify")[0] ?? "", /about this weakness and nothing else: whatever else it changes is an issue/);
	assert.doesNotMatch(told(h, "test")[0] ?? "", /What people see in a browser/, "nothing of it can be seen in one");
});

test("G-15 prompts name no step of pawl's own, and pawl's remarks are no part of an agent's report", async (t) => {
	const red = (files: Turn["files"]): number => (files.read("broken.txt") === null ? 0 : 1);
	const h = await run(
		t,
		"security-audit",
		{
			test: inOrder("STATUS: retry\nFAILURES:\n- sum", "STATUS: done\nRESULTS: green"),
			"test-fix": ({ files, checkout }) => {
				files.write("broken.txt", "x\n");
				checkout.commitAll("fix");
				return CLAIM;
			},
			repair_checks: ({ files }) => {
				files.remove("broken.txt");
				return CLAIM;
			},
			"US-001 fix": inOrder(({ files }) => {
				files.write("left.txt", "x\n");
				return "CHANGES: all-4809";
			}, works(CLAIM)),
		},
		{ checks: { test: red } },
	);
	assert.equal((await h.toHalt()).status, "completed");
	const [repair = ""] = told(h, "repair_checks");
	assert.match(repair, /^## What fails now[\s\S]*\npawl ran the check `test`/);
	assert.doesNotMatch(repair, /publish\.checks/);
	const again = told(h, "fix", "US-001")[1] ?? "";
	assert.match(again, /<earlier_report>\nCHANGES: all-4809\n<\/earlier_report>/);
});

for (const pulled of [false, true])
	test(`G-15 what an agent noted about work that was put back is put back too, and kept, ${pulled ? "pulled" : "pushed"}`, async (t) => {
		const notes = (turn: Turn): string => {
			const home = /Your own folder, .*: (\S+)/.exec(turn.prompt)?.[1] ?? assert.fail("it has no folder");
			const log = /progress log of this run .*: (\S+)/.exec(turn.prompt)?.[1] ?? assert.fail("there is no log");
			writeFileSync(join(home, "MEMORY.md"), `true-4810\n${turn.nth === 1 ? "false-4811\n" : ""}`);
			appendFileSync(log, `## ${turn.nth} - ${turn.story}: it\n- ${turn.nth === 1 ? "false-4811" : "true-4810"}\n---\n`);
			turn.files.write(`work-${turn.nth}.txt`, "w\n");
			turn.checkout.commitAll("fix: it");
			if (turn.nth === 1) turn.checkout.refChanges.push({ what: "tag wip", change: "made", by: "session", kept: null, putBack: true });
			return CLAIM;
		};
		const h = await run(t, "security-audit", { "US-001 fix": notes }, { pulled, checkouts: "disk" });
		assert.equal((await h.toHalt()).status, "completed");
		const second = told(h, "fix", "US-002")[0] ?? "";
		const home = /Your own folder, .*: (\S+)/.exec(second)?.[1] ?? "";
		assert.equal(readFileSync(join(home, "MEMORY.md"), "utf8"), "true-4810\n");
		assert.match(second, /PROGRESS LOG\n## 2 - US-001: it/);
		for (const prompt of told(h, "fix").slice(1)) assert.doesNotMatch(prompt, /false-4811/);
		assert.match(readFileSync(join(h.sharedDir, "put_aside/US-001-fix-1/MEMORY.md"), "utf8"), /false-4811/);
	});

test("G-15 a session that removes the progress log, or entries of others, does not get away with it", async (t) => {
	const writes = (text: (was: string) => string | null) => (turn: Turn) => {
		const log = join(h.sharedDir, "progress.txt");
		const now = text(existsSync(log) ? readFileSync(log, "utf8") : "");
		if (now === null) rmSync(log);
		else writeFileSync(log, now);
		return works(CLAIM)({ ...turn, nth: turn.story === "US-001" ? 1 : 2 });
	};
	const h = await run(t, "security-audit", {
		"US-001 fix": writes(() => "# Progress Log\n\n## one - US-001: first\n- learned-4812\n---\n"),
		"US-002 fix": writes(() => "## two - US-002: second\n- learned-4813\n---\n"),
		verify: ({ story }) => {
			if (story === "US-002") rmSync(join(h.sharedDir, "progress.txt"));
			return "STATUS: done\nVERIFIED: v";
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(told(h, "verify", "US-002")[0] ?? "", /learned-4812[\s\S]*learned-4813/);
	assert.match(
		told(h, "test")[0] ?? "",
		/# Progress Log\n\n## one - US-001: first\n- learned-4812\n---\n\n## two - US-002: second\n- learned-4813\n/,
	);
	const remarks = (await h.events()).filter((event) => event.event === "remarked" && /removed what others had written/.test(event.text));
	assert.equal(remarks.length, 2);
});

for (const pulled of [false, true])
	test(`G-17 a report that lacks what later steps are given is mended by another session, once, ${pulled ? "pulled" : "pushed"}`, async (t) => {
		const investigate = "STATUS: done\nCAUSE: cause-4814\nFIX_PLAN: f\nTEST_PLAN: t";
		const h = await run(t, "bug-fix", { investigate }, { pulled });
		assert.equal((await h.toHalt()).status, "completed");
		const [, again = "", ...more] = told(h, "investigate");
		assert.match(again, /the report has no RISKS, which later steps are given[\s\S]*<earlier_report>[\s\S]*cause-4814/);
		assert.equal(more.length, 0, "then it counts as it is");
		assert.match(told(h, "fix")[0] ?? "", /RISKS\n\(not said\)/);
	});

test("G-17 a session that can be asked is asked for it; a step that says nothing at all is taken at its word", async (t) => {
	const kept = (text: string) => () => ({ text, sessionId: "s-1", resumable: true });
	const investigate = inOrder(kept("STATUS: done\nCAUSE: c\nFIX_PLAN: f\nTEST_PLAN: t"), kept("RISKS: risk-4815"));
	const h = await run(t, "bug-fix", { triage: "STATUS: done", investigate });
	assert.equal((await h.toHalt()).status, "completed");
	assert.equal(told(h, "triage").length, 1);
	assert.match(told(h, "fix")[0] ?? "", /CAUSE\nc\n[\s\S]*RISKS\nrisk-4815/);
});

for (const pulled of [false, true])
	test(`G-15 G-17 who cannot finish is told only of answers that this step may give, and nothing of changes that nobody made, ${pulled ? "pulled" : "pushed"}`, async (t) => {
		const fix = inOrder("STATUS: failed\nREASON: no-4816", "STATUS: blocked\nREASON: reason-4817");
		const h = await run(t, "security-audit", { "US-001 fix": fix }, { pulled });
		const state = await h.toHalt();
		assert.equal(state.status, "waiting");
		assert.match(state.stories[0]?.scope.steps[0]?.feedback ?? "", /reason-4817/);
		const [first = "", again = ""] = told(h, "fix", "US-001");
		assert.match(first, /or it cannot be closed, answer with:\nSTATUS: blocked\nREASON:/);
		assert.match(again, /STATUS: `failed` is none of done, blocked/);
		assert.match(again, /## The report of the attempt before this one\n\nIt did not count\. Check what still holds[\s\S]*no-4816/);
	});

test("G-17 every step of a pipeline that changes or publishes something can say that it cannot be done", async (t) => {
	for (const [workflow, type, cast] of [
		["bug-fix", "fix", {}],
		["bug-fix", "pr", {}],
		["feature-dev", "pr", {}],
		["feature-dev", "test-fix", { test: "STATUS: retry\nFAILURES:\n- sum" }],
		["security-audit", "pr", {}],
	] as const) {
		const h = await run(t, workflow, { ...cast, [type]: "STATUS: blocked\nREASON: a key in config-4818" });
		assert.equal((await h.toHalt()).status, "waiting", `${workflow} ${type}`);
		assert.match(told(h, type)[0] ?? "", /\nSTATUS: blocked\nREASON: why, with file and line\n/);
	}
});

test("G-15 who repairs a check is told all commands that pawl will run", async (t) => {
	const red = (files: Turn["files"]): number => (files.read("work-1.txt") === null ? 0 : 1);
	const repair_checks = ({ files }: Turn): string => {
		files.remove("work-1.txt");
		return "it was broken";
	};
	const test = inOrder("STATUS: retry\nFAILURES:\n- sum", "STATUS: done\nRESULTS: green");
	const h = await run(t, "feature-dev", { test, repair_checks, "test-fix": works(CLAIM) }, { checks: { lint: () => 0, test: red } });
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(told(h, "repair_checks")[0] ?? "", /3\. Run every check once more\. Lint with `.*`\. Test with `.*`\.\n/);
});

test("G-10 what a session left uncommitted does not bear the name of its story", async (t) => {
	const fix = ({ files, checkout, story }: Turn): string => {
		files.write(`${story}.txt`, "w\n");
		checkout.commitAll(`fix: ${story} - it`);
		files.write(`more-${story}.txt`, "w\n");
		return CLAIM;
	};
	const h = await run(t, "security-audit", { "US-001 fix": fix });
	const { branch } = await h.toHalt();
	const { git } = h.site;
	const commits = git.between(git.refs.get("refs/heads/main") ?? "", git.refs.get(`refs/heads/${branch}`) ?? "");
	const subjects = commits.slice(0, 2).map(({ message }) => message.trim());
	assert.deepEqual(subjects, ["fix: US-001 - it", "chore: US-001 fix, left uncommitted"]);
});

test("G-15 a judge whose answer leaves a key out leaves no heading without a text", async (t) => {
	const test = inOrder("STATUS: retry\nFAILURES:\n- sum", "STATUS: done\nall of it passes");
	const h = await run(t, "feature-dev", { test, "test-fix": works(CLAIM), review: "STATUS: done" });
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(told(h, "pr")[0] ?? "", /TEST RESULTS\n\(not said\)\n/);
});

test("T-27 a pull request whose text was never written names all changes, also where work came back", async (t) => {
	const said = (changes: string) => CLAIM.replace("CHANGES: c", `CHANGES: ${changes}`);
	const verify = inOrder("STATUS: retry\nISSUES:\n- point", "STATUS: done\nVERIFIED: v");
	const fix = inOrder(works(said("first-4819")), works(said("second-4820")));
	const h = await run(t, "bug-fix", { fix, verify, pr: "STATUS: done\nPR_TITLE: It" });
	const state = await h.toHalt();
	assert.equal(state.status, "completed");
	assert.match(bodyOf(state), /## Changes\n\nAt first: first-4819\n\nAfter it came back: second-4820\n/);
});
