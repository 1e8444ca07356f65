// Chat completions, as opencode speaks it to a provider of the user's own.
import { array, callOf, type Dialect, pieces, type Refusal, record, text } from "./turn.ts";

const TYPES: Readonly<Record<number, string>> = {
	400: "invalid_request_error",
	401: "authentication_error",
	429: "rate_limit_error",
	529: "overloaded_error",
};

const error = ({ status, message }: Refusal) => ({ error: { message, type: TYPES[status] ?? "server_error", code: status } });

export const chat: Dialect = {
	name: "chat",
	handles: (method, path) => method === "POST" && path === "/v1/chat/completions",
	question: (_path, body) => {
		const asked = record(body);
		const messages = array(asked["messages"]).map(record);
		return {
			prompt: messages
				.filter(({ role }) => role === "user")
				.flatMap(({ content }) => (typeof content === "string" ? [content] : array(content).map((part) => text(record(part)["text"]))))
				.join("\n"),
			results: messages.filter(({ role }) => role === "tool").length,
			model: text(asked["model"]),
			effort: text(asked["reasoning_effort"]),
			stream: asked["stream"] === true,
			tools: array(asked["tools"]).map((tool) => text(record(record(tool)["function"])["name"])),
		};
	},
	events: (answer) => {
		const { id, turn, model } = answer;
		const chunk = (delta: unknown, finish_reason: string | null = null) => ({
			data: { id: `chat_${id}`, object: "chat.completion.chunk", created: 0, model, choices: [{ index: 0, delta, finish_reason }] },
		});
		const calls = callsOf(answer);
		return [
			chunk({ role: "assistant", content: "" }),
			...pieces(turn.text).map((content) => chunk({ content })),
			...(calls.length === 0 ? [] : [chunk({ tool_calls: calls.map((call, index) => ({ index, ...call })) })]),
			chunk({}, calls.length === 0 ? "stop" : "tool_calls"),
			{ data: { id: `chat_${id}`, object: "chat.completion.chunk", created: 0, model, choices: [], usage: usageOf(answer) } },
			{ data: "[DONE]" },
		];
	},
	whole: (answer) => {
		const calls = callsOf(answer);
		const message = { role: "assistant", content: answer.turn.text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
		return {
			...{ id: `chat_${answer.id}`, object: "chat.completion", created: 0, model: answer.model },
			choices: [{ index: 0, message, finish_reason: calls.length === 0 ? "stop" : "tool_calls" }],
			usage: usageOf(answer),
		};
	},
	refusal: error,
	failure: (it) => ({ data: error(it) }),
};

type Answered = Parameters<Dialect["events"]>[0];

function callsOf(answer: Answered) {
	const call = callOf(answer, (command) => ({ name: "bash", input: { command, description: "Write the file" } }));
	if (call === null) return [];
	return [{ id: `call_${answer.id}`, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } }];
}

const usageOf = ({ tokens }: Answered) => ({
	prompt_tokens: tokens.input + tokens.cached,
	prompt_tokens_details: { cached_tokens: tokens.cached },
	completion_tokens: tokens.output,
	total_tokens: tokens.input + tokens.cached + tokens.output,
});
