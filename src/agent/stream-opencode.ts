// opencode run --format json. No end event: it is finished when the last step stopped for another reason than tools.
import { NO_USAGE } from "../agent.ts";
import type { Usage } from "../core/model.ts";
import { addUsage, type EventReader, type JsonObject, numberOf, objectOf, plus, type StreamError, textOf } from "./stream-event.ts";
import { failure } from "./stream-failure.ts";

export function opencodeReader(now: () => number): EventReader {
	let said: string[] = [];
	let usage: Usage = NO_USAGE;
	let sessionId: string | null = null;
	let error: StreamError | null = null;
	let finished = false;
	const step = (part: JsonObject): void => {
		const tokens = objectOf(part["tokens"]);
		const cache = objectOf(tokens["cache"]);
		const cached = plus(numberOf(cache["read"]), numberOf(cache["write"]));
		usage = addUsage(usage, {
			costUsd: numberOf(part["cost"]),
			inputTokens: plus(numberOf(tokens["input"]), cached),
			outputTokens: plus(numberOf(tokens["output"]), numberOf(tokens["reasoning"])),
		});
		finished = part["reason"] !== "tool-calls";
		if (finished) error = null;
	};
	return {
		event: (event) => {
			sessionId = textOf(event["sessionID"]) ?? sessionId;
			const part = objectOf(event["part"]);
			switch (event["type"]) {
				case "step_start":
					finished = false;
					said = [];
					break;
				case "tool_use":
					said = [];
					break;
				case "text":
					said.push(textOf(part["text"]) ?? "");
					break;
				case "step_finish":
					step(part);
					break;
				case "error":
					error = failed(objectOf(event["error"]), numberOf(event["timestamp"]) ?? now());
					break;
			}
		},
		output: () => ({ text: said.join("\n"), usage, sessionId, model: null, error, finished }),
	};
}

function failed(error: JsonObject, at: number): StreamError {
	const data = objectOf(error["data"]);
	const name = textOf(error["name"]) ?? "error";
	const wait = Number(textOf(objectOf(data["responseHeaders"])["retry-after"]) ?? Number.NaN);
	const found = failure(textOf(data["message"]) ?? name, numberOf(data["statusCode"]), Number.isFinite(wait) ? at + wait * 1000 : null, at);
	return name === "ContextOverflowError" ? { ...found, result: "context_too_long", retryAt: null } : found;
}
