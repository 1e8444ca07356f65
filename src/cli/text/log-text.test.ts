import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { logText } from "./log-text.ts";

const text = (record: unknown) => logText(JSON.stringify(record));

describe("a record of a log, for people", () => {
	it("is the text itself, without what would move the cursor", () => {
		assert.equal(text({ type: "text", stream: "stdout", text: "a\u001b[31mred\u001b[0m\n\tb\u0007\r\n" }), "ared\n\tb");
		assert.equal(text({ type: "text", stream: "stdout", text: "\u001b]0;title\u0007x" }), "x");
		assert.equal(logText("not JSON \u001b[2J"), "not JSON ");
	});

	it("is what the known agents said, and one line for what they did", () => {
		const said = {
			type: "assistant",
			message: {
				content: [
					{ type: "text", text: "Hello\nthere" },
					{ type: "tool_use", name: "Bash", input: { command: "ls -l" } },
				],
			},
		};
		assert.equal(text(said), "Hello\nthere\n  → Bash ls -l");
		assert.equal(text({ type: "item.completed", item: { type: "agent_message", text: "Hi" } }), "Hi");
		assert.equal(
			text({ type: "item.completed", item: { type: "command_execution", command: "make", exit_code: 2 } }),
			"  → command_execution (exit 2) make",
		);
		assert.equal(text({ type: "text", part: { text: "Hey" } }), "Hey");
		assert.equal(text({ type: "tool_use", part: { tool: "bash", state: { input: { command: "pwd" } } } }), "  → bash pwd");
		assert.equal(text({ type: "message", role: "assistant", content: "Yo" }), "Yo");
		assert.equal(text({ type: "tool_use", tool_name: "read", parameters: { path: "a" } }), "  → read a");
	});

	it("is nothing where a person wants to see nothing", () => {
		for (const record of [
			{ type: "system", subtype: "hook" },
			{ type: "turn.started" },
			{ type: "step_start" },
			{ type: "message", role: "user", content: "the prompt" },
		])
			assert.equal(text(record), null);
	});

	it("is the length of a prompt", () => {
		assert.equal(text({ type: "prompt", text: "x".repeat(3_412) }), "--- prompt of 3,412 characters");
	});

	it("is short for an unknown record", () => {
		assert.equal(text({ type: "strange", a: 1 }), '  → strange {"a":1}');
		assert.ok((text({ type: "strange", a: "x".repeat(10_000) }) ?? "").length < 200);
	});
});
