// Decides how an attempt ended. What the process did outranks what it said, and what it said outranks its exit code. Success needs all
// three: the process ended by itself, its last event reports success, and its exit code is 0.
import { type AgentOutcome, type AgentRequest, NO_USAGE } from "../../agent.ts";
import { formatDuration } from "../../core/duration.ts";
import type { ProcessEnd } from "../../process.ts";
import type { AgentOutput, StreamError } from "../stream/event.ts";
import { oneLine } from "../stream/failure.ts";
import type { Program } from "./run.ts";

export interface EndedProgram {
	readonly program: Program;
	readonly request: AgentRequest;
	readonly end: ProcessEnd;
	readonly said: AgentOutput;
	readonly stderr: string;
	/** The limit of the request for which it was ended. */
	readonly capped: string | null;
	/** The usage limit for which it was ended, because it waited in silence. */
	readonly limited?: StreamError | null;
}

export function judge({ program, request, end, said, stderr, capped, limited = null }: EndedProgram): AgentOutcome {
	const found = (result: AgentOutcome["result"], error: string | null, retryAt: number | null = null): AgentOutcome => ({
		result,
		error,
		retryAt,
		text: said.text,
		usage: said.usage,
		exitCode: end.code,
		sessionId: said.sessionId,
		model: said.model,
	});
	const typed = (error: StreamError): AgentOutcome => found(error.result, error.message, error.retryAt);
	switch (end.reason) {
		case "failed_to_start":
			return found("agent_error", `cannot start ${program.command}: ${end.error ?? "unknown reason"}`);
		case "aborted":
			if (limited !== null) return typed(limited);
			return capped === null ? found("cancelled", "cancelled") : found("agent_error", capped);
		case "timeout":
			if (said.retrying?.result === "rate_limited") return typed(said.retrying);
			return found("timeout", `timeout: timed out after ${formatDuration(request.timeoutMs)}`);
		case "stalled":
			// It is silent because the server told it to wait: the limit is what a person needs to know.
			if (said.retrying !== null && said.retrying.result !== "agent_error") return typed(said.retrying);
			return found("stalled", `no output for ${formatDuration(request.stallMs ?? 0)}`);
		case "exit":
			break;
	}
	const complaint = lastLine(stderr);
	const meant = end.code === null || end.code === 0 ? null : (program.exitMeans?.(end.code, complaint) ?? null);
	if (said.error !== null) {
		// The exit code may say what kind of failure an untyped message is.
		if (said.error.result === "agent_error" && meant !== null) return found(meant.result, said.error.message, meant.retryAt);
		return typed(said.error);
	}
	if (meant !== null) return typed(meant);
	if (said.overcome !== null && end.code !== 0 && end.signal === null) return typed(said.overcome);
	const why = complaint === "" ? "" : `: ${complaint}`;
	const by = end.signal === null ? "" : ` (${end.signal})`;
	if (end.code !== 0) return found("agent_error", `exit code ${end.code}${by}${why}`);
	// Some output was lost on our side: what is left must not pass for the whole.
	if (end.error !== null) return found("agent_error", end.error);
	const silent = program.structured === true && said.sessionId === null && said.text.trim() === "";
	if (said.finished && !silent) return found("ok", null);
	if (said.denied !== null) return found("permission", oneLine(said.denied));
	return found("agent_error", `its output ended before the session did${why}`);
}

export const notStarted = (error: string): AgentOutcome => ({
	result: "agent_error",
	error,
	text: "",
	usage: NO_USAGE,
	exitCode: null,
	retryAt: null,
	sessionId: null,
	model: null,
});

function lastLine(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours are made of them
	const plain = text.replace(/\u001b\[[0-9;]*m/g, "");
	return oneLine(plain.split("\n").findLast((line) => line.trim() !== "") ?? "");
}
