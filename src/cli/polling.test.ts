// The timer of agents that come by themselves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pollingPrompt, scheduleOf, withBlock } from "./polling.ts";

test("A-22 an interval as a crontab says it", () => {
	assert.deepEqual([1_000, 60_000, 300_000, 900_000, 3_600_000, 7_200_000].map(scheduleOf), [
		"* * * * *",
		"* * * * *",
		"*/5 * * * *",
		"*/15 * * * *",
		"0 * * * *",
		"0 */2 * * *",
	]);
});

test("A-70 only our own block of a crontab is touched", () => {
	const mine = "# mine\n0 1 * * * backup\n";
	const lines = (text: string) => ["# >>> pawl a in /r", text, "# <<< pawl a in /r"];
	const first = withBlock(mine, "a", "/r", lines("one"));
	assert.equal(first, `${mine}# >>> pawl a in /r\none\n# <<< pawl a in /r\n`);
	const both = withBlock(first, "b", "/r", ["# >>> pawl b in /r", "b", "# <<< pawl b in /r"]);
	assert.equal(withBlock(withBlock(both, "a", "/r", lines("two")), "b", "/r", []), withBlock(mine, "a", "/r", lines("two")));
	assert.equal(withBlock(first, "a", "/r", []), mine);
	assert.equal(withBlock("", "a", "/r", []), "");
});

test("A-31 what an agent is told does not depend on its step", () => {
	assert.equal(pollingPrompt("w", "x", "pawl").replaceAll("x", "y"), pollingPrompt("w", "y", "pawl").replaceAll("x", "y"));
	assert.doesNotMatch(pollingPrompt("w", "x", "pawl"), /loop/i);
});
