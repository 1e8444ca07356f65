// The Responses API, as Codex speaks it.
import { array, callOf, type Dialect, offered, pieces, type Refusal, record, type StreamEvent, text } from "./turn.ts";

const CODES: Readonly<Record<number, string>> = {
	400: "invalid_prompt",
	401: "invalid_api_key",
	429: "rate_limit_exceeded",
	500: "server_error",
	529: "server_is_overloaded",
};

const named = (data: { readonly type: string; readonly [key: string]: unknown }): StreamEvent => ({ event: data.type, data });
const error = ({ status, message }: Refusal) => ({ message, type: CODES[status] ?? "server_error", code: CODES[status] ?? "server_error" });

export const responses: Dialect = {
	name: "responses",
	handles: (method, path) => method === "POST" && path === "/v1/responses",
	question: (_path, body) => {
		const asked = record(body);
		const items = array(asked["input"]).map(record);
		return {
			prompt: items
				.filter((item) => item["role"] === "user")
				.flatMap((item) => array(item["content"]))
				.map((part) => text(record(part)["text"]))
				.join("\n"),
			results: items.filter((item) => text(item["type"]).endsWith("_call_output")).length,
			model: text(asked["model"]),
			effort: text(record(asked["reasoning"])["effort"]),
			stream: asked["stream"] === true,
			tools: [...array(asked["tools"]), ...items.flatMap((item) => (item["type"] === FOUND ? array(item["tools"]) : []))].flatMap(namesOf),
		};
	},
	events: (answer) => {
		const { id, turn } = answer;
		const item = `item_${id}`;
		return [
			named({ type: "response.created", response: { id: `resp_${id}`, object: "response", status: "in_progress", output: [] } }),
			named({ type: "response.output_item.added", output_index: 0, item: { ...message(answer), status: "in_progress", content: [] } }),
			...pieces(turn.text).map((delta) =>
				named({ type: "response.output_text.delta", item_id: item, output_index: 0, content_index: 0, delta }),
			),
			...output(answer).map((each, output_index) => named({ type: "response.output_item.done", output_index, item: each })),
			named({ type: "response.completed", response: responses.whole(answer) }),
		];
	},
	whole: (answer) => ({
		...{ id: `resp_${answer.id}`, object: "response", status: "completed", model: answer.model },
		output: output(answer),
		usage: {
			input_tokens: answer.tokens.input + answer.tokens.cached,
			input_tokens_details: { cached_tokens: answer.tokens.cached },
			output_tokens: answer.tokens.output,
			output_tokens_details: { reasoning_tokens: 0 },
			total_tokens: answer.tokens.input + answer.tokens.cached + answer.tokens.output,
		},
	}),
	refusal: (it) => ({ error: error(it) }),
	failure: (it) =>
		named({ type: "response.failed", response: { id: "resp_failed", object: "response", status: "failed", error: error(it) } }),
};

/** What its search for tools answers with. */
const FOUND = "tool_search_output";

/** One that is in a namespace is `namespace/name`. */
function namesOf(tool: unknown): string[] {
	const { type, name, tools } = record(tool);
	if (type === "namespace") return array(tools).map((each) => `${text(name)}/${text(record(each)["name"])}`);
	return [text(name) || text(type)];
}

type Answered = Parameters<Dialect["events"]>[0];

const message = ({ id, turn }: Answered) => ({
	...{ id: `item_${id}`, type: "message", role: "assistant", status: "completed" },
	content: [{ type: "output_text", text: turn.text, annotations: [] }],
});

function output(answer: Answered): unknown[] {
	const ids = { call_id: `call_${answer.id}`, status: "completed" };
	const wanted = answer.turn.tool?.name;
	// Tools of servers are not offered at once: they have to be looked for.
	if (wanted !== undefined && offered(answer.tools, wanted) === null && answer.tools.includes("tool_search"))
		return [
			message(answer),
			{ ...ids, id: `ts_${answer.id}`, type: "tool_search_call", execution: "client", arguments: { query: `pawl ${wanted}`, limit: 8 } },
		];
	const call = callOf(answer, (command) =>
		answer.tools.includes("exec_command")
			? { name: "exec_command", input: { cmd: command } }
			: { name: "shell_command", input: { command } },
	);
	if (call === null) return [message(answer)];
	const [name = "", namespace] = call.name.split("/").toReversed();
	const named = { name, ...(namespace === undefined ? {} : { namespace }) };
	return [message(answer), { ...ids, id: `fc_${answer.id}`, type: "function_call", ...named, arguments: JSON.stringify(call.input) }];
}
