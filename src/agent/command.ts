// The agent `command`: any program that takes a prompt on stdin and says what it has to say on stdout.
import { resolve } from "node:path";
import { type Agent, type AgentOutcome, type AgentRequest, NO_USAGE } from "../agent.ts";
import { formatDuration } from "../core/duration.ts";
import { findExecutable, type ProcessEnd, redactor, runProcess } from "../process.ts";
import { openLog } from "./log.ts";
import { outputReader } from "./stream.ts";
import type { AgentOutput } from "./stream-event.ts";
import { oneLine } from "./stream-failure.ts";

export interface CommandOptions {
	readonly name: string;
	readonly argv: readonly string[];
	readonly isolate: boolean;
}

export function commandAgent({ name, argv, isolate }: CommandOptions): Agent {
	const [first = "", ...args] = argv;
	// A path is meant from where the person is, not from the workspace that the agent will run in.
	const command = first.includes("/") ? resolve(first) : first;
	return {
		name,
		problem: async () => {
			if (command === "") return `the agent ${name} has no command`;
			const found = findExecutable(command, process.cwd(), process.env["PATH"] ?? "");
			return found === null ? `the agent ${name} cannot be started: ${first} is not found or not executable` : null;
		},
		run: (request, signal) => runCommand({ command, args, isolate }, request, signal),
	};
}

interface Command {
	readonly command: string;
	readonly args: readonly string[];
	readonly isolate: boolean;
}

/** One attempt with a command line, for every agent that is a program. Never throws. */
export async function runCommand({ command, args, isolate }: Command, request: AgentRequest, signal: AbortSignal): Promise<AgentOutcome> {
	const log = openLog(request.logFile);
	if ("problem" in log) return outcome("agent_error", log.problem, null, NOTHING);
	const { who } = request;
	log.record({ type: "attempt", attempt: who.attempt, step: who.step, role: who.role, command, at: new Date().toISOString() });
	log.record({ type: "prompt", text: redacted(request.prompt, request.secrets) });
	const reader = outputReader();
	const stdout = redactor(request.secrets);
	const stderr = redactor(request.secrets);
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
	const end = await runProcess({
		command,
		args,
		cwd: request.cwd,
		env: request.env,
		stdin: request.prompt,
		timeoutMs: request.timeoutMs,
		...(request.stallMs === null ? {} : { stallMs: request.stallMs }),
		mark: request.mark,
		isolate,
		signal,
		onStdout: (chunk) => {
			onStdout(stdout.push(chunk));
			progress(chunk);
		},
		onStderr: (chunk) => {
			onStderr(stderr.push(chunk));
			progress(chunk);
		},
	});
	onStdout(stdout.flush());
	onStderr(stderr.flush());
	const said = reader.end();
	const result = judge(command, request, end, said, lastLine(lastWords));
	log.end({
		type: "end",
		attempt: who.attempt,
		result: result.result,
		error: result.error,
		exitCode: result.exitCode,
		signal: end.signal,
		at: new Date().toISOString(),
	});
	return result;
}

function redacted(text: string, secrets: readonly string[]): string {
	const redact = redactor(secrets);
	return Buffer.concat([redact.push(Buffer.from(text)), redact.flush()]).toString("utf8");
}

const STDERR_KEPT = 8192;
const PROGRESS_EVERY_MS = 200;

/** What the process did goes before what it said, and what it said before its exit code. */
function judge(command: string, request: AgentRequest, end: ProcessEnd, said: AgentOutput, complaint: string): AgentOutcome {
	switch (end.reason) {
		case "failed_to_start":
			return outcome("agent_error", `cannot start ${command}: ${end.error ?? "unknown reason"}`, end, said);
		case "aborted":
			return outcome("cancelled", "cancelled", end, said);
		case "timeout":
			return outcome("timeout", `timeout: timed out after ${formatDuration(request.timeoutMs)}`, end, said);
		case "stalled":
			return outcome("stalled", `no output for ${formatDuration(request.stallMs ?? 0)}`, end, said);
		case "exit":
			break;
	}
	if (said.error !== null) return { ...outcome(said.error.result, said.error.message, end, said), retryAt: said.error.retryAt };
	const why = complaint === "" ? "" : `: ${complaint}`;
	const by = end.signal === null ? "" : ` (${end.signal})`;
	if (end.code !== 0) return outcome("agent_error", `exit code ${end.code}${by}${why}`, end, said);
	// Output was lost on our side: what is left of it must not pass for the whole.
	if (end.error !== null) return outcome("agent_error", end.error, end, said);
	if (!said.finished) return outcome("agent_error", `its output ended before the session did${why}`, end, said);
	return outcome("ok", null, end, said);
}

const NOTHING: AgentOutput = { text: "", usage: NO_USAGE, sessionId: null, model: null, error: null, finished: true };

function outcome(result: AgentOutcome["result"], error: string | null, end: ProcessEnd | null, said: AgentOutput): AgentOutcome {
	const { text, usage, sessionId, model } = said;
	return { result, error, text, usage, exitCode: end?.code ?? null, retryAt: null, sessionId, model };
}

function lastLine(bytes: Buffer): string {
	const lines = bytes.toString("utf8").split("\n");
	return oneLine(lines.findLast((line) => line.trim() !== "") ?? "");
}
