// Reads `gemini --output-format stream-json`. The final text is what follows the last tool call. It may fail with exit code 0.
import { type AgentOutput, type EventReader, type JsonObject, NO_OUTPUT, numberOf, objectOf, textOf, timeOf } from "./event.ts";
import { failure } from "./failure.ts";
import { TEXT_LIMIT } from "./tail.ts";
import { ToolCalls, targetOf } from "./tool-calls.ts";

export function geminiReader(now: () => number): EventReader {
	let out: AgentOutput = { ...NO_OUTPUT, finished: false };
	let complaint: string | null = null;
	const tools = new ToolCalls();
	// Answers of the model are counted by the tool calls between them.
	let answering = false;
	const answers = (): void => {
		if (!answering) out = { ...out, turns: (out.turns ?? 0) + 1 };
		answering = true;
	};

	const result = (event: JsonObject): void => {
		const stats = objectOf(event["stats"]);
		const usage = { costUsd: null, inputTokens: numberOf(stats["input_tokens"]), outputTokens: numberOf(stats["output_tokens"]) };
		const message = textOf(objectOf(event["error"])["message"]) ?? complaint ?? "the session failed";
		const error = event["status"] === "success" ? null : failure(message, null, null, now());
		out = { ...out, usage, cachedTokens: numberOf(stats["cached"]), error, finished: true };
	};
	return {
		event: (event) => {
			switch (event["type"]) {
				case "init":
					out = { ...out, sessionId: textOf(event["session_id"]), model: textOf(event["model"]) };
					break;
				case "message":
					if (event["role"] !== "assistant") break;
					answers();
					out = { ...out, text: cut(out.text + (textOf(event["content"]) ?? "")) };
					break;
				case "tool_use":
					answers();
					tools.begin(
						textOf(event["tool_id"]) ?? "",
						textOf(event["tool_name"]) ?? "tool",
						targetOf(objectOf(event["parameters"])),
						timeOf(event["timestamp"], now),
					);
					break;
				case "tool_result":
					answering = false;
					tools.end(textOf(event["tool_id"]) ?? "", event["status"] === "success", timeOf(event["timestamp"], now));
					out = { ...out, text: "" };
					break;
				case "error":
					complaint = textOf(event["message"]);
					break;
				case "result":
					result(event);
					break;
			}
		},
		output: () => ({ ...out, ...tools.list() }),
	};
}

/** Text arrives in small pieces, without a limit to their number. */
const cut = (text: string): string => (text.length > 2 * TEXT_LIMIT ? text.slice(-TEXT_LIMIT) : text);
