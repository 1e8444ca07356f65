// Runs one attempt with a program that takes a prompt on stdin: passes its output to the log and to a reader, and turns its end into one
// outcome. Never throws.
import type { AgentOutcome, AgentRequest } from "../../agent.ts";
import { type Place, withPlaces } from "../../core/sandbox/sandbox.ts";
import { type ProcessEnd, redactor, runProcess } from "../../process.ts";
import type { AgentOutput, StreamError } from "../stream/event.ts";
import { type OutputReader, outputReader } from "../stream/reader.ts";
import { judge, notStarted } from "./judge.ts";
import { watchLimit } from "./limit-watch.ts";
import { openLog } from "./log.ts";
import { type Prices, priced } from "./price.ts";

export interface Program {
	/** What it needs to see in a sandbox, besides its own program. */
	readonly places?: readonly Place[];
	readonly command: string;
	readonly args: readonly string[];
	readonly isolate: boolean;
	readonly prices: Prices | null;
	/** The program always prints events, so no output at all is a failure. */
	readonly structured?: boolean;
	/** What its exit code means, if its stream does not say more. */
	readonly exitMeans?: (code: number, complaint: string) => StreamError | null;
	/** Corrects what was read before it is judged. */
	readonly adjust?: (said: AgentOutput) => AgentOutput;
}

const STDERR_KEPT = 8192;
const PROGRESS_EVERY_MS = 200;

export async function runProgram(program: Program, request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome> {
	const log = openLog(request.logFile, request.logMax);
	if ("problem" in log) return notStarted(log.problem);
	const { who, secrets } = request;
	const { command, args, isolate, prices } = program;
	log.record({ type: "attempt", attempt: who.attempt, step: who.step, role: who.role, command, at: new Date().toISOString() });
	log.record({ type: "prompt", text: redacted(request.prompt, secrets) });
	const reader = outputReader();
	const stdout = redactor(secrets);
	const stderr = redactor(secrets);
	const caps = watchCaps(request, reader, prices);
	const limit = watchLimit(request, reader);
	let bytes = 0;
	let lastWords: Buffer = Buffer.alloc(0);
	const onStdout = (chunk: Buffer): void => {
		reader.write(chunk);
		log.write("stdout", chunk);
	};
	const onStderr = (chunk: Buffer): void => {
		lastWords = Buffer.concat([lastWords, chunk.subarray(-STDERR_KEPT)]).subarray(-STDERR_KEPT);
		log.write("stderr", chunk);
	};
	let told = Number.NEGATIVE_INFINITY;
	const progress = (chunk: Buffer): void => {
		bytes += chunk.length;
		if (performance.now() - told < PROGRESS_EVERY_MS) return;
		told = performance.now();
		request.onProgress?.({ bytes, usage: reader.usage() });
	};
	const end: ProcessEnd = await runProcess({
		command,
		args,
		cwd: request.cwd,
		env: request.env,
		stdin: request.prompt,
		timeoutMs: request.timeoutMs,
		...(request.stallMs === null ? {} : { stallMs: request.stallMs }),
		mark: request.mark,
		isolate,
		...(request.sandbox === undefined ? {} : { sandbox: withPlaces(request.sandbox, program.places ?? []) }),
		signal: AbortSignal.any([signal, limit.signal, ...(caps === null ? [] : [caps.signal])]),
		onStdout: (chunk) => {
			onStdout(stdout.push(chunk));
			caps?.check();
			limit.heard();
			progress(chunk);
		},
		onStderr: (chunk) => {
			onStderr(stderr.push(chunk));
			progress(chunk);
		},
	});
	limit.stop();
	onStdout(stdout.flush());
	onStderr(stderr.flush());
	const read = reader.end();
	const said = program.adjust?.(read) ?? read;
	const capped = signal.aborted ? null : (caps?.passed() ?? null);
	const limited = signal.aborted || capped !== null ? null : limit.passed();
	const judged = judge({ program, request, end, said, stderr: lastWords.toString("utf8"), capped, limited });
	// The time may have been computed from an earlier event and be in the past by now.
	const retryAt = judged.retryAt === null ? null : Math.max(judged.retryAt, Date.now());
	const { usage, costFrom } = priced(said.usage, said.cachedTokens, prices);
	const details = { cachedTokens: said.cachedTokens, costFrom, turns: said.turns, toolCalls: said.toolCalls, tools: said.tools };
	const { result, error, exitCode } = judged;
	const logCut = log.end({
		type: "end",
		attempt: who.attempt,
		result,
		error,
		exitCode,
		signal: end.signal,
		usage,
		...details,
		at: new Date().toISOString(),
	});
	return { ...judged, retryAt, usage, details, ...(logCut > 0 ? { logCut } : {}) };
}

interface Caps {
	readonly signal: AbortSignal;
	check(): void;
	passed(): string | null;
}

/** Enforces limits that the program may lack or ignore: ends it as soon as its output shows that it passed one. */
function watchCaps(request: AgentRequest, reader: OutputReader, prices: Prices | null): Caps | null {
	const { maxTurns = null, maxCostUsd = null } = request;
	if (maxTurns === null && maxCostUsd === null) return null;
	const stop = new AbortController();
	let passed: string | null = null;
	return {
		signal: stop.signal,
		check: () => {
			if (passed !== null) return;
			if (maxTurns !== null && (reader.turns() ?? 0) > maxTurns) passed = `turn limit: it went on after ${maxTurns} turns`;
			const cost = maxCostUsd === null ? null : priced(reader.usage(), null, prices).usage.costUsd;
			if (maxCostUsd !== null && cost !== null && cost > maxCostUsd) passed = `cost limit: it used $${cost} of $${maxCostUsd}`;
			if (passed !== null) stop.abort();
		},
		passed: () => passed,
	};
}

function redacted(text: string, secrets: readonly string[]): string {
	const redact = redactor(secrets);
	return Buffer.concat([redact.push(Buffer.from(text)), redact.flush()]).toString("utf8");
}
