// The log of one step in pages: records after a position, and the position to continue from. Also the exact prompt of an attempt, which its log holds.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { basename, dirname } from "node:path";
import { RUN_SCOPE, type RunState } from "../../../core/model.ts";
import { findScope } from "../../../core/query.ts";
import { readForeignJson } from "../../../core/text/foreign-json.ts";
import type { Store } from "../../../store.ts";
import type { OpenRun } from "../../open.ts";
import { Refusal } from "../../refusal.ts";
import { filesIn, logFile } from "../../run-files.ts";
import { bringLogs } from "../../shared-files.ts";
import { checksOf } from "../logs.ts";

/** A page ends with the record that reaches this size. */
const PAGE = 1024 * 1024;
const NEWLINE = 0x0a;

export interface LogPage {
	readonly records: readonly unknown[];
	/** Opaque: a byte of the file, and a version of the journal, which holds the checks. */
	readonly next: string;
}

/** `story`: an id, or `run` for the run's own steps. `after`: "0", or the `next` of an earlier page. `size`: bytes of a page. */
export async function logPage(
	{ state, events, store }: OpenRun,
	story: string,
	step: string,
	after: string,
	size = PAGE,
): Promise<LogPage> {
	const scope = scopeOf(state, story);
	const file = await fileOf(store, state, scope, step);
	const [, from = "0", seen = "0"] = /^(\d{1,15})(?:-(\d{1,9}))?$/.exec(after) ?? [];
	const page = linesFrom(file, Number(from), size);
	if (page === null || !/^\d{1,15}(-\d{1,9})?$/.test(after) || Number(seen) > events.length)
		throw new Refusal("invalid", `${after} is no position in this log; begin at 0`);
	const records = page.lines.map(recordOf);
	// As `pawl logs` prints them: after what the session said.
	const checks = page.end ? checksOf(events.slice(Number(seen)), { scope, step }) : [];
	return { records: [...records, ...checks], next: `${page.next}-${page.end ? events.length : seen}` };
}

/** null: its session has not begun, or it was no session. */
export async function promptIn({ state, store }: OpenRun, story: string, step: string, attempt: number): Promise<string | null> {
	const file = await fileOf(store, state, scopeOf(state, story), step);
	let inside = false;
	for (let from = 0; ; ) {
		const page = linesFrom(file, from);
		if (page === null) return null;
		for (const record of page.lines.map(recordOf)) {
			const { type, attempt: number, text } = record as { type?: unknown; attempt?: unknown; text?: unknown };
			if (type === "attempt") inside = number === attempt;
			if (inside && type === "prompt") return typeof text === "string" ? text : "";
		}
		if (page.end) return null;
		from = page.next;
		// A log may be long, and others wait.
		await new Promise((resolve) => setImmediate(resolve));
	}
}

function scopeOf(state: RunState, story: string): string {
	const scope = story === "run" ? RUN_SCOPE : story;
	if (findScope(state, scope) === undefined)
		throw new Refusal(
			"not_found",
			`run ${state.id} has no story ${story}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`,
		);
	return scope;
}

/** Also of a step that is no longer in the list, if it left a log. */
async function fileOf(store: Store, state: RunState, scope: string, step: string): Promise<string> {
	await bringLogs(store, state, (log) => log.step === step, scope);
	const known = findScope(state, scope)?.steps.some((one) => one.id === step);
	const file = logFile(state, scope, "step");
	if (!known && !filesIn(dirname(file)).includes(`${basename(step)}.jsonl`)) throw new Refusal("not_found", `there is no step ${step}`);
	return logFile(state, scope, basename(step));
}

function recordOf(line: string): unknown {
	const read = readForeignJson(line);
	// An agent can reach the file.
	return read.ok ? read.value : { type: "text", text: line };
}

interface Lines {
	readonly lines: readonly string[];
	readonly next: number;
	/** There are no more complete lines now. */
	readonly end: boolean;
}

/** Complete lines from a position on; null if the file does not reach that far. A file that is missing is empty. */
function linesFrom(file: string, from: number, page = PAGE): Lines | null {
	let fd: number;
	try {
		fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return from === 0 ? { lines: [], next: 0, end: true } : null;
	}
	try {
		const { size } = fstatSync(fd);
		if (!fstatSync(fd).isFile() || from > size) return null;
		for (let room = page; ; room *= 2) {
			const bytes = Buffer.alloc(Math.min(room, size - from));
			const length = readSync(fd, bytes, 0, bytes.length, from);
			const last = bytes.lastIndexOf(NEWLINE, length - 1);
			const whole = from + length >= size;
			if (last < 0 && !whole) continue;
			const text = bytes.toString("utf8", 0, Math.max(0, last));
			return { lines: last < 0 ? [] : text.split("\n"), next: from + last + 1, end: whole };
		}
	} finally {
		closeSync(fd);
	}
}
