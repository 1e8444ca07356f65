// Reads what an agent reports in messages of the Agent Client Protocol: its words, its tool calls, its usage. Messages are read as they
// arrive, before the SDK handles them, so that nothing is missed when the turn ends, and are logged without secrets.
import type { Usage } from "../../core/model.ts";
import { asJson } from "../../core/text/foreign-json.ts";
import { redactor } from "../../process.ts";
import type { AgentLog } from "../program/log.ts";
import { type AgentOutput, type JsonObject, listOf, NO_OUTPUT, numberOf, objectOf, textOf } from "../stream/event.ts";
import { Tail } from "../stream/tail.ts";
import { ToolCalls, targetOf } from "../stream/tool-calls.ts";

/** A longer record (a diff of a big file) is logged without its content. */
const RECORD_LIMIT = 64 * 1024;
const PIECE_LIMIT = 32 * 1024;
// Calls that never end must not pile up.
const OPEN_LIMIT = 1000;

export interface AcpReader {
	message(message: JsonObject): void;
	/** From here on words count; what came before was the history of the session. */
	begin(): void;
	/** The kind of a tool call that was reported before. */
	kindOf(toolCall: string): string | null;
	denied(what: string): void;
	session(id: string, model: string | null): void;
	/** The turn has ended: with null successfully, else with this error. */
	ended(error: AgentOutput["error"]): void;
	output(): AgentOutput;
	/** So far; cheap. */
	usage(): Usage;
	begun(): boolean;
	/** Writes words that are still buffered to the log. */
	flush(): void;
}

type Words = "message" | "thought";

export function acpReader(log: AgentLog, secrets: readonly string[], now: () => number = Date.now): AcpReader {
	let out: AgentOutput = { ...NO_OUTPUT, finished: false };
	let begun = false;
	const text = new Tail();
	const tools = new ToolCalls();
	const open = new Map<string, { kind: string; name: string; target: string | null; since: number }>();
	// Models stream words in pieces of a few letters, and a secret that is split between pieces must still be found.
	let pieces: { kind: Words; redact: ReturnType<typeof redactor>; parts: Buffer[]; length: number } | null = null;
	let apart: "nothing" | "said" | "tool" = "nothing";

	const flush = (): void => {
		if (pieces === null) return;
		const { kind, redact, parts } = pieces;
		pieces = null;
		record(kind, Buffer.concat([...parts, redact.flush()]).toString("utf8"));
	};
	const record = (kind: Words, words: string): void => {
		if (words !== "") log.record(kind === "message" ? { type: "text", stream: "stdout", text: words } : { type: "thought", text: words });
	};
	const word = (kind: Words, said: string): void => {
		if (pieces !== null && pieces.kind !== kind) flush();
		pieces ??= { kind, redact: redactor(secrets), parts: [], length: 0 };
		pieces.parts.push(pieces.redact.push(Buffer.from(said)));
		pieces.length += said.length;
		if (pieces.length < PIECE_LIMIT) return;
		record(kind, Buffer.concat(pieces.parts).toString("utf8"));
		pieces = { ...pieces, parts: [], length: 0 };
	};
	const tool = (update: JsonObject): void => {
		const id = textOf(update["toolCallId"]) ?? "";
		const input = objectOf(update["rawInput"]);
		const known = open.get(id);
		const path = textOf(objectOf(listOf(update["locations"])[0])["path"]);
		const call = {
			kind: textOf(update["kind"]) ?? known?.kind ?? "other",
			name: textOf(update["name"]) ?? known?.name ?? textOf(update["kind"]) ?? textOf(update["title"]) ?? "tool",
			target: path ?? targetOf(input) ?? known?.target ?? textOf(update["title"]),
			since: known?.since ?? now(),
		};
		if (open.size < OPEN_LIMIT) open.set(id, call);
		const status = update["status"];
		if (status !== "completed" && status !== "failed") return;
		tools.add({ name: call.name, target: call.target, ms: Math.max(0, now() - call.since), ok: status === "completed" });
		open.delete(id);
	};
	const update = (given: JsonObject): void => {
		const kind = textOf(given["sessionUpdate"]) ?? "";
		if (kind === "agent_message_chunk" || kind === "agent_thought_chunk") {
			const said = textOf(objectOf(given["content"])["text"]) ?? "";
			if (kind === "agent_message_chunk") {
				// Messages before and after a tool call are separate paragraphs.
				if (apart === "tool") text.push(Buffer.from("\n\n"));
				if (said !== "") apart = "said";
				text.push(Buffer.from(said));
			}
			return word(kind === "agent_message_chunk" ? "message" : "thought", said);
		}
		flush();
		if (kind === "tool_call" || kind === "tool_call_update") {
			if (apart === "said") apart = "tool";
			tool(given);
		}
		if (kind === "usage_update") {
			const cost = objectOf(given["cost"]);
			if (cost["currency"] === "USD") out = { ...out, usage: { ...out.usage, costUsd: numberOf(cost["amount"]) } };
		}
		logged(given);
	};
	const logged = (given: JsonObject): void => {
		const length = asJson(given)?.length ?? Number.POSITIVE_INFINITY;
		const { sessionUpdate, toolCallId, title, status } = given;
		const about = { sessionUpdate, toolCallId, title, status };
		const short = { ...((asJson(about)?.length ?? RECORD_LIMIT) < RECORD_LIMIT ? about : {}), cut: length };
		log.record({ type: "acp", ...clean(length > RECORD_LIMIT ? short : given) });
	};

	const clean = <T>(value: T): T => JSON.parse(redacted(JSON.stringify(value), secrets)) as T;

	return {
		message: (message) => {
			const result = objectOf(message["result"]);
			// Only the answer to a prompt has `usage`. It is not yet part of the stable protocol, but agents send it.
			const used = objectOf(result["usage"]);
			if ("stopReason" in result && "inputTokens" in used) {
				const usage = { ...out.usage, inputTokens: numberOf(used["inputTokens"]), outputTokens: numberOf(used["outputTokens"]) };
				out = { ...out, usage, cachedTokens: numberOf(used["cachedReadTokens"]) };
			}
			if (begun && message["method"] === "session/update") update(objectOf(objectOf(message["params"])["update"]));
		},
		begin: () => {
			begun = true;
		},
		begun: () => begun,
		usage: () => out.usage,
		kindOf: (toolCall) => open.get(toolCall)?.kind ?? null,
		denied: (what) => {
			out = { ...out, denied: what };
		},
		session: (sessionId, model) => {
			out = { ...out, sessionId, model };
		},
		ended: (error) => {
			out = { ...out, error, finished: error === null };
		},
		output: () => ({ ...out, ...clean(tools.list()), text: redacted(text.text(), secrets) }),
		flush,
	};
}

export function redacted(text: string, secrets: readonly string[]): string {
	const redact = redactor(secrets);
	return Buffer.concat([redact.push(Buffer.from(text)), redact.flush()]).toString("utf8");
}
