// What pawl tells the roles of gated and how it reads their reports: T-50 to T-56.
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
	type IssueSite,
	incomplete,
	issueSite,
	on,
	ready,
	taskText,
	testText,
	turn,
	verdict,
} from "../support/issue-site.ts";
import { quickIssueSite } from "../support/quick-issue-site.ts";
import { exists, read } from "../support/scratch.ts";

/** What `check` was told; `simplify` takes part in the same gate. */
const reviewsOf = (site: IssueSite): string[] => site.prompts("final_review").filter((prompt) => prompt.includes("You are `check`"));

test("T-50 a test that cannot be loaded is no RED, whatever is announced; one that lacks only what the spec creates is", async () => {
	const broken = quickIssueSite([
		on(
			"tests",
			1,
			write("test/sum.test.mjs", 'import { sum } from "../src/sum.mjs";\nif (sum) {\n'),
			say("STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: SyntaxError"),
		),
	]);
	await broken.runs(0);
	assert.equal(broken.order(), "OCOTTMC");
	assert.match(broken.prompts("tests")[1] ?? "", /this is no failing test: the tests could not be loaded: .*SyntaxError/);
	const missing = quickIssueSite(
		[
			on(
				"tests",
				undefined,
				write("test/sum.test.mjs", 'import { total } from "../src/total.mjs";\nif (total(2, 3) !== 5) process.exit(1);\n'),
				say("STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: ERR_MODULE_NOT_FOUND"),
			),
			on("implement", undefined, write("src/total.mjs", "export const total = (a, b) => a + b;\n"), complete()),
		],
		{ tasks: [taskText(1, { files: ["src/total.mjs"] })] },
	);
	await missing.runs(0);
	assert.equal(missing.order(), "OCOTMC");
});

test("T-51 make cannot change a test, even one that its spec lists; the final review is shown the changes of tests apart", async () => {
	const site = issueSite(
		[on("implement", 1, write("src/sum.mjs", CODE), write("test/sum.test.mjs", "process.exit(0); // gutted\n"), complete())],
		{
			tasks: [taskText(1, { files: ["src/sum.mjs", "test/sum.test.mjs"] })],
		},
	);
	assert.match((await site.runs(0)).all, /but changed test\/sum\.test\.mjs \(a test\)/);
	assertLanded(site);
	assert.doesNotMatch(site.show("HEAD~1", "test/sum.test.mjs"), /gutted/);
	const [review = ""] = reviewsOf(site);
	assert.match(review, /^- test\/sum\.test\.mjs$/m);
	assert.ok(review.includes(join(site.dir, "tests.diff")));
	assert.doesNotMatch(read(site.dir, "tests.diff"), /^\+export const sum/m);
});

test("T-52 a second plan over code that works: its tests may pass at once, and nobody implements again", async () => {
	const site = quickIssueSite([turn("check", 2, verdict("BLOCK", "[why] plan: the plan does not say why"))]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTMCOCOTC");
	assertLanded(site);
	for (const prompt of [site.prompts("plan")[1] ?? "", site.prompts("tests")[1] ?? ""])
		assert.ok(prompt.includes(join(site.dir, "changes.diff")), "the change so far is named");
	assert.match(site.prompts("plan")[1] ?? "", /second and last plan[\s\S]*the plan does not say why/);
});

test("T-53 tasks that wait for each other are written again, and given up the second time; nothing is filed", async () => {
	const tasks = [taskText(1), taskText(2), taskText(3)].map((text, i) =>
		text.replace("New symbols:", `Depends on: ${["none", "task 3", "task 2"][i]}\n\nNew symbols:`),
	);
	const site = quickIssueSite([], { tasks });
	const ended = await site.run();
	assertGivenUp(site, ended);
	assert.match(ended.all, /wait for each other: task 2 → task 3 → task 2/);
	assert.deepEqual(site.filed(), []);
	assert.equal(site.order(), "OCOO");
});

test("T-53 O-78 the last open part of a parent settles it, but for what the review denies", async () => {
	const issues = { [ISSUE]: { parent: "GAL-12" }, "GAL-12": { status: "In Progress" }, "GAL-13": { parent: "GAL-12", status: "Done" } };
	const site = quickIssueSite(
		[turn("check", 2, say(`VERDICT: ACCEPTABLE\nFINDINGS: none\nCRITERIA:\n- ${CRITERIA[0]}: true\n- ${CRITERIA[1]}: false`))],
		{ issues },
	);
	await site.runs(0);
	assert.equal(site.status("GAL-12"), "In Progress");
	for (const [i, mark] of ["x", " ", "x"].entries())
		assert.ok(site.issue("GAL-12").includes(`- [${mark}] ${CRITERIA[i]}`), `criterion ${i}`);
	const never = quickIssueSite(
		[1, 2, 3, 4].map((n) => turn("check", n + 1, verdict("BLOCK", `[neg] production: src/sum.mjs:${n}: still wrong, ${n}`))),
		{ issues },
	);
	await never.runs(0);
	assert.equal(never.status("GAL-12"), "In Progress", "no review accepted it");
	const all = quickIssueSite([], { issues });
	await all.runs(0);
	assert.equal(all.status("GAL-12"), "Done");
	assert.match(reviewsOf(all)[0] ?? "", /last open part of GAL-12/);
});

test("T-54 reviewers get what the tests printed; findings beside ACCEPTABLE stand in the summary; fixers are told of no failure that is none", async () => {
	const site = quickIssueSite([
		turn("check", 2, verdict("NEEDS WORK", "[neg] production: src/sum.mjs: negative numbers")),
		turn("check", 3, verdict("ACCEPTABLE", "[race] production: two calls at once")),
	]);
	await site.runs(0);
	assert.match(read(site.dir, "red.txt"), /sum is not there yet/);
	assert.match(read(site.dir, "green.txt"), /exit 0/);
	for (const name of ["red.txt", "green.txt", "task-fix-1.md"]) assert.ok(reviewsOf(site).at(-1)?.includes(join(site.dir, name)), name);
	assert.match(site.summary(), /Findings beside an accepted review[\s\S]*two calls at once/);
	assert.doesNotMatch(site.prompts("implement")[1] ?? "", /sum is not there yet/);
});

test("T-54 O-76 every role can report a bug that was there before", async () => {
	const site = quickIssueSite([
		on("context", undefined, say("STATUS: FOUND\nBUG: GAL-1 is listed twice")),
		on("tests", undefined, write("test/sum.test.mjs", testText()), ready("BUG: other() is wrong on Mondays\n")),
		turn("check", 2, say("VERDICT: ACCEPTABLE\nFINDINGS: none\nBUG: the README lies")),
	]);
	await site.runs(0);
	assert.deepEqual(
		site.filed().map(({ label }) => label),
		["bug", "bug", "bug"],
	);
});

test("T-54 a spec that forgot a file has a way: make and check can send it back", async () => {
	const mended = (type: string) =>
		on(
			type,
			undefined,
			`printf '\\nsrc/other.mjs\\n' > /dev/null; sed -i 's#^src/sum.mjs$#src/sum.mjs\\nsrc/other.mjs#' .workflow/run-${ISSUE}/task-1.md`,
			say("STATUS: done"),
		);
	const both = [write("src/sum.mjs", CODE), "echo '// too' >> src/other.mjs", complete()];
	const make = quickIssueSite([
		mended("revise_spec"),
		on("implement", 1, incomplete("spec", "src/other.mjs has to change too")),
		on("implement", 2, ...both),
	]);
	await make.runs(0);
	assert.equal(make.order(), "OCOTMOMC");
	assert.match(make.prompts("revise_spec")[0] ?? "", /src\/other\.mjs has to change too/);
	assert.deepEqual(make.commits()[0]?.files, ["src/other.mjs", "src/sum.mjs", "test/sum.test.mjs"]);
	const check = quickIssueSite([
		mended("mend_spec"),
		on("implement", 1, incomplete("none", "stuck")),
		on("diagnose", undefined, diagnosis("spec", "src/other.mjs is missing in the spec")),
		on("implement", 2, ...both),
	]);
	await check.runs(0);
	assert.equal(check.order(), "OCOTMCOMC");
	assert.match(check.prompts("mend_spec")[0] ?? "", /src\/other\.mjs is missing in the spec/);
});

test("T-56 pm tells the planner what the other issues say, and changes none of them", async () => {
	const site = quickIssueSite(
		[
			on("context", 1, "sed -i 's/^status: .*/status: Done/' TODO/GAL-40.md", say("STATUS: FOUND")),
			on("context", 2, say("STATUS: FOUND\nCONTEXT: GAL-40 chose cents.")),
		],
		{
			issues: { [ISSUE]: {}, "GAL-40": {} },
		},
	);
	await site.runs(0);
	assert.equal(site.status("GAL-40"), "Todo");
	assert.match(site.prompts("plan")[0] ?? "", /GAL-40 chose cents\./);
	assert.ok(exists(site.dir, "summary.md"));
});

test("G-16 who wrote in the run's folder has changed something; make that says COMPLETE and changed nothing gets the step back, without a diagnosis", async () => {
	const site = quickIssueSite([
		turn("check", 1, verdict("NEEDS WORK", "[vague] plan: say more")),
		on("implement", 1, complete()),
		turn("check", 3, verdict("BLOCK", "[off] production: off by one")),
	]);
	const ended = await site.runs(0);
	assert.equal(site.order(), "OCOCOTMMCOMC");
	for (const type of ["review_plan", "implement", "final_review"])
		for (const prompt of site.prompts(type)) assert.doesNotMatch(prompt, /changed nothing/, type);
	assert.doesNotMatch(ended.all, /changed nothing/);
	assert.match(site.prompts("implement")[1] ?? "", /make reported COMPLETE and changed no file, but the tests do not pass: `node test/);
	const [review = "", again = ""] = reviewsOf(site);
	assert.match(review, /No task was reported as NOT_TESTABLE\. See for yourself/);
	assert.match(again, /Whoever wrote the code says about it[\s\S]*<make_notes>\ngreen\n<\/make_notes>/);
	assert.doesNotMatch(site.prompts("write_fixes")[0] ?? "", /## Test design/, "nobody would write those tests");
	const never = quickIssueSite([on("implement", undefined, complete())]);
	assertGivenUp(never, await never.run());
	assert.match(never.order(), /^OCOTMMCM/, "the second time it is diagnosed");
});
