// Rounds of review in gated: of the plan, of the split, of the result; how they end, and what they leave.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { say, write } from "../support/fake-agent.ts";
import {
	assertGivenUp,
	assertLanded,
	CODE,
	CRITERIA,
	complete,
	diagnosis,
	ISSUE,
	incomplete,
	on,
	ready,
	taskText,
	testText,
	turn,
	verdict,
} from "../support/issue-site.ts";
import { quickIssueSite } from "../support/quick-issue-site.ts";
import { exists, list, read } from "../support/scratch.ts";

const three = () => [1, 2, 3].map((n) => taskText(n, { criteria: [CRITERIA[n - 1] ?? ""] }));
/** A second plan asks for something else: other tests, other code. */
const second = [
	on("tests", 2, write("test/sum.test.mjs", testText('"5"')), ready()),
	on("implement", 2, write("src/sum.mjs", "export const sum = (a, b) => String(a + b);\n"), complete()),
];

test("O-34 O-36 O-37 O-40 O-41 O-76 three reviews of the plan, each of another plan; the blockers of the last are noted and filed, one each", async () => {
	const keep = 'cp .workflow/run-*/plan.md "$home/plan-$turn.md"';
	const site = quickIssueSite([
		turn("check", 1, keep, verdict("NEEDS WORK", "[vague] plan: say more, finding-1")),
		turn("check", 2, keep, verdict("BLOCK", "[tests] plan: name the tests, finding-2")),
		turn("check", 3, keep, verdict("NEEDS WORK", "[gap] plan: a gap, finding-3", "[hole] test: a hole, finding-4")),
	]);
	await site.runs(0);
	assert.equal(site.order(), "OCOCOCOTMC");
	assert.equal(new Set([1, 2, 3].map((n) => read(site.agent.home, `plan-${n}.md`))).size, 3);
	assert.match(site.prompts("revise_plan")[0] ?? "", /finding-1/);
	assert.match(site.prompts("revise_plan")[1] ?? "", /finding-2/);
	assertLanded(site);
	assert.match(site.summary(), /finding-3[\s\S]*finding-4/);
	assert.doesNotMatch(site.summary(), /finding-[12]/);
	assert.deepEqual(
		site.filed().map((f) => [f.label, /finding-[34]/.exec(f.text)?.[0]]),
		[
			["followup", "finding-3"],
			["followup", "finding-4"],
		],
	);
});

test("O-39 O-73 the same finding twice stops the rounds, of the plan and of the result", async () => {
	const plan = quickIssueSite([
		turn("check", 1, verdict("BLOCK", "[same] plan: plan.md: no")),
		turn("check", 2, verdict("BLOCK", "[same] plan: plan.md: still no, in other words")),
	]);
	await plan.runs(0);
	assert.equal(plan.order(), "OCOCOTMC");
	assert.deepEqual(
		plan.filed().map((f) => f.label),
		["followup"],
	);
	const result = quickIssueSite([
		turn("check", 2, verdict("BLOCK", "[same] production: no")),
		turn("check", 3, verdict("BLOCK", "[same] production: no")),
	]);
	await result.runs(0);
	assert.equal(result.order(), "OCOTMCOMC");
	assert.deepEqual(
		result.filed().map((f) => f.label),
		["followup"],
	);
});

test("O-35 O-38 O-70 O-77 what simplify says is recorded, not acted on, not filed", async () => {
	const site = quickIssueSite([{ when: { role: "simplify" }, do: [verdict("BLOCK", "[less] plan: leave it out, advice-1")] }]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTMC");
	assert.match(site.summary(), /## Advisory notes \(not filed\)[\s\S]*advice-1/);
	assert.deepEqual(site.filed(), []);
});

test("O-47 a split that still needs work after two reviews goes on, with the blockers noted", async () => {
	const site = quickIssueSite(
		[turn("check", 2, verdict("NEEDS WORK", "[a] split: overlap-1")), turn("check", 3, verdict("NEEDS WORK", "[b] split: overlap-2"))],
		{ tasks: three() },
	);
	await site.runs(0);
	assert.equal(site.order(), "OCOCOCTMC");
	assert.match(site.prompts("revise_split")[0] ?? "", /overlap-1/);
	assert.deepEqual(
		site
			.filed()
			.map((f) => f.label)
			.sort(),
		["followup", "split-from-run", "split-from-run"],
	);
});

test("O-48 O-49 O-51 a blocked split changes the plan itself, and it is reviewed anew; a plan that stays the same is not taken", async () => {
	const site = quickIssueSite(
		[
			turn("check", 2, 'cp .workflow/run-*/plan.md "$home/before.md"', verdict("BLOCK", "[cut] plan: it does not come apart, finding-5")),
			on("rework_plan", 1, say("STATUS: done")),
			turn("check", 3, 'cp .workflow/run-*/plan.md "$home/after.md"', verdict("NEEDS WORK", "[x] plan: x")),
			turn("check", 4, verdict("NEEDS WORK", "[y] plan: y")),
		],
		{ tasks: three() },
	);
	await site.runs(0);
	assert.equal(site.order(), "OCOCOOCOCOCOCTMC");
	assert.match(site.prompts("rework_plan")[0] ?? "", /finding-5/);
	assert.match(site.prompts("rework_plan")[1] ?? "", /is as it was/);
	assert.notEqual(read(site.agent.home, "before.md"), read(site.agent.home, "after.md"));
});

test("O-50 O-18 the second blocked split gives up, says which signal it was, and leaves nothing that looks done", async () => {
	const block = verdict("BLOCK", "[cut] plan: it does not come apart, finding-6");
	const site = quickIssueSite([turn("check", 2, block), turn("check", 4, block)], { tasks: three() });
	assertGivenUp(site, await site.run());
	assert.equal(site.order(), "OCOCOCOC");
	assert.match(site.summary(), /plan_rework is used up \(1 of 1\); the signal that came then was review_split/);
	assert.match(site.issue(), /finding-6/);
});

test("O-17 O-67 O-74 findings about code get fix specs, one each, numbered through, kept for the same finding; others of less weight wait", async () => {
	const site = quickIssueSite([
		turn("check", 2, verdict("BLOCK", "[a] production: first, finding-a", "[c] cosmetic: a typo", "[b] production: second, finding-b")),
		turn("check", 3, verdict("BLOCK", "[d] production: third, finding-d")),
	]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTMCOMCOMC");
	assert.deepEqual(
		list(site.dir).filter((name) => name.startsWith("task-fix")),
		["task-fix-1.md", "task-fix-2.md", "task-fix-3.md"],
	);
	const [one = "", two = ""] = site.prompts("write_fixes");
	assert.match(one, /task-fix-1\.md: \[a\] production: first, finding-a\n.*task-fix-2\.md: \[b\] production: second/);
	assert.match(two, /task-fix-3\.md: \[d\]/);
	const makes = site.prompts("implement");
	assert.ok(makes[1]?.includes(join(site.dir, "task-fix-1.md")) && makes[1].includes(join(site.dir, "task-fix-2.md")));
	assert.ok(makes[2]?.includes(join(site.dir, "task-fix-3.md")) && !makes[2].includes("task-fix-1.md"));
	assertLanded(site);
});

test("O-68 O-85 findings about tests go through a diagnosis to new tests and back to make; they end", async () => {
	const site = quickIssueSite([
		...[2, 4, 6].map((n) => turn("check", n, verdict("BLOCK", `[t${n}] test: weak-${n}`))),
		on("diagnose", undefined, diagnosis("test_design", "stronger tests")),
	]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTMCCTMCCTMC");
	assert.match(site.prompts("diagnose")[0] ?? "", /weak-2/);
	assert.match(site.prompts("redesign_tests")[0] ?? "", /stronger tests/);
	assert.deepEqual(
		site.filed().map((f) => /weak-\d/.exec(f.text)?.[0]),
		["weak-6"],
	);
});

test("O-69 O-52 a finding about the plan plans again, in the same tree; what was filed is brought up to date, not filed twice", async () => {
	const site = quickIssueSite([turn("check", 3, verdict("BLOCK", "[p] plan: wrong, finding-7")), ...second], { tasks: three() });
	await site.runs(0);
	assert.equal(site.order(), "OCOCTMCOCOCTMC");
	assert.match(site.prompts("plan")[1] ?? "", /finding-7/);
	assert.deepEqual(
		site.filed().map((f) => f.label),
		["split-from-run", "split-from-run"],
	);
	assertLanded(site);
	const twice = quickIssueSite([
		turn("check", 2, verdict("BLOCK", "[p] plan: wrong")),
		turn("check", 4, verdict("BLOCK", "[q] plan: wrong again, finding-8")),
		...second,
	]);
	const ended = await twice.run();
	assertGivenUp(twice, ended);
	assert.match(twice.issue(), /finding-8/);
});

test("O-71 O-02 what is only cosmetic the orchestrator puts right itself, in files that the run changed, without a fix spec", async () => {
	const site = quickIssueSite([turn("check", 2, verdict("NEEDS WORK", "[t] cosmetic: a line end"))]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTMCOC");
	assert.match(site.show("HEAD~1", "src/sum.mjs"), /\/\/ tidy$/);
	assert.ok(!list(site.dir).some((name) => name.startsWith("task-fix")));
	const elsewhere = quickIssueSite([
		turn("check", 2, verdict("NEEDS WORK", "[t] cosmetic: a line end")),
		on("polish", undefined, "echo '// mine' >> src/other.mjs", say("STATUS: done")),
	]);
	const ended = await elsewhere.run();
	assertGivenUp(elsewhere, ended);
	assert.match(ended.all, /polish may only write what the rule changed-files allows, but changed src\/other\.mjs/);
});

test("O-55 O-65 O-72 what goes without tests is in the manifest that the last reviewers see, and they may question it", async () => {
	const site = quickIssueSite([
		on("tests", 1, say("STATUS: NOT_TESTABLE\nESCALATE_TO_CHECK: false\nREASON: only words, reason-9\nFUTURE_SEAM: a clock, seam-9")),
		on("sign_off", undefined, say("SIGN_OFF: yes\nRATIONALE: so it is, rationale-9")),
		turn("check", 3, verdict("BLOCK", "[m] not_testable: it can be tested")),
		on("diagnose", undefined, diagnosis("test_design", "write one")),
	]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTCMCCTMC");
	for (const prompt of site.prompts("final_review").slice(0, 2))
		assert.match(
			prompt,
			/## Tasks completed without tests \(NOT_TESTABLE\)\n\n- task-1\n {2}test says: only words, reason-9\n {2}check signed off: so it is, rationale-9[\s\S]*still hold/,
		);
	assert.equal(site.agent.of("diagnose").length, 1, "the review's question, not a red test");
	assert.match(site.summary(), /NOT_TESTABLE\)\n\nNone/, "in the end it has tests");
	assert.deepEqual(
		site.filed().map((f) => [f.label, f.text.includes("seam-9")]),
		[["tech-debt", true]],
	);
	assert.ok(exists(site.tree, "test/sum.test.mjs"), "in the end it was tested");
});

test("O-76 O-79 a bug, a blocker and a seam become issues, with the update of the worked issue in one commit", async () => {
	const site = quickIssueSite([
		on("tests", undefined, write("test/sum.test.mjs", testText()), ready("FUTURE_SEAM: a clock, seam-10\n")),
		on("implement", undefined, write("src/sum.mjs", CODE), complete("\nBUG: other() is off, bug-10")),
		turn("check", 2, verdict("BLOCK", "[x] production: no, blocker-10")),
		turn("check", 3, verdict("BLOCK", "[x] production: no, blocker-10")),
	]);
	await site.runs(0);
	assert.deepEqual(
		site
			.filed()
			.map((f) => `${f.label} ${/(?:seam|bug|blocker)-10/.exec(f.text)?.[0]}`)
			.sort(),
		["bug bug-10", "followup blocker-10", "tech-debt seam-10"],
	);
	for (const { text } of site.filed()) assert.ok(text.includes(`\nparent: ${ISSUE}\n`) && text.includes("\nstatus: Todo\n"), text);
	assertLanded(site);
	const files = site.commits().at(-1)?.files ?? [];
	for (const name of [ISSUE, "README", ...site.filed().map((f) => f.id)]) assert.ok(files.includes(`TODO/${name}.md`), name);
});

test("O-78 criteria that stay open and that a sub-issue has: the issue stays in progress, nothing more is filed", async () => {
	const few = taskText(1, { criteria: [CRITERIA[0]] });
	const site = quickIssueSite([], { tasks: [few, taskText(2, { criteria: [CRITERIA[1]] })] });
	await site.runs(0);
	assert.equal(site.status(), "In Progress");
	assert.deepEqual(
		site.filed().map((f) => f.label),
		["split-from-run"],
		"an issue is there for what is open",
	);
});

test("CONTRACT a verdict that cannot be read is asked for again, once, and is never a pass; more words of it: words.test.ts", async () => {
	const never = quickIssueSite([{ when: { role: "check" }, do: [say("Looks great!")] }]);
	assertGivenUp(never, await never.run());
	assert.equal(never.order(), "OCC");
	const make = quickIssueSite([on("implement", 1, incomplete("none", "x"), say("and then STATUS: COMPLETE"))]);
	await make.runs(0);
	assert.equal(make.order(), "OCOTMCMC");
});
