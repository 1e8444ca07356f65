// What is read out of an agent's stdout. The events are made up, in the shapes that the four CLIs print.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { AgentOutput } from "./event.ts";
import { outputReader } from "./reader.ts";

const NOW = 1_000_000;

function read(text: string, size = 11): AgentOutput {
	const reader = outputReader(() => NOW);
	const bytes = Buffer.from(text);
	for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
	return reader.end();
}

const events = (...list: object[]): AgentOutput => read(list.map((event) => `${JSON.stringify(event)}\n`).join(""));

describe("plain text", () => {
	it("is the message, whole, wherever it is cut, without the usage lines", () => {
		const part = fc.constantFrom(
			"text",
			"\n",
			'\n{"a":1}\n',
			"\n{\n",
			'\n{"type":"usage","input_tokens":2,"cost_usd":0.5}\n',
			"é",
			'{"type":"usage"',
			" ",
		);
		fc.assert(
			fc.property(fc.array(part), fc.integer({ min: 1, max: 30 }), (parts, size) => {
				const usage = /^\{"type":"usage","input_tokens":2,"cost_usd":0.5\}(?:\n|$)/gm;
				const text = parts.join("");
				const found = text.match(usage)?.length ?? 0;
				const output = read(text, size);
				assert.equal(output.text, text.replace(usage, ""));
				assert.deepEqual(output.usage.inputTokens, found === 0 ? null : 2 * found);
				assert.equal(output.error, null);
			}),
		);
	});

	it("adds usage up and leaves unreported values unknown", () => {
		const output = read('{"type":"usage","input_tokens":10,"output_tokens":1}\nhi\n{"type":"usage","input_tokens":5,"cost_usd":-3}');
		assert.deepEqual(output.usage, { inputTokens: 15, outputTokens: 1, costUsd: null });
		assert.equal(output.text, "hi\n");
	});

	it("keeps the last MiB, from a whole character on", () => {
		const output = read(`${"€".repeat(1_000_000)}STATUS: done\n`, 65_536);
		assert.ok(Buffer.byteLength(output.text) <= 1024 * 1024 && Buffer.byteLength(output.text) > 1024 * 1024 - 4);
		assert.match(output.text, /^€+STATUS: done\n$/);
	});

	it("stays text when it quotes an event late", () => {
		const text = `${"talk\n".repeat(5000)}{"type":"thread.started","thread_id":"x"}\nSTATUS: done\n`;
		assert.equal(read(text, 1000).text, text);
	});
});

describe("claude", () => {
	const init = { type: "system", subtype: "init", session_id: "s1", model: "m1" };
	const said = (text: string) => ({
		type: "assistant",
		message: { content: [{ type: "text", text }] },
		parent_tool_use_id: null,
		session_id: "s1",
	});

	it("gives final text, session, model, cost and the tokens by model", () => {
		const output = events(init, said("thinking aloud"), {
			type: "result",
			subtype: "success",
			is_error: false,
			result: "STATUS: done",
			session_id: "s1",
			total_cost_usd: 0.25,
			usage: { input_tokens: 999, output_tokens: 999 },
			modelUsage: { a: { inputTokens: 10, outputTokens: 2, cacheReadInputTokens: 5 }, b: { inputTokens: 1, outputTokens: 1 } },
		});
		assert.deepEqual(output, {
			text: "STATUS: done",
			usage: { costUsd: 0.25, inputTokens: 16, outputTokens: 3 },
			cachedTokens: 5,
			sessionId: "s1",
			model: "m1",
			turns: 1,
			toolCalls: 0,
			tools: [],
			error: null,
			retrying: null,
			overcome: null,
			denied: null,
			finished: true,
		});
	});

	it("adds up what came since the last result, and leaves out what the session used before it was continued", () => {
		const result = (tokens: number, cost: number) => ({
			...{ type: "result", subtype: "success", is_error: false, result: "x", session_id: "s1", total_cost_usd: 99 },
			modelUsage: { a: { inputTokens: 9999, outputTokens: 9999, costUSD: 99 } },
			model_usage_since_last_result: { a: { inputTokens: tokens, outputTokens: 1, costUSD: cost } },
		});
		assert.deepEqual(events(init, result(10, 0.25), result(5, 0.5)).usage, { costUsd: 0.75, inputTokens: 15, outputTokens: 2 });
	});

	it("tells a rate limit and when it ends", () => {
		const output = events(
			init,
			{ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 5000 }, session_id: "s1" },
			{
				type: "result",
				subtype: "success",
				is_error: true,
				result: "You've hit your 5-hour limit",
				api_error_status: 429,
				session_id: "s1",
			},
		);
		assert.deepEqual(output.error, { result: "rate_limited", message: "You've hit your 5-hour limit", retryAt: 5_000_000 });
	});

	it("tells a turn cap and an overload as failures", () => {
		const capped = events(init, said("Again."), {
			type: "result",
			subtype: "error_max_turns",
			is_error: true,
			errors: ["Reached 3 turns"],
			session_id: "s1",
		});
		assert.deepEqual([capped.error?.result, capped.error?.message, capped.text], ["agent_error", "Reached 3 turns", "Again."]);
		const full = events(init, {
			type: "result",
			subtype: "success",
			is_error: true,
			result: "API Error: 529 Overloaded.",
			session_id: "s1",
		});
		assert.equal(full.error?.result, "overloaded");
	});

	it("tells a connection that broke from work that failed", () => {
		const ended = (result: string) =>
			events(init, { type: "result", subtype: "success", is_error: true, result, api_error_status: null, session_id: "s1" }).error?.result;
		assert.equal(ended("API Error: Connection lost mid-response. The response above may be incomplete."), "overloaded");
		assert.equal(ended("API Error: Server error mid-response. The response above may be incomplete."), "overloaded");
		assert.equal(ended("I mended the handler for: API Error: Connection lost mid-response."), "agent_error");
		assert.equal(ended("API Error: Unable to connect to API (ConnectionRefused)"), "agent_error");
	});

	it("is unfinished without its result", () => {
		assert.equal(events(init, said("x")).finished, false);
	});
});

describe("codex", () => {
	const start = [{ type: "thread.started", thread_id: "t1" }, { type: "turn.started" }];
	const message = (text: string) => ({ type: "item.completed", item: { type: "agent_message", text } });

	it("gives the last message and the tokens, and does not mind retries", () => {
		const output = events(...start, { type: "error", message: "Reconnecting... 1/5 (429)" }, message("one"), message("two"), {
			type: "turn.completed",
			usage: { input_tokens: 24, cached_input_tokens: 4, output_tokens: 3 },
		});
		assert.deepEqual([output.text, output.sessionId, output.error, output.finished], ["two", "t1", null, true]);
		assert.deepEqual(output.usage, { costUsd: null, inputTokens: 24, outputTokens: 3 });
	});

	it("types a failed turn", () => {
		const failed = (text: string) => events(...start, { type: "turn.failed", error: { message: text } }).error;
		assert.equal(failed("unexpected status 401 Unauthorized: bad key")?.result, "auth");
		assert.equal(failed("exceeded retry limit, last status: 429 Too Many Requests")?.result, "rate_limited");
		assert.equal(failed("You've hit your usage limit. Try again in 1 hour 20 minutes.")?.retryAt, NOW + 80 * 60_000);
		assert.deepEqual(failed('{"error":{"message":"prompt is too long: 9 > 8"}}'), {
			result: "context_too_long",
			message: "prompt is too long: 9 > 8",
			retryAt: null,
		});
		assert.equal(failed("Selected model is at capacity. Please try a different model.")?.result, "overloaded");
		assert.equal(failed("stream disconnected before completion: error sending request")?.result, "overloaded");
		assert.equal(failed("stream disconnected before completion: Rate limit reached. Please try again in 11s")?.result, "rate_limited");
		assert.equal(failed("the agent said: stream disconnected, connection lost")?.result, "agent_error");
	});
});

describe("opencode", () => {
	const part = (type: string, body: object) => ({ type, timestamp: 7000, sessionID: "ses_1", part: body });
	const finish = (reason: string) =>
		part("step_finish", { reason, tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 5, write: 0 } }, cost: 0.25 });

	it("adds the steps up and takes the text of the last one", () => {
		const steps = [part("step_start", {}), part("text", { text: "I will" }), part("tool_use", {}), finish("tool-calls")];
		const output = events(...steps, part("step_start", {}), part("text", { text: "Done." }), finish("stop"));
		assert.deepEqual([output.text, output.sessionId, output.finished], ["Done.", "ses_1", true]);
		assert.deepEqual(output.usage, { costUsd: 0.5, inputTokens: 30, outputTokens: 6 });
		assert.equal(events(...steps).finished, false);
	});

	it("does not take a price of zero for a price", () => {
		const free = part("step_finish", { reason: "stop", tokens: { input: 10, output: 2 }, cost: 0 });
		assert.deepEqual(events(part("step_start", {}), free).usage, { costUsd: null, inputTokens: 10, outputTokens: 2 });
	});

	it("remembers an error that it recovered from", () => {
		const error = { name: "ContextOverflowError", data: { message: "prompt is too long: 9 > 8" } };
		const output = events({ type: "error", timestamp: 7000, sessionID: "ses_1", error }, part("step_start", {}), finish("stop"));
		assert.deepEqual([output.error, output.finished, output.overcome?.result], [null, true, "context_too_long"]);
	});

	it("tells a closed socket from work that failed", () => {
		for (const message of ["Cannot connect to API: The socket connection was closed unexpectedly.", "Connection reset by server"]) {
			const error = { name: "APIError", data: { message } };
			assert.equal(events({ type: "error", timestamp: 7000, sessionID: "ses_1", error }).error?.result, "overloaded", message);
		}
	});

	it("reads retry-after from the time of the event", () => {
		const error = { name: "APIError", data: { message: "slow down", statusCode: 429, responseHeaders: { "retry-after": "30" } } };
		assert.deepEqual(events({ type: "error", timestamp: 7000, sessionID: "ses_1", error }).error, {
			result: "rate_limited",
			message: "slow down",
			retryAt: 37_000,
		});
	});
});

describe("gemini", () => {
	const init = { type: "init", timestamp: "x", session_id: "g1", model: "flash" };
	const delta = (content: string) => ({ type: "message", role: "assistant", content, delta: true });

	it("joins the texts after the last tool", () => {
		const output = events(
			init,
			{ type: "message", role: "user", content: "STATUS: done" },
			delta("I will"),
			{ type: "tool_result" },
			delta("Do"),
			delta("ne."),
			{
				type: "result",
				status: "success",
				stats: { input_tokens: 24, output_tokens: 3 },
			},
		);
		assert.deepEqual([output.text, output.sessionId, output.model, output.error], ["Done.", "g1", "flash", null]);
		assert.deepEqual(output.usage, { costUsd: null, inputTokens: 24, outputTokens: 3 });
	});

	it("types an error that comes with exit code 0", () => {
		const output = events(init, {
			type: "result",
			status: "error",
			error: { message: '[API Error: {"error":{"code":401,"message":"bad key"}}]' },
			stats: {},
		});
		assert.deepEqual([output.error?.result, output.error?.message], ["auth", "bad key"]);
		const said = (message: string) => events(init, { type: "result", status: "error", error: { message } }).error?.result;
		assert.deepEqual(["[API Error: terminated]", "Model stream ended without a finish reason."].map(said), ["overloaded", "overloaded"]);
		assert.equal(said("the process was terminated"), "agent_error");
		assert.equal(
			events(init, { type: "error", message: "no finish reason" }, { type: "result", status: "error" }).error?.message,
			"no finish reason",
		);
	});
});
