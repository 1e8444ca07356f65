// The Gemini API, as Gemini CLI speaks it. The model is part of the path, and so is whether the answer is streamed.
import { array, callOf, type Dialect, pieces, type Refusal, record, text } from "./turn.ts";

const PATH = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;
const STATUS: Readonly<Record<number, string>> = {
	400: "INVALID_ARGUMENT",
	401: "UNAUTHENTICATED",
	429: "RESOURCE_EXHAUSTED",
	500: "INTERNAL",
	529: "UNAVAILABLE",
};

const error = ({ status, message }: Refusal) => ({ error: { code: status, message, status: STATUS[status] ?? "UNKNOWN" } });

export const gemini: Dialect = {
	name: "gemini",
	handles: (method, path) => method === "POST" && PATH.test(path),
	question: (path, body) => {
		const asked = record(body);
		const parts = array(asked["contents"])
			.map(record)
			.filter(({ role }) => role !== "model")
			.flatMap((content) => array(content["parts"]))
			.map(record);
		return {
			prompt: parts.map((part) => text(part["text"])).join("\n"),
			results: parts.filter((part) => part["functionResponse"] !== undefined).length,
			model: PATH.exec(path)?.[1] ?? "",
			effort: "",
			stream: PATH.exec(path)?.[2] === "streamGenerateContent",
			tools: array(asked["tools"])
				.flatMap((tool) => array(record(tool)["functionDeclarations"]))
				.map((tool) => text(record(tool)["name"])),
		};
	},
	events: (answer) => {
		const { turn } = answer;
		const parts = [...pieces(turn.text).map((piece) => ({ text: piece })), ...callsOf(answer)];
		return parts.map((part, index) => ({ data: content(answer, [part], index === parts.length - 1) }));
	},
	whole: (answer) => content(answer, [{ text: answer.turn.text }, ...callsOf(answer)], true),
	refusal: error,
	failure: (it) => ({ data: error(it) }),
};

type Answered = Parameters<Dialect["events"]>[0];

function callsOf(answer: Answered) {
	const call = callOf(answer, (command) => ({ name: "run_shell_command", input: { command, description: "Write the file" } }));
	return call === null ? [] : [{ functionCall: { name: call.name, args: call.input } }];
}

const content = ({ tokens, model }: Answered, parts: readonly unknown[], last: boolean) => ({
	candidates: [{ index: 0, content: { role: "model", parts }, ...(last ? { finishReason: "STOP" } : {}) }],
	modelVersion: model,
	...(last
		? {
				usageMetadata: {
					promptTokenCount: tokens.input + tokens.cached,
					cachedContentTokenCount: tokens.cached,
					candidatesTokenCount: tokens.output,
					totalTokenCount: tokens.input + tokens.cached + tokens.output,
				},
			}
		: {}),
});
