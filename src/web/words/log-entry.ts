// The records of a session's log as entries for a person: messages, thinking, tool calls with what came back, checks, and pawl's own marks.
// Agents write these records in formats of their own; what no reader knows is shown as it is.

import { jsonText } from "../plain.ts";
import { clock, moneyText, tokensText } from "./words.ts";

export type EntryKind = "mark" | "prompt" | "text" | "thinking" | "tool" | "result" | "check" | "quiet";

export interface Entry {
	readonly kind: EntryKind;
	/** The name of a tool or a mark, or how something ended. */
	readonly title: string;
	/** What is shown at once: one line for a tool, everything for a message. */
	readonly text: string;
	/** What opens on demand. */
	readonly more: string | null;
	readonly bad: boolean;
	/** The attempt that it belongs to; 0 before the first. */
	readonly attempt: number;
	readonly record: unknown;
}

type Fields = Readonly<Record<string, unknown>>;
type Found = Partial<Entry> & { readonly kind: EntryKind };
/** undefined: not a record of this agent; empty: nothing that a person needs. */
type Reader = (fields: Fields) => readonly Found[] | undefined;

/** A longer text becomes several entries, so that a list can draw only what is in sight. */
const LINES_AN_ENTRY = 60;

export class LogReader {
	private attempt = 0;

	read(record: unknown): Entry[] {
		const fields = fieldsOf(record);
		if (fields["type"] === "attempt" && typeof fields["attempt"] === "number") this.attempt = fields["attempt"];
		const found = READERS.reduce<readonly Found[] | undefined>((known, read) => known ?? read(fields), undefined) ?? unknown(fields);
		return found.flatMap((one) =>
			split(one).map((part) => ({ title: "", text: "", more: null, bad: false, ...part, attempt: this.attempt, record })),
		);
	}
}

function split(one: Found): Found[] {
	const lines = one.kind === "text" ? (one.text ?? "").split("\n") : [];
	if (lines.length <= LINES_AN_ENTRY) return [one];
	const parts: Found[] = [];
	for (let at = 0; at < lines.length; at += LINES_AN_ENTRY) parts.push({ ...one, text: lines.slice(at, at + LINES_AN_ENTRY).join("\n") });
	return parts;
}

/** Never throws: an object may come with a `toString` of its own that is no function. */
const text = (value: unknown): string =>
	typeof value === "string" ? value : value === undefined || value === null ? "" : (JSON.stringify(value) ?? "");
const fieldsOf = (value: unknown): Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const json = (value: unknown): string => (typeof value === "string" ? value : jsonText(value));

/** The value that names what a tool is used on. */
function target(input: unknown): string {
	// A command as a list of its arguments.
	if (Array.isArray(input)) return input.map(text).join(" ");
	const fields = fieldsOf(input);
	const named = ["command", "file_path", "path", "pattern", "query", "url", "description"].map((key) => fields[key]);
	return text(named.find((value) => typeof value === "string") ?? (typeof input === "string" ? input : ""));
}

const tool = (name: string, input: unknown, more = json(input)): Found => ({ kind: "tool", title: name, text: target(input), more });
const result = (value: unknown, bad: boolean): Found => ({
	kind: "result",
	title: bad ? "failed" : "result",
	text: "",
	more: contentOf(value),
	bad,
});
const said = (value: unknown): Found[] => (text(value) === "" ? [] : [{ kind: "text", text: text(value) }]);
const thought = (value: unknown): Found[] => (text(value) === "" ? [] : [{ kind: "thinking", title: "thinking", more: text(value) }]);
const mark = (title: string, about = "", bad = false): Found => ({ kind: "mark", title, text: about, bad });

/** What a tool gave back: a text, or a list of parts with texts. */
function contentOf(value: unknown): string {
	if (typeof value === "string") return value;
	const parts = listOf(value).map((part) => text(part["text"]));
	return parts.some((part) => part !== "") ? parts.join("\n") : json(value);
}

const GOOD = new Set(["ok", "done", "completed"]);

const pawl: Reader = (f) => {
	switch (f["type"]) {
		case "attempt":
			return [mark(`attempt ${text(f["attempt"])}`, f["at"] === undefined ? "" : clock(text(f["at"])))];
		case "prompt":
			return [{ kind: "prompt", title: "prompt", more: text(f["text"]) }];
		case "end":
			return [mark(`ended: ${text(f["result"])}`, text(f["error"]), !GOOD.has(text(f["result"])))];
		case "cut":
			return [mark(`${text(f["bytes"])} bytes are left out here`)];
		case "check": {
			const ok = f["exit_code"] === 0;
			const ended = ok ? "passed" : f["exit_code"] === null ? "did not end" : `failed, exit ${text(f["exit_code"])}`;
			return [
				{ kind: "check", title: `check ${text(f["name"])}: ${ended}`, text: text(f["command"]), more: text(f["output"]) || null, bad: !ok },
			];
		}
		case "action":
			return [
				tool(text(f["action"]), f["path"] ?? f["command"] ?? f["message"] ?? (f["ms"] === undefined ? "" : `${text(f["ms"])} ms`), json(f)),
			];
		case "usage":
			return [{ kind: "quiet", title: "used", text: usage(f), more: json(f) }];
		case "thought":
			return thought(f["text"]);
		case "text":
			return typeof f["text"] === "string" ? said(f["text"]) : undefined;
		default:
			return undefined;
	}
};

const usage = (f: Fields): string => {
	const amount = (key: string): number | null => (typeof f[key] === "number" ? f[key] : null);
	return `${tokensText(amount("input_tokens"))} in, ${tokensText(amount("output_tokens"))} out, ${moneyText(amount("cost_usd"))}`;
};

const claude: Reader = (f) => {
	if (f["type"] === "result" && "subtype" in f) return [mark(text(f["subtype"]), "", f["is_error"] === true)];
	if (f["type"] === "system") return f["subtype"] === "init" ? [mark("session", `model ${text(f["model"])}`)] : [];
	if (f["type"] !== "assistant" && f["type"] !== "user") return undefined;
	return listOf(fieldsOf(f["message"])["content"]).flatMap((part) => {
		switch (part["type"]) {
			case "text":
				return f["type"] === "user" ? [] : said(part["text"]);
			case "thinking":
				return thought(part["thinking"]);
			case "tool_use":
				return [tool(text(part["name"]), part["input"])];
			case "tool_result":
				return [result(part["content"], part["is_error"] === true)];
			default:
				return [];
		}
	});
};

const codex: Reader = (f) => {
	if (typeof f["type"] !== "string" || !/^(thread|turn|item)\./.test(f["type"])) return undefined;
	if (f["type"] === "turn.failed") return [mark("failed", text(fieldsOf(f["error"])["message"]), true)];
	if (f["type"] !== "item.completed") return [];
	const item = fieldsOf(f["item"]);
	if (item["type"] === "agent_message") return said(item["text"]);
	if (item["type"] === "reasoning") return thought(item["text"]);
	const output = text(item["aggregated_output"]);
	const failed = typeof item["exit_code"] === "number" && item["exit_code"] !== 0;
	return [
		tool(text(item["type"]).replaceAll("_", " "), item["command"] ?? item["query"] ?? item, json(item)),
		...(output === "" ? [] : [result(output, failed)]),
	];
};

const opencode: Reader = (f) => {
	const part = fieldsOf(f["part"]);
	if (f["type"] === "text" && typeof part["text"] === "string") return said(part["text"]);
	if (f["type"] === "reasoning" && typeof part["text"] === "string") return thought(part["text"]);
	if (f["type"] === "tool_use" && "tool" in part) {
		const state = fieldsOf(part["state"]);
		return [
			tool(text(part["tool"]), state["input"]),
			...(state["output"] === undefined ? [] : [result(state["output"], state["status"] === "error")]),
		];
	}
	return f["type"] === "step_start" || f["type"] === "step_finish" ? [] : undefined;
};

const gemini: Reader = (f) => {
	if (f["type"] === "message") return f["role"] === "assistant" ? said(f["content"]) : [];
	if (f["type"] === "tool_use") return [tool(text(f["tool_name"]), f["parameters"])];
	if (f["type"] === "tool_result") return [result(f["output"], f["status"] !== "success")];
	return f["type"] === "init" ? [mark("session", `model ${text(f["model"])}`)] : undefined;
};

/** Updates of the Agent Client Protocol. */
const acp: Reader = (f) => {
	const update = fieldsOf(f["update"] ?? fieldsOf(f["params"])["update"]);
	if (update["sessionUpdate"] === "tool_call")
		return [tool(text(update["title"] ?? update["kind"]), update["rawInput"] ?? "", json(update))];
	return update["sessionUpdate"] === undefined ? undefined : [];
};

const READERS: readonly Reader[] = [pawl, claude, codex, opencode, gemini, acp];

const unknown = (f: Fields): readonly Found[] => [{ kind: "quiet", title: text(f["type"]) || "record", more: json(f) }];
