// Claude Code's stream-json. Only `result` has true totals; an API failure is subtype "success" with is_error.
import { NO_USAGE } from "../agent.ts";
import type { Usage } from "../core/model.ts";
import { type AgentOutput, type EventReader, type JsonObject, listOf, NO_OUTPUT, numberOf, objectOf, plus, textOf, timeOf } from "./stream-event.ts";
import { failure } from "./stream-failure.ts";
import { targetOf, ToolCalls } from "./tool-calls.ts";

export function claudeReader(now: () => number): EventReader {
	let out: AgentOutput = { ...NO_OUTPUT, finished: false };
	let resetAt: number | null = null;
	const tools = new ToolCalls();
	// One message comes in several events, each with the usage that it began with.
	let message = "";
	let turns = 0;

	const assistant = (event: JsonObject): void => {
		const said = objectOf(event["message"]);
		const parts = listOf(said["content"]).map(objectOf);
		for (const part of parts)
			if (part["type"] === "tool_use")
				tools.begin(textOf(part["id"]) ?? "", textOf(part["name"]) ?? "tool", targetOf(objectOf(part["input"])), timeOf(event["timestamp"], now));
		// Sub-agents speak to their parent, and synthetic messages are error texts.
		if (event["parent_tool_use_id"] != null || said["model"] === "<synthetic>") return;
		const id = textOf(said["id"]) ?? "";
		if (id !== message || id === "") {
			turns++;
			const begun = tokens(objectOf(said["usage"]), ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]);
			out = { ...out, usage: { ...out.usage, inputTokens: plus(out.usage.inputTokens, begun) } };
		}
		message = id;
		const texts = parts.filter((part) => part["type"] === "text").map((part) => textOf(part["text"]) ?? "");
		out = { ...out, text: texts.length > 0 ? texts.join("") : out.text, turns, retrying: null };
	};
	const user = (event: JsonObject): void => {
		for (const part of listOf(objectOf(event["message"])["content"]).map(objectOf))
			if (part["type"] === "tool_result") tools.end(textOf(part["tool_use_id"]) ?? "", part["is_error"] !== true, timeOf(event["timestamp"], now));
	};
	const system = (event: JsonObject): void => {
		if (event["subtype"] === "init") out = { ...out, model: textOf(event["model"]) ?? out.model };
		else if (event["subtype"] === "permission_denied") out = { ...out, denied: textOf(event["message"]) ?? "a tool was refused" };
		else if (event["subtype"] === "api_retry") {
			const delay = numberOf(event["retry_delay_ms"]);
			const why = `it tries again after: ${textOf(event["error"]) ?? "an error"}`;
			out = { ...out, retrying: failure(why, numberOf(event["error_status"]), delay === null ? null : now() + delay, now()) };
		}
	};
	const result = (event: JsonObject): void => {
		const { usage, cachedTokens } = usageOf(event);
		out = { ...out, usage, cachedTokens, turns: numberOf(event["num_turns"]) ?? out.turns, finished: true, retrying: null };
		const subtype = textOf(event["subtype"]) ?? "success";
		const final = textOf(event["result"]);
		if (event["is_error"] !== true && subtype === "success") {
			out = { ...out, text: final ?? out.text, error: null };
			return;
		}
		const errors = listOf(event["errors"]).filter((each) => typeof each === "string");
		const found = failure(final ?? (errors.length > 0 ? errors.join("; ") : subtype), numberOf(event["api_error_status"]), resetAt, now());
		const tooLong = event["terminal_reason"] === "prompt_too_long";
		out = { ...out, error: tooLong ? { ...found, result: "context_too_long", retryAt: null } : found };
	};
	return {
		event: (event) => {
			out = { ...out, sessionId: textOf(event["session_id"]) ?? out.sessionId };
			if (event["type"] === "assistant") assistant(event);
			else if (event["type"] === "user") user(event);
			else if (event["type"] === "result") result(event);
			else if (event["type"] === "system") system(event);
			else if (event["type"] === "rate_limit_event") {
				const info = objectOf(event["rate_limit_info"]);
				const seconds = numberOf(info["resetsAt"]);
				if (info["status"] === "rejected" && seconds !== null) resetAt = seconds * 1000;
			}
		},
		output: () => ({ ...out, ...tools.list() }),
	};
}

const tokens = (from: JsonObject, keys: readonly string[]): number | null => keys.map((key) => numberOf(from[key])).reduce(plus, null);

/** modelUsage leaves out what a failed request used, as the cost does; so it comes first. */
function usageOf(event: JsonObject): { readonly usage: Usage; readonly cachedTokens: number | null } {
	const models = Object.values(objectOf(event["modelUsage"])).map(objectOf);
	const cost = { ...NO_USAGE, costUsd: numberOf(event["total_cost_usd"]) };
	if (models.length === 0) {
		const total = objectOf(event["usage"]);
		const inputTokens = tokens(total, ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]);
		return {
			usage: { ...cost, inputTokens, outputTokens: tokens(total, ["output_tokens"]) },
			cachedTokens: tokens(total, ["cache_read_input_tokens"]),
		};
	}
	const sum = (...keys: string[]): number | null => models.map((model) => tokens(model, keys)).reduce(plus, null);
	const inputTokens = sum("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens");
	return { usage: { ...cost, inputTokens, outputTokens: sum("outputTokens") }, cachedTokens: sum("cacheReadInputTokens") };
}
