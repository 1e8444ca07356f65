// Reads Claude Code's stream-json. Only `result` has correct totals; an API failure has the subtype "success" and is_error.
import { NO_USAGE } from "../../agent.ts";
import type { Usage } from "../../core/model.ts";
import {
	type AgentOutput,
	addUsage,
	type EventReader,
	type JsonObject,
	listOf,
	NO_OUTPUT,
	numberOf,
	objectOf,
	plus,
	textOf,
	timeOf,
} from "./event.ts";
import { failure } from "./failure.ts";
import { ToolCalls, targetOf } from "./tool-calls.ts";

const INPUT = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

export function claudeReader(now: () => number): EventReader {
	let out: AgentOutput = { ...NO_OUTPUT, finished: false };
	let used: Used = { usage: NO_USAGE, cachedTokens: null };
	let resetAt: number | null = null;
	let unpaid = false;
	const tools = new ToolCalls();
	// One message arrives as several events, each with the usage at its beginning.
	let message = "";
	let turns = 0;

	const assistant = (event: JsonObject): void => {
		const said = objectOf(event["message"]);
		const parts = listOf(said["content"]).map(objectOf);
		for (const part of parts)
			if (part["type"] === "tool_use")
				tools.begin(
					textOf(part["id"]) ?? "",
					textOf(part["name"]) ?? "tool",
					targetOf(objectOf(part["input"])),
					timeOf(event["timestamp"], now),
				);
		// A message with a parent comes from an inner session, and synthetic messages are error texts.
		unpaid = event["error"] === "billing_error";
		if (event["parent_tool_use_id"] != null || said["model"] === "<synthetic>") return;
		const id = textOf(said["id"]) ?? "";
		if (id !== message || id === "") {
			turns++;
			const begun = tokens(objectOf(said["usage"]), INPUT);
			out = { ...out, usage: { ...out.usage, inputTokens: plus(out.usage.inputTokens, begun) } };
		}
		message = id;
		const texts = parts.filter((part) => part["type"] === "text").map((part) => textOf(part["text"]) ?? "");
		out = { ...out, text: texts.length > 0 ? texts.join("") : out.text, turns, retrying: null };
	};
	const user = (event: JsonObject): void => {
		for (const part of listOf(objectOf(event["message"])["content"]).map(objectOf))
			if (part["type"] === "tool_result")
				tools.end(textOf(part["tool_use_id"]) ?? "", part["is_error"] !== true, timeOf(event["timestamp"], now));
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
		used = usedWith(event, used);
		out = { ...out, ...used, turns: numberOf(event["num_turns"]) ?? out.turns, finished: true, retrying: null };
		const subtype = textOf(event["subtype"]) ?? "success";
		const final = textOf(event["result"]);
		if (event["is_error"] !== true && subtype === "success") {
			out = { ...out, text: final ?? out.text, error: null };
			return;
		}
		const errors = listOf(event["errors"]).filter((each) => typeof each === "string");
		const found = failure(final ?? (errors.length > 0 ? errors.join("; ") : subtype), numberOf(event["api_error_status"]), resetAt, now());
		const tooLong = event["terminal_reason"] === "prompt_too_long";
		const typed = tooLong ? "context_too_long" : unpaid ? "out_of_credit" : null;
		out = { ...out, error: typed === null ? found : { ...found, result: typed, retryAt: null } };
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

interface Used {
	readonly usage: Usage;
	readonly cachedTokens: number | null;
}

// Prefers the usage by model: like the cost, and unlike `usage`, it leaves out failed requests. The totals of a continued session include
// earlier attempts, so the usage since the last result is preferred to them.
function usedWith(event: JsonObject, before: Used): Used {
	const since = event["model_usage_since_last_result"];
	if (since === undefined) return usedInAll(event);
	const now = byModel(Object.values(objectOf(since)).map(objectOf));
	return { usage: addUsage(before.usage, now.usage), cachedTokens: plus(before.cachedTokens, now.cachedTokens) };
}

function usedInAll(event: JsonObject): Used {
	const models = Object.values(objectOf(event["modelUsage"])).map(objectOf);
	const total = objectOf(event["usage"]);
	const all = models.length > 0 ? byModel(models) : null;
	const usage = all?.usage ?? { costUsd: null, inputTokens: tokens(total, INPUT), outputTokens: tokens(total, ["output_tokens"]) };
	return {
		usage: { ...usage, costUsd: numberOf(event["total_cost_usd"]) },
		cachedTokens: all?.cachedTokens ?? tokens(total, ["cache_read_input_tokens"]),
	};
}

/** Without any model nothing was used: that is a known zero. */
function byModel(models: readonly JsonObject[]): Used {
	const sum = (...keys: string[]): number | null =>
		models.length === 0 ? 0 : models.map((model) => tokens(model, keys)).reduce(plus, null);
	return {
		usage: {
			costUsd: sum("costUSD"),
			inputTokens: sum("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"),
			outputTokens: sum("outputTokens"),
		},
		cachedTokens: sum("cacheReadInputTokens"),
	};
}
