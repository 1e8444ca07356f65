// Reads `codex exec --json`. A top-level `error` is often only a retry; `turn.failed` is the failure. There is no cost, model or time, and
// tokens come only at the end. Its "turn" is the whole session, so answers of the model are counted by the tool calls between them.
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
} from "./event.ts";
import { failure } from "./failure.ts";
import { ToolCalls, targetOf } from "./tool-calls.ts";

/** Items that are not tool calls. */
const TALK = ["agent_message", "reasoning", "error", "todo_list"];

export function codexReader(now: () => number): EventReader {
	let out: AgentOutput = { ...NO_OUTPUT, finished: false };
	const tools = new ToolCalls();
	let answering = false;

	const item = (event: JsonObject): void => {
		const it = objectOf(event["item"]);
		const type = textOf(it["type"]) ?? "item";
		if (type === "error") return;
		const done = event["type"] === "item.completed";
		const tool = !TALK.includes(type);
		// Everything but the end of a tool call comes from the model.
		if (!(tool && done) && !answering) {
			answering = true;
			out = { ...out, turns: (out.turns ?? 0) + 1 };
		}
		out = { ...out, retrying: null };
		if (type === "agent_message" && done) out = { ...out, text: textOf(it["text"]) ?? out.text };
		if (!tool) return;
		const id = textOf(it["id"]) ?? "";
		if (!done) tools.begin(id, type, target(it), now());
		else {
			tools.end(id, it["status"] === "completed" ? true : it["status"] === "failed" ? false : null, now());
			answering = false;
		}
	};
	return {
		event: (event) => {
			switch (event["type"]) {
				case "thread.started":
					out = { ...out, sessionId: textOf(event["thread_id"]) };
					break;
				case "turn.started":
					out = { ...out, finished: false };
					break;
				case "item.started":
				case "item.completed":
					item(event);
					break;
				case "error":
					out = { ...out, retrying: failure(textOf(event["message"]) ?? "an error", null, null, now()) };
					break;
				case "turn.completed": {
					const used = objectOf(event["usage"]);
					const turn = { costUsd: null, inputTokens: numberOf(used["input_tokens"]), outputTokens: numberOf(used["output_tokens"]) };
					const cachedTokens = plus(out.cachedTokens, numberOf(used["cached_input_tokens"]));
					out = { ...out, usage: addUsage(out.usage, turn), cachedTokens, finished: true, error: null, retrying: null };
					break;
				}
				case "turn.failed": {
					const message = textOf(objectOf(event["error"])["message"]) ?? "the turn failed";
					out = { ...out, error: failure(message, null, null, now()), finished: true, retrying: null };
					break;
				}
			}
		},
		output: () => ({ ...out, ...tools.list() }),
	};
}

function target(item: JsonObject): string | null {
	const paths = listOf(item["changes"]).flatMap((change) => textOf(objectOf(change)["path"]) ?? []);
	return paths.length > 0 ? paths.join(", ") : (targetOf(item) ?? textOf(item["tool"]));
}
