// Reads an agent's stdout as it arrives: plain text, whose last part is the final message, or the JSON lines of a known agent, recognised
// by the first of them. Text is taken in bulk; only lines that begin with { are parsed.
import { NO_USAGE } from "../../agent.ts";
import type { Usage } from "../../core/model.ts";
import { readForeignJson } from "../../core/text/foreign-json.ts";
import { claudeReader } from "./claude.ts";
import { codexReader } from "./codex.ts";
import {
	type AgentOutput,
	addUsage,
	type EventReader,
	type JsonObject,
	NO_OUTPUT,
	numberOf,
	objectOf,
	type StreamError,
	textOf,
} from "./event.ts";
import { geminiReader } from "./gemini.ts";
import { opencodeReader } from "./opencode.ts";
import { Tail } from "./tail.ts";

export interface OutputReader {
	write(chunk: Buffer): void;
	/** So far. */
	usage(): Usage;
	turns(): number | null;
	/** The agent is retrying because of this error and has made no progress since. */
	retrying(): StreamError | null;
	/** To be called when the output has ended. */
	end(): AgentOutput;
}

/** A longer line cannot be an event: it is treated as text. */
const EVENT_LIMIT = 16 * 1024 * 1024;
/** An event must come early (a banner may come first): a message that quotes an event later is still a message. */
const RECOGNISED_WITHIN = 16 * 1024;
const NEWLINE = 0x0a;
const BRACE = 0x7b;

export function outputReader(now: () => number = Date.now): OutputReader {
	const plain = new Tail();
	let plainLength = 0;
	let reported: Usage = NO_USAGE;
	let known: EventReader | null = null;
	// The parts so far of a line that begins with {.
	let pending: Buffer[] = [];
	let pendingLength = 0;
	let lineStart = true;

	const text = (bytes: Buffer): void => {
		plainLength += bytes.length;
		if (known === null) plain.push(bytes);
	};
	const line = (): void => {
		const bytes = pending.length === 1 && pending[0] !== undefined ? pending[0] : Buffer.concat(pending);
		pending = [];
		pendingLength = 0;
		const event = parsed(bytes);
		if (event !== null && event["type"] === "usage") {
			reported = addUsage(reported, {
				costUsd: numberOf(event["cost_usd"]),
				inputTokens: numberOf(event["input_tokens"]),
				outputTokens: numberOf(event["output_tokens"]),
			});
			return;
		}
		if (event !== null && known === null && plainLength <= RECOGNISED_WITHIN) known = recognised(event, now);
		if (known === null) text(bytes);
		else if (event !== null) known.event(event);
	};
	const hold = (bytes: Buffer): void => {
		pending.push(bytes);
		pendingLength += bytes.length;
		if (pendingLength <= EVENT_LIMIT) return;
		for (const part of pending) text(part);
		pending = [];
		pendingLength = 0;
		lineStart = false;
	};

	return {
		write: (chunk) => {
			let at = 0;
			while (at < chunk.length) {
				if (pendingLength > 0 || (lineStart && chunk[at] === BRACE)) {
					const end = chunk.indexOf(NEWLINE, at);
					lineStart = end >= 0;
					hold(chunk.subarray(at, end < 0 ? chunk.length : end + 1));
					if (end >= 0 && pendingLength > 0) line();
					at = end < 0 ? chunk.length : end + 1;
				} else {
					const next = chunk.indexOf("\n{", at);
					const end = next < 0 ? chunk.length : next + 1;
					text(chunk.subarray(at, end));
					lineStart = chunk[end - 1] === NEWLINE;
					at = end;
				}
			}
		},
		usage: () => (known === null ? reported : addUsage(known.output().usage, reported)),
		turns: () => known?.output().turns ?? null,
		retrying: () => known?.output().retrying ?? null,
		end: () => {
			if (pendingLength > 0) line();
			if (known === null) return { ...NO_OUTPUT, text: plain.text(), usage: reported };
			const output = known.output();
			const tail = new Tail();
			tail.push(Buffer.from(output.text));
			return { ...output, text: tail.text(), usage: addUsage(output.usage, reported) };
		},
	};
}

function parsed(bytes: Buffer): JsonObject | null {
	const text = bytes.toString("utf8").trimEnd();
	// An error is costly to make, and a flood of lines that begin like events should not cost it each time.
	if (!text.endsWith("}")) return null;
	const read = readForeignJson(text);
	return read.ok ? objectOf(read.value) : null;
}

const OPENCODE = ["error", "step_start", "text", "tool_use", "step_finish"];

function recognised(event: JsonObject, now: () => number): EventReader | null {
	const type = textOf(event["type"]);
	const session = textOf(event["session_id"]) !== null;
	if (session && (type === "system" || (type === "result" && typeof event["is_error"] === "boolean"))) return claudeReader(now);
	if (type === "thread.started" && textOf(event["thread_id"]) !== null) return codexReader(now);
	if (type === "init" && session && textOf(event["model"]) !== null) return geminiReader(now);
	if (textOf(event["sessionID"]) !== null && OPENCODE.includes(type ?? "")) return opencodeReader(now);
	return null;
}
