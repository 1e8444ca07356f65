// Tests first, then code: who is dispatched on what the engine itself saw.
import assert from "node:assert/strict";
import { test } from "node:test";
import { say, write } from "../support/fake-agent.ts";
import {
	assertGivenUp,
	assertLanded,
	CODE,
	complete,
	diagnosis,
	incomplete,
	on,
	ready,
	testText,
	turn,
	verdict,
} from "../support/issue-site.ts";
import { quickIssueSite } from "../support/quick-issue-site.ts";

test("O-54 tests that their author wants looked at are reviewed and mended before anybody builds on them", async () => {
	const site = quickIssueSite([
		on(
			"tests",
			1,
			write("test/sum.test.mjs", testText()),
			say("STATUS: TESTS_READY\nESCALATE_TO_CHECK: true\nREASON: not sure, reason-1\nFAILURE: sum is not there yet"),
		),
		turn("check", 2, verdict("NEEDS WORK", "[n] test: negatives, finding-1")),
	]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTCTMC");
	assert.match(site.prompts("light_review")[0] ?? "", /reason-1/);
	assert.match(site.prompts("tests")[1] ?? "", /finding-1/);
	const fine = quickIssueSite([
		on(
			"tests",
			1,
			write("test/sum.test.mjs", testText()),
			say("STATUS: TESTS_READY\nESCALATE_TO_CHECK: true\nFAILURE: sum is not there yet"),
		),
	]);
	await fine.runs(0);
	assert.equal(fine.order(), "OCOTCMC");
});

test("O-55 a sign-off that is refused goes back to test with the reason", async () => {
	const site = quickIssueSite([
		on("tests", 1, say("STATUS: NOT_TESTABLE\nESCALATE_TO_CHECK: false\nREASON: words")),
		on("sign_off", undefined, say("SIGN_OFF: no\nRATIONALE: it can be tested, rationale-1")),
	]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTCTMC");
	assert.match(site.prompts("tests")[1] ?? "", /rationale-1/);
});

test("O-56 a missing seam is added and test runs again; BLOCKED has the spec revised once, a second one gives up", async () => {
	const seam = quickIssueSite([
		on("tests", 1, say("STATUS: NOT_TESTABLE\nESCALATE_TO_CHECK: false\nREASON: missing_seam: no way in, seam-1")),
		on("seam", undefined, "echo 'export const seam = 1;' >> src/sum.mjs", complete()),
	]);
	await seam.runs(0);
	assert.equal(seam.order(), "OCOTMTMC");
	assert.match(seam.prompts("seam")[0] ?? "", /seam-1/);
	const blocked = say("STATUS: BLOCKED\nESCALATE_TO_CHECK: false\nREASON: it contradicts itself, reason-2");
	const once = quickIssueSite([on("tests", 1, blocked)]);
	await once.runs(0);
	assert.equal(once.order(), "OCOTOTMC");
	assert.match(once.prompts("revise_spec")[0] ?? "", /reason-2/);
	const ever = quickIssueSite([on("tests", undefined, blocked)]);
	assertGivenUp(ever, await ever.run());
	assert.equal(ever.order(), "OCOTOT");
	assert.match(ever.issue(), /reason-2/);
});

test("O-59 RED is seen by the engine before make: tests that pass, or fail for another reason, go back to test; a third time gives up", async () => {
	const passes = quickIssueSite([
		on("tests", 1, write("test/sum.test.mjs", "process.exit(0);\n"), ready()),
		on("tests", 2, write("test/sum.test.mjs", "console.log('no such module'); process.exit(1);\n"), ready()),
	]);
	await passes.runs(0);
	assert.equal(passes.order(), "OCOTTTMC");
	assert.match(passes.prompts("tests")[1] ?? "", /the tests pass before there is anything to test/);
	assert.match(passes.prompts("tests")[2] ?? "", /nothing in the output says "sum is not there yet"/);
	const [make = ""] = passes.prompts("implement");
	assert.match(make, /`node test\/sum\.test\.mjs`: exit 1\nsum is not there yet/, "make is told what the engine saw");
	assert.match(make, /before you change anything: the new tests must fail with `sum is not there yet`[\s\S]*two or three tries/);
	const never = quickIssueSite([on("tests", undefined, write("test/sum.test.mjs", "process.exit(0);\n"), ready())]);
	assertGivenUp(never, await never.run());
	assert.equal(never.order(), "OCOTTT");
});

test("O-61 O-62 INCOMPLETE is diagnosed whatever make believes; GREEN is seen by the engine, not said by make", async () => {
	const hint = quickIssueSite([
		on("implement", 1, incomplete("test_design", "the tests are wrong, belief-1")),
		on("diagnose", undefined, diagnosis("production_logic", "carry the sign, notes-1")),
	]);
	await hint.runs(0);
	assert.equal(hint.order(), "OCOTMCMC");
	assert.match(hint.prompts("diagnose")[0] ?? "", /belief-1[\s\S]*guesses: test_design/);
	assert.match(hint.prompts("implement")[1] ?? "", /notes-1/);
	const lies = quickIssueSite([on("implement", 1, write("src/sum.mjs", "export const sum = () => 0;\n"), complete())]);
	await lies.runs(0);
	assert.equal(lies.order(), "OCOTMCMC");
	assert.match(lies.prompts("diagnose")[0] ?? "", /the tests do not pass/);
});

test("O-62 test_design: the tests are redesigned, and a fresh make is told what they say now", async () => {
	const site = quickIssueSite([
		on("tests", 1, write("test/sum.test.mjs", testText('"5"')), ready()),
		on("implement", 1, write("src/sum.mjs", CODE), incomplete("test_design", "text?")),
		on("diagnose", undefined, diagnosis("test_design", "numbers, notes-2")),
	]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTMCTMC");
	assert.match(site.prompts("redesign_tests")[0] ?? "", /notes-2/);
	assert.match(site.prompts("implement")[1] ?? "", /`node test\/sum\.test\.mjs`: exit 0/);
	assertLanded(site);
	assert.match(site.show("HEAD", "test/sum.test.mjs"), /got !== 5\)/);
});

test("O-64 O-49 O-50 two diagnoses an entry, then the plan again, once; then it gives up", async () => {
	const site = quickIssueSite([on("implement", undefined, incomplete("none", "no way, stuck-1"))]);
	const ended = await site.run();
	assertGivenUp(site, ended);
	assert.equal(site.order(), "OCOTMCMCMOCOTMCMCM");
	assert.match(site.prompts("plan")[1] ?? "", /stuck-1/);
	assert.match(site.summary(), /plan_rework is used up \(1 of 1\); the signal that came then was implement/);
});

test("O-86 a test that was broken before shows up as code that is not complete, and check diagnoses it", async () => {
	const site = quickIssueSite(
		[
			on("tests", undefined, write("test/sum.test.mjs", `import "./old.mjs";\n${testText()}`), ready()),
			on("implement", undefined, write("src/sum.mjs", CODE), complete()),
		],
		{
			files: {
				"src/sum.mjs": 'export const sum = () => { throw new Error("sum is not there yet"); };\n',
				"test/old.mjs": 'process.on("exit", () => { console.log("old breakage, sum is not there yet"); process.exitCode = 1; });\n',
			},
		},
	);
	assertGivenUp(site, await site.run());
	assert.match(site.prompts("diagnose")[0] ?? "", /old breakage/);
	assert.match(site.prompts("implement")[0] ?? "", /project's own test suite/);
});

test("O-18 O-55 the summary lists what has no tests, and only earlier tests have to stay green", async () => {
	const site = quickIssueSite([
		on("tests", undefined, say("STATUS: NOT_TESTABLE\nESCALATE_TO_CHECK: false\nREASON: only words, reason-3")),
	]);
	await site.runs(0);
	assert.equal(site.order(), "OCOTCMC");
	assert.match(site.summary(), /NOT_TESTABLE\)\n\n- task-1\n {2}test says: only words, reason-3/);
	assertLanded(site);
});
