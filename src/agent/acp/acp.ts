// Any agent that speaks the Agent Client Protocol on stdin and stdout, given by its command. Its process is run and ended like every other
// agent's, but there is a conversation instead of one prompt and an end of file. Never throws.
import { Writable } from "node:stream";
import type { WritableStream } from "node:stream/web";
import type { Agent, AgentOutcome, AgentRequest } from "../../agent.ts";
import { withPlaces } from "../../core/sandbox/sandbox.ts";
import { type ProcessEnd, redactor, runProcess } from "../../process.ts";
import { notThere, placed } from "../program/command.ts";
import { judge, notStarted } from "../program/judge.ts";
import { type AgentLog, openLog } from "../program/log.ts";
import { type McpServerCommand, mcpPlaces, mcpServer } from "../program/mcp-server.ts";
import { type Prices, priced } from "../program/price.ts";
import type { Conversation } from "./session.ts";
import { type AcpReader, acpReader, redacted } from "./updates.ts";

export interface AcpOptions {
	readonly name: string;
	readonly argv: readonly string[];
	readonly isolate: boolean;
	readonly prices?: Prices | null;
	/** The command of `pawl mcp`, if the agent is to have it. */
	readonly mcp?: readonly string[] | null;
}

/** How long an agent may take to exit after it was asked to stop or has finished its turn; then its process is ended. */
const LINGER_MS = 1000;
const STDERR_KEPT = 8192;
const PROGRESS_EVERY_MS = 200;

export function acpAgent(options: AcpOptions): Agent {
	const { name, argv } = options;
	const [first = ""] = argv;
	return {
		name,
		problem: async () => (first === "" ? `the agent ${name} has no command` : notThere(name, first)),
		run: async (request, signal) => {
			const log = openLog(request.logFile, request.logMax);
			if ("problem" in log) return notStarted(log.problem);
			try {
				return await attempt(options, request, signal, log);
			} catch (error) {
				return notStarted(error instanceof Error ? error.message : String(error));
			}
		},
	};
}

async function attempt(options: AcpOptions, request: AgentRequest, signal: AbortSignal, log: AgentLog): Promise<AgentOutcome> {
	const { argv, isolate, prices = null } = options;
	const [first = "", ...args] = argv;
	const program = { command: placed(first), args, isolate, prices };
	const { who, secrets } = request;
	log.record({ type: "attempt", attempt: who.attempt, step: who.step, role: who.role, command: program.command, at: iso() });
	let resumable = false;
	const told = (text: string, canContinue: boolean): void => {
		log.record({ type: "prompt", text: redacted(text, secrets) });
		resumable = canContinue && request.session !== undefined;
	};
	const reader = acpReader(log, secrets);
	const stop = new AbortController();
	const ears = new TransformStream<Uint8Array, Uint8Array>();
	const mouth = ears.writable.getWriter();
	// Writing fails when the agent is gone; the end of its process reports that.
	mouth.closed.catch(() => {});
	const stdout = redactor(secrets);
	const stderr = redactor(secrets);
	let lastWords: Buffer = Buffer.alloc(0);
	const onStderr = (chunk: Buffer): void => {
		lastWords = Buffer.concat([lastWords, chunk.subarray(-STDERR_KEPT)]).subarray(-STDERR_KEPT);
		log.write("stderr", chunk);
	};
	const caps = capsOf(request, reader, stop);
	const progress = progressOf(request, reader);
	const over = Promise.withResolvers<void>();
	let conversation: Promise<boolean> | null = null;
	let linger: NodeJS.Timeout | null = null;
	const soon = (): void => {
		linger ??= setTimeout(() => stop.abort(), LINGER_MS);
	};
	signal.addEventListener("abort", soon, { once: true });

	const end = await runProcess({
		command: program.command,
		args,
		cwd: request.cwd,
		env: request.env,
		timeoutMs: request.timeoutMs,
		...(request.stallMs === null ? {} : { stallMs: request.stallMs }),
		mark: request.mark,
		isolate,
		...(request.sandbox === undefined ? {} : { sandbox: withPlaces(request.sandbox, mcpPlaces(options.mcp ?? null, request.sandbox)) }),
		// Not the caller's signal: an agent that is asked to stop gets a moment to do so, unless it has not begun.
		signal: signal.aborted ? signal : stop.signal,
		talk: (stdin) => {
			const output = Writable.toWeb(stdin) as WritableStream<Uint8Array>;
			conversation = hold({ ...wants(options, request), input: ears.readable, output, reader, cancel: signal, note: noteIn(log), told })
				.then((ended) => ended && !signal.aborted)
				.finally(() => {
					over.resolve();
					stdin.end();
					soon();
				});
		},
		onStdout: async (chunk) => {
			progress(chunk.length);
			// Logged until the conversation begins: it may say why it does not.
			if (!reader.begun()) log.write("stdout", stdout.push(chunk));
			// After its turn nobody reads, so do not wait for it.
			await Promise.race([mouth.write(chunk).catch(() => {}), over.promise]);
			caps.check();
		},
		onStderr: (chunk) => {
			onStderr(stderr.push(chunk));
			progress(chunk.length);
		},
	});
	signal.removeEventListener("abort", soon);
	mouth.close().catch(() => {});
	const settled = (await conversation) ?? false;
	if (linger !== null) clearTimeout(linger);
	log.write("stdout", stdout.flush());
	onStderr(stderr.flush());
	reader.flush();
	const said = reader.output();
	const capped = signal.aborted ? null : caps.passed();
	const judged = judge({
		program,
		request,
		end: howItEnded(end, settled && capped === null, signal),
		said,
		stderr: lastWords.toString("utf8"),
		capped,
	});
	const { usage, costFrom } = priced(said.usage, said.cachedTokens, prices);
	const details = { cachedTokens: said.cachedTokens, costFrom, turns: said.turns, toolCalls: said.toolCalls, tools: said.tools };
	const { result, error, exitCode } = judged;
	const logCut = log.end({ type: "end", attempt: who.attempt, result, error, exitCode, signal: end.signal, usage, ...details, at: iso() });
	const whole = { ...judged, error: error === null ? null : redacted(error, secrets), usage, details };
	return { ...whole, ...(logCut > 0 ? { logCut } : {}), ...(resumable ? { resumable } : {}) };
}

/** Returns whether the turn came to an end. Loads the SDK here because no other agent needs it. */
async function hold(c: Conversation): Promise<boolean> {
	try {
		const { converse } = await import("./session.ts");
		await converse(c);
		return true;
	} catch {
		return false;
	}
}

function wants(
	{ mcp = null }: AcpOptions,
	request: AgentRequest,
): Omit<Conversation, "input" | "output" | "reader" | "cancel" | "note" | "told"> {
	const server = mcpServer(mcp, request.env);
	return {
		folders: { workspace: request.cwd, sharedDir: request.who.sharedDir, readOnly: request.readOnly },
		prompt: request.prompt,
		model: request.model,
		effort: request.effort ?? null,
		continue: request.session?.continue ?? null,
		message: request.session?.message ?? null,
		mcpServers: server === null ? [] : [asAcp(server)],
	};
}

const asAcp = ({ command, args, env }: McpServerCommand): Conversation["mcpServers"][number] => ({
	name: "pawl",
	command,
	args: [...args],
	env: Object.entries(env).map(([name, value]) => ({ name, value })),
});

/** After a complete turn pawl itself ended the process, so its end says nothing; otherwise its end is all that is known. */
function howItEnded(end: ProcessEnd, settled: boolean, signal: AbortSignal): ProcessEnd {
	if (settled) return { reason: "exit", code: 0, signal: null, error: null };
	return signal.aborted && end.reason !== "failed_to_start" ? { ...end, reason: "aborted" } : end;
}

const noteIn =
	(log: AgentLog) =>
	(text: string): void =>
		log.record({ type: "note", text });

/** The protocol does not show turns; it shows the cost if the agent reports it. */
function capsOf({ maxCostUsd = null }: AgentRequest, reader: AcpReader, stop: AbortController): { check(): void; passed(): string | null } {
	let passed: string | null = null;
	return {
		check: () => {
			const cost = maxCostUsd === null || passed !== null ? null : reader.usage().costUsd;
			if (maxCostUsd === null || cost === null || cost <= maxCostUsd) return;
			passed = `cost limit: it used $${cost} of $${maxCostUsd}`;
			stop.abort();
		},
		passed: () => passed,
	};
}

function progressOf(request: AgentRequest, reader: AcpReader): (bytes: number) => void {
	let bytes = 0;
	let told = Number.NEGATIVE_INFINITY;
	return (more) => {
		bytes += more;
		if (performance.now() - told < PROGRESS_EVERY_MS) return;
		told = performance.now();
		request.onProgress?.({ bytes, usage: reader.usage() });
	};
}

const iso = (): string => new Date().toISOString();
