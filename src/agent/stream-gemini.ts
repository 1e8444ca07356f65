// gemini --output-format stream-json. The final text is what was said after the last tool; it may fail with exit code 0.
import { NO_USAGE } from "../agent.ts";
import type { Usage } from "../core/model.ts";
import { type EventReader, numberOf, objectOf, type StreamError, textOf } from "./stream-event.ts";
import { failure } from "./stream-failure.ts";

export function geminiReader(now: () => number): EventReader {
	let text = "";
	let usage: Usage = NO_USAGE;
	let sessionId: string | null = null;
	let model: string | null = null;
	let complaint: string | null = null;
	let error: StreamError | null = null;
	let finished = false;
	return {
		event: (event) => {
			switch (event["type"]) {
				case "init":
					sessionId = textOf(event["session_id"]);
					model = textOf(event["model"]);
					break;
				case "message":
					if (event["role"] === "assistant") text += textOf(event["content"]) ?? "";
					break;
				case "tool_result":
					text = "";
					break;
				case "error":
					complaint = textOf(event["message"]);
					break;
				case "result": {
					const stats = objectOf(event["stats"]);
					usage = { costUsd: null, inputTokens: numberOf(stats["input_tokens"]), outputTokens: numberOf(stats["output_tokens"]) };
					finished = true;
					const message = textOf(objectOf(event["error"])["message"]) ?? complaint ?? "the session failed";
					error = event["status"] === "success" ? null : failure(message, null, null, now());
					break;
				}
			}
		},
		output: () => ({ text, usage, sessionId, model, error, finished }),
	};
}
