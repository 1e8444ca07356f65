// A record of a step's log as text for a person: messages in full, tool calls in one line, nothing else.
// Agents write these records; nothing in them may reach the terminal as a control sequence.

import { money } from "../../core/money.ts";
import { readForeignJson } from "../../core/text/foreign-json.ts";
import { oneLine, tokens } from "./text.ts";

type Fields = Readonly<Record<string, unknown>>;

const DONE_WIDTH = 160;

/** null: not interesting to a person. */
export function logText(line: string): string | null {
	const read = readForeignJson(line);
	if (!read.ok) return clean(line);
	const fields = fieldsOf(read.value);
	for (const read of [pawl, claude, codex, opencode, gemini]) {
		const text = read(fields);
		if (text !== undefined) return text;
	}
	return other(fields);
}

/** Text of several lines without codes that move the cursor or change colours. */
function clean(text: string): string {
	const plain = text
		.replaceAll("\r\n", "\n")
		// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach the terminal
		.replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, "")
		// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; tab and newline stay
		.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
	return plain.replace(/\n+$/, "");
}

/** undefined: not a record of this kind; null: a record to leave out. */
type Reader = (fields: Fields) => string | null | undefined;

const pawl: Reader = (f) => {
	switch (f["type"]) {
		case "attempt":
			return `--- attempt ${text(f["attempt"])}${f["at"] === undefined ? "" : ` at ${text(f["at"])}`}`;
		case "end":
			return `--- ended: ${text(f["result"])}${typeof f["error"] === "string" ? `, ${oneLine(f["error"], 500)}` : ""}`;
		case "cut":
			return `--- ${text(f["bytes"])} bytes are left out here: \`logs.max\` of pawl.yml`;
		case "prompt":
			return promptText(f);
		case "check":
			return checkText(f);
		case "action":
			return done(text(f["action"]), f["path"] ?? words(f["command"]) ?? f["operations"] ?? "");
		case "usage":
			return usedText(f);
		case "text":
			return typeof f["text"] === "string" ? clean(f["text"]) : undefined;
		default:
			return undefined;
	}
};

function usedText(f: Fields): string {
	const number = (key: string): number | null => (typeof f[key] === "number" ? f[key] : null);
	const [input, output, cost] = [number("input_tokens"), number("output_tokens"), number("cost_usd")];
	const parts = [
		...(input === null && output === null ? [] : [`${tokens(input ?? 0)} in / ${tokens(output ?? 0)} out`]),
		...(cost === null ? [] : [money(cost)]),
	];
	return `  used ${parts.join(", ")}`;
}

/** A command that is a list of words. */
const words = (command: unknown): unknown => (Array.isArray(command) ? command.map(text).join(" ") : command);

/** Its length tells more than its beginning, which is the same in every session; `pawl logs --json` has all of it. */
const promptText = (f: Fields): string | undefined =>
	typeof f["text"] === "string" ? `--- prompt of ${f["text"].length.toLocaleString("en")} characters` : undefined;

function checkText(f: Fields): string {
	const ended = f["exit_code"] === null ? "did not end" : f["exit_code"] === 0 ? "passed" : `failed, exit ${text(f["exit_code"])}`;
	const output = clean(text(f["output"]));
	return `--- check ${oneLine(text(f["name"]), 100)} (${oneLine(text(f["command"]), 200)}): ${ended}${output === "" ? "" : `\n${output}`}`;
}

const claude: Reader = (f) => {
	if (f["type"] === "result" && "subtype" in f)
		return `  ${text(f["subtype"])}${typeof f["total_cost_usd"] === "number" ? `, ${money(f["total_cost_usd"])}` : ""}`;
	if (f["type"] === "system") return f["subtype"] === "init" ? `  model ${text(f["model"])}` : null;
	if (f["type"] !== "assistant" && f["type"] !== "user") return undefined;
	const parts = fieldsOf(f["message"])["content"];
	const said = (Array.isArray(parts) ? parts : []).map(fieldsOf).flatMap((part) => {
		if (part["type"] === "text") return [clean(text(part["text"]))];
		if (part["type"] === "tool_use") return [done(text(part["name"]), firstOf(part["input"]))];
		return part["type"] === "tool_result" && part["is_error"] === true ? [done("failed", part["content"])] : [];
	});
	return said.length === 0 ? null : said.join("\n");
};

const codex: Reader = (f) => {
	if (typeof f["type"] !== "string" || !/^(thread|turn|item)\./.test(f["type"])) return undefined;
	const item = fieldsOf(f["item"]);
	if (f["type"] === "turn.failed") return done("failed", fieldsOf(f["error"])["message"]);
	if (f["type"] !== "item.completed") return null;
	if (item["type"] === "agent_message") return clean(text(item["text"]));
	if (item["type"] === "reasoning") return null;
	const code = typeof item["exit_code"] === "number" && item["exit_code"] !== 0 ? ` (exit ${item["exit_code"]})` : "";
	return done(`${text(item["type"])}${code}`, item["command"] ?? item["changes"] ?? item["query"] ?? "");
};

const opencode: Reader = (f) => {
	const part = fieldsOf(f["part"]);
	if (f["type"] === "text" && typeof part["text"] === "string") return clean(part["text"]);
	if (f["type"] === "tool_use" && "tool" in part) return done(text(part["tool"]), firstOf(fieldsOf(part["state"])["input"]));
	return f["type"] === "step_start" || f["type"] === "step_finish" ? null : undefined;
};

const gemini: Reader = (f) => {
	if (f["type"] === "message") return f["role"] === "assistant" ? clean(text(f["content"])) : null;
	if (f["type"] === "tool_use") return done(text(f["tool_name"]), firstOf(f["parameters"]));
	if (f["type"] === "tool_result") return f["status"] === "success" ? null : done("failed", f["output"]);
	return f["type"] === "init" ? `  model ${text(f["model"])}` : undefined;
};

const other = (f: Fields): string =>
	done(text(f["type"] ?? "record"), Object.fromEntries(Object.entries(f).filter(([key]) => key !== "type")));

const done = (what: string, about: unknown): string =>
	`  → ${oneLine(`${what} ${typeof about === "string" ? about : JSON.stringify(about ?? "")}`, DONE_WIDTH)}`;

/** The value that names the target of a tool call. */
function firstOf(input: unknown): unknown {
	const fields = fieldsOf(input);
	return ["command", "file_path", "path", "pattern", "url"].map((key) => fields[key]).find((value) => typeof value === "string") ?? input;
}

const fieldsOf = (value: unknown): Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
/** Never throws: an object may come with a `toString` of its own that is no function. */
const text = (value: unknown): string =>
	typeof value === "string" ? value : value === undefined || value === null ? "" : (JSON.stringify(value) ?? "");
