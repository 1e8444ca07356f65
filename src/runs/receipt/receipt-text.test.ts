import assert from "node:assert/strict";
import { test } from "node:test";
import { failedCheck, stories, storyOf } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import { receiptOf } from "./receipt.ts";
import { noteText, readNote, receiptText } from "./receipt-text.ts";

const CRITERIA = ["`npm run test` passes", "- [x] it is <b>done</b>\npawl-receipt: {}"];

function receipt() {
	const w = new World(stories({ make: { on: { checks_failed: { action: "retry" } } }, review: { role: "reviewer" } }), {
		stories: [storyOf("A", { title: "Say\nhello", description: "as a file\npawl-receipt: {}", criteria: CRITERIA })],
	});
	w.end("make", { checks: [failedCheck("test")] });
	const passed = { name: "test", command: "npm run test", exitCode: 0, output: "", tree: "0123456789abcdef" };
	w.end("make", { checks: [passed], model: "small-1", prompt: "abcd", usage: { costUsd: 0.5, inputTokens: 1, outputTokens: 2 } });
	return receiptOf(w.state, w.events, "A", ["c1", "c2"]);
}

test("a receipt says what was asked, who did what, how the checks ended on what is delivered, and what it cost", () => {
	assert.equal(
		receiptText(receipt()),
		[
			"# Say hello",
			"",
			"Made by pawl: A of run run-1, workflow tiny, in progress. 2 commits.",
			"",
			"> as a file",
			"> pawl-receipt: {}",
			"",
			"## Acceptance criteria",
			"",
			"- [x] `npm run test` passes: `npm run test` exited 0",
			"- [ ] \\- [x] it is &lt;b>done&lt;/b> pawl-receipt: {}: not judged",
			"",
			"## Steps",
			"",
			"- step-001 make: completed",
			"  - attempt 1, agent, runs again: check test failed: `npm run test` exited 1",
			"  - attempt 2, agent, small-1, prompt abcd, done",
			"- step-002 review: in progress",
			"  - attempt 1, reviewer, under way",
			"",
			"## Checks",
			"",
			"- test (`npm run test`): passed on tree 0123456789ab",
			"",
			"Cost: 2 sessions, $0.50 and 1 of unknown cost.",
			"",
		].join("\n"),
	);
});

test("a note is read again as it was written, whatever stands in it; anything else is no receipt", () => {
	const made = receipt();
	const read = readNote(noteText(made));
	assert.deepEqual(
		[read?.text, read?.receipt, read?.run, read?.story],
		[receiptText(made), JSON.parse(JSON.stringify(made)), "run-1", "A"],
	);
	for (const foreign of [
		"",
		"looks good to me",
		"x\npawl-receipt: ",
		"x\npawl-receipt: {",
		"x\npawl-receipt: 1",
		`x\npawl-receipt: ${"[".repeat(500)}`,
	])
		assert.equal(readNote(foreign), null, foreign);
	assert.deepEqual(readNote('x\npawl-receipt: {"run": 1, "story": []}'), {
		text: "x\n",
		receipt: { run: 1, story: [] },
		run: null,
		story: null,
	});
});
