// codex exec --json. A top-level `error` is often only a retry; `turn.failed` is the failure. No cost, no model.
import { NO_USAGE } from "../agent.ts";
import type { Usage } from "../core/model.ts";
import { addUsage, type EventReader, numberOf, objectOf, type StreamError, textOf } from "./stream-event.ts";
import { failure } from "./stream-failure.ts";

export function codexReader(now: () => number): EventReader {
	let text = "";
	let usage: Usage = NO_USAGE;
	let sessionId: string | null = null;
	let error: StreamError | null = null;
	let finished = false;
	return {
		event: (event) => {
			const item = objectOf(event["item"]);
			switch (event["type"]) {
				case "thread.started":
					sessionId = textOf(event["thread_id"]);
					break;
				case "turn.started":
					finished = false;
					break;
				case "item.completed":
					if (item["type"] === "agent_message") text = textOf(item["text"]) ?? text;
					break;
				case "turn.completed": {
					const used = objectOf(event["usage"]);
					const turn = { costUsd: null, inputTokens: numberOf(used["input_tokens"]), outputTokens: numberOf(used["output_tokens"]) };
					usage = addUsage(usage, turn);
					finished = true;
					error = null;
					break;
				}
				case "turn.failed":
					error = failure(textOf(objectOf(event["error"])["message"]) ?? "the turn failed", null, null, now());
					finished = true;
					break;
			}
		},
		output: () => ({ text, usage, sessionId, model: null, error, finished }),
	};
}
