// The agent `scripted`: follows a script instead of asking a model. It runs inside pawl's own process (only `run` and `commit` start
// others), but ends, logs and fails as the agent `command` does, so that a workflow cannot tell them apart.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Agent, AgentOutcome, AgentRequest } from "../../agent.ts";
import { formatDuration } from "../../core/duration.ts";
import { perform } from "./actions.ts";
import { type Action, BUILT_IN_TEXT, type Call, choose, fill, type Script } from "./script.ts";
import { openSession, type Session } from "./session.ts";
import type { Watch } from "./watch.ts";

interface Options {
	readonly name: string;
	readonly script: Script;
	/** Instead of actions.ts, where an action has to be carried out in another way. */
	readonly perform?: typeof perform;
}

export function scriptedAgent(options: Options): Agent {
	// Kept in memory, so a crash resets the count. Rules that must survive a crash match `step` and `attempt`, which the engine keeps.
	const calls = new Map<string, number>();
	const countCall = ({ run, story, type, role }: AgentRequest["who"]): number => {
		const key = JSON.stringify([run, story, type, role]);
		const nth = (calls.get(key) ?? 0) + 1;
		calls.set(key, nth);
		return nth;
	};
	return {
		name: options.name,
		problem: () => Promise.resolve(null),
		run: (request, signal) => serve(options, request, { ...request.who, nth: countCall(request.who) }, signal),
	};
}

type EndedCall = Pick<AgentOutcome, "result" | "error" | "exitCode" | "retryAt">;

async function serve(options: Options, request: AgentRequest, call: Call, signal: AbortSignal): Promise<AgentOutcome> {
	const session = openSession(request, call, signal);
	let ended: EndedCall | null;
	try {
		ended = await follow(options, session);
	} catch (error) {
		// Only the log can throw: a full disk, a folder that cannot be made.
		ended = agentError(error instanceof Error ? error.message : String(error));
	}
	session.watch.close();
	ended = endedFromOutside(session.watch, request) ?? ended ?? { result: "ok", error: null, exitCode: 0, retryAt: null };
	// The outcome stands, even if the last lines of the log cannot be written.
	if (ended.result === "ok" && session.said.length === 0) {
		const text = fill(BUILT_IN_TEXT, call);
		session.said.push(text);
		await session.log({ type: "text", stream: "stdout", text }).catch(() => undefined);
	}
	await session.log({ type: "end", result: ended.result, error: ended.error, exit_code: ended.exitCode }).catch(() => undefined);
	return { ...ended, text: session.said.join("\n"), usage: session.usage, sessionId: null, model: request.model };
}

async function follow(options: Options, session: Session): Promise<EndedCall | null> {
	const { watch, log, call, request } = session;
	const { rule, actions } = choose(options.script, call);
	mkdirSync(dirname(request.logFile), { recursive: true });
	await log({ type: "attempt", attempt: call.attempt, agent: options.name, step: call.step, nth: call.nth, rule });
	await log({ type: "prompt", text: request.prompt });
	for (const [index, action] of actions.entries()) {
		if (watch.signal.aborted) return null;
		if (action.kind === "fail") return failure(action.value, call);
		const problem = await (options.perform ?? perform)(action, session);
		if (problem !== null) return agentError(`${rule}.do[${index}] ${action.kind}: ${problem}`);
	}
	return null;
}

const agentError = (error: string, exitCode: number | null = null): EndedCall => ({
	result: "agent_error",
	error,
	exitCode,
	retryAt: null,
});

function failure(value: Extract<Action, { kind: "fail" }>["value"], call: Call): EndedCall {
	const { exit = 1, as: result = "agent_error", retry_after } = value;
	const error = value.error === undefined ? null : fill(value.error, call);
	if (result === "agent_error") return agentError(`exit code ${exit}${error === null ? "" : `: ${error}`}`, exit);
	return { result, error: error ?? result, exitCode: null, retryAt: retry_after === undefined ? null : Date.now() + retry_after };
}

function endedFromOutside(watch: Watch, { timeoutMs, stallMs }: AgentRequest): EndedCall | null {
	const result = watch.ending();
	if (result === null) return null;
	const errors = {
		cancelled: "cancelled",
		timeout: `timed out after ${formatDuration(timeoutMs)}`,
		stalled: `no output for ${formatDuration(stallMs ?? 0)}`,
	};
	return { result, error: errors[result], exitCode: null, retryAt: null };
}
