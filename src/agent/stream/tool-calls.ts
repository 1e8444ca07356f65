// Collects an agent's tool calls from the events that begin and end them, in bounded memory.
import type { ToolCall } from "../../agent.ts";
import { type JsonObject, textOf } from "./event.ts";

/** How many are kept; the newest, because they show what happened at the end. */
const KEPT = 200;
const TARGET_LENGTH = 200;
// Calls that never end (a broken stream) must not pile up.
const OPEN_LIMIT = 1000;

interface Open {
	readonly name: string;
	readonly target: string | null;
	readonly at: number;
}

export class ToolCalls {
	readonly #open = new Map<string, Open>();
	#calls: ToolCall[] = [];
	#count = 0;

	begin(id: string, name: string, target: string | null, at: number): void {
		if (this.#open.size < OPEN_LIMIT) this.#open.set(id, { name, target: short(target), at });
	}

	/** An end without a beginning is ignored. */
	end(id: string, ok: boolean | null, at: number): void {
		const open = this.#open.get(id);
		if (open === undefined) return;
		this.#open.delete(id);
		this.add({ name: open.name, target: open.target, ms: Math.max(0, at - open.at), ok });
	}

	add(call: ToolCall): void {
		this.#count++;
		this.#calls.push({ ...call, target: short(call.target) });
		if (this.#calls.length > 2 * KEPT) this.#calls = this.#calls.slice(-KEPT);
	}

	/** Includes calls that never ended. */
	list(): { readonly toolCalls: number; readonly tools: readonly ToolCall[] } {
		const open = [...this.#open.values()].map(({ name, target }) => ({ name, target, ms: null, ok: null }));
		return { toolCalls: this.#count + open.length, tools: [...this.#calls, ...open].slice(-KEPT) };
	}
}

// The most telling parameter first: a file says more than the pattern that was searched for in it.
const TARGETS = [
	"file_path",
	"filePath",
	"path",
	"absolute_path",
	"notebook_path",
	"command",
	"cmd",
	"url",
	"pattern",
	"query",
	"description",
];

/** What a tool was used on, taken from its parameters. */
export function targetOf(input: JsonObject): string | null {
	for (const key of TARGETS) {
		const value = textOf(input[key]);
		if (value !== null && value.trim() !== "") return value;
	}
	return null;
}

function short(target: string | null): string | null {
	return target === null || target.length <= TARGET_LENGTH ? target : `${target.slice(0, TARGET_LENGTH)}…`;
}
