// Claude Code's stream-json. Only `result` has true totals; an API failure is subtype "success" with is_error.
import { NO_USAGE } from "../agent.ts";
import type { Usage } from "../core/model.ts";
import { type EventReader, type JsonObject, listOf, numberOf, objectOf, plus, type StreamError, textOf } from "./stream-event.ts";
import { failure } from "./stream-failure.ts";

export function claudeReader(now: () => number): EventReader {
	let text = "";
	let usage: Usage = NO_USAGE;
	let sessionId: string | null = null;
	let model: string | null = null;
	let error: StreamError | null = null;
	let resetAt: number | null = null;
	let finished = false;
	const assistant = (event: JsonObject): void => {
		const message = objectOf(event["message"]);
		// Sub-agents speak to their parent, and synthetic messages are error texts.
		if (event["parent_tool_use_id"] != null || message["model"] === "<synthetic>") return;
		const parts = listOf(message["content"]).map(objectOf);
		const said = parts.filter((part) => part["type"] === "text").map((part) => textOf(part["text"]) ?? "");
		if (said.length > 0) text = said.join("");
	};
	const result = (event: JsonObject): void => {
		finished = true;
		usage = usageOf(event);
		const subtype = textOf(event["subtype"]) ?? "success";
		const final = textOf(event["result"]);
		if (event["is_error"] !== true && subtype === "success") {
			text = final ?? text;
			error = null;
			return;
		}
		const errors = listOf(event["errors"]).filter((each) => typeof each === "string");
		error = failure(final ?? (errors.length > 0 ? errors.join("; ") : subtype), numberOf(event["api_error_status"]), resetAt, now());
	};
	return {
		event: (event) => {
			sessionId = textOf(event["session_id"]) ?? sessionId;
			if (event["type"] === "assistant") assistant(event);
			else if (event["type"] === "result") result(event);
			else if (event["type"] === "system" && event["subtype"] === "init") model = textOf(event["model"]) ?? model;
			else if (event["type"] === "rate_limit_event") {
				const info = objectOf(event["rate_limit_info"]);
				const seconds = numberOf(info["resetsAt"]);
				if (info["status"] === "rejected" && seconds !== null) resetAt = seconds * 1000;
			}
		},
		output: () => ({ text, usage, sessionId, model, error, finished }),
	};
}

/** modelUsage leaves out what a failed request used, as the cost does; so it comes first. */
function usageOf(event: JsonObject): Usage {
	const models = Object.values(objectOf(event["modelUsage"])).map(objectOf);
	const total = objectOf(event["usage"]);
	const sum = (list: readonly JsonObject[], ...keys: readonly string[]): number | null =>
		list.flatMap((each) => keys.map((key) => numberOf(each[key]))).reduce(plus, null);
	const known = models.length > 0;
	return {
		costUsd: numberOf(event["total_cost_usd"]),
		inputTokens: known
			? sum(models, "inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
			: sum([total], "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
		outputTokens: known ? sum(models, "outputTokens") : sum([total], "output_tokens"),
	};
}
