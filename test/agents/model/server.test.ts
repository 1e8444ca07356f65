// The stub itself, without any CLI: that each API answers by the script, charges what it says, and fails as it was told.
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { type Fault, type ModelServer, startModelServer } from "./server.ts";
import { tokensOf } from "./turn.ts";

const PROMPT = "# coding (step-005) of story US-001\n\nWrite it.";
const APIS: readonly { readonly name: string; readonly path: string; readonly body: unknown; readonly after: unknown }[] = [
	{
		name: "anthropic",
		path: "/v1/messages",
		body: { model: "m", stream: true, messages: [{ role: "user", content: PROMPT }] },
		after: {
			model: "m",
			stream: true,
			messages: [
				{ role: "user", content: PROMPT },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "x", content: "" }] },
			],
		},
	},
	{
		name: "responses",
		path: "/v1/responses",
		body: { model: "m", stream: true, input: [{ role: "user", content: [{ type: "input_text", text: PROMPT }] }] },
		after: {
			model: "m",
			stream: true,
			input: [
				{ role: "user", content: [{ type: "input_text", text: PROMPT }] },
				{ type: "function_call_output", call_id: "x", output: "" },
			],
		},
	},
	{
		name: "chat",
		path: "/v1/chat/completions",
		body: { model: "m", stream: true, messages: [{ role: "user", content: PROMPT }] },
		after: {
			model: "m",
			stream: true,
			messages: [
				{ role: "user", content: PROMPT },
				{ role: "tool", content: "" },
			],
		},
	},
	{
		name: "gemini",
		path: "/v1beta/models/m:streamGenerateContent?alt=sse",
		body: { contents: [{ role: "user", parts: [{ text: PROMPT }] }] },
		after: {
			contents: [
				{ role: "user", parts: [{ text: PROMPT }] },
				{ role: "user", parts: [{ functionResponse: { name: "x", response: {} } }] },
			],
		},
	},
];

let server: ModelServer | null = null;
afterEach(() => server?.close());

async function ask(fault: Fault | null, path: string, ...bodies: readonly unknown[]): Promise<Response[]> {
	server = await startModelServer(fault);
	const answers: Response[] = [];
	for (const body of bodies) answers.push(await fetch(server.url + path, { method: "POST", body: JSON.stringify(body) }));
	return answers;
}

/** What the pieces of a stream say together, words and commands. */
const said = (stream: string): string =>
	[...stream.matchAll(/"(?:text|delta|content|partial_json|arguments|command)":"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join("");

describe("the stub model server", () => {
	for (const { name, path, body, after } of APIS) {
		it(`${name}: a coding step gets a command, then a summary, each at its own price`, async () => {
			const [first, second] = await ask(null, path, body, after);
			const called = await first!.text();
			assert.match(said(called), /git commit/);
			assert.ok(!said(called).includes("SUMMARY"));
			const { input, cached, output } = tokensOf(1);
			assert.ok(called.includes(String(output)) && (called.includes(String(input)) || called.includes(String(input + cached))));
			const told = said(await second!.text());
			assert.ok(told.includes("SUMMARY") && !told.includes("git "), told);
			assert.deepEqual(
				server?.asked.map(({ dialect, step, tokens }) => ({ dialect, step, tokens })),
				[1, 2].map((answer) => ({ dialect: name, step: "coding", tokens: tokensOf(answer) })),
			);
		});
		it(`${name}: a status comes with its retry-after, as often as it was told`, async () => {
			const fault: Fault = { step: "coding", kind: "status", status: 429, message: "slow down", retryAfter: 7, times: 1 };
			const [first, second] = await ask(fault, path, body, body);
			assert.equal(first!.status, 429);
			assert.equal(first!.headers.get("retry-after"), "7");
			assert.match(await first!.text(), /slow down/);
			assert.equal(second!.status, 200);
			await second!.text();
			assert.deepEqual(
				server?.asked.map(({ tokens }) => tokens),
				[null, tokensOf(1)],
			);
		});
		it(`${name}: an error comes inside the stream, and a connection ends before the answer does`, async () => {
			const [failed] = await ask({ step: "coding", kind: "error", status: 529, message: "Overloaded" }, path, body);
			assert.equal(failed!.status, 200);
			assert.match(await failed!.text(), /Overloaded/);
			await server?.close();
			const [dropped] = await ask({ step: "coding", kind: "drop" }, path, body);
			assert.equal(dropped!.status, 200);
			await assert.rejects(dropped!.text());
		});
	}
	it("a step without the fault does not meet it", async () => {
		const [answer] = await ask({ step: "review", kind: "drop" }, APIS[0]!.path, APIS[0]!.body);
		assert.match(await answer!.text(), /message_stop/);
	});
});
