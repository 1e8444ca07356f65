// How the words of a role are taken, in process: one run for each way of saying it, and who was called in it.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import type { Cast } from "../../src/engine/testing/cast.suite.ts";
import { type HarnessOptions, harness } from "../../src/engine/testing/harness.suite.ts";

const { gated } = BUILT_IN;
assert.ok(gated);

const LETTERS: Readonly<Record<string, string>> = { orchestrator: "O", check: "C", test: "T", make: "M" };
const ACCEPTABLE = "VERDICT: ACCEPTABLE\nFINDINGS: none";

/** One letter a session, simplify and pm left out; and what the run is in the end. */
async function called(t: TestContext, cast: Cast, more: Partial<HarnessOptions> = {}): Promise<string> {
	const h = await harness(t, { ...gated, ...more, cast: { ...gated?.cast, ...cast } } as HarnessOptions);
	const { status } = await h.toHalt();
	return `${h.prompts.map(({ role }) => LETTERS[role] ?? "").join("")} ${status}`;
}

for (const words of ["Looks great, accepted!", "I cannot yet say `VERDICT: ACCEPTABLE`.", "VERDICT: NEEDS WORK\nFINDINGS: none"])
	test(`CONTRACT a verdict that cannot be read is asked for again, once: ${words.split("\n")[0]}`, async (t) => {
		const check = ({ nth }: { readonly nth: number }) => (nth === 1 ? words : ACCEPTABLE);
		assert.equal(await called(t, { "review_plan check": check }), "OCCOTMC completed");
	});

test("CONTRACT a verdict that can never be read is no pass", async (t) => {
	assert.equal(await called(t, { check: "Looks great!" }), "OCC failed");
});

const FAILURES = ["**sum is not there yet**", "'sum is not\n  there yet'", "none"];
for (const failure of FAILURES)
	test(`O-59 the failure that was announced is found however it is set in the report: ${failure.split("\n")[0]}`, async (t) => {
		const tests: Cast = {
			tests: ({ files }) => {
				files.write("test/sum.test.mjs", "the test\n");
				return `STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: ${failure}`;
			},
		};
		assert.equal(await called(t, tests), "OCOTMC completed");
	});
test("O-59 a failure that was not announced is not taken", async (t) => {
	const tests: Cast = {
		tests: ({ files, nth }) => {
			files.write("test/sum.test.mjs", `the test ${nth}\n`);
			return `STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: ${nth === 1 ? "no such module" : "sum is not there yet"}`;
		},
	};
	assert.equal(await called(t, tests), "OCOTTMC completed");
});
