// The Messages API, as Claude Code speaks it.
import { array, type Call, callOf, type Dialect, pieces, type Refusal, record, type StreamEvent, text } from "./turn.ts";

const TYPES: Readonly<Record<number, string>> = {
	400: "invalid_request_error",
	401: "authentication_error",
	429: "rate_limit_error",
	500: "api_error",
	529: "overloaded_error",
};

const refusal = ({ status, message }: Refusal) => ({ type: "error", error: { type: TYPES[status] ?? "api_error", message } });
const named = (data: { readonly type: string; readonly [key: string]: unknown }): StreamEvent => ({ event: data.type, data });

const bash = (command: string): Call => ({ name: "Bash", input: { command, description: "Write the file" } });

export const anthropic: Dialect = {
	name: "anthropic",
	handles: (method, path) => method === "POST" && path === "/v1/messages",
	question: (_path, body) => {
		const asked = record(body);
		const parts = array(asked["messages"])
			.map(record)
			.filter((message) => message["role"] === "user")
			.flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : array(content)))
			.map(record);
		return {
			prompt: parts.map((part) => text(part["text"])).join("\n"),
			results: parts.filter((part) => part["type"] === "tool_result").length,
			model: text(asked["model"]),
			effort: text(record(asked["output_config"])["effort"]),
			stream: asked["stream"] === true,
			tools: array(asked["tools"]).map((tool) => text(record(tool)["name"])),
		};
	},
	events: (answer) => {
		const { id, turn, tokens, model } = answer;
		const usage = { input_tokens: tokens.input, cache_creation_input_tokens: 0, cache_read_input_tokens: tokens.cached };
		const block = (index: number, content_block: unknown, deltas: readonly unknown[]): StreamEvent[] => [
			named({ type: "content_block_start", index, content_block }),
			...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
			named({ type: "content_block_stop", index }),
		];
		const call = callOf(answer, bash);
		return [
			named({
				type: "message_start",
				message: {
					...{ id: `msg_${id}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null },
					usage: { ...usage, output_tokens: 1 },
				},
			}),
			...block(
				0,
				{ type: "text", text: "" },
				pieces(turn.text).map((piece) => ({ type: "text_delta", text: piece })),
			),
			...(call === null
				? []
				: block(
						1,
						{ type: "tool_use", id: `toolu_${id}`, name: call.name, input: {} },
						pieces(JSON.stringify(call.input)).map((piece) => ({
							type: "input_json_delta",
							partial_json: piece,
						})),
					)),
			named({
				type: "message_delta",
				delta: { stop_reason: call === null ? "end_turn" : "tool_use", stop_sequence: null },
				usage: { output_tokens: tokens.output },
			}),
			named({ type: "message_stop" }),
		];
	},
	whole: (answer) => {
		const { id, turn, tokens, model } = answer;
		const call = callOf(answer, bash);
		return {
			...{ id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null },
			stop_reason: call === null ? "end_turn" : "tool_use",
			content: [{ type: "text", text: turn.text }, ...(call === null ? [] : [{ type: "tool_use", id: `toolu_${id}`, ...call }])],
			usage: {
				...{ input_tokens: tokens.input, cache_creation_input_tokens: 0, cache_read_input_tokens: tokens.cached },
				output_tokens: tokens.output,
			},
		};
	},
	refusal,
	failure: (it) => ({ event: "error", data: refusal(it) }),
};
