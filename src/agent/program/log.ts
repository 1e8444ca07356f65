// The log of a step, appended to as JSON lines. Every line parses whatever the agent prints, and memory stays flat. Writes are
// synchronous: the page cache is faster than a round trip to a thread, and a slow disk slows the agent down instead of filling memory.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { readForeignJson } from "../../core/text/foreign-json.ts";
import { type BoundedFile, openBounded } from "./bounded-file.ts";

/** Longer lines are cut into pieces of this size. */
const LINE_LIMIT = 64 * 1024;
// After so many bytes a record holds all lines that arrived together instead of one: in a flood of 500 MB of two-byte lines, one record
// a line would make the log twenty times as long.
const ONE_BY_ONE = 1024 * 1024;
const NEWLINE = 0x0a;
const BRACE = 0x7b;

type Stream = "stdout" | "stderr";

export interface AgentLog {
	write(stream: Stream, chunk: Buffer): void;
	/** Adds a record of pawl's own. */
	record(record: Readonly<Record<string, unknown>>): void;
	/** Writes what is left of unfinished lines, then this last record. Returns how many bytes were left out in the middle. */
	end(record: Readonly<Record<string, unknown>>): number;
}

/** The default. */
export const LOG_MAX = 256 * 1000 * 1000;

/** Opens the log, or says why it cannot be written. A later failure (a full disk) loses lines, not the attempt. */
export function openLog(file: string, max: number = LOG_MAX): AgentLog | { readonly problem: string } {
	let open: BoundedFile | null;
	try {
		mkdirSync(dirname(file), { recursive: true });
		open = openBounded(file, max);
	} catch (error) {
		return { problem: `cannot write the log ${file}: ${error instanceof Error ? error.message : String(error)}` };
	}
	let cut = 0;
	const put = (text: string): void => {
		if (open === null || text === "") return;
		try {
			open.append(text);
			cut = open.cut;
		} catch {
			open.close();
			open = null;
		}
	};
	const streams = { stdout: lines("stdout"), stderr: lines("stderr") };
	return {
		write: (stream, chunk) => put(streams[stream].push(chunk)),
		record: (record) => put(`${JSON.stringify(record)}\n`),
		end: (record) => {
			put(streams.stdout.flush() + streams.stderr.flush());
			put(`${JSON.stringify(record)}\n`);
			open?.close();
			open = null;
			return cut;
		},
	};
}

/** Turns the chunks of one stream into records. */
function lines(stream: Stream): { push(chunk: Buffer): string; flush(): string } {
	let rest: Buffer[] = [];
	let restLength = 0;
	let seen = 0;
	const text = (value: string): string => `{"type":"text","stream":"${stream}","text":${JSON.stringify(value)}}\n`;
	const line = (bytes: Buffer): string => {
		let out = "";
		let left = bytes;
		while (left.length > LINE_LIMIT) {
			const cut = charBoundary(left, LINE_LIMIT);
			out += text(left.toString("utf8", 0, cut));
			left = left.subarray(cut);
		}
		const value = left.toString("utf8");
		if (out === "" && stream === "stdout" && left[0] === BRACE && isObject(value)) return `${value.trimEnd()}\n`;
		return out + text(value.endsWith("\r") ? value.slice(0, -1) : value);
	};
	const take = (): Buffer => {
		const whole = rest.length === 1 && rest[0] !== undefined ? rest[0] : Buffer.concat(rest);
		rest = [];
		restLength = 0;
		return whole;
	};
	const keep = (bytes: Buffer): string => {
		if (bytes.length === 0) return "";
		// Copied: a slice would keep the whole chunk alive.
		rest.push(Buffer.from(bytes));
		restLength += bytes.length;
		if (restLength <= LINE_LIMIT + 4) return "";
		const whole = take();
		const cut = charBoundary(whole, LINE_LIMIT);
		return text(whole.toString("utf8", 0, cut)) + keep(whole.subarray(cut));
	};
	return {
		push: (chunk) => {
			let out = "";
			let at = 0;
			seen += chunk.length;
			const first = restLength > 0 ? chunk.indexOf(NEWLINE) : -1;
			if (first >= 0) {
				rest.push(chunk.subarray(0, first));
				out += line(take());
				at = first + 1;
			}
			while (at < chunk.length) {
				let end = chunk.indexOf(NEWLINE, at);
				if (end < 0) return out + keep(chunk.subarray(at));
				if (seen > ONE_BY_ONE && chunk[at] !== BRACE) {
					const object = chunk.indexOf("\n{", at);
					end = object >= 0 ? object : chunk.lastIndexOf(NEWLINE);
				}
				out += line(chunk.subarray(at, end));
				at = end + 1;
			}
			return out;
		},
		flush: () => (restLength > 0 ? line(take()) : ""),
	};
}

/** Whoever reads the log must be able to read it. */
const isObject = (text: string): boolean => readForeignJson(text).ok;

/** The last position at or before `at` that does not split a character. */
function charBoundary(bytes: Buffer, at: number): number {
	for (let cut = at; cut > at - 4; cut--) if (((bytes[cut] ?? 0) & 0xc0) !== 0x80) return cut;
	return at;
}
