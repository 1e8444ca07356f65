// An agent that operates runs gets bounded answers without secrets; an agent of a run gets no such server.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunsContext } from "../runs/context.ts";
import { services } from "../wiring.ts";
import { answerText, fitting } from "./bounded.ts";
import { serveRuns } from "./operator.ts";

const plain = (text: string): string => text;

test("G-27 pawl mcp serve does not start for an agent or a check of a run", async () => {
	const inside = { ...services, caller: () => ({ user: "somebody", marks: ["an-attempt"] }) };
	await assert.rejects(serveRuns({ services: inside } as unknown as RunsContext), { code: "refused", message: /only a person/ });
});

test("answers are cut, say so, and hold no secret", () => {
	assert.equal(answerText({ a: "x".repeat(4_001) }, plain), JSON.stringify({ a: `${"x".repeat(4_000)}… (1 characters more)` }));
	assert.match(answerText(Array(1_001).fill(1), plain), /1,"… \(1 more\)"\]$/);
	const whole = answerText(
		Array.from({ length: 100 }, () => "y".repeat(1_000)),
		plain,
	);
	assert.ok(whole.length < 60_100, String(whole.length));
	assert.match(whole, /… \(cut: \d+ characters more; ask for less at once\)$/);
	// Before it is written as JSON, where a line break in a secret would look different.
	assert.equal(
		answerText({ a: ["the\nkey"] }, (text) => text.replaceAll("the\nkey", "***")),
		'{"a":["***"]}',
	);
});

test("of a list comes as much as fits, and at least one: whoever asks again gets on", () => {
	const long = Array.from({ length: 50 }, (_, version) => ({ version, text: "z".repeat(5_000) }));
	const shown = fitting(long, plain, 1_000);
	assert.ok(shown.length > 20 && shown.length < 30, String(shown.length));
	assert.equal(fitting([{ all: Array(50).fill("z".repeat(1_000)) }, 2], plain, 1_000).length, 1);
});
