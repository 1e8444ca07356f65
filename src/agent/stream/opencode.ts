// Reads `opencode run --format json`. It has no final event: it is finished when the last step did not stop for tool calls.
import {
	type AgentOutput,
	addUsage,
	type EventReader,
	type JsonObject,
	NO_OUTPUT,
	numberOf,
	objectOf,
	plus,
	type StreamError,
	textOf,
} from "./event.ts";
import { failure, isOutOfCredit } from "./failure.ts";
import { ToolCalls, targetOf } from "./tool-calls.ts";

export function opencodeReader(now: () => number): EventReader {
	let out: AgentOutput = { ...NO_OUTPUT, finished: false };
	let said: string[] = [];
	const tools = new ToolCalls();

	const step = (part: JsonObject): void => {
		const tokens = objectOf(part["tokens"]);
		const cache = objectOf(tokens["cache"]);
		const read = numberOf(cache["read"]);
		const usage = addUsage(out.usage, {
			costUsd: numberOf(part["cost"]),
			inputTokens: plus(numberOf(tokens["input"]), plus(read, numberOf(cache["write"]))),
			outputTokens: plus(numberOf(tokens["output"]), numberOf(tokens["reasoning"])),
		});
		const finished = part["reason"] !== "tool-calls";
		const cachedTokens = plus(out.cachedTokens, read);
		out = { ...out, usage, cachedTokens, turns: (out.turns ?? 0) + 1, finished };
		// When the prompt is too long it shortens the conversation and continues; its exit code is 1 even if that worked.
		if (finished && out.error !== null) out = { ...out, error: null, overcome: out.error };
	};
	const tool = (part: JsonObject): void => {
		const state = objectOf(part["state"]);
		const time = objectOf(state["time"]);
		const [start, end] = [numberOf(time["start"]), numberOf(time["end"])];
		const ok = state["status"] === "completed" && part["tool"] !== "invalid";
		const ms = start === null || end === null ? null : Math.max(0, end - start);
		tools.add({ name: textOf(part["tool"]) ?? "tool", target: targetOf(objectOf(state["input"])), ms, ok });
		const error = textOf(state["error"]);
		if (error !== null && /permission|rejected/i.test(error)) out = { ...out, denied: error };
	};
	return {
		event: (event) => {
			out = { ...out, sessionId: textOf(event["sessionID"]) ?? out.sessionId };
			const part = objectOf(event["part"]);
			switch (event["type"]) {
				case "step_start":
					out = { ...out, finished: false };
					said = [];
					break;
				case "tool_use":
					said = [];
					tool(part);
					break;
				case "text":
					said.push(textOf(part["text"]) ?? "");
					break;
				case "step_finish":
					step(part);
					break;
				case "error":
					out = { ...out, error: failed(objectOf(event["error"]), numberOf(event["timestamp"]) ?? now()) };
					break;
			}
		},
		output: () => ({ ...out, ...tools.list(), usage: priced(out.usage), text: said.join("\n") }),
	};
}

/** Where opencode knows no price it reports a cost of zero. */
function priced(usage: AgentOutput["usage"]): AgentOutput["usage"] {
	return usage.costUsd === 0 && ((usage.inputTokens ?? 0) > 0 || (usage.outputTokens ?? 0) > 0) ? { ...usage, costUsd: null } : usage;
}

function failed(error: JsonObject, at: number): StreamError {
	const data = objectOf(error["data"]);
	const name = textOf(error["name"]) ?? "error";
	const wait = Number(textOf(objectOf(data["responseHeaders"])["retry-after"]) ?? Number.NaN);
	const retryAt = Number.isFinite(wait) ? at + wait * 1000 : null;
	const found = failure(textOf(data["message"]) ?? name, numberOf(data["statusCode"]), retryAt, at);
	// The message may be the bare status; the provider's own words are in the body.
	if (isOutOfCredit(textOf(data["responseBody"]) ?? "")) return { ...found, result: "out_of_credit", retryAt: null };
	return name === "ContextOverflowError" ? { ...found, result: "context_too_long", retryAt: null } : found;
}
